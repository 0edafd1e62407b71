package nudge

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"nod/detect"
	"nod/detect/screen"
)

// chatter builds up Ann's chat second by second.
type chatter struct {
	nudges  []*Nudge
	asking  []OtherMessage
	sending []string
	message int
}

func second(s int) time.Time { return noon.Add(time.Duration(s) * time.Second) }

// sent returns the next message of the chat.
func (c *chatter) sent(at int) Copy {
	c.message++
	return Copy{Ref: Ref{Place: "ann", Message: c.message}, Sent: second(at)}
}

// open adds a nudge with messages at these times, the reminders last.
func (c *chatter) open(n Nudge, at ...int) *Nudge {
	n.State, n.Pane = Pending, detect.PaneRef{ID: "%" + n.ID}
	for _, s := range at {
		n.Copies = append(n.Copies, c.sent(s))
	}
	c.nudges = append(c.nudges, &n)
	return &n
}

func permissionOf(id string) Nudge { return Nudge{ID: id, About: Permission{new(screen.Prompt)}} }

func optionsOf(id string, program bool, labels ...string) Nudge {
	p := new(screen.Prompt)
	n := Nudge{ID: id, About: Question{p}}
	for _, l := range labels {
		p.Options = append(p.Options, screen.Option{Label: l})
	}
	if program {
		n.About = Program{About: n.About}
	}
	return n
}

func idleOf(id, words string) Nudge { return Nudge{ID: id, About: TurnEnded{Words: words}} }

func (n *Nudge) ends(as State, at int) *Nudge {
	n.State, n.Ended = as, second(at)
	return n
}

// claimedBy records somebody's answer to n at that time, over or not.
func (n *Nudge) claimedBy(who Place, as State, at int) *Nudge {
	n.Claim = &Claim{Said: Said{Decision: screen.Approve}, By: Person{ID: who}, Written: second(at)}
	if n.State = as; as.Over() {
		n.Ended = second(at)
	}
	return n
}

func (c *chatter) mean(a Answer) Meaning {
	return Meant(a, Scene{Nudges: c.nudges, Asking: c.asking, OnTheWay: func(n *Nudge) bool { return slices.Contains(c.sending, n.ID) }})
}

// says is a text that Ann writes at that time, which is read at once.
func (c *chatter) says(text string, at int) Answer {
	c.message++
	a := Answer{By: Person{ID: "ann"}, Way: ByFresh, Ref: Ref{Place: "ann", Message: c.message}, Written: second(at), Read: second(at)}
	if d, _, ok := ParseWord(text, ByFresh); ok {
		a.Decision = d
	} else {
		a.Text = text
	}
	return a
}

// freshClause is a rule about fresh answers: what is in the chat, what is written, and which nudge is meant or
// why nod asks.
type freshClause struct {
	clause string
	stood  func(c *chatter) Answer
	means  string
	doubt  Doubt
	among  []string
}

