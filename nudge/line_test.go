package nudge

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/testrun"
)

// line is an answer of the machine's owner to n as the inbox drew it.
func line(n *Nudge, way Way, text string) Answer {
	return Answer{
		Way: way, By: Person{Name: "ann"}, Read: noon, Line: text, Drawn: n.Drawn(),
		Shown: []Shown{{Nudge: n.ID, Subject: n.SubjectHash()}},
	}
}

// TestARefusedLineIsNotedAsWhatItSaid, though the question is another one than was drawn.
func TestARefusedLineIsNotedAsWhatItSaid(t *testing.T) {
	for text, want := range map[string]string{"y": "approve", " NO ": "deny", "2": "tell", "y k3f": "tell", "use make": "tell"} {
		n := in(Pending)
		a := line(n, ByCommand, text)
		a.Drawn = "another"
		a, v := n.Read(a)
		if got := a.ReceivedEvent(n).Decision; v.Kind != Rejected || v.Reason != deliver.Changed || got != want {
			t.Errorf("%q is noted as %s, %s %s", text, got, v.Kind, v.Reason)
		}
	}
}

// TestWhatALineMeans tries the answers that people give at the machine.
func TestWhatALineMeans(t *testing.T) {
	wide := func(approve ...string) func() *Nudge {
		return func() *Nudge {
			n := in(Pending)
			p := n.Prompt()
			p.Approve = approve
			for _, o := range []screen.Option{{Label: "Yes", Scope: screen.Once}, {Label: "Yes, always", Scope: screen.Always}, {Label: "No", Scope: screen.No}} {
				if o.Scope != screen.Once || len(approve) > 0 {
					p.Options = append(p.Options, o)
				}
			}
			return n
		}
	}
	plain, broad := wide("1"), wide()
	list := func() *Nudge { return listWith("x ") }
	field := func() *Nudge { n := listWith("  "); n.Prompt().Writes = 3; return n }
	program := func() *Nudge { return programAsks(func(q *ProgramQuestion) { q.Words = true }) }
	for _, c := range []struct {
		nudge       func() *Nudge
		line, words string
		want        string // the verdict, and the answer if it is accepted
	}{
		{plain, "y", "", "taken approve"},
		{plain, " N ", "", "taken deny"},
		{plain, "1", "", "taken approve"},
		{plain, "no", "", "taken deny"},
		{plain, "3", "", "taken deny"},
		{plain, "2", "", "rejected no_key"},
		{plain, "yes, always", "", "rejected no_key"},
		{plain, "n", "use make", "taken deny because use make"},
		{plain, "y", "use make", "rejected needs_confirmation"},
		{plain, "maybe", "", "no_answer"},
		{plain, "send", "", "no_answer"},
		{plain, "tick 1", "", "no_answer"},
		{plain, "y k3f", "", "no_answer"},
		{broad, "y", "", "rejected no_key"},
		{broad, "1", "", "ask_sure"},
		{broad, "YES, ALWAYS", "", "ask_sure"},
		{list, "tick 2", "", "taken B"},
		{list, "Tick A", "", "taken A"},
		{list, "1", "", "taken A"},
		{list, "send", "", "taken send"},
		{list, "leave", "", "taken dismiss"},
		{list, "3", "", "taken Chat about this"},
		{list, "9", "", "no_answer"},
		{list, "y", "", "rejected no_key"},
		{field, "send", "", "taken send"},
		{field, "something else", "", "taken “something else”"},
		{program, "y", "", "taken yes"},
		{program, "later", "", "taken later"},
		{program, "send", "", "taken “send”"},
	} {
		n := c.nudge()
		if n.Prompt().Writes > 0 {
			n.Prompt().Send = []string{"Tab"}
		}
		a := line(n, ByCommand, c.line)
		a.Text = c.words
		if got := said(decide(n, a)); got != c.want {
			t.Errorf("%q with %q: %s, want %s", c.line, c.words, got, c.want)
		}
	}
}

func said(v Verdict) string {
	c := v.Nudge.Claim
	switch {
	case v.Kind == Rejected:
		return "rejected " + string(v.Reason)
	case v.Kind != Taken:
		return string(v.Kind)
	case c.Choice != nil:
		return "taken " + c.Choice.Label
	case c.Text != "":
		return "taken “" + c.Text + "”"
	case !c.Because.IsZero():
		return "taken " + string(c.Decision) + " because " + c.Because.Said()
	}
	return "taken " + string(c.Decision)
}

