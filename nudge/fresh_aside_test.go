package nudge

import (
	"testing"
	"time"

	"nod/detect/screen"
)

// freshAside are the rules about what is in a scene and does not matter, and the doubts at its edges.
var freshAside = []freshClause{
	{"a message in somebody else's chat", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		c.open(permissionOf("bob's"), 5).Copies[0].Place = "bob"
		return c.says("y", 60)
	}, "one", "", nil},
	{"a message that came after they wrote, close to the newest", func(c *chatter) Answer {
		c.open(permissionOf("one"), 45)
		a := c.says("y", 56)
		c.open(permissionOf("after"), 60)
		a.Read = second(70)
		return a
	}, "one", "", nil},
	{"a message in somebody else's chat whose date is not known", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		c.open(permissionOf("bob's"), 5).Copies[0] = Copy{Ref: Ref{Place: "bob", Message: 9}}
		return c.says("y", 60)
	}, "one", "", nil},
	{"a question for consent whose date is not known", func(c *chatter) Answer {
		n := c.open(permissionOf("one"), 0)
		n.Copies = append(n.Copies, Copy{Ref: Ref{Place: "ann", Message: 90}, Unseen: true})
		return c.says("y", 60)
	}, "one", "", nil},
	{"a message whose date is not known, of one that ended", func(c *chatter) Answer {
		c.open(permissionOf("ended"), 0).ends(Recovered, 10).Copies[0].Sent = time.Time{}
		c.open(permissionOf("one"), 60)
		return c.says("y", 120)
	}, "one", "", nil},
	{"a message whose date is not known, of an agent that asks nothing", func(c *chatter) Answer {
		c.open(idleOf("idle", "All tests pass."), 0).Copies[0].Sent = time.Time{}
		c.open(permissionOf("one"), 60)
		return c.says("y", 120)
	}, "one", "", nil},
	{"its own reminder is being sent", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		c.sending = []string{"one"}
		return c.says("y", 120)
	}, "one", "", nil},
	{"a message was being sent of one that ended just now", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		c.open(permissionOf("ended")).ends(Recovered, 100)
		c.sending = []string{"ended"}
		return c.says("y", 120)
	}, "", beingSent, []string{"one"}},
	{"a message that came later, and was tried first before they wrote", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		a := c.says("y", 120)
		c.open(permissionOf("late"), 130).Copies[0].Waited = 11 * time.Second
		a.Read = second(131)
		return a
	}, "", beingSent, []string{"one", "late"}},
	{"a question for consent that came later, and was tried first before they wrote", func(c *chatter) Answer {
		n := c.open(permissionOf("partial"), 0)
		c.open(permissionOf("one"), 60)
		a := c.says("y", 120)
		consent := c.sent(130)
		consent.Unseen, consent.Waited = true, 130*time.Second
		n.Copies = append(n.Copies, consent)
		return a
	}, "", beingSent, []string{"one", "partial"}},
	{"a message that came later, and was tried first after they wrote", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		a := c.says("y", 120)
		c.open(permissionOf("late"), 130).Copies[0].Waited = 10 * time.Second
		a.Read = second(131)
		return a
	}, "one", "", nil},
	{"a message is being sent of one that ended", func(c *chatter) Answer {
		c.open(permissionOf("ended")).ends(Recovered, 10)
		c.open(permissionOf("one"), 0)
		c.sending = []string{"ended"}
		return c.says("y", 120)
	}, "one", "", nil},
	{"a message is being sent of an agent that asks nothing", func(c *chatter) Answer {
		c.open(idleOf("idle", "All tests pass."))
		c.open(permissionOf("one"), 0)
		c.sending = []string{"idle"}
		return c.says("y", 120)
	}, "one", "", nil},
	{"what is being sent and takes another answer is no candidate, nor is what ended", func(c *chatter) Answer {
		c.open(permissionOf("ended")).ends(Recovered, 10)
		c.open(optionsOf("which", true, "dev", "prod"))
		c.open(permissionOf("one"), 0)
		c.sending = []string{"ended", "which"}
		return c.says("y", 120)
	}, "", beingSent, []string{"one"}},
	{"each candidate stands in the list once, and a snoozed one last", func(c *chatter) Answer {
		c.open(permissionOf("snoozed"), 0).Snoozed = second(3600)
		c.open(permissionOf("one"), 60)
		c.open(permissionOf("reminded"), 70)
		c.open(permissionOf("sent"))
		c.sending = []string{"snoozed", "reminded", "sent"}
		return c.says("y", 120)
	}, "", beingSent, []string{"reminded", "one", "sent", "snoozed"}},
	{"a message in a topic, and the chat around it", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0).Copies[0].Topic = 5
		return c.says("y", 60)
	}, "one", "", nil},
	{"a message that came just now, and the one before ended long ago", func(c *chatter) Answer {
		c.open(permissionOf("ended"), 0).ends(Recovered, 10)
		c.open(permissionOf("one"), 1000)
		return c.says("y", 1001)
	}, "one", "", nil},
	{"a message that came just now, and the one before takes another answer", func(c *chatter) Answer {
		c.open(optionsOf("which", true, "dev", "prod"), 0)
		c.open(permissionOf("one"), 1000)
		return c.says("y", 1001)
	}, "one", "", nil},
	{"something else that waits, since after they wrote", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		a := c.says("y", 60)
		m := c.sent(65)
		c.asking = append(c.asking, OtherMessage{Ref: m.Ref, Sent: m.Sent})
		return a
	}, "one", "", nil},
	{"something else newer that no longer waits", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		m := c.sent(30)
		c.asking = append(c.asking, OtherMessage{Ref: m.Ref, Sent: m.Sent, Over: true})
		return c.says("y", 60)
	}, "one", "", nil},
	{"something else newer that waits in somebody else's chat", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		c.asking = append(c.asking, OtherMessage{Ref: Ref{Place: "bob", Message: 90}, Sent: second(30)})
		return c.says("y", 60)
	}, "one", "", nil},
	{"something else newer that waits in another topic, and the answer is in none", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		m := c.sent(30)
		m.Topic = 5
		c.asking = append(c.asking, OtherMessage{Ref: m.Ref, Sent: m.Sent})
		return c.says("y", 60)
	}, "", newerAsks, []string{"one"}},
	{"a newer question for consent in somebody else's chat", func(c *chatter) Answer {
		n := c.open(permissionOf("one"), 0)
		n.Copies = append(n.Copies, Copy{Ref: Ref{Place: "bob", Message: 90}, Sent: second(30), Unseen: true})
		return c.says("y", 60)
	}, "one", "", nil},
	{"a question that was taken back less than a minute before", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		n := c.open(permissionOf("taken back")).ends(Recovered, 43)
		n.TookBack, n.Detected = true, second(41)
		return c.says("y", 100)
	}, "", tookBack, []string{"one"}},
	{"a question that was taken back a minute before", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		n := c.open(permissionOf("taken back")).ends(Recovered, 43)
		n.TookBack, n.Detected = true, second(40)
		return c.says("y", 100)
	}, "one", "", nil},
	{"a newer nudge that ended by an answer that they wrote later", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		c.open(permissionOf("mine"), 60).claimedBy("ann", Delivered, 105)
		return c.says("y", 101)
	}, "", newerEnded, []string{"one"}},
	{"an answer that is no message, in the second of the newest message", func(c *chatter) Answer {
		c.open(permissionOf("one"), 60)
		a := c.says("y", 60)
		a.Message = 0
		return a
	}, "one", "", nil},
	{"a reminder that nod recorded before an earlier message", func(c *chatter) Answer {
		c.open(permissionOf("reminded"), 300, 0)
		c.open(permissionOf("newer"), 60)
		return c.says("n", 400)
	}, "reminded", "", nil},
	{"a newer program's question with a third answer", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		c.open(optionsOf("ask", true, "yes", "no", "later"), 60)
		return c.says("y", 120)
	}, "", newerAsks, []string{"one"}},
	{"a newer program's question with a yes and no no", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		c.open(optionsOf("ask", true, "yes", "later"), 60)
		return c.says("y", 120)
	}, "", newerAsks, []string{"one"}},
	{"a newer program's question with a no and no yes", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		c.open(optionsOf("ask", true, "later", "no"), 60)
		return c.says("y", 120)
	}, "", newerAsks, []string{"one"}},
	{"a newer machine that wants to join", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		n := optionsOf("join", true, "yes", "no")
		n.About = Program{About: n.About.(Program).About, Join: true}
		c.open(n, 60)
		return c.says("y", 120)
	}, "", newerAsks, []string{"one"}},
	{"a permission that a program asks for", func(c *chatter) Answer {
		c.open(Nudge{ID: "one", About: Program{About: Permission{new(screen.Prompt)}}}, 0)
		return c.says("y", 60)
	}, "one", "", nil},
}

