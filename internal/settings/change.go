package settings

import (
	"errors"
	"io/fs"
)

// Try says what would be wrong with changes in the settings file of env: the error is an *Error that names all of it. What is
// wrong with other settings is not said.
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
