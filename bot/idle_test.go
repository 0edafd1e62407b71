package bot_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/bot"
	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/botapi"
	"nod/internal/reason"
)

// done lets the agent in pane n end a turn with these words, and gives the message that Ann gets.
func (w *world) done(n int, words string) botapi.Record {
	w.t.Helper()
	s := sighting(n, screen.Idle, nil)
	s.Worked, s.Words, s.Tail = true, words, []string{"● " + words, "❯ "}
	w.see(s)
	return w.last()
}

func TestIdleAgentTakesItsNextInstruction(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.done(1, "All tests pass.\n\nShall I commit?")
		wantText(t, m, "💤 claude in api1 is done: All tests pass.\n", "Shall I commit?", "Reply with the next instruction.\nmain:1.0 · #")
		if !m.Silent {
			t.Error("it rings")
		}
		w.ann.ReplyTo(m.ID, "yes, and then:\n1. push\n2. open a request")
		w.wantTold("yes, and then:\n1. push\n2. open a request")
		wantText(t, w.last(), "✅ claude in api1: yes, and then: 1. push 2. open a request", "Sent by Ann at")
		wantNoButtons(t, w.message(m.ID))
	})
}

func TestAnyWordsAreAnInstructionButYAndN(t *testing.T) {
	for _, c := range []struct {
		say, told, says string
	}{
		{"ok", "ok", "Sent by Ann"},
		{"yeah sure", "yeah sure", "Sent by Ann"},
		{"a test", "a test", "Sent by Ann"}, // "a" approves and "test" could be an id
		{"no way", "no way", "Sent by Ann"},
		{"2", "2", "Sent by Ann"},
		{"/compact", "/compact", "Sent by Ann"}, // agents have commands of their own
		{"/compact keep the plan", "/compact keep the plan", "Sent by Ann"},
		{"/status", "", "1 agent"}, // but this one is nod's
		{"y", "", "/tell main:1.0 y"},
		{" YES ", "", "/tell main:1.0 YES"},
		{"n", "", "Nothing was typed"},
		{"deny", "", "Nothing was typed"},
	} {
		t.Run(c.say, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.mu.Lock()
				w.panes = []detect.Sighting{sighting(1, screen.Idle, nil)}
				w.mu.Unlock()
				w.ann.ReplyTo(w.done(1, "Done.").ID, c.say)
				wantText(t, w.last(), c.says)
				w.wantTyped()
				if c.told == "" {
					w.wantTold()
				} else {
					w.wantTold(c.told)
				}
			})
		})
	}
}

// A y that names another nudge in reply to an idle notice means neither for sure.
func TestIdleReplyThatNamesAPrompt(t *testing.T) {
	inWorld(t, func(w *world) {
		idle := w.done(1, "Done.")
		m := w.ask(2, prompt("make test"))
		w.ann.ReplyTo(idle.ID, "y "+idOf(t, m))
		w.wantTyped()
		w.wantTold()
		wantText(t, w.last(), "Nothing was typed", "You reply to")
	})
}

func TestInstructionThatWasNotTyped(t *testing.T) {
	for _, c := range []struct {
		result deliver.Result
		says   string
	}{
		{deliver.Result{Outcome: deliver.Refused, Reason: deliver.Draft}, "There is a draft"},
		{deliver.Result{Outcome: deliver.Refused, Reason: deliver.AwaitingDecision, Detail: reason.Why{Said: "Nothing was typed: claude waits for an answer."}}, "waits for an answer"},
		{deliver.Result{Outcome: deliver.Refused, Reason: deliver.Shell}, "back at the shell"},
		{deliver.Result{Outcome: deliver.Unknown, Detail: reason.Why{Said: "It sits in the input box."}}, "Perhaps not submitted"},
	} {
		t.Run(string(c.result.Reason), func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.typed.then(c.result)
				w.ann.ReplyTo(w.done(1, "Done.").ID, "commit")
				wantText(t, w.last(), "claude in api1: commit", c.says)
				w.wantTold("commit")
			})
		})
	}
}

