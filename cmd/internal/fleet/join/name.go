package join

import "strings"

// longestName is the length limit of a machine's name, which precedes the project in every message.
const longestName = 40

// NameFlaw returns why a machine can't have this name; empty: it can.
func NameFlaw(name string) string {
	switch {
	case name == "":
		return "A machine needs a name."
	case len(name) > longestName:
		return "A machine's name has at most 40 characters."
	case name[0] == '-' || name[0] == '.':
		return "A machine's name begins with a letter or a digit."
	case strings.ContainsFunc(name, func(r rune) bool { return !inName(r) }):
		return "A machine's name has letters of a-z, digits, - and . alone."
	}
	return ""
}

func inName(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.'
}