// TestNoLineGrantsMoreThanOnceUnasked: for any dialog and any answer at the machine, nothing that lasts
// longer than this one call is accepted without the second tap. A prompt that is not shown in full is
// approved only after its owner was asked. An answer to an outdated card does not count.
func TestNoLineGrantsMoreThanOnceUnasked(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	scopes := []screen.Scope{screen.Once, screen.Session, screen.Always, screen.Mode, screen.No, screen.NoAlways, screen.Text, screen.Other}
	ways := []Way{ByCommand, ByInbox, ByPage}
	for range testrun.Rounds(2000, 200000) {
		s := sight(screen.Permission, fmt.Sprint("fp", r.IntN(3)))
		p := s.Prompt
		for i := range r.IntN(5) {
			p.Options = append(p.Options, screen.Option{Key: fmt.Sprint(i + 1), Label: fmt.Sprint("option ", i+1), Scope: scopes[r.IntN(len(scopes))]})
		}
		once := slices.DeleteFunc(slices.Clone(p.Options), func(o screen.Option) bool { return o.Scope != screen.Once })
		if len(once) != 1 {
			p.Approve = nil
		}
		p.Subject, p.Partial = "rm -rf build", r.IntN(3) == 0
		n := Open("k3f", Permission{p}, s, nil, Rules{Expiry: 8 * time.Hour}, noon)
		lines := []string{"y", "n", "1", "2", "3", "4", "option 1", "option 3", "tick 1", "send", "leave", "hello", "a", "d"}
		a := line(n, ways[r.IntN(len(ways))], lines[r.IntN(len(lines))])
		hidden, stale := r.IntN(3) == 0, r.IntN(4) == 0
		if hidden {
			a.Shown = nil
		}
		if stale {
			a.Drawn = n.Drawn() + "x"
		}
		a.Unseen = r.IntN(2) == 0
		v := decide(n, a)
		if v.Kind != Taken {
			continue
		}
		c := v.Nudge.Claim
		yes := c.Decision == screen.Approve || c.Choice != nil && p.Options[c.Choice.Index].Scope != screen.No
		unseen := p.Partial || hidden && a.Way != ByCommand
		switch {
		case stale:
			t.Fatalf("%q was taken for another prompt than was drawn", a.Line)
		case c.Choice != nil && p.Options[c.Choice.Index].Scope != screen.Once && p.Options[c.Choice.Index].Scope != screen.No:
			t.Fatalf("%q chose %+v without a second tap", a.Line, p.Options[c.Choice.Index])
		case yes && unseen && (a.Way != ByCommand || !a.Unseen):
			t.Fatalf("%q approved by %s what was not seen (partial %t, hidden %t)", a.Line, a.Way, p.Partial, hidden)
		}
	}
}

// TestConsentInTheInboxEndsWithItsDialog: the consent box is valid while its question is on the screen, as in
// the chat.
func TestConsentInTheInboxEndsWithItsDialog(t *testing.T) {
	n := in(Pending)
	n.Prompt().Partial = true
	a := line(n, ByInbox, "y")
	if v := decide(n, a); v.Kind != AskUnseen {
		t.Fatalf("without consent: %s", v.Kind)
	}
	a.Unseen = true
	n.EndConsent()
	if v := decide(n, a); v.Kind != AskUnseen {
		t.Errorf("after the dialog was away: %s", v.Kind)
	}
	if v := decide(n, a); v.Kind != Taken {
		t.Errorf("asked once more and consented: %s", v.Kind)
	}
}

// TestOnlyTheOwnerOrASupervisorMayAnswer: somebody with the id of the chat is judged by that alone, whatever
// the way.
func TestOnlyTheOwnerOrASupervisorMayAnswer(t *testing.T) {
	rules := Rules{Supervisors: []Place{"42"}}
	for _, way := range []Way{ByReply, ByFresh, ByButton, ByCommand, ByInbox, ByPage} {
		for _, id := range []Place{"", "42", "43"} {
			owns := id == "" && slices.Contains([]Way{ByCommand, ByInbox, ByPage}, way)
			if may := rules.MayAnswer(Answer{Way: way, By: Person{ID: id}}); may != (id == "42" || owns) {
				t.Errorf("%s by %q: %t", way, id, may)
			}
		}
	}
}

// TestNoAnswerToAnotherWordOrRoleThanWasDrawn changes each thing that a question shows, including future
// fields, and then several at random. An answer to the earlier question is refused, even if somebody else has
// only ticked a box, and even at the next question of a set with the same text.
func TestNoAnswerToAnotherWordOrRoleThanWasDrawn(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 22))
	question := func() *Nudge {
		n := in(Pending)
		p := n.Prompt()
		p.Options = []screen.Option{{Key: "1", Label: "Yes", Scope: screen.Once, Tick: screen.Off}, {Key: "2", Label: "No", Scope: screen.No}}
		p.Notes, p.Doubts = []string{"", "for ever"}, []reason.Why{{}}
		p.Page, p.Pages = 1, 3
		return n
	}
	fields := func(n *Nudge) (all []reflect.Value) {
		all = shown(reflect.ValueOf(&n.Prompt().Content).Elem(), all)
		return shown(reflect.ValueOf(&n.Prompt().InSet).Elem(), all)
	}
	drawn := line(question(), ByInbox, "y")
	if v := decide(question(), drawn); v.Kind != Taken {
		t.Fatalf("what was drawn: %+v", v)
	}
	for one := range len(fields(question())) + 200 {
		n := question()
		all := fields(n)
		changed := []int{one}
		if one >= len(all) {
			changed = random.Perm(len(all))[:1+random.IntN(4)]
		}
		for _, at := range changed {
			change(all[at])
		}
		if v := decide(n, drawn); v.Reason != deliver.Changed {
			t.Errorf("seed %d: of what is shown %v changed, and an answer is %s %s: %+v", seed, changed, v.Kind, v.Reason, n.Prompt())
		}
	}
}

// shown returns the fields in v that hold a single value.
func shown(v reflect.Value, all []reflect.Value) []reflect.Value {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				all = shown(v.Field(i), all)
			}
		}
		return all
	case reflect.Slice:
		for i := range v.Len() {
			all = shown(v.Index(i), all)
		}
	case reflect.Pointer: // the reason behind a reason is of the same type
		return all
	}
	return append(all, v)
}

// change changes the value of a field.
func change(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Slice:
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
	}
}
