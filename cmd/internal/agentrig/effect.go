//go:build agents

package agentrig

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"nod/cmd/internal/agentrig/model"
)

// refusal is how agents tell the model that a call was refused or given up.
var refusal = regexp.MustCompile(`(?i)reject|refus|denied|declin|cancel|abort|interrupt|doesn't want`)

// Ran is how many times what scenario asks for has really happened, counted where it happens: in
// the project's files, and for what leaves no file in what the agent gave back to the model.
func (r *Run) Ran(scenario string) int {
	r.t.Helper()
	switch scenario {
	case "edit":
		return strings.Count(r.read(model.EditFile), "+")
	case "write":
		made, err := filepath.Glob(filepath.Join(r.Project.Dir, model.WriteGlob))
		must(r.t, err)
		return len(made)
	case "read":
		return r.results(scenario, func(text string) bool { return strings.Contains(text, outsideText) })
	case "fetch":
		return r.results(scenario, func(text string) bool { return !refusal.MatchString(text) })
	}
	return strings.Count(r.read(model.RanFile(scenario)), "ran\n")
}

func (r *Run) results(scenario string, good func(text string) bool) int {
	n := 0
	for _, result := range r.Model.Results(scenario) {
		if good(result.Text) {
			n++
		}
	}
	return n
}

// read is a file of the project; empty where there is none.
func (r *Run) read(name string) string {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.Project.Dir, name))
	if err != nil && !os.IsNotExist(err) {
		r.t.Fatal(err)
	}
	return string(text)
}
