package settings

import "strings"

// Problem is one wrong setting. It never contains the value, which may be a secret, perhaps under the wrong
// name.
type Problem struct {
	Variable string // "NOD_CADENCE"; empty for a problem of the file itself
	Should   string // what it should be, as the rest of a sentence that begins with Variable
	Where    string // the file, if that helps
}

func (p Problem) String() string {
	text := p.Should
	if p.Variable != "" {
		text = p.Variable + " " + p.Should
	}
	if p.Where != "" {
		text += " (" + p.Where + ")"
	}
	return text
}

// Error lists everything that is wrong with the settings, so that one run shows all of it.
type Error struct {
	Problems []Problem
	cause    error
}

func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

func (e *Error) Unwrap() error { return e.cause }