// freshClauses are all rules about fresh answers.
var freshClauses = []freshClause{
	{"the pending permission", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		return c.says("y", 60)
	}, "one", "", nil},
	{"a yes/no question of a program alike", func(c *chatter) Answer {
		c.open(permissionOf("old"), 0)
		c.open(optionsOf("ask", true, "yes", "no"), 60)
		return c.says("y", 120)
	}, "ask", "", nil},
	{"whose newest message, first or reminder, is the last that they got", func(c *chatter) Answer {
		c.open(permissionOf("reminded"), 0, 300)
		c.open(permissionOf("newer"), 60)
		return c.says("n", 400)
	}, "reminded", "", nil},
	{"before they wrote, by Telegram's own dates", func(c *chatter) Answer {
		c.open(permissionOf("before"), 0)
		a := c.says("y", 60)
		c.open(permissionOf("after"), 65)
		a.Read = second(70)
		return a
	}, "before", "", nil},
	{"in the same second, by the messages' order", func(c *chatter) Answer {
		c.open(permissionOf("before"), 60)
		a := c.says("y", 60)
		c.open(permissionOf("after"), 100)
		return a
	}, "", cameJustNow, []string{"before"}},
	{"a message of another pending one within thirty seconds", func(c *chatter) Answer {
		c.open(permissionOf("first"), 0)
		c.open(permissionOf("second"), 30)
		return c.says("y", 4000)
	}, "", crowdedBy, []string{"second", "first"}},
	{"whenever the answer comes, and no sooner than that", func(c *chatter) Answer {
		c.open(permissionOf("first"), 0)
		c.open(permissionOf("second"), 31)
		return c.says("y", 50)
	}, "second", "", nil},
	{"an older message of the other one within thirty seconds", func(c *chatter) Answer {
		c.open(permissionOf("other"), 0, 290)
		c.open(permissionOf("newest"), 100, 300)
		return c.says("y", 400)
	}, "", crowdedBy, []string{"newest", "other"}},
	{"a message of another that ended less than a minute before they wrote", func(c *chatter) Answer {
		c.open(permissionOf("other"), 0).ends(Recovered, 41)
		c.open(permissionOf("newest"), 20)
		return c.says("y", 100)
	}, "", crowdedBy, []string{"newest"}},
	{"a message of another that ended a minute before they wrote", func(c *chatter) Answer {
		c.open(permissionOf("other"), 0).ends(Recovered, 40)
		c.open(permissionOf("newest"), 20)
		return c.says("y", 100)
	}, "newest", "", nil},
	{"a message of another that ended by their own answer", func(c *chatter) Answer {
		c.open(permissionOf("other"), 0).claimedBy("ann", Delivered, 90)
		c.open(permissionOf("newest"), 20)
		return c.says("y", 100)
	}, "newest", "", nil},
	{"a message of another that ended by somebody else's answer", func(c *chatter) Answer {
		c.open(permissionOf("other"), 0).claimedBy("bob", Delivered, 90)
		c.open(permissionOf("newest"), 20)
		return c.says("y", 100)
	}, "", crowdedBy, []string{"newest"}},
	{"another is pending and the message came less than ten seconds before", func(c *chatter) Answer {
		c.open(permissionOf("old"), 0)
		c.open(permissionOf("newest"), 1000)
		return c.says("y", 1009)
	}, "", cameJustNow, []string{"newest", "old"}},
	{"ten seconds before is enough", func(c *chatter) Answer {
		c.open(permissionOf("old"), 0)
		c.open(permissionOf("newest"), 1000)
		return c.says("y", 1010)
	}, "newest", "", nil},
	{"a message that came just now, and no other is pending", func(c *chatter) Answer {
		c.open(permissionOf("only"), 1000)
		return c.says("y", 1001)
	}, "only", "", nil},
	{"the question before in the same pane ended as the new one came", func(c *chatter) Answer {
		c.open(permissionOf("before"), 0).ends(Recovered, 998)
		c.open(permissionOf("newest"), 1000)
		return c.says("y", 1003)
	}, "", cameJustNow, []string{"newest"}},
	{"a newer question with other answers", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		c.open(optionsOf("which", true, "dev", "prod"), 60)
		return c.says("y", 120)
	}, "", newerAsks, []string{"one"}},
	{"a newer question of an agent, whatever its answers", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		c.open(optionsOf("which", false, "Yes", "No"), 60)
		return c.says("y", 120)
	}, "", newerAsks, []string{"one"}},
	{"an older question with other answers", func(c *chatter) Answer {
		c.open(optionsOf("which", true, "dev", "prod"), 0)
		c.open(permissionOf("one"), 60)
		return c.says("y", 120)
	}, "one", "", nil},
	{"a newer agent that may be stuck", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		c.open(Nudge{ID: "stuck", About: Silence{}}, 60)
		return c.says("y", 120)
	}, "", newerAsks, []string{"one"}},
	{"a newer message for several", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		m := c.sent(60)
		c.asking = append(c.asking, OtherMessage{Ref: m.Ref, Sent: m.Sent, Several: true})
		return c.says("y", 120)
	}, "", newerAsks, []string{"one"}},
	{"its own newest message is for several", func(c *chatter) Answer {
		n := c.open(permissionOf("one"), 0)
		n.Copies[0].Group = []string{"one", "two"}
		return c.says("y", 120)
	}, "", amongOthers, []string{"one"}},
	{"something else newer that waits: a wish, a denied call, words of a voice message, a machine", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		m := c.sent(60)
		c.asking = append(c.asking, OtherMessage{Ref: m.Ref, Sent: m.Sent})
		return c.says("y", 120)
	}, "", newerAsks, []string{"one"}},
	{"a newer question for consent, about another", func(c *chatter) Answer {
		old := c.open(permissionOf("old"), 0)
		c.open(permissionOf("one"), 60)
		m := c.sent(120)
		m.Unseen = true
		old.Copies = append(old.Copies, m)
		return c.says("y", 200)
	}, "", newerAsks, []string{"one", "old"}},
	{"a newer question for consent, about itself", func(c *chatter) Answer {
		n := c.open(permissionOf("one"), 0)
		m := c.sent(60)
		m.Unseen = true
		n.Copies = append(n.Copies, m)
		return c.says("y", 120)
	}, "", newerAsks, []string{"one"}},
	{"a newer idle notice whose last words ask something", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		c.open(idleOf("idle", "All tests pass. Shall I commit?"), 60)
		return c.says("y", 120)
	}, "", newerAsks, []string{"one"}},
	{"a newer idle notice that asks nothing, whatever its agent's footer", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		c.open(idleOf("idle", "All tests pass."), 60).Tail = []string{"❯", "  ? for shortcuts"}
		return c.says("y", 120)
	}, "one", "", nil},
	{"a newer idle notice without words", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		c.open(idleOf("idle", ""), 60).Tail = []string{"❯", "  ? for shortcuts"}
		return c.says("y", 120)
	}, "one", "", nil},
	{"a newer nudge that ended less than a minute before", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		c.open(permissionOf("gone"), 60).ends(Gone, 100)
		return c.says("y", 159)
	}, "", newerEnded, []string{"one"}},
	{"a newer nudge that ended a minute before", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		c.open(permissionOf("gone"), 60).ends(Gone, 100)
		return c.says("y", 160)
	}, "one", "", nil},
	{"a newer nudge of another kind that ended", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		c.open(optionsOf("which", false, "dev", "prod"), 60).ends(Recovered, 100)
		return c.says("y", 110)
	}, "", newerEnded, []string{"one"}},
	{"a newer nudge that ended after they wrote", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		n := c.open(permissionOf("gone"), 60)
		a := c.says("y", 110)
		a.Read = second(200)
		n.ends(Recovered, 150)
		return a
	}, "", newerEnded, []string{"one"}},
	{"a newer nudge that ended by their own answer", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		c.open(permissionOf("mine"), 60).claimedBy("ann", Delivered, 100)
		return c.says("y", 101)
	}, "one", "", nil},
	{"a newer nudge that is being answered by their own answer", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		c.open(permissionOf("mine"), 60).claimedBy("ann", Typing, 100)
		return c.says("y", 101)
	}, "one", "", nil},
	{"a newer nudge that is being answered by somebody else", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		c.open(permissionOf("bob's"), 60).claimedBy("bob", Claimed, 100)
		return c.says("y", 101)
	}, "", newerEnded, []string{"one"}},
	{"read five minutes after it was written", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		a := c.says("y", 100)
		a.Read = second(400)
		return a
	}, "one", "", nil},
	{"read more than five minutes after it was written", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		a := c.says("y", 100)
		a.Read = second(401)
		return a
	}, "", readLate, []string{"one"}},
	{"written a minute after it was read, by clocks that differ", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		a := c.says("y", 100)
		a.Read = second(40)
		return a
	}, "one", "", nil},
	{"written by a clock that is further ahead: how late it was read is not known", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		a := c.says("y", 100)
		a.Read = second(39 - rand.IntN(1<<20))
		return a
	}, "", clockBehind, []string{"one"}},
	{"a snoozed one is never meant", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		c.open(permissionOf("snoozed"), 60).Snoozed = second(3600)
		return c.says("y", 120)
	}, "one", "", nil},
	{"a snoozed one stands last in the list", func(c *chatter) Answer {
		c.open(permissionOf("first"), 0)
		c.open(permissionOf("second"), 20)
		c.open(permissionOf("snoozed"), 90).Snoozed = second(3600)
		return c.says("y", 120)
	}, "", crowdedBy, []string{"second", "first", "snoozed"}},
	{"a snoozed one alone", func(c *chatter) Answer {
		c.open(permissionOf("snoozed"), 0).Snoozed = second(3600)
		return c.says("y", 120)
	}, "", noneAwake, []string{"snoozed"}},
	{"one that was snoozed until before they wrote", func(c *chatter) Answer {
		c.open(permissionOf("woken"), 0).Snoozed = second(120)
		return c.says("y", 120)
	}, "woken", "", nil},
	{"a message that is being sent", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0)
		c.open(permissionOf("sent"))
		c.sending = []string{"sent"}
		return c.says("y", 120)
	}, "", beingSent, []string{"one", "sent"}},
	{"the only one is being sent", func(c *chatter) Answer {
		c.open(permissionOf("sent"))
		c.sending = []string{"sent"}
		return c.says("y", 120)
	}, "", noneAwake, []string{"sent"}},
	{"a message whose date is not known", func(c *chatter) Answer {
		n := c.open(permissionOf("adopted"), 0)
		n.Copies[0].Sent = time.Time{}
		c.open(permissionOf("one"), 60)
		return c.says("y", 120)
	}, "", unknownDate, []string{"one"}},
	{"nothing waits", func(c *chatter) Answer {
		c.open(permissionOf("one"), 0).ends(Recovered, 10)
		return c.says("y", 120)
	}, "", noneAwake, nil},

	{"a number answers the newest question with options", func(c *chatter) Answer {
		c.open(optionsOf("old", false, "a", "b"), 0)
		c.open(optionsOf("new", true, "dev", "prod"), 60)
		return c.says("2", 120)
	}, "new", "", nil},
	{"a label as a whole", func(c *chatter) Answer {
		c.open(optionsOf("ask", true, "dev", "prod"), 0)
		return c.says(" PROD ", 120)
	}, "ask", "", nil},
	{"a part of a label", func(c *chatter) Answer {
		c.open(optionsOf("ask", true, "dev", "prod east"), 0)
		return c.says("prod", 120)
	}, "", otherOption, nil},
	{"a label that two options have", func(c *chatter) Answer {
		c.open(optionsOf("ask", false, "Add", "add"), 0)
		return c.says("add", 120)
	}, "", otherOption, nil},
	{"a number that another option's label is", func(c *chatter) Answer {
		c.open(optionsOf("ask", true, "2", "1"), 0)
		return c.says("2", 120)
	}, "", otherOption, nil},
	{"a label of an older question only", func(c *chatter) Answer {
		c.open(optionsOf("old", true, "dev", "prod"), 0)
		c.open(optionsOf("new", true, "red", "blue"), 60)
		return c.says("prod", 120)
	}, "", otherOption, []string{"old"}},
	{"a number, never to a permission", func(c *chatter) Answer {
		n := permissionOf("one")
		n.Prompt().Options = []screen.Option{{Key: "1", Label: "Yes"}, {Key: "2", Label: "No"}}
		c.open(n, 0)
		return c.says("1", 120)
	}, "", noneAwake, nil},
	{"a number, and a permission is newer", func(c *chatter) Answer {
		c.open(optionsOf("ask", false, "dev", "prod"), 0)
		c.open(permissionOf("newer"), 60)
		return c.says("1", 120)
	}, "", newerAsks, []string{"ask"}},
	{"a number, and another question within thirty seconds", func(c *chatter) Answer {
		c.open(optionsOf("first", false, "dev", "prod"), 0)
		c.open(optionsOf("second", false, "red", "blue"), 30)
		return c.says("1", 400)
	}, "", crowdedBy, []string{"second", "first"}},
	{"a number just after a question, and another is pending", func(c *chatter) Answer {
		c.open(optionsOf("first", false, "dev", "prod"), 0)
		c.open(optionsOf("second", false, "red", "blue"), 60)
		return c.says("1", 69)
	}, "", cameJustNow, []string{"second", "first"}},
	{"other words", func(c *chatter) Answer {
		c.open(optionsOf("ask", true, "dev", "prod"), 0)
		return c.says("hello", 120)
	}, "", otherOption, nil},
}

