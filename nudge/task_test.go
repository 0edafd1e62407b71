package nudge

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/reason"
)

// TestAClaimOfTheNextMomentIsTyped: the clock may have been set back by as little as it drifts.
func TestAClaimOfTheNextMomentIsTyped(t *testing.T) {
	if got := in(Claimed).Task(true, true, noon.Add(-tolerance)); got != Type {
		t.Errorf("task %d", got)
	}
}

// TestWhatACrashCutsOffIsUnknown: a key or words may have been typed.
func TestWhatACrashCutsOffIsUnknown(t *testing.T) {
	for text, want := range map[string]reason.Kind{"": reason.StoppedTyping, "go on": reason.StoppedPasting} {
		n := in(Typing)
		n.Claim.Text = text
		if n.GiveUp(noon); n.State != Unknown || n.Detail.Kind != want || !n.Ended.Equal(noon) {
			t.Errorf("%q: %s, %q", text, n.State, n.Detail.Kind)
		}
	}
}

// TestWhatCameTooLateIsAskedAgain: a question, not an instruction, whose author is told.
func TestWhatCameTooLateIsAskedAgain(t *testing.T) {
	n := in(Claimed)
	if n.GiveBack(noon); n.State != Pending || n.Claim != nil || n.Again.Kind != reason.NotTypedInTime {
		t.Errorf("a question: %s, again for %q", n.State, n.Again.Kind)
	}
	n = nudgeWith(Claimed, func(n *Nudge) { n.By, n.About = byTell, TurnEnded{} })
	if n.GiveBack(noon); n.State != Refused || n.Detail.Kind != reason.NotInTime || n.Reason != deliver.Unreadable {
		t.Errorf("an instruction: %s, %q", n.State, n.Detail.Kind)
	}
}

// TestWhatIsAskedOfTheTypist: the answer as it was claimed, for the prompt as it was told. Words go into the field
// that takes them, and a call that is not known whole has no name.
func TestWhatIsAskedOfTheTypist(t *testing.T) {
	text := func(said string) func(*Nudge) { return func(n *Nudge) { n.Claim.Said = Said{Text: said} } }
	question := func(n *Nudge, writes int) {
		p := *n.Prompt()
		p.Options, p.Writes = []screen.Option{{Label: "A"}, {Label: "Other"}}, writes
		n.About = Question{&p}
	}
	base := func() deliver.Request {
		p := made(nil).Prompt
		return deliver.Request{
			Nudge: "k3f", Process: in(Claimed).Process, Call: "c1", Fingerprint: "fp", Rows: p.Rows, Width: 80, Decision: screen.Approve,
		}
	}
	for name, c := range map[string]struct {
		change func(*Nudge)
		want   func(*deliver.Request)
	}{
		"yes":                 {nil, nil},
		"yes, known in part":  {func(n *Nudge) { n.Prompt().Partial = true }, func(r *deliver.Request) { r.Call = "" }},
		"no, because":         {func(n *Nudge) { n.Claim.Said = Said{Decision: screen.Deny, Because: deliver.Say("not now")} }, func(r *deliver.Request) { r.Decision, r.Because = screen.Deny, deliver.Say("not now") }},
		"an option":           {func(n *Nudge) { n.Claim.Said = Said{Choice: &deliver.Choice{Index: 1, Label: "B"}} }, func(r *deliver.Request) { r.Decision, r.Choice = "", &deliver.Choice{Index: 1, Label: "B"} }},
		"out of copy mode":    {func(n *Nudge) { n.Claim.LeaveMode = true }, func(r *deliver.Request) { r.LeaveMode = true }},
		"words to a question": {func(n *Nudge) { text("blue")(n); question(n, 0) }, func(r *deliver.Request) { r.Decision, r.Answer = "", deliver.Say("blue") }},
		"words for an option": {func(n *Nudge) { text("blue")(n); question(n, 2) }, func(r *deliver.Request) {
			r.Decision, r.Answer, r.Choice = "", deliver.Say("blue"), &deliver.Choice{Index: 1, Label: "Other"}
		}},
		"words for the first": {func(n *Nudge) { text("blue")(n); question(n, 1) }, func(r *deliver.Request) {
			r.Decision, r.Answer, r.Choice = "", deliver.Say("blue"), &deliver.Choice{Index: 0, Label: "A"}
		}},
		"words for no option":  {func(n *Nudge) { text("blue")(n); question(n, 3) }, func(r *deliver.Request) { r.Decision, r.Answer = "", deliver.Say("blue") }},
		"no words, an option":  {func(n *Nudge) { question(n, 2); n.Claim.Said = Said{Choice: &deliver.Choice{Index: 0, Label: "A"}} }, func(r *deliver.Request) { r.Decision, r.Choice = "", &deliver.Choice{Index: 0, Label: "A"} }},
		"an agent's next task": {func(n *Nudge) { text("go on")(n); n.About = TurnEnded{} }, func(r *deliver.Request) { *r = deliver.Request{Nudge: "k3f", Process: r.Process, Instruction: "go on"} }},
	} {
		n := maker(Claimed)
		if c.change != nil {
			c.change(n)
		}
		want := base()
		if c.want != nil {
			c.want(&want)
		}
		if got := n.Request(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v; want %+v", name, got, want)
		}
	}
}

