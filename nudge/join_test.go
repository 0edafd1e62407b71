package nudge

import (
	"strings"
	"testing"

	"nod/deliver"
	"nod/detect/screen"
)

// TestOnlyAButtonUnderTheVeryWordsLetsAMachineIn: no yes or number does, whether fresh, in reply or on the
// command line, and no words in a reply.
func TestOnlyAButtonUnderTheVeryWordsLetsAMachineIn(t *testing.T) {
	wants := func(q *ProgramQuestion) {
		q.Text, q.Options, q.Join = "gpu1 wants to join (41 07 93)", []string{LetIn, KeepOut}, true
	}
	for _, c := range []struct {
		way    Way
		text   string // what is written; a number that follows "button " is a tap
		decide bool
	}{
		{ByButton, "button 0", true}, {ByButton, "button 1", true}, {ByInbox, "1", true}, {ByPage, "2", true},
		{ByCommand, "let it in", true}, {ByCommand, "Refuse", true},
		{ByCommand, "y", false}, {ByCommand, "n", false}, {ByCommand, "1", false}, {ByCommand, "let it", false},
		{ByReply, "y", false}, {ByReply, "1", false}, {ByReply, "Let it in", false}, {ByReply, "refuse", false},
		{ByFresh, "y", false}, {ByFresh, "1", false}, {ByFresh, "Let it in", false},
	} {
		n := programAsks(wants)
		a := Answer{Way: c.way}
		button, tapped := strings.CutPrefix(c.text, "button ")
		switch {
		case tapped:
			a.Choice = &deliver.Choice{Index: int(button[0] - '0')}
		case c.way == ByReply || c.way == ByFresh:
			a.Text = c.text
			a.Decision, _, _ = ParseWord(c.text, c.way)
		default:
			a.Line = c.text
		}
		a.Shown = []Shown{{Nudge: n.ID, Subject: n.SubjectHash()}}
		a, v := n.Read(a)
		if v.Kind == "" {
			v, _ = n.Decide(a, asked)
		}
		if (v.Kind == Taken) != c.decide {
			t.Errorf("%s %q: %s %v", c.way, c.text, v.Kind, v.Detail)
		}
		if !c.decide && (n.State != Pending || v.Reason != deliver.NeedsConfirmation) {
			t.Errorf("%s %q: it is %s, because %s", c.way, c.text, n.State, v.Reason)
		}
	}
	n := programAsks(wants)
	if _, named := n.OptionSaid("1"); n.TakesYesNo() || named {
		t.Error("a fresh answer may be meant for it")
	}
	if o := n.Prompt().Options; o[0].Scope != screen.Once || o[1].Scope != screen.No {
		t.Errorf("the options are %+v", o)
	}
}
