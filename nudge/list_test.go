package nudge

import (
	"slices"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/words"
)

// boxes is a look at a check list with these boxes ticked: "x " ticks the first of two.
func boxes(ticks string) detect.Sighting {
	p := &screen.Prompt{
		Content:     screen.Content{Agent: "claude", Shape: "claude.ask_user_multi", Question: "Which?", Subject: "Which?"},
		OnScreen:    screen.OnScreen{Rows: []string{"Which?", ticks}, Width: 80},
		Ways:        screen.Ways{Tickable: true, Dismiss: []string{"Escape"}},
		InSet:       screen.InSet{Page: 1, Pages: 2},
		Fingerprint: "list " + ticks,
	}
	for i, name := range []string{"A", "B"} {
		tick := screen.Off
		if ticks[i] == 'x' {
			tick, p.Send = screen.On, []string{"Tab"}
		}
		p.Options = append(p.Options, screen.Option{Label: name, Scope: screen.Other, Tick: tick})
	}
	p.Options = append(p.Options, screen.Option{Key: "3", Label: "Chat about this", Scope: screen.Other})
	return detect.Sighting{Whereabouts: detect.Whereabouts{Process: proc.ID{PID: 7}}, State: screen.Question, Prompt: p, At: noon, By: "poll"}
}

// listWith is a nudge for a check list, in a message that shows these ticks.
func listWith(ticks string) *Nudge {
	s := boxes(ticks)
	n := Open("k3f", Question{s.Prompt}, s, nil, Rules{Expiry: 8 * time.Hour}, noon)
	n.Copies = []Copy{{Ref: Ref{Place: "42", Message: 5}, Reminder: 1, Sent: noon, Ticks: s.Prompt.Ticks()}}
	return n
}

// tap is a tap on a box of a message that shows these ticks.
func tap(option int, ticks string) Answer {
	return Answer{By: Person{ID: "42"}, Way: ByButton, Ref: Ref{Place: "42", Message: 5}, Said: Said{Choice: &deliver.Choice{Index: option}, Ticks: boxes(ticks).Prompt.Ticks()}}
}

func decide(n *Nudge, a Answer) Verdict {
	a, v := n.Read(a)
	if v.Kind == "" {
		v, _ = n.Decide(a, noon)
	}
	return v
}

// TestAnAnswerCountsForTheTicksThatWereShown: a tap on a box, and one that sends, are valid only for the
// ticks in the message.
func TestAnAnswerCountsForTheTicksThatWereShown(t *testing.T) {
	send := func(ticks string) Answer {
		a := tap(0, ticks)
		a.Choice, a.Decision = nil, screen.Send
		return a
	}
	reply := func(text string) Answer {
		return Answer{By: Person{ID: "42"}, Way: ByReply, Ref: Ref{Place: "42", Message: 9}, ReplyTo: 5, Said: Said{Text: text}}
	}
	for name, c := range map[string]struct {
		stands, told string
		a            Answer
		want         VerdictKind
	}{
		"a box":                         {"x ", "x ", tap(1, "x "), Taken},
		"a box of an old message":       {"xx", "x ", tap(1, "x "), Rejected},
		"a box of a damaged message":    {"x ", "x ", func() Answer { a := tap(1, "x "); a.Ticks = ""; return a }(), Rejected},
		"send":                          {"x ", "x ", send("x "), Taken},
		"send of an old message":        {"xx", "x ", send("x "), Rejected},
		"send of nothing":               {"  ", "  ", send("  "), Rejected},
		"another answer":                {"x ", "x ", tap(2, "x "), Taken},
		"a number":                      {"x ", "x ", reply("2"), Taken},
		"a number to an old message":    {"xx", "x ", reply("2"), Rejected},
		"the word send":                 {"x ", "x ", reply("Send"), Taken},
		"the word send, to old ticks":   {"xx", "x ", reply("send"), Rejected},
		"the word dismiss":              {"x ", "x ", reply("dismiss"), Taken},
		"the word dismiss, to old ones": {"xx", "x ", reply("dismiss"), Taken},
		"words of one's own":            {"x ", "x ", reply("both"), Rejected},
	} {
		n := listWith(c.told)
		n.About = Question{boxes(c.stands).Prompt}
		if v := decide(n, c.a); v.Kind != c.want || v.Kind == Rejected && v.Detail.IsZero() {
			t.Errorf("%s: %s %s %q", name, v.Kind, v.Reason, words.Why(v.Detail))
		}
	}
}