// TestTheTrailNamesTypedWordsOnce: they are logged with the answer, and were typed unless all was refused.
func TestTheTrailNamesTypedWordsOnce(t *testing.T) {
	keys := []string{"Enter"}
	for name, c := range map[string]struct {
		text    string
		outcome deliver.Outcome
		want    []string
	}{
		"a key":         {"", deliver.Delivered, keys},
		"words":         {"go on", deliver.Delivered, []string{deliver.TypedWords, "Enter"}},
		"perhaps words": {"go on", deliver.Unknown, []string{deliver.TypedWords, "Enter"}},
		"refused words": {"go on", deliver.Refused, keys},
		"a refused key": {"", deliver.Refused, keys},
		"perhaps a key": {"", deliver.Unknown, keys},
	} {
		n := in(Delivered)
		n.Claim.Text = c.text
		if got := n.Typed(deliver.Result{Outcome: c.outcome, Keys: keys}); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// lists is a check list with one box ticked, whose answer a person gave at a way.
func lists(state State, c *deliver.Choice, way Way) *Nudge {
	n := listWith("x ")
	n.State = state
	n.Claim = &Claim{Said: Said{Choice: c}, Way: way, At: noon, Ref: Ref{Place: "42"}}
	return n
}

// TestWhatTicksABox: an option of the list that has one.
func TestWhatTicksABox(t *testing.T) {
	for index, want := range map[int]bool{-1: false, 0: true, 1: true, 2: false, 3: false} {
		c := &deliver.Choice{Index: index}
		if got := listWith("x ").ticks(c); got != want {
			t.Errorf("option %d ticks %t", index, got)
		}
		ticked := lists(Pending, c, ByButton)
		refused := lists(Pending, c, ByButton)
		refused.Reason = deliver.Changed
		if ticked.Ticked() != want || refused.Ticked() || lists(Claimed, c, ByButton).Ticked() {
			t.Errorf("option %d: ticked %t, refused %t", index, ticked.Ticked(), refused.Ticked())
		}
	}
	if listWith("x ").ticks(nil) || listWith("x ").Ticked() || lists(Pending, nil, ByButton).Ticked() {
		t.Error("no option ticks a box")
	}
}

// TestWhatLeavesAListWaiting: a box that was ticked, and a step that sent nothing.
func TestWhatLeavesAListWaiting(t *testing.T) {
	box, other := &deliver.Choice{Index: 1}, &deliver.Choice{Index: 2}
	after, elsewhere := boxes("xx").Prompt, sight(screen.Question, "fp").Prompt
	for name, c := range map[string]struct {
		choice *deliver.Choice
		send   bool
		r      deliver.Result
		want   bool
	}{
		"ticked":                    {box, false, deliver.Result{Outcome: deliver.Delivered, After: after}, true},
		"another option":            {other, false, deliver.Result{Outcome: deliver.Delivered}, false},
		"sent":                      {nil, true, deliver.Result{Outcome: deliver.Delivered}, false},
		"a box, refused":            {box, false, deliver.Result{Outcome: deliver.Refused}, true},
		"a box, refused halfway":    {box, false, deliver.Result{Outcome: deliver.Refused, After: after}, false},
		"sending refused":           {nil, true, deliver.Result{Outcome: deliver.Refused}, true},
		"another option refused":    {other, false, deliver.Result{Outcome: deliver.Refused}, false},
		"the pane is gone":          {box, false, deliver.Result{Outcome: deliver.Refused, Reason: deliver.Gone}, false},
		"a shell is there":          {box, false, deliver.Result{Outcome: deliver.Refused, Reason: deliver.Shell}, false},
		"unknown, the list stands":  {box, false, deliver.Result{Outcome: deliver.Unknown, After: after}, true},
		"unknown, another stands":   {box, false, deliver.Result{Outcome: deliver.Unknown, After: elsewhere}, false},
		"unknown, nothing was seen": {box, false, deliver.Result{Outcome: deliver.Unknown}, false},
		"unknown, perhaps sent":     {nil, true, deliver.Result{Outcome: deliver.Unknown, After: after}, false},
	} {
		n := lists(Typing, c.choice, ByReply)
		if c.send {
			n.Claim.Decision = screen.Send
		}
		if got := n.listStays(c.r); got != c.want {
			t.Errorf("%s: it stays %t", name, got)
		}
		n.Prompt().Options = slices.Clone(n.Prompt().Options[2:])
		if n.Claim.Choice = nil; n.listStays(c.r) {
			t.Errorf("%s: what has no boxes stays", name)
		}
	}
	for way, told := range map[Way]bool{ByButton: true, ByReply: false} {
		n := lists(Typing, box, way)
		n.keepList(deliver.Result{Outcome: deliver.Delivered, After: after}, second(5))
		if n.State != Pending || n.Claim.Told != told || n.Prompt().Fingerprint != after.Fingerprint || !n.Listed.Equal(second(5)) {
			t.Errorf("by %s: %s, told %t, %q, listed %s", way, n.State, n.Claim.Told, n.Prompt().Fingerprint, n.Listed)
		}
		n.Claim.Told = true
		if n.keepList(deliver.Result{Outcome: deliver.Delivered}, second(6)); !n.Claim.Told || n.Prompt().Fingerprint != after.Fingerprint {
			t.Errorf("by %s, told before: told %t, %q", way, n.Claim.Told, n.Prompt().Fingerprint)
		}
	}
}

// TestTheTicksOfALook are taken over if they, or the rows of the list, are others.
func TestTheTicksOfALook(t *testing.T) {
	for name, c := range map[string]struct {
		told, shown func(*screen.Prompt)
		want        bool
		call        string
	}{
		"other ticks":         {nil, func(p *screen.Prompt) { *p = *boxes("xx").Prompt }, true, "c1"},
		"other ticks, a call": {nil, func(p *screen.Prompt) { *p = *boxes("xx").Prompt; p.Call = "c1" }, true, "c1"},
		"an unknown call":     {func(p *screen.Prompt) { p.Call = "" }, func(p *screen.Prompt) { *p = *boxes("xx").Prompt; p.Call = "c2" }, true, "c2"},
		"no rows":             {func(p *screen.Prompt) { p.Rows = nil }, func(p *screen.Prompt) { *p = *boxes("xx").Prompt; p.Rows = nil }, true, "c1"},
		"the same":            {nil, nil, false, "c1"},
		"the same, wider":     {nil, func(p *screen.Prompt) { p.Rows, p.Width = []string{"Which?   ", "x "}, 90 }, true, "c1"},
		"another list":        {nil, func(p *screen.Prompt) { *p = *boxes("xx").Prompt; p.Question = "Who?" }, false, "c1"},
	} {
		n, p := listWith("x "), boxes("x ").Prompt
		n.Prompt().Call = "c1"
		if c.told != nil {
			c.told(n.Prompt())
		}
		if c.shown != nil {
			c.shown(p)
		}
		was := n.Prompt().Fingerprint
		got := n.takeList(p, []string{"rows"}, []string{"above"})
		if taken := fmt.Sprint(n.Tail) == "[rows]" && fmt.Sprint(n.Above) == "[above]"; got != c.want || taken != c.want || n.Prompt().Call != c.call || !got && n.Prompt().Fingerprint != was {
			t.Errorf("%s: taken %t, %v, %q of call %q", name, got, n.Tail, n.Prompt().Fingerprint, n.Prompt().Call)
		}
	}
}

// TestOnlyAQuestionIsSentOrLeft, with a key of its screen.
func TestOnlyAQuestionIsSentOrLeft(t *testing.T) {
	for name, c := range map[string]struct {
		n           *Nudge
		ticks       string
		send, leave reason.Kind
	}{
		"a list":                  {listWith("x "), boxes("x ").Prompt.Ticks(), "", ""},
		"a list with other ticks": {listWith("x "), boxes("xx").Prompt.Ticks(), reason.OtherTicks, ""},
		"a list without a key":    {listWith("  "), boxes("  ").Prompt.Ticks(), reason.NoKeySends, ""},
		"a question with a key":   {nudgeWith(Pending, func(n *Nudge) { n.About = Question{&screen.Prompt{Ways: screen.Ways{Send: []string{"Tab"}}}} }), "", "", reason.NoKeyDismisses},
		"a question":              {nudgeWith(Pending, func(n *Nudge) { n.About = Question{new(screen.Prompt)} }), "", reason.NoList, reason.NoKeyDismisses},
		"a permission":            {nudgeWith(Pending, func(n *Nudge) { n.About = Permission{boxes("x ").Prompt} }), boxes("x ").Prompt.Ticks(), reason.NoList, reason.NoKeyDismisses},
	} {
		if got := c.n.admitSend(Answer{Said: Said{Ticks: c.ticks}}).Detail.Kind; got != c.send {
			t.Errorf("%s: sending it: %q; want %q", name, got, c.send)
		}
		if got := c.n.admitDismiss().Detail.Kind; got != c.leave {
			t.Errorf("%s: leaving it: %q; want %q", name, got, c.leave)
		}
	}
	if v := listWith("x ").admitSend(Answer{}); v.Kind != Rejected {
		t.Errorf("sent without its ticks: %s", v.Kind)
	}
	n := nudgeWith(Pending, nil, but(message(5), func(c *Copy) { c.Ticks = "x" }), seven(6))
	if got := needs(n.Notices(team, false)); got != "" {
		t.Errorf("what is no list has outdated ticks: %s", got)
	}
}

// TestTheNextOfASetIsThreaded: soon after an answer to the question before, in the same process.
func TestTheNextOfASetIsThreaded(t *testing.T) {
	for name, c := range map[string]struct {
		change func(last *Nudge, p *screen.Prompt)
		after  time.Duration
		pid    int
		want   string
	}{
		"the next":            {nil, soonAfter, 7, "[42/8 7/6]"},
		"too late":            {nil, soonAfter + 1, 7, "[]"},
		"not answered by nod": {func(last *Nudge, _ *screen.Prompt) { last.State = Recovered }, 0, 7, "[]"},
		"left":                {func(last *Nudge, _ *screen.Prompt) { last.Claim.Decision = screen.Dismiss }, 0, 7, "[]"},
		"another process":     {nil, 0, 8, "[]"},
		"of another set":      {func(_ *Nudge, p *screen.Prompt) { p.Pages = 3 }, 0, 7, "[]"},
		"of no set":           {func(last *Nudge, p *screen.Prompt) { last.Prompt().Pages, p.Pages = 0, 0 }, 0, 7, "[]"},
		"the review of one":   {func(last *Nudge, p *screen.Prompt) { last.Prompt().Pages, p.Pages = 1, 1 }, 0, 7, "[42/8 7/6]"},
	} {
		last, s := lists(Delivered, nil, ByButton), boxes("x ")
		last.Ended, s.Process.PID = noon, c.pid
		last.Copies = []Copy{message(5), message(8), but(message(9), unseen), seven(6)}
		if c.change != nil {
			c.change(last, s.Prompt)
		}
		var got []string
		for _, r := range (&Nudge{}).thread(last, s, noon.Add(c.after)) {
			got = append(got, fmt.Sprintf("%s/%d", r.Place, r.Message))
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: %v; want %s", name, got, c.want)
		}
	}
	if got := (&Nudge{}).thread(lists(Delivered, nil, ByButton), sight(screen.Working, ""), noon); got != nil {
		t.Errorf("no question is threaded: %v", got)
	}
}