func TestInstructionGoesOnFromCopyMode(t *testing.T) {
	inWorld(t, func(w *world) {
		w.typed.then(deliver.Result{Outcome: deliver.Refused, Reason: deliver.CopyMode}, deliver.Result{Outcome: deliver.Refused, Reason: deliver.CopyMode})
		m := w.done(1, "Done.")
		w.ann.ReplyTo(m.ID, "commit")
		first := w.last()
		w.ann.ReplyTo(m.ID, "push")
		second := w.last()
		w.tap(first, "Leave copy mode") // its words are not the last ones any more
		w.wantTold("commit", "push")
		w.tap(second, "Leave copy mode")
		w.wantTold("commit", "push", "push")
		if all := w.typed.all(); all[1].LeaveMode || !all[2].LeaveMode {
			t.Errorf("leave mode: %v then %v", all[1].LeaveMode, all[2].LeaveMode)
		}
	})
}

// Words that came with /tell have no message of their own that could say how it went.
func TestTellGoesOnFromCopyMode(t *testing.T) {
	inWorld(t, func(w *world) {
		withPanes(w)
		w.typed.then(deliver.Result{Outcome: deliver.Refused, Reason: deliver.CopyMode})
		w.ann.Say("/tell api commit")
		refused := w.last()
		data := refused.Markup.Rows[0][0].Data
		w.ann.TapData(refused.ID, data)
		w.ann.TapData(refused.ID, data) // twice in a row gives the words once
		time.Sleep(5 * time.Second)
		w.ann.TapData(refused.ID, data)
		w.wantTold("commit", "commit")
		wantText(t, w.last(), "✅ claude in laptop:api: commit", "Sent by Ann at")
		wantNoButtons(t, w.message(refused.ID))
	})
}

// A chat never fills with idle notices: the next one takes the place of the one before.
func TestOneIdleMessageAnAgent(t *testing.T) {
	inWorld(t, func(w *world) {
		other := w.done(2, "Another agent.")
		var all []botapi.Record
		for range 3 {
			w.see(sighting(1, screen.Working, nil))
			time.Sleep(time.Minute)
			all = append(all, w.done(1, "Done."))
		}
		time.Sleep(time.Minute)
		for i, m := range all {
			if now := w.message(m.ID); now.Deleted != (i < 2) {
				t.Errorf("notice %d: deleted %v", i, now.Deleted)
			}
		}
		if w.message(other.ID).Deleted {
			t.Error("another agent's notice went with it")
		}
	})
}

// Telegram lets a bot delete a message for 48 hours only.
func TestIdleNoticeThatCantBeTakenBack(t *testing.T) {
	inWorld(t, func(w *world) {
		old := w.done(1, "First.")
		w.tg.Fail(botapi.Fault{Method: "deleteMessage", Code: 400, Description: "Bad Request: message can't be deleted for everyone"})
		w.see(sighting(1, screen.Working, nil))
		time.Sleep(time.Minute)
		w.done(1, "Second.")
		m := w.message(old.ID)
		wantNoButtons(t, m)
		if want := "▶ claude in api1 was done here; a newer message says what it does now."; m.Text != want {
			t.Errorf("it says %q", m.Text)
		}
		wantHealth(t, w)
	})
}

func TestIdleIsOverWhenTheAgentWorks(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.done(1, "Done.")
		w.see(sighting(1, screen.Working, nil))
		now := w.message(m.ID)
		wantText(t, now, "No longer idle since")
		wantNoButtons(t, now)
		w.ann.ReplyTo(m.ID, "commit")
		wantText(t, w.last(), "Nothing was typed", "is over")
		w.wantTold()
	})
}

func TestMinimalPreviewHidesAnAgentsWords(t *testing.T) {
	inWorld(t, func(w *world) {
		w.set(func(s *bot.Settings) { s.Preview = "minimal" })
		m := w.done(1, "The password is swordfish.")
		if strings.Contains(m.Text, "swordfish") {
			t.Fatalf("the preview shows it:\n%s", m.Text)
		}
		w.tap(m, "Show")
		wantText(t, w.message(m.ID), "swordfish", "Reply with the next instruction.")
		w.ann.ReplyTo(m.ID, "commit")
		w.wantTold("commit")
	})
}

