package settings

import (
	"errors"
	"io/fs"
)

// Try checks changes to the settings file of env. The error is an *Error that names every problem with them;
// it does not mention other settings.
func Try(env Environment, changes []Change) error {
	text, err := readPrivate(File(env))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &Error{Problems: []Problem{{Should: "the settings file " + err.Error()}}, cause: err}
	}
	file, _ := parseFile(edit(text, changes), "")
	texts, sources := layer(env, file)
	s, problems := decode(texts, sources)
	problems = append(problems, s.checkRanges()...)
	var wrong []Problem
	for _, c := range changes {
		switch {
		case !isVariable(c.Variable):
			wrong = append(wrong, Problem{Variable: c.Variable, Should: unknownKey(c.Variable)})
		case file[c.Variable] != c.Value:
			wrong = append(wrong, Problem{Variable: c.Variable, Should: "must be one line, without quotes or blanks around it"})
		}
		for _, p := range problems {
			if p.Variable == c.Variable {
				wrong = append(wrong, p)
			}
		}
	}
	if wrong != nil {
		return &Error{Problems: wrong}
	}
	return nil
}
