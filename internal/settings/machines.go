package settings

import (
	"errors"
	"slices"
	"strings"

	"nod/internal/text/lazy"
)

// Machine is another machine and how the bot reaches it.
type Machine struct {
	Name string
	// Host is the argument for ssh, Container the one for docker exec. One of the two is empty.
	Host, Container string
}

// Machines are the machines that the bot reaches, each name once.
type Machines []Machine

// machineName is the form of a machine's name. It and the forms below exclude words that a program would take
// for an option.
var (
	machineName = lazy.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.-]{0,39}$`)
	sshHost     = lazy.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.@:%-]{0,199}$`)
	container   = lazy.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$`)
)

// Decode parses names separated by commas, each with its host or container unless that is a host of the same
// name.
func (m *Machines) Decode(text string) error {
	var all Machines
	for _, word := range words(text) {
		name, how, told := strings.Cut(word, "=")
		made := Machine{Name: name, Host: name}
		switch {
		case strings.HasPrefix(how, "docker:"):
			inside := strings.TrimSpace(strings.TrimPrefix(how, "docker:exec "))
			if inside == how || inside == "" {
				inside = "-" // no container is called so
			}
			made.Host, made.Container = "", inside
		case told:
			made.Host = strings.TrimPrefix(how, "ssh:")
		}
		taken := slices.ContainsFunc(all, func(o Machine) bool { return o.Name == name })
		if !machineName().MatchString(name) || made.Container == "" && !sshHost().MatchString(made.Host) || made.Container != "" && !container().MatchString(made.Container) || taken {
			return errors.New("must be machines, comma-separated and each once, as in dev,gpu1=me@gpu1.example.com,web=docker:exec web; a name is of letters, digits, dots and dashes")
		}
		all = append(all, made)
	}
	*m = all
	return nil
}

// String formats the machines as Decode parses them.
func (m Machines) String() string {
	var words []string
	for _, one := range m {
		switch {
		case one.Container != "":
			words = append(words, one.Name+"=docker:exec "+one.Container)
		case one.Host != one.Name:
			words = append(words, one.Name+"="+one.Host)
		default:
			words = append(words, one.Name)
		}
	}
	return strings.Join(words, ",")
}
