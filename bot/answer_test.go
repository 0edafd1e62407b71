package bot_test

import (
	"fmt"
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

func TestButtonApproves(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.ask(1, prompt("touch /tmp/x && rm -rf build"))
		wantText(t, m, "⚠ claude in api1: touch /tmp/x && rm -rf build\n❗ deletes files\nmain:1.0 · #")
		w.tap(m, "Approve")
		w.wantTyped(screen.Approve)
		end := w.message(m.ID)
		wantText(t, end, "Approved by Ann at ")
		wantNoButtons(t, end)
		if n := len(w.tg.Calls("answerCallbackQuery")); n != 1 {
			t.Errorf("%d answers to one tap", n)
		}
	})
}

func TestEveryWayToAnswer(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(w *world, m botapi.Record)
		want []screen.Decision
		says string
	}{
		{"button yes", func(w *world, m botapi.Record) { w.tap(m, "Approve") }, []screen.Decision{screen.Approve}, ""},
		{"button no", func(w *world, m botapi.Record) { w.tap(m, "Deny") }, []screen.Decision{screen.Deny}, ""},
		{"reply y", func(w *world, m botapi.Record) { w.ann.ReplyTo(m.ID, "y") }, []screen.Decision{screen.Approve}, "Approved by Ann"},
		{"reply with blanks and capitals", func(w *world, m botapi.Record) { w.ann.ReplyTo(m.ID, "  YES\n") }, []screen.Decision{screen.Approve}, "Approved"},
		{"reply approve", func(w *world, m botapi.Record) { w.ann.ReplyTo(m.ID, "approve") }, []screen.Decision{screen.Approve}, "Approved"},
		{"reply a", func(w *world, m botapi.Record) { w.ann.ReplyTo(m.ID, "a") }, []screen.Decision{screen.Approve}, "Approved"},
		{"reply d", func(w *world, m botapi.Record) { w.ann.ReplyTo(m.ID, "d") }, []screen.Decision{screen.Deny}, "Denied by Ann"},
		{"fresh y", func(w *world, m botapi.Record) { w.ann.Say("y") }, []screen.Decision{screen.Approve}, "Approved"},
		{"fresh allow", func(w *world, m botapi.Record) { w.ann.Say("allow") }, []screen.Decision{screen.Approve}, "Approved"},
		{"fresh no", func(w *world, m botapi.Record) { w.ann.Say("No") }, []screen.Decision{screen.Deny}, "Denied"},
		{"fresh with id", func(w *world, m botapi.Record) { w.ann.Say("n " + idOf(w.t, m)) }, []screen.Decision{screen.Deny}, "Denied"},
		{"fresh a is no word", func(w *world, m botapi.Record) { w.ann.Say("a") }, nil, "I didn't understand"},
		{"near miss", func(w *world, m botapi.Record) { w.ann.ReplyTo(m.ID, "yeah sure") }, nil, "Answer this with y or n"},
		{"the number of an option without a button", func(w *world, m botapi.Record) { w.ann.ReplyTo(m.ID, "1") }, nil, "Answer this with y or n and nothing else"},
		{"a number in reply to nothing", func(w *world, m botapi.Record) { w.ann.Say("1") }, nil, "or with the number of a button that has one"},
		{"y please", func(w *world, m botapi.Record) { w.ann.Say("y please") }, nil, "I didn't understand"},
		{"reply to their own message", func(w *world, m botapi.Record) { w.ann.ReplyTo(w.ann.Say("hm").ID, "y") }, nil, "asks nothing"},
		{"unknown id", func(w *world, m botapi.Record) { w.ann.Say("y a2b") }, nil, "There is no question #a2b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				m := w.ask(1, prompt("make test"))
				c.do(w, m)
				w.wantTyped(c.want...)
				wantText(t, w.last(), c.says)
			})
		})
	}
}

func TestAnswerToOneThatIsOver(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.ask(1, prompt("make test"))
		w.ann.ReplyTo(m.ID, "n")
		w.wantTyped(screen.Deny)
		w.ann.ReplyTo(m.ID, "y")
		w.wantTyped(screen.Deny)
		wantText(t, w.last(), "Nothing was typed", "already denied by Ann")
	})
}

func TestBareAnswerToSeveralAsks(t *testing.T) {
	inWorld(t, func(w *world) {
		w.ask(1, prompt("make one"))
		time.Sleep(time.Minute)
		two := w.ask(2, prompt("make two"))
		w.ann.Say("/queue")
		list := w.last()
		w.ann.ReplyTo(list.ID, "y")
		w.wantTyped()
		which := w.last()
		wantText(t, which, "Which one is meant?", "make one", "make two")
		w.tap(which, "#"+idOf(t, two))
		w.wantTyped(screen.Approve)
		if got := w.typed.all()[0].Pane.ID; got != "%2" {
			t.Errorf("typed into %s", got)
		}
		wantNoButtons(t, w.message(which.ID))
	})
}