// TestAListIsOneNudgeWhileItStands: ticks that change at the terminal are shown in its message, and cause no
// new question.
func TestAListIsOneNudgeWhileItStands(t *testing.T) {
	rules := Rules{Supervisors: []Place{"42"}}
	n := listWith("  ")
	n.Reminder = 1
	if list := n.Notices(rules, false); len(list) != 0 {
		t.Fatalf("nothing has changed, and %+v is to be told", list)
	}
	c := n.Observe(Look{Sighting: boxes("x ")}, rules, noon)
	if !c.Changed || c.Open != nil || n.State != Pending || !slices.Equal(n.Prompt().Ticked(), []string{"A"}) {
		t.Fatalf("%+v: %s, ticked %q", c, n.State, n.Prompt().Ticked())
	}
	list := n.Notices(rules, false)
	if len(list) != 1 || list[0].Kind != Refresh || list[0].Copy.Message != 5 {
		t.Fatalf("to be told: %+v", list)
	}
	before := list[0]
	n.Observe(Look{Sighting: boxes("xx")}, rules, noon)
	n.Received(Receipt{Notice: before})
	if list = n.Notices(rules, false); len(list) != 1 || list[0].Kind != Refresh {
		t.Fatalf("what an edit shows that began before the last tick is out of date: %+v", list)
	}
	n.Received(Receipt{Notice: list[0]})
	if list = n.Notices(rules, false); len(list) != 0 {
		t.Fatalf("to be told once more: %+v", list)
	}
	n.Listed = noon.Add(time.Second)
	if c := n.Observe(Look{Sighting: boxes("  ")}, rules, noon); c.Changed || c.Open != nil || !c.Again || len(n.Prompt().Ticked()) != 2 {
		t.Errorf("a look from before the last tick: %+v, ticked %q", c, n.Prompt().Ticked())
	}
	n.Shift(-time.Hour)
	later := boxes("  ")
	later.At = noon.Add(2*time.Second - time.Hour)
	if c := n.Observe(Look{Sighting: later}, rules, later.At); !c.Changed || len(n.Prompt().Ticked()) != 0 {
		t.Errorf("a look from after the last tick, by a clock that was set back: %+v, ticked %q", c, n.Prompt().Ticked())
	}
	other := boxes("x ")
	other.Process.PID++
	if c := n.Observe(Look{Sighting: other}, rules, noon); n.State != Recovered || c.Open == nil {
		t.Errorf("the list of another process: %+v, %s", c, n.State)
	}
}

// TestNoOldScreenOfAListIsKept: its rows have the known ticks, or it has no rows.
func TestNoOldScreenOfAListIsKept(t *testing.T) {
	first, second := boxes("  "), boxes("x ")
	first.Tail, first.Above = []string{"[ ] A", "[ ] B"}, []string{"old"}
	second.Tail, second.Above = []string{"[x] A", "[ ] B"}, []string{"new"}
	n := Open("k3f", Question{first.Prompt}, first, nil, Rules{Expiry: 8 * time.Hour}, noon)
	n.Observe(Look{Sighting: first}, Rules{}, noon)
	if !slices.Equal(n.Tail, first.Tail) {
		t.Errorf("nothing was ticked, and it keeps %q", n.Tail)
	}
	n.Observe(Look{Sighting: second}, Rules{}, noon)
	if !slices.Equal(n.Tail, second.Tail) || !slices.Equal(n.Above, second.Above) {
		t.Errorf("after a look with a tick it keeps %q below %q", n.Tail, n.Above)
	}
	n.Copies = []Copy{{Ref: Ref{Place: "42", Message: 5}, Reminder: 1, Sent: noon, Ticks: n.Prompt().Ticks()}}
	if v := decide(n, tap(1, "x ")); v.Kind != Taken {
		t.Fatalf("%+v", v)
	}
	if err := n.Begin(noon); err != nil {
		t.Fatal(err)
	}
	n.Finish(deliver.Result{Outcome: deliver.Delivered, After: boxes("xx").Prompt}, noon)
	if n.State != Pending || n.Tail != nil || n.Above != nil {
		t.Errorf("after a tap it is %s and keeps %q below %q", n.State, n.Tail, n.Above)
	}
}

// TestATickLeavesTheListWaiting, even if it failed: the known ticks are those on the screen.
func TestATickLeavesTheListWaiting(t *testing.T) {
	list, next := boxes("x ").Prompt, boxes("xx").Prompt
	for name, c := range map[string]struct {
		result deliver.Result
		state  State
		ticked []string
		told   bool
	}{
		"proven":                    {deliver.Result{Outcome: deliver.Delivered, After: next}, Pending, []string{"A", "B"}, true},
		"refused, changed":          {deliver.Result{Outcome: deliver.Refused, Reason: deliver.Changed}, Pending, []string{"A"}, false},
		"refused, copy mode":        {deliver.Result{Outcome: deliver.Refused, Reason: deliver.CopyMode}, Pending, []string{"A"}, false},
		"refused, a shell":          {deliver.Result{Outcome: deliver.Refused, Reason: deliver.Shell}, Refused, []string{"A"}, false},
		"no effect":                 {deliver.Result{Outcome: deliver.Unknown, Reason: deliver.Unsure, After: list}, Pending, []string{"A"}, false},
		"nothing seen of it":        {deliver.Result{Outcome: deliver.Unknown, Reason: deliver.Unsure}, Unknown, []string{"A"}, false},
		"something else stands now": {deliver.Result{Outcome: deliver.Unknown, Reason: deliver.Unsure, After: &screen.Prompt{Fingerprint: "x"}}, Unknown, []string{"A"}, false},
	} {
		n := listWith("x ")
		if v := decide(n, tap(1, "x ")); v.Kind != Taken {
			t.Fatalf("%s: %+v", name, v)
		}
		if err := n.Begin(noon); err != nil {
			t.Fatal(err)
		}
		n.Finish(c.result, noon)
		if n.State != c.state || !slices.Equal(n.Prompt().Ticked(), c.ticked) || n.Claim.Told != c.told || n.Ticked() != (c.result.Outcome == deliver.Delivered) {
			t.Errorf("%s: %s, ticked %q, told %t, %t", name, n.State, n.Prompt().Ticked(), n.Claim.Told, n.Ticked())
		}
		if again := decide(n, tap(0, "xx")); c.state == Pending && len(c.ticked) == 2 && again.Kind != Taken {
			t.Errorf("%s: the next tap: %+v", name, again)
		}
	}
}