func TestWhatDoesNotMatterToAFreshAnswer(t *testing.T) { testFresh(t, freshAside) }

// TestInATopicOnlyItsOwnMessagesMatter: something that waits in another topic makes an answer no less certain.
func TestInATopicOnlyItsOwnMessagesMatter(t *testing.T) {
	for topic, doubt := range map[int]Doubt{5: newerAsks, 9: ""} {
		var c chatter
		n := c.open(permissionOf("here"), 0)
		n.Copies[0].Topic = 5
		m := c.sent(30)
		m.Topic = topic
		c.asking = append(c.asking, OtherMessage{Ref: m.Ref, Sent: m.Sent})
		a := c.says("y", 60)
		a.Topic, a.Pane = 5, &n.Pane
		if m := c.mean(a); m.Doubt != doubt {
			t.Errorf("something waits in topic %d: %q, want %q", topic, m.Doubt, doubt)
		}
	}
}

// TestAFreshAnswerNamesItsOption: the option that was said is the one that is typed.
func TestAFreshAnswerNamesItsOption(t *testing.T) {
	for said, want := range map[string]int{"1": 0, "2": 1, "prod": 1} {
		var c chatter
		c.open(optionsOf("which", true, "dev", "prod"), 0)
		if m := c.mean(c.says(said, 60)); m.Nudge == nil || m.Option != want {
			t.Errorf("%q: option %d of %v, want %d", said, m.Option, m.Nudge, want)
		}
	}
}

