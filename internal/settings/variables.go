package settings

import (
	"reflect"
	"strings"

	"nod/internal/text/lazy"
	"nod/internal/text/near"
)

const prefix = "NOD"

// Variable describes one setting for people.
type Variable struct {
	Name    string // "NOD_CADENCE"
	Default string // empty if there is none, or if Meaning explains it
	Meaning string
	Restart bool // a running bot keeps its value until it is restarted
	field   int  // index in Settings
}

// Variables lists every setting, in the order of the documentation.
func Variables() []Variable {
	t := reflect.TypeFor[Settings]()
	var list []Variable
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		list = append(list, Variable{
			Name:    variableName(f.Name),
			Default: f.Tag.Get("default"),
			Meaning: f.Tag.Get("desc"),
			Restart: f.Tag.Get("restart") == "true",
			field:   i,
		})
	}
	return list
}

var wordStart = lazy.MustCompile(`([a-z])([A-Z])`)

// variableName converts StablePolls to NOD_STABLE_POLLS, as envconfig's split_words does.
func variableName(field string) string {
	return prefix + "_" + strings.ToUpper(wordStart().ReplaceAllString(field, "${1}_$2"))
}

// nearest returns the variable that a misspelt name probably means; empty if none is close.
func nearest(name string) string {
	if whole := prefix + "_" + name; isVariable(whole) {
		return whole
	}
	var names []string
	for _, v := range Variables() {
		names = append(names, v.Name)
	}
	return near.To(name, names)
}