// An idle notice whose sending was cut off is on no record; its button tells its nudge.
func TestIdleNoticeThatNodNeverLearntOf(t *testing.T) {
	inWorld(t, func(w *world) {
		w.tg.Fail(botapi.Fault{Method: "sendMessage", DropAfter: true})
		w.done(1, "Done.")
		said := w.botSaid()[1:] // behind the greeting
		if len(said) != 2 {
			t.Fatalf("%d copies, want the lost one and the one sent again", len(said))
		}
		w.ann.ReplyTo(said[0].ID, "commit")
		w.wantTold("commit")
		for _, m := range said {
			wantNoButtons(t, w.message(m.ID))
		}
	})
}

func TestSilentAgentTakesNoAnswer(t *testing.T) {
	for _, say := range []string{"y", "n", "1", "go on"} {
		inWorld(t, func(w *world) {
			s := sighting(1, screen.Silent, nil)
			s.Tail = []string{"Press any key", ""}
			w.see(s)
			m := w.last()
			wantText(t, m, "🤔 claude in api1 may be stuck: nothing has moved for 2 minutes\n", "Press any key", "nod record %1", "\nmain:1.0 · #")
			if len(m.Markup.Rows) != 1 || len(m.Markup.Rows[0]) != 1 || m.Silent {
				t.Errorf("buttons %v, silent %v", m.Markup.Rows, m.Silent)
			}
			w.ann.ReplyTo(m.ID, say)
			w.wantTyped()
			w.wantTold()
			wantText(t, w.last(), "Nothing was typed")
		})
	}
}

func TestDeadEndIsNamed(t *testing.T) {
	inWorld(t, func(w *world) {
		s := sighting(1, screen.Silent, nil)
		s.Blocked = reason.Why{Said: "usage limit reached, resets 5pm"}
		w.see(s)
		wantText(t, w.last(), "⛔ claude in api1 stopped: usage limit reached, resets 5pm\n")
	})
}

// TestNothingGoesOnByItselfAfterAFailure: what nod typed is typed again by a tap on Resend alone, once, and only for the turn that it
// began; what was queued before waits.
func TestNothingGoesOnByItselfAfterAFailure(t *testing.T) {
	inWorld(t, func(w *world) {
		fail := func() botapi.Record {
			t.Helper()
			w.see(sighting(1, screen.Working, nil))
			time.Sleep(time.Minute)
			s := sighting(1, screen.Idle, nil)
			s.Worked, s.Since, s.Blocked = true, time.Now(), reason.Why{Kind: reason.ServerFails}
			w.see(s)
			return w.last()
		}
		w.done(1, "Done.")
		wantText(t, fail(), "⛔ claude in api1 stopped: The model's server is overloaded")
		if m := w.last(); strings.Contains(fmt.Sprint(m.Markup.Rows), "Resend") {
			t.Errorf("what nobody told through nod can be sent again: %v", m.Markup.Rows)
		}
		ended := w.done(1, "Done again.")
		w.ann.ReplyTo(ended.ID, "run the tests")
		w.wantTold("run the tests")
		failed := fail()
		time.Sleep(time.Hour)
		w.wantTold("run the tests")
		data := failed.Markup.Rows[0][0].Data
		w.tap(failed, "Resend: run the tests")
		w.wantTold("run the tests", "run the tests")
		w.ann.TapData(failed.ID, data)
		w.wantTold("run the tests", "run the tests")
	})
}

func TestQueuePutsItsHeadBehindTheOthers(t *testing.T) {
	inWorld(t, func(w *world) {
		w.done(1, "Done.")
		time.Sleep(time.Minute)
		w.ask(2, prompt("make two"))
		time.Sleep(time.Minute)
		w.ask(3, prompt("make three"))
		w.ann.Say("/queue")
		list := w.last()
		order := func(want ...string) {
			t.Helper()
			text := w.message(list.ID).Text
			at := make([]int, len(want))
			for i, part := range want {
				at[i] = strings.Index(text, part)
			}
			if at[0] < 0 || !slices.IsSorted(at) {
				t.Errorf("the order is not %q:\n%s", want, text)
			}
		}
		order("2 wait for your answer, 1 is done", "make two", "make three", "api1 is done")
		w.tap(list, "Skip")
		order("make three", "api1 is done", "make two", "(skipped)")
		w.wantTyped()
		w.ann.ReplyTo(list.ID, "y") // a list never means one
		wantText(t, w.last(), "Which one is meant?", "make two", "make three")
		if strings.Contains(w.last().Text, "is done") {
			t.Error("an idle agent is offered for a y")
		}
		w.wantTyped()
	})
}

