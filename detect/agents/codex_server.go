package agents

import "strings"

// Server is one that runs the session of an agent, which is its client then.
type Server struct {
	Address string // ws://HOST:PORT or unix://PATH
	// Command is what a request of the server says is to be run, if it says that whole.
	Command func(said string) (command string, whole bool)
}

// ServerOf is the server that an agent was told of when it was started; nil: of none.
func ServerOf(name string, args []string) *Server {
	a := byName(name)
	if a == nil || a.policy.server == nil {
		return nil
	}
	return a.policy.server(args)
}

// codexServer: --remote names the app server (0.169.0).
func codexServer(args []string) *Server {
	for i, arg := range args {
		address, found := strings.CutPrefix(arg, "--remote=")
		if arg == "--remote" && i+1 < len(args) {
			address, found = args[i+1], true
		}
		if found {
			return &Server{Address: address, Command: codexCommandOf}
		}
	}
	return nil
}
