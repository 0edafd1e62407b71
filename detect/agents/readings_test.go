package agents

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nod/detect/screen"
)

var update = flag.Bool("update", false, "write the readings again")

// TestReadings compares all that is read of each captured prompt, word for word, with testdata/readings: the label file
// says what must be true of a capture, this what nod makes of it.
func TestReadings(t *testing.T) {
	byAgent := map[string][]string{}
	for _, l := range labels(t) {
		if l.State.Asks() {
			r := asRead(t, l.Agent, l.coloured())
			byAgent[l.Agent] = append(byAgent[l.Agent], written(filepath.Base(l.File), r))
		}
	}
	for agent, readings := range byAgent {
		slices.Sort(readings)
		got, file := strings.Join(readings, "\n"), filepath.Join("testdata", "readings", agent+".txt")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.Split(string(b), "\n"); !slices.Equal(want, strings.Split(got, "\n")) {
			t.Errorf("%s differs; look at what has changed with go test ./detect/agents -run Readings -update\n%s", file, firstDifference(want, strings.Split(got, "\n")))
		}
	}
}

// written is a reading as a person reads it: what is asked of what, what of it leads, each option with its scope and key.
func written(name string, r screen.Reading) string {
	var b strings.Builder
	p := r.Prompt
	fmt.Fprintf(&b, "== %s\n%s %s\n", name, r.State, p.Shape)
	for _, field := range []struct{ name, text string }{{"title", p.Title}, {"question", p.Question}, {"verb", p.Verb}} {
		if field.text != "" {
			fmt.Fprintf(&b, "%s: %s\n", field.name, field.text)
		}
	}
	for i, line := range strings.Split(p.Subject, "\n") {
		mark := "+"
		if i < p.Lead {
			mark = "|"
		}
		b.WriteString(strings.TrimRight(mark+" "+line, " ") + "\n")
	}
	for i, o := range p.Options {
		pointer := " "
		if i == p.Highlighted {
			pointer = ">"
		}
		fmt.Fprintf(&b, "%s %-9s %-2s %s\n", pointer, o.Scope, o.Key, o.Label)
	}
	for _, doubt := range p.Doubts {
		fmt.Fprintf(&b, "doubt: %s\n", strings.TrimSpace(string(doubt.Kind)+" "+doubt.Agent))
	}
	fmt.Fprintf(&b, "approve: %s\ndeny: %s\n", strings.Join(p.Approve, " "), strings.Join(p.Deny, " "))
	return strings.ReplaceAll(b.String(), ": \n", ": none\n")
}

func firstDifference(want, got []string) string {
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || want[i] != got[i] {
			line := func(lines []string) string { return strings.Join(lines[min(i, len(lines)):min(i+3, len(lines))], "\n") }
			return fmt.Sprintf("line %d\nwant\n%s\ngot\n%s", i+1, line(want), line(got))
		}
	}
	return ""
}
