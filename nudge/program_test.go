package nudge

import (
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/internal/reason"
	"nod/internal/words"
)

var asked = time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC)

func programAsks(change func(*ProgramQuestion)) *Nudge {
	q := ProgramQuestion{Text: "Deploy?", Options: []string{"yes", "no", "later"}, Timeout: 10 * time.Minute, Program: "deploy.sh"}
	if change != nil {
		change(&q)
	}
	return OpenQuestion("k3f", q, Rules{}, asked)
}

// TestWhatAnswersAProgram tries what people write and tap: it means the option or the words, and nothing
// else.
func TestWhatAnswersAProgram(t *testing.T) {
	words := func(q *ProgramQuestion) { q.Options, q.Words = nil, true }
	both := func(q *ProgramQuestion) { q.Words = true }
	neither := func(q *ProgramQuestion) { q.Options = []string{"staging", "production"} }
	for _, c := range []struct {
		question func(*ProgramQuestion)
		way      Way
		text     string
		want     string // empty: it is rejected
	}{
		{nil, ByReply, "yes", "yes"},
		{nil, ByReply, "Y", "yes"},
		{nil, ByReply, "n", "no"},
		{nil, ByReply, "3", "later"},
		{nil, ByReply, " Later ", "later"},
		{nil, ByReply, "4", ""},
		{nil, ByReply, "yeah sure", ""},
		{nil, ByCommand, "y", "yes"},
		{nil, ByCommand, "deny", "no"},
		{words, ByReply, "no", "no"},
		{words, ByReply, "1", "1"},
		{words, ByReply, "call it 1.0", "call it 1.0"},
		{words, ByCommand, "y", ""},
		{both, ByReply, "tomorrow at nine", "tomorrow at nine"},
		{both, ByReply, "2", "no"},
		{neither, ByReply, "y", ""},
		{neither, ByReply, "PRODUCTION", "production"},
	} {
		n := programAsks(c.question)
		a := Answer{Way: c.way, Said: Said{Text: c.text}}
		a.Decision, _, _ = ParseWord(c.text, c.way)
		if c.way != ByReply {
			a.Text = ""
		}
		a, v := n.Read(a)
		if v.Kind == "" {
			v, _ = n.Decide(a, asked)
		}
		if c.want == "" {
			if v.Kind != Rejected || n.State != Pending {
				t.Errorf("%q: %s, and the question is %s", c.text, v.Kind, n.State)
			}
			continue
		}
		if n.State != Delivered || n.Answered() != c.want {
			t.Errorf("%q: %s with %q, want %q; %+v", c.text, n.State, n.Answered(), c.want, v.Detail)
		}
	}
}

// TestTimeIsUpForAProgram: the default is not a human's answer, and a later answer is rejected.
func TestTimeIsUpForAProgram(t *testing.T) {
	n := programAsks(func(q *ProgramQuestion) { q.Default = "no" })
	late := asked.Add(10 * time.Minute)
	a, _ := n.Read(Answer{Way: ByReply, Said: Said{Text: "yes", Decision: "approve"}})
	v, changed := n.Decide(a, late)
	if v.Kind != Rejected || v.Reason != deliver.Expired || !changed || n.Claim != nil {
		t.Errorf("%+v", v)
	}
	if n.State != Expired || n.Standing || n.Answered() != "no" {
		t.Errorf("%s, standing %t, answered %q", n.State, n.Standing, n.Answered())
	}
}

func TestAQuestionEndsWhenNobodyWaitsForIt(t *testing.T) {
	n := programAsks(nil)
	if !n.Next().Equal(asked.Add(time.Minute)) {
		t.Errorf("nobody has waited yet: next %s", n.Next())
	}
	if !n.Attend(true, asked) || n.Attend(true, asked) {
		t.Error("it takes no note of the first who waits, or one of the second")
	}
	if !n.Attend(false, asked.Add(time.Minute)) || !n.Next().Equal(asked.Add(2*time.Minute)) {
		t.Errorf("next %s", n.Next())
	}
	if !n.Attend(true, asked.Add(90*time.Second)) || !n.Next().Equal(asked.Add(10*time.Minute)) {
		t.Errorf("somebody waits again: next %s", n.Next())
	}
	n.Attend(false, asked.Add(3*time.Minute))
	if n.Tick(false, Rules{}, asked.Add(4*time.Minute-1)) || !n.Tick(false, Rules{}, asked.Add(4*time.Minute)) || n.State != Gone {
		t.Errorf("it is %s", n.State)
	}
}

// TestAnAgentsRequestThatWasAnsweredElsewhere is over, says how, and accepts no answer.
func TestAnAgentsRequestThatWasAnsweredElsewhere(t *testing.T) {
	n := OpenQuestion("k3f", ProgramQuestion{Call: &Call{Subject: "make"}, Program: "claude", Timeout: time.Minute, Door: true}, Rules{}, asked)
	if !n.Recover(reason.Why{Kind: reason.AgentSaysItRan}, asked) || n.State != Recovered || n.Recover(reason.Why{Said: "Otherwise."}, asked) {
		t.Errorf("it is %s", n.State)
	}
	v, changed := n.Decide(Answer{Said: Said{Decision: "approve"}, Way: ByReply}, asked)
	if changed || v.Kind != Rejected || !strings.HasSuffix(words.Why(v.Detail), "but not through nod. The agent says that it has run.") {
		t.Errorf("%+v", v)
	}
	if other := (&Nudge{ID: "k3g", Answering: Answering{State: Pending}}); other.Recover(reason.Why{}, asked) {
		t.Error("a prompt on a screen is no program's question")
	}
}

func TestAQuestionThatNobodyCouldAnswerIsNotAsked(t *testing.T) {
	for name, change := range map[string]func(*ProgramQuestion){
		"blank":           func(q *ProgramQuestion) { q.Text = " \n" },
		"escape sequence": func(q *ProgramQuestion) { q.Text = "\x1b[31mDeploy?" },
		"long":            func(q *ProgramQuestion) { q.Text = strings.Repeat("a", MaxQuestion+1) },
		"binary file":     func(q *ProgramQuestion) { q.File = "a\x00b" },
		"large file":      func(q *ProgramQuestion) { q.File = strings.Repeat("a", maxFile+1) },
		"no options":      func(q *ProgramQuestion) { q.Options = nil },
		"many options":    func(q *ProgramQuestion) { q.Options = strings.Split(strings.Repeat("a,", maxOptions+1), ",") },
		"blank option":    func(q *ProgramQuestion) { q.Options = []string{"a", " "} },
		"two lines":       func(q *ProgramQuestion) { q.Options = []string{"a\nb"} },
		"twice":           func(q *ProgramQuestion) { q.Options = []string{"yes", "Yes "} },
		"other default":   func(q *ProgramQuestion) { q.Default = "perhaps" },
		"no time":         func(q *ProgramQuestion) { q.Timeout = -1 },
		"for ever":        func(q *ProgramQuestion) { q.Timeout = maxTimeout + 1 },
	} {
		q := ProgramQuestion{Text: "Deploy?", Options: []string{"yes", "no"}, Timeout: time.Minute}
		if flaw := q.Flaw(); !flaw.IsZero() {
			t.Fatal(flaw.Kind)
		}
		if change(&q); q.Flaw().IsZero() {
			t.Errorf("%s: no flaw is found", name)
		}
	}
}
