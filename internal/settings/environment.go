package settings

import (
	"maps"
	"os"
	"slices"
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

// Misspelt are the variables of this environment that are no settings and look like one, each with the one that was probably
// meant. They are no errors: others may have variables of that prefix too.
func (e Environment) Misspelt() (problems []Problem) {
	for _, name := range slices.Sorted(maps.Keys(e)) {
		if strings.HasPrefix(name, prefix+"_") && e[name] != "" && name != "NOD_CONFIG" && !isVariable(name) && nearest(name) != "" {
			problems = append(problems, Problem{Variable: name, Should: unknownKey(name), Where: "environment"})
		}
	}
	return problems
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
