package keeper_test

import (
	"slices"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect/screen"
	"nod/nudge"
	"nod/store"
)

// tells records a message of the bot's own.
func (w *world) tells(r nudge.Receipt) {
	w.Helper()
	r.Notice.Place, r.Sent = ann, time.Now()
	if err := w.Told(r); err != nil {
		w.Fatal(err)
	}
}

// others are the numbers of the messages about no single nudge that wait for an answer, and whether each shows several.
func (w *world) others() map[int]bool {
	w.Helper()
	list := map[int]bool{}
	err := w.store.View(func(tx *store.Tx) error {
		for _, o := range tx.OtherMessages() {
			if !o.Over {
				list[o.Message] = o.Several
			}
		}
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
	return list
}

// open are the numbers of the messages with buttons about a nudge.
func (w *world) open(id string) (list []int) {
	w.Helper()
	for _, c := range w.find(id).Copies {
		if !c.Closed {
			list = append(list, c.Message)
		}
	}
	return list
}

// TestAMessageAboutSeveralIsThatOfEach until it is over, or until none of them was meant. A list asks nothing.
func TestAMessageAboutSeveralIsThatOfEach(t *testing.T) {
	inBubble(t, func(w *world) {
		first, second := w.see(shows("%1", permission("make"))), w.see(shows("%2", permission("go test")))
		parts := []nudge.Part{{Nudge: first}, {Nudge: nudge.Nudge{ID: "gone"}}, {Nudge: second}}
		which := nudge.Receipt{Notice: nudge.Notice{Kind: nudge.Several}, Message: 50, Parts: parts, Offer: nudge.OfferWhich}
		w.tells(which)
		which.Message = 51
		w.tells(which)
		w.tells(nudge.Receipt{Notice: nudge.Notice{Kind: nudge.Listed}, Message: 60, Parts: parts, Offer: nudge.OfferList})
		want := func(when string, others map[int]bool, messages ...int) {
			t.Helper()
			for _, n := range []nudge.Nudge{first, second} {
				if got := w.open(n.ID); !slices.Equal(got, messages) {
					t.Errorf("%s, #%s has buttons in %v, want %v", when, n.ID, got, messages)
				}
			}
			if got := w.others(); len(got) != len(others) || got[50] != others[50] || got[51] != others[51] {
				t.Errorf("%s, other messages are %v, want %v", when, got, others)
			}
		}
		want("told", map[int]bool{50: true, 51: true}, 50, 51, 60)
		if err := w.Neither(nudge.Ref{Place: ann, Message: 50}); err != nil {
			t.Fatal(err)
		}
		want("none was meant", map[int]bool{51: true}, 51, 60)
		edited := w.find(second.ID)
		edited.Edition = 1
		if err := w.store.Update(func(tx *store.Tx) error { tx.Put(&edited); return nil }); err != nil {
			t.Fatal(err)
		}
		closes := func(message int) {
			n := w.find(first.ID)
			at := slices.IndexFunc(n.Copies, func(c nudge.Copy) bool { return c.Message == message })
			w.tells(nudge.Receipt{
				Notice: nudge.Notice{Kind: nudge.Close, Of: nudge.OfNudge{Nudge: n}, Copy: n.Copies[at]},
				Parts:  []nudge.Part{{Nudge: n}, {Nudge: nudge.Nudge{ID: "gone"}}, {Nudge: edited}},
			})
		}
		w.tells(nudge.Receipt{Notice: nudge.Notice{Kind: nudge.Several}, Message: 60})
		closes(60)
		want("the list is over", map[int]bool{51: true, 60: true}, 51)
		closes(51)
		want("one is answered", map[int]bool{60: true})
	})
}

// TestSeveralInOneMessage are recorded and noted for each, and known as several when they are over.
func TestSeveralInOneMessage(t *testing.T) {
	inBubble(t, func(w *world) {
		first, second, message := w.together()
		if got := w.others(); len(got) != 1 || !got[message] {
			t.Errorf("other messages are %v", got)
		}
		lines, err := w.store.Tail(100)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []nudge.Nudge{first, second} {
			if !slices.ContainsFunc(lines, func(l store.Line) bool { return l.Kind == nudge.NudgeSent && l.Nudge == n.ID && l.Message == message }) {
				t.Errorf("that #%s was sent is not noted", n.ID)
			}
		}
		w.see(is("%1", screen.Gone))
		w.see(is("%2", screen.Gone))
		w.tell()
		a := w.answer(nudge.ByReply, screen.Approve)
		a.ReplyTo = message
		w.give(a, nudge.NothingDue)
	})
}

// TestAnInstructionsButtonsAreInTheMessageThatSaidSo last.
func TestAnInstructionsButtonsAreInTheMessageThatSaidSo(t *testing.T) {
	inBubble(t, func(w *world) {
		w.look(screen.Working)
		one, two := w.queue("one").Instruction, w.queue("two").Instruction
		want := func(when string, id string, want ...nudge.InstructionButtons) {
			t.Helper()
			if i, _, err := w.Instruction(id); err != nil || !slices.Equal(i.Buttons, want) {
				t.Errorf("%s, there are buttons about %q in %+v, want %+v", when, i.Text, i.Buttons, want)
			}
		}
		list := nudge.Receipt{Notice: nudge.Notice{Kind: nudge.Listed}, Message: 50, Instructions: []string{one.ID}, List: true}
		w.tells(list)
		buttons := nudge.InstructionButtons{Ref: nudge.Ref{Place: ann, Message: 50}, List: true}
		want("listed", one.ID, buttons)
		want("listed", two.ID)
		list.Instructions = []string{two.ID}
		w.tells(list)
		want("listed again", one.ID)
		want("listed again", two.ID, buttons)
		w.tells(nudge.Receipt{Notice: nudge.Notice{Kind: nudge.InstructionNews, Of: &one}, Message: 51, Instructions: []string{one.ID}})
		want("told", one.ID, nudge.InstructionButtons{Ref: nudge.Ref{Place: ann, Message: 51}})
		w.tells(nudge.Receipt{Notice: nudge.Notice{Kind: nudge.InstructionNews, Of: &two}, Message: 51})
		want("another one told without buttons", one.ID, nudge.InstructionButtons{Ref: nudge.Ref{Place: ann, Message: 51}})
		w.tells(nudge.Receipt{Notice: nudge.Notice{Kind: nudge.Close, Of: &two, Copy: nudge.Copy{Ref: nudge.Ref{Place: ann, Message: 50}}}, Message: 99})
		want("closed", two.ID)
		want("another one closed", one.ID, nudge.InstructionButtons{Ref: nudge.Ref{Place: ann, Message: 51}})
	})
}

// TestWordsAreOfferedAgainUntilTheNextQuestion of their pane.
func TestWordsAreOfferedAgainUntilTheNextQuestion(t *testing.T) {
	inBubble(t, func(w *world) {
		w.deliver()
		w.rules.Idle = true
		w.look(screen.Working)
		n := w.look(screen.Idle)
		idle := w.newest(n.Pane)
		w.tell()
		a := w.replyTo(idle.ID, "")
		a.Text = "run the tests"
		w.refuseNext(deliver.CopyMode)
		w.give(a, nudge.Taken)
		w.tells(nudge.Receipt{Notice: nudge.Notice{Kind: nudge.Reply, Of: nudge.OfNudge{Nudge: w.find(idle.ID)}}, Message: 70, Offer: nudge.OfferWords})
		closes := func() bool {
			return slices.ContainsFunc(w.untold(), func(n nudge.Notice) bool { return n.Kind == nudge.Close && n.Copy.Message == 70 })
		}
		w.see(shows("%2", permission("ls"))) // of another pane
		if closes() {
			t.Error("the words are not offered any more")
		}
		w.see(shows("%1", permission("make")))
		if !closes() {
			t.Error("the words are offered for an agent that asks something else")
		}
	})
}

// TestAMutedAgentsMessageIsPinnedWithoutASound.
func TestAMutedAgentsMessageIsPinnedWithoutASound(t *testing.T) {
	inBubble(t, func(w *world) {
		w.rules.Pin = true
		w.see(shows("%1", permission("make")))
		pins := func(silent bool) {
			t.Helper()
			for _, n := range w.untold() {
				if n.Kind == nudge.Send && n.Silent != silent {
					t.Errorf("the message is silent: %t", n.Silent)
				}
			}
			for _, n := range kinds(w.untold(), nudge.Pin) {
				if n.Silent != silent {
					t.Errorf("the pin is silent: %t, want %t", n.Silent, silent)
				}
			}
		}
		pins(false)
		w.tell()
		if got := kinds(w.untold(), nudge.Pin); len(got) != 1 {
			t.Fatalf("pinned are %+v", got)
		}
		pins(false)
		if err := w.MuteName("claude", time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		pins(true)
		w.see(shows("%2", permission("ls")))
		pins(true)
		w.tell()
		if err := w.Unmute(); err != nil {
			t.Fatal(err)
		}
		pins(false)
		if err := w.Mute(time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		pins(true)
	})
}

// TestNamesAreMutedUntilThen, and all at once unmuted.
func TestNamesAreMutedUntilThen(t *testing.T) {
	inBubble(t, func(w *world) {
		now := time.Now()
		for name, until := range map[string]time.Time{"claude": now.Add(time.Hour), "api": now.Add(2 * time.Hour)} {
			if err := w.MuteName(name, until); err != nil {
				t.Fatal(err)
			}
		}
		want := func(now time.Time, names ...string) {
			t.Helper()
			if got, err := w.MutedNames(now); err != nil || len(got) != len(names) || len(names) > 0 && got[names[0]].IsZero() {
				t.Errorf("muted are %v, want %v, %v", got, names, err)
			}
		}
		want(now, "claude", "api")
		want(now.Add(time.Hour), "api")
		if err := w.Mute(now.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if err := w.Unmute(); err != nil {
			t.Fatal(err)
		}
		want(now)
		if until, err := w.Muted(now); err != nil || !until.IsZero() {
			t.Errorf("muted until %s, %v", until, err)
		}
	})
}

// TestAnAnswerWaitsForTheReceiptsOfWhatIsNeeded: a fresh answer, and no longer than a second. What is over needs no message.
func TestAnAnswerWaitsForTheReceiptsOfWhatIsNeeded(t *testing.T) {
	for name, c := range map[string]struct{ begin, end func(w *world) }{
		"a question":   {func(w *world) { w.see(shows("%1", permission("make"))) }, func(w *world) { w.see(is("%1", screen.Gone)) }},
		"a wish":       {func(w *world) { w.look(screen.Working); w.wish("run the tests") }, func(w *world) { w.see(is("%1", screen.Gone)) }},
		"denied calls": {func(w *world) { w.look(screen.Working); w.deny("make", 0) }, func(w *world) { w.see(is("%1", screen.Gone)) }},
	} {
		inBubble(t, func(w *world) {
			c.begin(w)
			w.untold() // the bot begins to send, and reports nothing
			took := func(a nudge.Answer) time.Duration {
				begin := time.Now()
				if _, err := w.Answer(a); err != nil {
					t.Fatal(err)
				}
				return time.Since(begin)
			}
			if got := took(w.answer(nudge.ByFresh, screen.Approve)); got != time.Second {
				t.Errorf("%s: an answer waits %s for a message under way", name, got)
			}
			named := w.answer(nudge.ByFresh, screen.Approve)
			named.Nudge = "k3f"
			if got := took(named) + took(w.answer(nudge.ByReply, screen.Approve)); got != 0 {
				t.Errorf("%s: an answer that names what it means, or replies to it, waits %s", name, got)
			}
			c.end(w)
			w.untold()
			if got := took(w.answer(nudge.ByFresh, screen.Approve)); got != 0 {
				t.Errorf("%s: an answer waits %s for a message that nobody needs", name, got)
			}
		})
	}
}

// TestEveryChangeWakesTheBot and whoever waits for one, though it is not noted.
func TestEveryChangeWakesTheBot(t *testing.T) {
	inBubble(t, func(w *world) {
		w.look(screen.Working)
		wish := w.wish("run the tests")
		of, _ := w.deny("make", time.Minute)
		n := w.see(shows("%2", permission("make")))
		now := time.Now()
		for name, change := range map[string]func() error{
			"a mute":      func() error { return w.Mute(now.Add(time.Hour)) },
			"quiet hours": func() error { return w.SetQuiet(&nudge.Quiet{}) },
			"a message": func() error {
				return w.Told(nudge.Receipt{Notice: nudge.Notice{Kind: nudge.Several, Place: ann}, Message: 50, Sent: now})
			},
			"a list that is over": func() error { return w.Neither(nudge.Ref{Place: ann, Message: 50}) },
			"a hook that ends":    func() error { _, err := w.EndHold(of, false, false); return err },
			"a nudge at the end":  func() error { return w.Keeper.Skip(n.ID) },
			"a monitor's news":    func() error { return w.Report(nudge.MonitorReport{Monitor: "ci", Lines: []string{"x"}}) },
			"a wish that was told": func() error {
				return w.Told(nudge.Receipt{Notice: nudge.Notice{Kind: nudge.Wanted, Place: ann, Of: wish}, Message: 51, Sent: now})
			},
		} {
			changed, before := w.Changes(), w.woken.Load()
			if err := change(); err != nil {
				t.Fatal(name, err)
			}
			select {
			case <-changed:
			default:
				t.Errorf("%s is no change", name)
			}
			if w.woken.Load() != before+1 {
				t.Errorf("%s wakes the bot %d times", name, w.woken.Load()-before)
			}
		}
		before := w.woken.Load()
		if _, err := w.Answer(nudge.Answer{By: nudge.Person{ID: "stranger"}}); err != nil || w.woken.Load() != before {
			t.Errorf("what changes nothing wakes the bot, %v", err)
		}
	})
}

// TestAMutedAgentIsHeardOfNowhere: neither what it wishes nor what its guard denied makes a sound.
func TestAMutedAgentIsHeardOfNowhere(t *testing.T) {
	inBubble(t, func(w *world) {
		s := is("%1", screen.Working)
		w.see(s)
		if placed, err := w.Wish(s.Pane, "commit", itself, time.Hour); err != nil || placed.Reason != "" {
			t.Fatal(placed.Refusal, err)
		}
		w.deny("make", time.Minute)
		for _, muted := range []bool{false, true} {
			wanted := kinds(w.untold(), nudge.Wanted)
			if len(wanted) != 2 || wanted[0].Silent != muted || wanted[1].Silent != muted {
				t.Errorf("muted: %t; the notices are %+v", muted, wanted)
			}
			if err := w.MuteName("claude", time.Now().Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
	})
}
