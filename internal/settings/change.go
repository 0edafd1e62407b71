package settings

import (
	"errors"
	"io/fs"
	"slices"
)

// Try checks changes to the settings file of env. The error is an *Error that names every problem with them,
// and every other setting that is wrong because of them; it does not mention what was wrong before.
func Try(env Environment, changes []Change) error {
	text, err := readPrivate(File(env))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &Error{Problems: []Problem{{Should: "the settings file " + err.Error()}}, cause: err}
	}
	before, _ := parseFile(text, "")
	known := env.problemsOf(before)
	file, _ := parseFile(edit(text, changes), "")
	problems := env.problemsOf(file)
	var wrong []Problem
	for _, c := range changes {
		switch {
		case !isVariable(c.Variable):
			wrong = append(wrong, Problem{Variable: c.Variable, Should: unknownKey(c.Variable)})
		case file[c.Variable] != c.Value:
			wrong = append(wrong, Problem{Variable: c.Variable, Should: "must be one line, without quotes or blanks around it"})
		}
	}
	for _, p := range problems {
		changed := slices.ContainsFunc(changes, func(c Change) bool { return c.Variable == p.Variable })
		if changed || !slices.Contains(known, p) {
			wrong = append(wrong, p)
		}
	}
	if wrong != nil {
		return &Error{Problems: wrong}
	}
	return nil
}

// problemsOf returns what is wrong with the settings of e and of a file, apart from the token.
func (e Environment) problemsOf(file map[string]string) []Problem {
	s, problems := decode(layer(e, file))
	return append(problems, s.checkRanges()...)
}
