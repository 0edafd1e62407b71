package screen

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"nod/internal/reason"
)

// TestAPromptIsStoredFlat: a nudge's record holds the prompt under these names, and a release that groups its fields
// otherwise reads what the one before has written. The fingerprint of equal words stays too, so that an open question is not asked again.
func TestAPromptIsStoredFlat(t *testing.T) {
	const stored = `{"Agent":"s1","Shape":"s2","Title":"s3","Question":"s4","Verb":"s5","Options":[{"key":"s6","label":"s7","scope":"s8","tick":"s9"}],
		"Subject":"s10","Lead":11,"Source":"s12","Partial":true,"Doubts":[{"Kind":"s13"}],"Rows":["s14"],"Width":15,"Highlighted":16,
		"Approve":["s17"],"Deny":["s18"],"Send":["s19"],"Dismiss":["s20"],"More":true,"Furniture":[{"up":32,"text":"s33"}],"Ends":true,"Tickable":true,"Notes":["s21"],"Page":22,"Pages":23,
		"Fingerprint":"s24","Call":"s25","First":26,"Last":27,"Colour":true,"TextField":true,"Typed":"s28","Writes":29,"Room":31,"AtTerminal":true,"Taught":"s30",
		"Why":{"Kind":"s31"}}`
	var p Prompt
	if err := json.Unmarshal([]byte(stored), &p); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(&p)
	if err != nil {
		t.Fatal(err)
	}
	is := decoded(t, again)
	for name, was := range decoded(t, []byte(stored)) {
		if !reflect.DeepEqual(was, is[name]) {
			t.Errorf("%s was %v, and is %v", name, was, is[name])
		}
	}
	if got := fingerprint(&p.Content); got != "2e3ee10845f81ba2f2eff965a27b7c436c204b7ecf7840c6a080db6868601261" {
		t.Errorf("the fingerprint is %s", got)
	}
}

func decoded(t *testing.T, record []byte) (fields map[string]any) {
	t.Helper()
	if err := json.Unmarshal(record, &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

// TestNoKeyOfAnotherProgramsPromptIsProven, whatever its reader took for proven: no way leads from a prompt that another program may have drawn.
func TestNoKeyOfAnotherProgramsPromptIsProven(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rnd := rand.New(rand.NewPCG(seed, 0))
	some := func() bool { return rnd.IntN(2) == 0 }
	steps := func() []Step {
		if some() {
			return nil
		}
		return []Step{{Key: "Enter", Last: true}}
	}
	for range 300 {
		p := &Prompt{}
		p.Options = []Option{{Key: "1", Label: "Yes", Scope: Once}, {Label: "Type something", Scope: Text}}
		p.TextField, p.Tickable, p.Writes = some(), some(), rnd.IntN(3)
		p.approve, p.deny, p.tell, p.write, p.send, p.dismiss = steps(), steps(), steps(), steps(), steps(), steps()
		p.choices, p.ticks = [][]Step{steps(), steps()}, [][]Step{steps(), steps()}
		p.Approve, p.Deny, p.Send, p.Dismiss = keysOf(p.approve), keysOf(p.deny), keysOf(p.send), keysOf(p.dismiss)
		q := Reading{Prompt: p, State: Question}.Foreign("npm", "claude").Prompt
		ways := append(q.choices, q.approve, q.deny, q.tell, q.write, q.send, q.dismiss, q.Choose(0), q.Choose(1), q.Tick(0), q.Tick(1))
		for _, way := range ways {
			if way != nil {
				t.Fatalf("seed %d: a key is left: %+v", seed, way)
			}
		}
		if q.Writes > 0 || q.TextField || q.Tickable || !q.AtTerminal || len(q.Approve)+len(q.Deny)+len(q.Send)+len(q.Dismiss) > 0 {
			t.Fatalf("seed %d: it seems to take an answer: %+v", seed, q)
		}
		if q.Why != (reason.Why{Kind: reason.OtherProgram, Agent: "claude", What: "npm"}) {
			t.Fatalf("seed %d: %+v", seed, q.Why)
		}
	}
}

// TestQuestionFirst: no row is lost, and a question that is wrapped or missing is no other row's words.
func TestQuestionFirst(t *testing.T) {
	for _, tt := range []struct{ lead, question, want string }{
		{"Colour\nWhich colour?", "Which colour?", "Which colour?\nColour"},
		{"Colour\nWhich colour\n  do you want?\nSeen often.", "Which colour do you want?", "Which colour do you want?\nColour\nSeen often."},
		{"Which colour?\nSeen often.", "Which colour?", "Which colour?\nSeen often."},
		{"Colour\nNot which colour?", "which colour?", "Colour\nNot which colour?"},
		{"Colour", "", "Colour"},
		{"", "", ""},
	} {
		if got := QuestionFirst(tt.lead, tt.question); got != tt.want {
			t.Errorf("QuestionFirst(%q, %q) = %q, want %q", tt.lead, tt.question, got, tt.want)
		}
	}
}