func TestEndingClaimsOnlyWhatIsProven(t *testing.T) {
	for _, c := range []struct{ proof, want string }{
		{"", "but not through nod"},
		{"approved", "Approved at the terminal at"},
		{"denied", "Denied at the terminal at"},
		{"answered", "Answered at the terminal at"},
	} {
		inWorld(t, func(w *world) {
			m := w.ask(1, prompt("make test"))
			s := sighting(1, screen.Working, nil)
			s.Proof = c.proof
			w.see(s)
			w.see(s)
			now := w.message(m.ID)
			wantText(t, now, c.want)
			if c.proof == "" && strings.Contains(now.Text, "terminal") {
				t.Errorf("it claims too much:\n%s", now.Text)
			}
		})
	}
}

func TestEffectIsAddedToTheEnding(t *testing.T) {
	inWorld(t, func(w *world) {
		p := prompt("make test")
		m := w.ask(1, p)
		w.tap(m, "Approve")
		w.wantTyped(screen.Approve)
		if now := w.message(m.ID); strings.Contains(now.Text, "ran") {
			t.Errorf("it claims what nothing told:\n%s", now.Text)
		}
		err := w.keeper.Ran(detect.Effect{Pane: sighting(1, "", nil).Pane, Fingerprint: p.Fingerprint, Failed: true, Took: 3 * time.Second, At: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		wantText(t, w.message(m.ID), "Approved by Ann at", "failed after 3 s")
	})
}

// TestTwoPanesOfOneTitleAreToldApart by their sessions, in messages alone: a topic keeps its title.
func TestTwoPanesOfOneTitleAreToldApart(t *testing.T) {
	inWorld(t, func(w *world) {
		first, second, other := sighting(1, screen.Working, nil), sighting(2, screen.Working, nil), sighting(3, screen.Working, nil)
		second.Project, second.Where = first.Project, "cc2:0.0"
		w.mu.Lock()
		w.panes = []detect.Sighting{first, second, other}
		w.mu.Unlock()
		asks := func(s detect.Sighting, command string) string {
			p := prompt(command)
			s.State, s.Prompt = screen.Permission, &p
			w.see(s)
			return w.last().Text
		}
		if text := asks(second, "make two"); !strings.HasPrefix(text, "⚠ claude in api1·cc2: make two\n") {
			t.Errorf("one of two is called\n%s", text)
		}
		if text := asks(other, "make three"); !strings.HasPrefix(text, "⚠ claude in api3: make three\n") {
			t.Errorf("one alone is called\n%s", text)
		}
	})
}

// TestAQuestionComesBeforeAgentsThatAskNothing: those of a whole fleet may be done, or at a limit, at once.
func TestAQuestionComesBeforeAgentsThatAskNothing(t *testing.T) {
	inWorld(t, func(w *world) {
		const done = 40
		for n := range done {
			w.see(sighting(10+n, screen.Working, nil))
			idle := sighting(10+n, screen.Idle, nil)
			idle.Worked = true
			w.see(idle)
			w.see(idle)
		}
		time.Sleep(3 * time.Second)
		p := prompt("make urgent")
		w.see(sighting(1, screen.Permission, &p))
		time.Sleep(5 * time.Second)
		if !strings.Contains(w.chat(), "make urgent") {
			t.Errorf("it is not told yet, after %d messages", len(w.botSaid()))
		}
		time.Sleep(time.Minute)
		if n := len(w.botSaid()); n < done {
			t.Errorf("only %d messages come", n)
		}
	})
}
