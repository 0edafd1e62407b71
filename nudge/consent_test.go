package nudge

import (
	"testing"
	"time"

	"nod/deliver"
	"nod/detect/screen"
)

// shownAs is how much of a prompt's subject whoever answers has seen.
type shownAs struct {
	name  string
	whole bool
	set   func(n *Nudge, a *Answer)
}

// Each way to be shown a prompt, in the chat and at the machine.
var (
	inTheChat = []shownAs{
		{"whole", true, func(n *Nudge, _ *Answer) { n.Copies = []Copy{{Ref: Ref{Place: "7"}}, {Ref: Ref{Place: "42"}}} }},
		{"only elsewhere", false, func(n *Nudge, _ *Answer) { n.Copies = []Copy{{Ref: Ref{Place: "7"}}} }},
		{"cut", false, func(n *Nudge, _ *Answer) { n.Copies = []Copy{{Ref: Ref{Place: "42"}, Unseen: true}} }},
		{"behind a button", false, func(n *Nudge, _ *Answer) { n.Copies = []Copy{{Ref: Ref{Place: "42"}, Hidden: true}} }},
		{"not at all", false, func(*Nudge, *Answer) {}},
	}
	atTheDesk = []shownAs{
		{"whole", true, func(n *Nudge, a *Answer) { a.Shown = []Shown{{Nudge: n.ID, Subject: n.SubjectHash()}} }},
		{"another's", false, func(n *Nudge, a *Answer) { a.Shown = []Shown{{Nudge: "x9x", Subject: n.SubjectHash()}} }},
		{"other words", false, func(n *Nudge, a *Answer) { a.Shown = []Shown{{Nudge: n.ID, Subject: "other"}} }},
		{"not at all", false, func(*Nudge, *Answer) {}},
	}
)

// allowing is an answer to a prompt that has an option of each scope, and all that decides whether it counts.
type allowing struct {
	way        Way
	shown      shownAs
	option     int  // of everyScope; -1: a plain yes
	permission bool // else a question
	partial    bool
	consents   bool // to what was not shown
	before     bool // nod has asked for that consent
	sure       bool // the second tap
}

var everyScope = []screen.Scope{screen.Once, screen.Session, screen.Always, screen.Mode, screen.No, screen.NoAlways, screen.Text, screen.Other}

// answered gives the answer.
func (c allowing) answered() Verdict {
	n := in(Pending)
	p := n.Prompt()
	p.Subject, p.Partial = "rm -rf build", c.partial
	for _, s := range everyScope {
		p.Options = append(p.Options, screen.Option{Label: string(s), Scope: s})
	}
	if !c.permission {
		n.About = Question{p}
	}
	if c.before {
		n.Asked = noon
	}
	a := Answer{Way: c.way, Read: noon, Sure: c.sure, Said: Said{Unseen: c.consents}}
	if c.way == ByReply || c.way == ByButton {
		a.Place = "42"
	}
	if a.Decision = screen.Approve; c.option >= 0 {
		a.Decision, a.Choice = "", &deliver.Choice{Index: c.option, Label: string(everyScope[c.option])}
	}
	c.shown.set(n, &a)
	v, _ := n.Decide(a, noon.Add(time.Minute))
	return v
}

// want is the verdict by the rules of docs/security.md.
func (c allowing) want() VerdictKind {
	allows, wide := true, false
	if c.option >= 0 {
		s := everyScope[c.option]
		vague := s == screen.Text || s == screen.Other
		wide = s == screen.Session || s == screen.Always || s == screen.Mode || vague && c.permission
		allows = s == screen.Once || wide || vague && c.partial
	}
	seen := c.shown.whole && !c.partial || c.consents && (c.before || c.way == ByCommand)
	switch {
	case allows && !seen:
		return AskUnseen
	case wide && !c.sure:
		return AskSure
	}
	return Taken
}

// TestNothingIsAllowedUnseenOrForLongerUnasked: for each option of a dialog, and for a plain yes, what its owner has seen, consented to and
// tapped twice decides alone.
func TestNothingIsAllowedUnseenOrForLongerUnasked(t *testing.T) {
	atOnce := []shownAs{{"whole", true, func(*Nudge, *Answer) {}}}
	for way, ways := range map[Way][]shownAs{ByReply: inTheChat, ByButton: inTheChat, ByInbox: atTheDesk, ByPage: atTheDesk, ByCommand: atOnce} {
		for _, shown := range ways {
			for bits := range 1 << 5 {
				on := func(bit int) bool { return bits>>bit&1 == 1 }
				for option := range everyScope {
					allowedAsWanted(t, allowing{way, shown, option, on(0), on(1), on(2), on(3), on(4)})
				}
				allowedAsWanted(t, allowing{way, shown, -1, true, on(1), on(2), on(3), on(4)})
			}
		}
	}
}

func allowedAsWanted(t *testing.T, c allowing) {
	t.Helper()
	v := c.answered()
	if v.Kind != c.want() {
		t.Errorf("by %s, shown %s, option %d, permission %t, partial %t, consents %t, asked before %t, sure %t: %s, want %s",
			c.way, c.shown.name, c.option, c.permission, c.partial, c.consents, c.before, c.sure, v.Kind, c.want())
	}
	if is := c.before || v.Kind == AskUnseen || v.Kind == Taken && c.consents; is == v.Nudge.Asked.IsZero() {
		t.Errorf("by %s, shown %s, option %d, %s: asked for consent at %v", c.way, c.shown.name, c.option, v.Kind, v.Nudge.Asked)
	}
}
