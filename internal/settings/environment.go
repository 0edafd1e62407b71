package settings

import (
	"maps"
	"os"
	"slices"
	"strings"
)

// Environment holds the variables that settings are read from, besides the file: the NOD_ variables, HOME,
// and the XDG directories.
type Environment map[string]string

// TakeEnvironment moves nod's variables out of the process's environment, so that no child process inherits
// the token. Call it at the very beginning of main.
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

// Misspelt returns the variables that look like a setting but are none, each with the setting that was
// probably meant. They are not errors: other programs may use the prefix too.
func (e Environment) Misspelt() (problems []Problem) {
	for _, name := range slices.Sorted(maps.Keys(e)) {
		if strings.HasPrefix(name, prefix+"_") && e[name] != "" && name != "NOD_CONFIG" && !isVariable(name) && nearest(name) != "" {
			problems = append(problems, Problem{Variable: name, Should: unknownKey(name), Where: "environment"})
		}
	}
	return problems
}

// ForService returns the variables by which a nod that runs as a service finds its settings.
func (e Environment) ForService() Environment {
	env := Environment{}
	for _, name := range []string{"HOME", "NOD_CONFIG", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"} {
		if value, ok := e[name]; ok {
			env[name] = value
		}
	}
	return env
}