// TestSendEndsTheList, and a step that sent nothing does not.
func TestSendEndsTheList(t *testing.T) {
	review := &screen.Prompt{Content: screen.Content{Shape: "claude.ask_user_review"}, Fingerprint: "r"}
	for name, c := range map[string]struct {
		result deliver.Result
		state  State
	}{
		"sent":                  {deliver.Result{Outcome: deliver.Delivered}, Delivered},
		"the boxes changed":     {deliver.Result{Outcome: deliver.Refused, Reason: deliver.Changed}, Pending},
		"stopped at the review": {deliver.Result{Outcome: deliver.Refused, Reason: deliver.Changed, After: review}, Refused},
		"unknown":               {deliver.Result{Outcome: deliver.Unknown, After: boxes("x ").Prompt}, Unknown},
	} {
		n := listWith("x ")
		a := tap(0, "x ")
		a.Choice, a.Decision = nil, screen.Send
		if v := decide(n, a); v.Kind != Taken {
			t.Fatalf("%s: %+v", name, v)
		}
		n.Finish(c.result, noon)
		if n.State != c.state || n.Ticked() {
			t.Errorf("%s: %s", name, n.State)
		}
	}
}

// TestTheNextPageOfASetGoesOn under the message of the previous page, as a nudge of its own. A second tap
// meant for the previous page answers nothing.
func TestTheNextPageOfASetGoesOn(t *testing.T) {
	answered := func(change func(*Nudge)) *Nudge {
		n := listWith("x ")
		n.Claim, n.State, n.Ended = &Claim{Said: Said{Decision: screen.Send}, At: noon}, Delivered, noon
		if change != nil {
			change(n)
		}
		return n
	}
	page := boxes("  ")
	page.Prompt.Fingerprint, page.Prompt.Question, page.Prompt.Page = "next", "What?", 2
	for name, c := range map[string]struct {
		last *Nudge
		want int
	}{
		"the page before":    {answered(nil), 5},
		"another set":        {answered(func(n *Nudge) { n.Prompt().Pages = 3 }), 0},
		"no set":             {answered(func(n *Nudge) { n.Prompt().Pages = 0 }), 0},
		"dismissed":          {answered(func(n *Nudge) { n.Claim.Decision = screen.Dismiss }), 0},
		"long ago":           {answered(func(n *Nudge) { n.Ended = noon.Add(-time.Hour) }), 0},
		"of another process": {answered(func(n *Nudge) { n.Process.PID++ }), 0},
		"not through nod":    {answered(func(n *Nudge) { n.State, n.Claim = Recovered, nil }), 0},
		"nothing is there":   {nil, 0},
	} {
		n := Open("m2q", Question{page.Prompt}, page, c.last, Rules{}, noon)
		list := n.Notices(Rules{Supervisors: []Place{"42"}}, false)
		if len(list) != 1 || list[0].Kind != Send || list[0].Of.(OfNudge).ReplyTo != 0 || list[0].Of.(OfNudge).Under.Message != c.want || n.ID == "k3f" {
			t.Errorf("%s: %+v", name, list)
		}
	}
	if v := decide(answered(nil), tap(1, "x ")); v.Kind != Rejected || v.Reason != deliver.Answered {
		t.Errorf("a second tap on the page before: %+v", v)
	}
}

// TestAQuestionSeenInPartTakesConsent: the unseen part may change the meaning of its answers.
func TestAQuestionSeenInPartTakesConsent(t *testing.T) {
	for partial, want := range map[bool]VerdictKind{false: Taken, true: AskUnseen} {
		n := listWith("  ")
		n.Prompt().Partial = partial
		a := tap(2, "  ")
		if v := decide(n, a); v.Kind != want {
			t.Errorf("seen in part: %t, a tap is %s", partial, v.Kind)
		}
		if a.Unseen = true; partial && decide(n, a).Kind != Taken {
			t.Error("the consent is not taken")
		}
	}
}
