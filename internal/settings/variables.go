package settings

import (
	"reflect"
	"regexp"
	"strings"
)

const prefix = "NOD"

// Variable describes one setting for people.
type Variable struct {
	Name    string // "NOD_CADENCE"
	Default string // empty: none, or one that Meaning explains
	Meaning string
	Restart bool // a running bot keeps its value until it is started again
	field   int  // in Settings
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

var wordStart = regexp.MustCompile(`([a-z])([A-Z])`)

// variableName makes NOD_STABLE_POLLS of StablePolls, as envconfig's split_words does.
func variableName(field string) string {
	return prefix + "_" + strings.ToUpper(wordStart.ReplaceAllString(field, "${1}_$2"))
}

// nearest finds the variable that a misspelt name was probably meant to be.
func nearest(name string) (string, bool) {
	best, distance := "", 4
	for _, v := range Variables() {
		if d := editDistance(name, v.Name); d < distance {
			best, distance = v.Name, d
		}
	}
	return best, best != ""
}

// editDistance counts the letters to insert, remove or replace between a and b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j]+1, row[j+1]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
