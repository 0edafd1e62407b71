package fleet

import (
	"strings"
	"testing"

	"nod/deliver"
	"nod/detect/screen"
)

// TestSecretsAreMaskedAtTheEdge, and an answer to what was masked still reaches the very prompt.
func TestSecretsAreMaskedAtTheEdge(t *testing.T) {
	mask := func(text string) string { return strings.ReplaceAll(text, "hunter2", "•••") }
	g := newGround(t)
	g.ask("%1", "login hunter2")
	s := g.pane("%1").sighting()
	s.Prompt.Fingerprint = "f-1"
	s.Words, s.Screen = "hunter2", []screen.Drawn{{Text: "hunter2"}}
	s.Prompt.Options[0].Label = "Yes, hunter2"
	o := newOutbox(mask)
	o.see(s)
	frames := o.whole()
	data, err := frames[0].encode()
	if err != nil || strings.Contains(string(data), "hunter2") {
		t.Fatalf("%s, %v", data, err)
	}
	f, err := decode(data)
	if err != nil {
		t.Fatal(err)
	}
	p := f.State.Panes[0].Prompt
	told, _ := o.at(s.Pane)
	r := unmasked(deliver.Request{Fingerprint: p.Fingerprint, Rows: p.Rows, Choice: &deliver.Choice{Index: 0, Label: p.Options[0].Label}}, told.own.Prompt, told.Prompt)
	if r.Rows[0] != s.Prompt.Rows[0] || r.Choice.Label != "Yes, hunter2" {
		t.Errorf("%+v", r)
	}
	if r := unmasked(deliver.Request{Fingerprint: p.Fingerprint, Rows: []string{"other"}}, told.own.Prompt, told.Prompt); r.Rows[0] != "other" {
		t.Error("rows that were not told became those of the screen")
	}
	if s.Prompt.Options[0].Label != "Yes, hunter2" {
		t.Error("the edge's own sighting was changed")
	}
}