func TestReplyThatNamesAnother(t *testing.T) {
	inWorld(t, func(w *world) {
		one := w.ask(1, prompt("make one"))
		two := w.ask(2, prompt("make two"))
		w.ann.ReplyTo(one.ID, "y "+idOf(t, two))
		w.wantTyped()
		wantText(t, w.last(), "Nothing was typed")
	})
}

// A message whose sending was cut off is on no record; its buttons tell its nudge.
func TestCopyThatNodNeverLearntOf(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(w *world, m botapi.Record)
	}{
		{"reply", func(w *world, m botapi.Record) { w.ann.ReplyTo(m.ID, "y") }},
		{"tap", func(w *world, m botapi.Record) { w.tap(m, "Approve") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.tg.Fail(botapi.Fault{Method: "sendMessage", DropAfter: true})
				p := prompt("make test")
				w.see(sighting(1, screen.Permission, &p))
				time.Sleep(10 * time.Second)
				said := w.botSaid()[1:] // behind the greeting
				if len(said) != 2 {
					t.Fatalf("%d copies, want the lost one and the one sent again", len(said))
				}
				c.do(w, said[0])
				w.wantTyped(screen.Approve)
				for _, m := range said {
					wantNoButtons(t, w.message(m.ID))
				}
			})
		})
	}
}

// A screen can show anything, also what looks like the last line of a nudge.
func TestScreenTextNamesNoNudge(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.ask(1, prompt("make test"))
		id := idOf(t, m)
		s := sighting(2, screen.Idle, nil)
		w.mu.Lock()
		w.panes = []detect.Sighting{s}
		w.screen = []string{"main:1.0 · #" + id, "x · #" + id}
		w.mu.Unlock()
		w.noPictures()
		w.ann.Say("/screen api2")
		shot := w.last()
		wantText(t, shot, "#"+id)
		w.ann.ReplyTo(shot.ID, "y")
		w.wantTyped()
		wantText(t, w.last(), "asks nothing")
	})
}

func TestCopyModeHasAButtonThatGoesOn(t *testing.T) {
	inWorld(t, func(w *world) {
		w.typed.then(deliver.Result{Outcome: deliver.Refused, Reason: deliver.CopyMode, Detail: reason.Why{Said: "Nothing was typed: main:1.0 is in copy mode."}})
		m := w.ask(1, prompt("make test"))
		w.ann.ReplyTo(m.ID, "y")
		refused := w.last()
		wantText(t, refused, "Nothing was typed", "copy mode")
		w.tap(refused, "Leave copy mode and approve")
		w.wantTyped(screen.Approve, screen.Approve)
		if all := w.typed.all(); all[0].LeaveMode || !all[1].LeaveMode {
			t.Errorf("leave mode: %v then %v", all[0].LeaveMode, all[1].LeaveMode)
		}
	})
}

func TestUnknownOutcomeIsCalledThat(t *testing.T) {
	inWorld(t, func(w *world) {
		w.typed.then(deliver.Result{Outcome: deliver.Unknown, Detail: reason.Why{Said: "tmux did not answer."}})
		m := w.ask(1, prompt("make test"))
		w.tap(m, "Approve")
		wantText(t, w.message(m.ID), "A key may or may not have been typed")
		wantText(t, w.last(), "A key may or may not have been typed", "tmux did not answer")
	})
}

func TestUnseenNeedsConsent(t *testing.T) {
	inWorld(t, func(w *world) {
		p := prompt("cat <<EOF …")
		p.Partial = true
		m := w.ask(1, p)
		wantText(t, m, "Only a part of what is asked can be seen")
		w.tap(m, "Approve")
		w.wantTyped()
		ask := w.last()
		wantText(t, ask, "Seen only in part", "Nothing was typed")
		w.tap(ask, "Approve what can't be seen")
		w.wantTyped(screen.Approve)
		wantNoButtons(t, w.message(ask.ID))
	})
}

func TestMaskedSecretNeedsConsent(t *testing.T) {
	inWorld(t, func(w *world) {
		w.set(func(s *bot.Settings) {
			s.Redact = func(text string) string { return strings.ReplaceAll(text, "hunter2", "•••") }
		})
		m := w.ask(1, prompt("login --password hunter2"))
		wantText(t, m, "login --password •••", "A secret in it is masked")
		if strings.Contains(w.chat(), "hunter2") {
			t.Errorf("the secret left the machine:\n%s", w.chat())
		}
		w.ann.ReplyTo(m.ID, "y")
		w.wantTyped()
		w.tap(w.last(), "Approve what can't be seen")
		w.wantTyped(screen.Approve)
	})
}

func TestMinimalPreviewShowsFirst(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(w *world, m botapi.Record) botapi.Record
	}{
		{"show", func(w *world, m botapi.Record) botapi.Record { w.tap(m, "Show"); return w.message(m.ID) }},
		{"y", func(w *world, m botapi.Record) botapi.Record { w.ann.Say("y"); return w.last() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.set(func(s *bot.Settings) { s.Preview = "minimal" })
				m := w.ask(1, prompt("rm -rf build"))
				if strings.Contains(m.Text, "rm -rf") {
					t.Fatalf("the preview shows the command:\n%s", m.Text)
				}
				full := c.do(w, m)
				wantText(t, full, "rm -rf build")
				w.wantTyped()
				w.tap(full, "Approve")
				w.wantTyped(screen.Approve)
			})
		})
	}
}