// TestYesAndNoOfAProgramsQuestion: its yes is never taken for its no, in whichever order they stand.
func TestYesAndNoOfAProgramsQuestion(t *testing.T) {
	for _, row := range []struct {
		n       Nudge
		yes, no int
		ok      bool
	}{
		{optionsOf("", true, "yes", "no"), 0, 1, true},
		{optionsOf("", true, "no", "yes"), 1, 0, true},
		{optionsOf("", true, "dev", "prod"), 0, 0, false},
		{optionsOf("", false, "yes", "no"), 0, 0, false},
		{Nudge{About: Program{About: Permission{new(screen.Prompt)}}}, 0, 0, false},
		{permissionOf(""), 0, 0, false},
	} {
		if yes, no, ok := row.n.YesNo(); yes != row.yes || no != row.no || ok != row.ok {
			t.Errorf("%v: yes is %d, no is %d, %t", row.n.Prompt().Options, yes, no, ok)
		}
	}
}

// TestAMessageThatTheWriterCouldNotSeeCrowdsNothing: one in another place, and one that came after the answer.
func TestAMessageThatTheWriterCouldNotSeeCrowdsNothing(t *testing.T) {
	for name, unseen := range map[string]Copy{
		"elsewhere": {Ref: Ref{Place: "bob", Message: 900}, Sent: second(1000)},
		"later":     {Ref: Ref{Place: "ann", Message: 900}, Sent: second(1025)},
	} {
		c := new(chatter)
		old := c.open(permissionOf("old"), 0)
		c.open(permissionOf("new"), 1000)
		old.Copies = append(old.Copies, unseen)
		if m := c.mean(c.says("y", 1020)); m.Nudge == nil || m.Nudge.ID != "new" {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

// TestAMessageMayHaveComeEarlier by as much as it had waited, in its own place only.
func TestAMessageMayHaveComeEarlier(t *testing.T) {
	a := Answer{Ref: Ref{Place: "ann", Message: 5}, Written: second(60)}
	for name, c := range map[string]struct {
		r      Ref
		sent   int
		waited time.Duration
		want   bool
	}{
		"it waited":          {Ref{Place: "ann", Message: 6}, 70, 11 * time.Second, true},
		"not so long":        {Ref{Place: "ann", Message: 6}, 70, 10 * time.Second, false},
		"not at all":         {Ref{Place: "ann", Message: 6}, 70, 0, false},
		"it came before":     {Ref{Place: "ann", Message: 4}, 50, time.Hour, false},
		"it is another's":    {Ref{Place: "bob", Message: 6}, 70, time.Hour, false},
		"in the same second": {Ref{Place: "ann", Message: 6}, 60, time.Second, true},
	} {
		if got := a.mayFollow(c.r, second(c.sent), c.waited); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestWhatNoBareWordAnswers: a form, a machine that wants to join, an option without a label, and what is over is
// not snoozed.
func TestWhatNoBareWordAnswers(t *testing.T) {
	for name, change := range map[string]func(*ProgramQuestion){
		"a form":    func(q *ProgramQuestion) { q.Form = true },
		"a machine": func(q *ProgramQuestion) { q.Join = true },
	} {
		n := programAsks(func(q *ProgramQuestion) { q.Options = []string{"yes", "no"}; change(q) })
		if _, ok := n.OptionSaid("1"); ok || n.TakesYesNo() {
			t.Errorf("%s takes a bare word", name)
		}
	}
	for _, about := range []About{Permission{new(screen.Prompt)}, TurnEnded{}, Silence{}} {
		if about.takesOption() {
			t.Errorf("a number answers a %T", about)
		}
	}
	if _, ok := questionOf(nil, screen.Option{}, screen.Option{Label: "A"}).OptionSaid(" "); ok {
		t.Error("nothing names an option")
	}
	for _, state := range states {
		if n := nudgeWith(state, func(n *Nudge) { n.Snoozed = second(60) }); n.Snoozes(noon) != (state == Pending) {
			t.Errorf("%s: snoozed %t", state, n.Snoozes(noon))
		}
	}
}
