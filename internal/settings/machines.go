package settings

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"nod/internal/text/lazy"
)

// Machine is one that the bot reaches, and how.
type Machine struct {
	Name string
	// Host is what ssh is given, and Container what docker exec is; one of them is empty.
	Host, Container string
}

// Machines are those that the bot reaches, each name once.
type Machines []Machine

// machineName is the form of a machine's name and of a host: neither passes for an option of a program.
var (
	machineName = lazy.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.-]{0,39}$`)
	sshHost     = lazy.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.@:%-]{0,199}$`)
	container   = lazy.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$`)
)

// Decode parses names that are separated by commas, each with where it is reached if that is not a host of the same name.
func (m *Machines) Decode(text string) error {
	var all Machines
	for _, word := range words(text) {
		name, how, told := strings.Cut(word, "=")
		made := Machine{Name: name, Host: name}
		if inside, is := strings.CutPrefix(how, "docker:"); is {
			_, made.Container, _ = strings.Cut(how, "docker:exec ")
			made.Host, made.Container = inside[:0], cmp.Or(strings.TrimSpace(made.Container), "-")
		} else if told {
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

// String writes them as Decode reads them.
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