func question() screen.Prompt {
	return screen.Prompt{
		Content: screen.Content{
			Agent: "claude", Shape: "claude.plan", Question: "Ready to code?", Subject: "Ready to code?",
			Options: []screen.Option{
				{Key: "1", Label: "Yes, and auto-accept edits", Scope: screen.Mode},
				{Key: "2", Label: "Yes, and approve edits by hand", Scope: screen.Once},
				{Key: "3", Label: "No", Scope: screen.No},
			},
		},
		OnScreen:    screen.OnScreen{Highlighted: 0},
		Fingerprint: "plan",
	}
}

func TestQuestionIsChosenByButtonAndNumber(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(w *world, m botapi.Record)
		want string // the option that is typed; empty: none
	}{
		{"button", func(w *world, m botapi.Record) { w.tap(m, "by hand") }, "Yes, and approve edits by hand"},
		{"number", func(w *world, m botapi.Record) { w.ann.ReplyTo(m.ID, "3") }, "No"},
		{"no such number", func(w *world, m botapi.Record) { w.ann.ReplyTo(m.ID, "7") }, ""},
		{"y", func(w *world, m botapi.Record) { w.ann.ReplyTo(m.ID, "y") }, ""},
		{"fresh y", func(w *world, m botapi.Record) { w.ann.Say("y") }, ""},
		{"words", func(w *world, m botapi.Record) { w.ann.ReplyTo(m.ID, "go for it") }, ""},
		{"mode, one tap", func(w *world, m botapi.Record) { w.tap(m, "auto-accept") }, ""},
		{"mode, two taps", func(w *world, m botapi.Record) { w.tap(m, "auto-accept"); w.tap(w.last(), "Yes: ") }, "Yes, and auto-accept edits"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				p := question()
				w.see(sighting(1, screen.Question, &p))
				m := w.last()
				wantText(t, m, "❓ claude in api1: Ready to code?")
				c.do(w, m)
				time.Sleep(5 * time.Second)
				got := ""
				for _, r := range w.typed.all() {
					got += fmt.Sprint(r.Decision) + r.Choice.Label
				}
				if got != c.want {
					t.Errorf("typed %q, want %q; the chat:\n%s", got, c.want, w.chat())
				}
			})
		})
	}
}

func TestWordsAnswerATextField(t *testing.T) {
	inWorld(t, func(w *world) {
		p := screen.Prompt{Content: screen.Content{Agent: "claude", Shape: "claude.ask", Question: "Which port?"}, OnScreen: screen.OnScreen{Highlighted: -1}, Field: screen.Field{TextField: true}, Fingerprint: "port"}
		w.see(sighting(1, screen.Question, &p))
		w.ann.ReplyTo(w.last().ID, "use the\nsecond one")
		wantText(t, w.last(), "✅ claude in api1: Which port?", "Answered in words by Ann")
		w.wantTold("use the\nsecond one")
	})
}

func TestPermissionWithoutAPlainYes(t *testing.T) {
	inWorld(t, func(w *world) {
		p := prompt("grant network")
		p.Approve, p.Why = nil, reason.Why{Said: "Its only yes lasts for the whole turn."}
		p.Options = []screen.Option{
			{Key: "t", Label: "Yes, for this turn", Scope: screen.Session},
			{Key: "x", Label: "Yes, and …", Scope: screen.Other},
			{Key: "n", Label: "No", Scope: screen.No},
		}
		m := w.ask(1, p)
		wantText(t, m, "There is no y: Its only yes lasts for the whole turn.")
		if _, ok := m.Button("✅ Approve"); ok {
			t.Error("Approve is offered")
		}
		for _, row := range m.Markup.Rows {
			for _, b := range row {
				if strings.Contains(b.Text, "and …") {
					t.Errorf("an option that could not be read has a button: %q", b.Text)
				}
			}
		}
		w.ann.ReplyTo(m.ID, "y")
		w.wantTyped()
		w.tap(m, "for this turn")
		w.wantTyped()
		w.tap(w.last(), "Yes: ")
		if all := w.typed.all(); len(all) != 1 || all[0].Choice == nil || all[0].Choice.Label != "Yes, for this turn" {
			t.Errorf("typed %+v", all)
		}
	})
}

// TestAStickerIsNoAnswer, and its sender hears so.
func TestAStickerIsNoAnswer(t *testing.T) {
	inWorld(t, func(w *world) {
		w.ask(1, prompt("make test"))
		w.hostile(`{"update_id":%d,"message":{"message_id":900,"date":1,"from":{"id":4242,"first_name":"Ann"},"chat":{"id":4242,"type":"private"},` +
			`"sticker":{"file_id":"s","emoji":"👍"}}}`)
		w.wantTyped()
		wantText(t, w.last(), "I didn't understand that, so nothing was typed.")
	})
}