func TestFreshAnswers(t *testing.T) { testFresh(t, freshClauses) }

func testFresh(t *testing.T, rows []freshClause) {
	for _, row := range rows {
		t.Run(row.clause, func(t *testing.T) {
			var c chatter
			a := row.stood(&c)
			m := c.mean(a)
			means := ""
			if m.Nudge != nil {
				means = m.Nudge.ID
			}
			if means != row.means || m.Doubt != row.doubt {
				t.Errorf("it means %q (%s), want %q (%s)", means, m.Doubt, row.means, row.doubt)
			}
			var among []string
			for _, n := range m.Among {
				among = append(among, n.ID)
			}
			if row.means == "" && !slices.Equal(among, row.among) {
				t.Errorf("among %q, want %q", among, row.among)
			}
		})
	}
}

// TestFreshAnswerInATopic: it never means a question of another pane, and a question that was also asked
// elsewhere is not certain.
func TestFreshAnswerInATopic(t *testing.T) {
	for _, row := range []struct {
		name  string
		topic int
		means string
	}{{"its own", 5, "here"}, {"another", 6, ""}} {
		t.Run(row.name, func(t *testing.T) {
			var c chatter
			c.open(permissionOf("here"), 0).Copies[0].Topic = 5
			c.open(permissionOf("there"), 10).Copies[0].Topic = 9
			a := c.says("y", 60)
			a.Topic, a.Pane = row.topic, &c.nudges[0].Pane
			if m := c.mean(a); (m.Nudge == nil) != (row.means == "") || len(m.Among) != 1 || m.Among[0].ID != "here" {
				t.Errorf("%+v", m)
			}
		})
	}
}
