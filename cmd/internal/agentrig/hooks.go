//go:build agents

package agentrig

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"nod/deploy"
)

// HookFile is the file that nod's hooks for this agent go into.
func (r *Run) HookFile() string {
	r.t.Helper()
	hook, ok := deploy.HookFor(r.Agent.Name, deploy.Place{Home: r.Home, Getenv: r.getenv})
	if !ok {
		r.t.Fatalf("nod has no hooks for %s", r.Agent)
	}
	return hook.Path
}

// Hooks runs `nod hooks VERB` for the agent, as its user would.
func (r *Run) Hooks(nod, verb string) {
	r.t.Helper()
	cmd := exec.Command(nod, "hooks", verb, r.Agent.Name)
	cmd.Env = r.env
	atTerminal(r.t, cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("nod hooks %s %s: %v\n%s", verb, r.Agent.Name, err, out)
	}
}

// atTerminal gives a command a terminal of a person's own: without one nod answers and uninstalls nothing.
func atTerminal(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	screen, terminal, err := pty.Open()
	must(t, err)
	t.Cleanup(func() { terminal.Close(); screen.Close() })
	cmd.Stdin = terminal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
}

func (r *Run) installHooks(nod string) {
	r.t.Helper()
	text, err := os.ReadFile(r.HookFile())
	if err != nil && !os.IsNotExist(err) {
		r.t.Fatal(err)
	}
	r.HooksBefore = text
	r.Hooks(nod, "install")
}

// getenv reads a variable of the agent's environment.
func (r *Run) getenv(name string) string {
	for _, v := range r.env {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}
