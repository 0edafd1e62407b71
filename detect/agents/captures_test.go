package agents

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"nod/detect/screen"
)

// label says what one captured screen of a real agent is, as read by eye and by trial: testdata/labels.jsonl.
type label struct {
	File    string
	Agent   string
	State   screen.State
	Shape   string
	Subject string `json:"subject_contains"`
	Approve []sequence
	Deny    []sequence
	Options []struct {
		Starts string `json:"label_starts"`
		Scope  screen.Scope
	}
	Highlight *int
	Hidden    string // what of the subject is not on the screen
}

// cutOff reports whether the pane shows no menu of a dialog: it is known by rows of its agent alone.
func (l *label) cutOff() bool { return l.Shape == "cut_off" }

// sequence is keys to press in order; a single key may be alone in the file.
type sequence []string

func (s *sequence) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*s = sequence{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(s))
}

func (s sequence) String() string { return strings.Join(s, " ") }

func labels(t testing.TB) []label {
	t.Helper()
	all, err := readLabels()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var readLabels = sync.OnceValues(func() (all []label, err error) {
	f, err := os.Open("testdata/labels.jsonl")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var l label
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, lines.Err()
})

// coloured is the capture with colours of the same screen.
func (l label) coloured() string { return strings.TrimSuffix(l.File, ".txt") + ".ansi" }

func capture(t testing.TB, file string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// asRead is what is read of a capture as its agent's. It is read once for all tests that look for the few captures that they need: none of
// them may change it.
func asRead(t testing.TB, agent, file string) screen.Reading {
	t.Helper()
	key := [2]string{agent, file}
	if r, known := readCaptures.Load(key); known {
		return r.(screen.Reading)
	}
	r := Read(agent, screen.Parse(capture(t, file)))
	readCaptures.Store(key, r)
	return r
}

var readCaptures sync.Map // by agent and file

// TestCaptures reads every captured screen, plain and with colours, and compares with its label.
func TestCaptures(t *testing.T) {
	t.Parallel()
	for _, l := range labels(t) {
		for _, file := range []string{l.File, l.coloured()} {
			t.Run(file, func(t *testing.T) {
				r := asRead(t, l.Agent, file)
				if r.State != l.State {
					t.Fatalf("state %s, want %s; %q", r.State, l.State, r.Why)
				}
				if r.State.Asks() {
					checkPrompt(t, r, l, strings.HasSuffix(file, ".ansi"))
				}
			})
		}
	}
}

func checkPrompt(t *testing.T, r screen.Reading, l label, coloured bool) {
	t.Helper()
	p := r.Prompt
	if l.Subject != "" && !strings.Contains(p.Subject+"\n"+p.Question, l.Subject) {
		t.Errorf("subject %q of %q lacks %q", p.Subject, p.Question, l.Subject)
	}
	// Which button these highlight, and in Crush which key chooses one, is told by its look alone: a plain capture can't prove it.
	blind := !coloured && slices.Contains([]string{"opencode", "kilo", "crush"}, l.Agent)
	checkKeys(t, "approve", p.Approve, l.Approve, r.State == screen.Permission && !blind)
	if r.State == screen.Permission {
		checkKeys(t, "deny", p.Deny, l.Deny, true)
	} else if len(p.Deny) > 0 {
		t.Errorf("a question is denied with %q", p.Deny)
	}
	if l.Highlight != nil && !blind && p.Highlighted != *l.Highlight {
		t.Errorf("highlighted %d, want %d", p.Highlighted, *l.Highlight)
	}
	if blind && p.Highlighted != -1 {
		t.Errorf("highlighted %d on a capture without colours", p.Highlighted)
	}
	if l.Hidden != "" && !p.Partial {
		t.Errorf("not partial, but %s", l.Hidden)
	}
	if len(p.Options) != len(l.Options) {
		t.Fatalf("options %q, want %v", p.Options, l.Options)
	}
	for i, o := range p.Options {
		starts := strings.TrimSpace(l.Options[i].Starts) // with its key hint, which is no part of a label
		if !strings.HasPrefix(o.Label, starts) && !strings.HasPrefix(starts, o.Label+" (") || o.Scope != l.Options[i].Scope {
			t.Errorf("option %d is %+v, want %+v", i, o, l.Options[i])
		}
	}
}

func checkKeys(t *testing.T, what string, got []string, want []sequence, must bool) {
	t.Helper()
	if len(got) == 0 {
		if must && len(want) > 0 {
			t.Errorf("no keys to %s, want one of %q", what, want)
		}
		return
	}
	if !slices.ContainsFunc(want, func(s sequence) bool { return slices.Equal(s, got) }) {
		t.Errorf("%s with %q, want one of %q", what, got, want)
	}
}

// TestAgentFromScreen finds out whose screen it is where nobody says so.
func TestAgentFromScreen(t *testing.T) {
	seen, total := 0, 0
	for _, l := range labels(t) {
		if !l.State.Asks() || l.cutOff() {
			continue
		}
		total++
		r := Read("", screen.Parse(capture(t, l.File)))
		if r.Agent == l.Agent && r.State == l.State {
			seen++
			continue
		}
		if r.Prompt == nil {
			t.Errorf("%s: state %s, no prompt", l.File, r.State)
			continue
		}
		// Where an unknown agent is assumed, there may be no key, but never another one.
		checkKeys(t, l.File+": approve", r.Prompt.Approve, l.Approve, false)
		checkKeys(t, l.File+": deny", r.Prompt.Deny, l.Deny, false)
	}
	if seen*100 < total*98 {
		t.Errorf("%d of %d screens told whose they are", seen, total)
	}
}
