package record

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"nod/cmd/internal/control"
)

// label describes a recorded screen, in the form of a line of detect/agents/testdata/labels.jsonl.
type label struct {
	File      string        `json:"file"`
	Agent     string        `json:"agent"`
	Version   string        `json:"version"`
	Size      string        `json:"size"`
	State     string        `json:"state"`
	Shape     string        `json:"shape"`
	Subject   string        `json:"subject_contains"`
	Approve   [][]string    `json:"approve"`
	Deny      [][]string    `json:"deny"`
	Options   []labelOption `json:"options"`
	Highlight *int          `json:"highlight,omitempty"`
	Hidden    string        `json:"hidden,omitempty"`
}

type labelOption struct {
	Starts string `json:"label_starts"`
	Scope  string `json:"scope"`
}

// labelOf returns nod's reading of a screen as a label, which a person corrects if nod is wrong. name is the
// agent's version and the subject of its question: "2.1.330-bash". plain is the reading without colours, in
// which other keys may deny.
func labelOf(read, plain control.Check, agent, name, size string) label {
	version, what, _ := strings.Cut(name, "-")
	l := label{
		File: fmt.Sprintf("%s/%s-%s.txt", fileWord(agent), fileWord(name), size), Agent: agent, Version: version, Size: size,
		State: string(read.State), Shape: what, Approve: [][]string{}, Deny: [][]string{}, Options: []labelOption{},
	}
	p := read.Prompt
	if p == nil {
		return l
	}
	l.Subject, _, _ = strings.Cut(p.Subject, "\n")
	l.Approve, l.Deny = known(l.Approve, p.Approve), known(l.Deny, p.Deny)
	if plain.Prompt != nil {
		l.Approve, l.Deny = known(l.Approve, plain.Approve), known(l.Deny, plain.Deny)
	}
	for _, o := range p.Options {
		l.Options = append(l.Options, labelOption{o.Label, string(o.Scope)})
	}
	l.Highlight = p.Highlighted
	if p.Partial {
		l.Hidden = "a part of it is not on the screen"
	}
	return l
}

// known appends keys to ways, unless keys is empty or already there.
func known(ways [][]string, keys []string) [][]string {
	if len(keys) == 0 || slices.ContainsFunc(ways, func(way []string) bool { return slices.Equal(way, keys) }) {
		return ways
	}
	return append(ways, keys)
}

// String returns the label as one line.
func (l label) String() string {
	var b strings.Builder
	lines := json.NewEncoder(&b)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(l); err != nil {
		panic(err) // it consists of strings and numbers
	}
	return b.String()
}
