package settings

import (
	"os"
	"strings"
)

// Environment holds what settings are read from beside the file: the NOD_ variables, HOME, and
// the XDG directories.
type Environment map[string]string

// TakeEnvironment moves nod's variables out of the process's environment, so that no child
// process inherits the token. It belongs at the very beginning of main.
func TakeEnvironment() Environment {
	env := Environment{}
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		switch {
		case strings.HasPrefix(name, prefix+"_"):
			env[name] = value
			os.Unsetenv(name)
		case name == "HOME" || strings.HasPrefix(name, "XDG_"):
			env[name] = value
		}
	}
	return env
}

// ForService is what a nod that is started as a service gets of this environment to find its settings.
func (e Environment) ForService() Environment {
	env := Environment{}
	for _, name := range []string{"HOME", "NOD_CONFIG", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"} {
		if value, ok := e[name]; ok {
			env[name] = value
		}
	}
	return env
}
