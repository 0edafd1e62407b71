package bot_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/botapi"
	"nod/internal/reason"
)

// boxes is a check list, the second question of a set of three, with these boxes ticked: "x " ticks the first of two, of three at most.
func boxes(ticks string) screen.Prompt {
	p := screen.Prompt{
		Content:     screen.Content{Agent: "claude", Shape: "claude.ask_user_multi", Question: "Which sizes do you want?", Subject: "Which sizes do you want?"},
		OnScreen:    screen.OnScreen{Rows: []string{"Which sizes do you want?", ticks}, Width: 80, Highlighted: 0},
		Ways:        screen.Ways{Tickable: true, Dismiss: []string{"Escape"}},
		InSet:       screen.InSet{Page: 2, Pages: 3},
		Fingerprint: "boxes " + ticks,
	}
	for i, name := range []string{"Small", "Large", "Huge"}[:len(ticks)] {
		tick := screen.Off
		if ticks[i] == 'x' {
			tick, p.Send = screen.On, []string{"Tab"}
		}
		p.Options = append(p.Options, screen.Option{Label: name, Scope: screen.Other, Tick: tick})
	}
	return p
}

// page is another question of that set.
func page(number int, question string) screen.Prompt {
	return screen.Prompt{
		Content:     screen.Content{Agent: "claude", Shape: "claude.ask_user", Question: question, Subject: question, Options: []screen.Option{{Key: "1", Label: "Red", Scope: screen.Other}, {Key: "2", Label: "Blue", Scope: screen.Other}}},
		OnScreen:    screen.OnScreen{Highlighted: 0},
		Ways:        screen.Ways{Dismiss: []string{"Escape"}},
		InSet:       screen.InSet{Page: number, Pages: 3},
		Fingerprint: "page " + question,
	}
}

// puts lets the agent in pane 1 ask a question, and gives the message that Ann gets.
func (w *world) puts(p screen.Prompt) botapi.Record {
	w.t.Helper()
	w.see(sighting(1, screen.Question, &p))
	return w.last()
}

// ticked is how the typist's tap on a box ends: the list shows these ticks.
func ticked(ticks string) deliver.Result {
	after := boxes(ticks)
	return deliver.Result{Outcome: deliver.Delivered, Keys: []string{"1"}, After: &after}
}

// wantAsked fails unless just these were handed to the typist: decisions, or the options that were chosen.
func (w *world) wantAsked(want ...string) {
	w.t.Helper()
	var got []string
	for _, r := range w.typed.all() {
		said := string(r.Decision)
		if r.Choice != nil {
			said = strconv.Itoa(r.Choice.Index) + " " + r.Choice.Label
		}
		got = append(got, said)
	}
	if !slices.Equal(got, want) {
		w.t.Fatalf("asked to type %q, want %q; the chat:\n%s", got, want, w.chat())
	}
}

// TestCheckListInTheChat: a tap ticks and the same message shows it, however the tick came about; one more sends it.
func TestCheckListInTheChat(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.puts(boxes("  "))
		messages := len(w.botSaid())
		wantText(t, m, "Question 2 of 3", "1. ☐ Small", "2. ☐ Large", "Tap a box to tick it")
		w.typed.then(ticked(" x"))
		w.tap(m, "☐ Large")
		m = w.message(m.ID)
		wantText(t, m, "1. ☐ Small", "2. ☑ Large", "➡ Next leads on")
		w.wantAsked("1 Large")

		at := boxes("xx") // ticked at the terminal
		w.see(sighting(1, screen.Question, &at))
		m = w.message(m.ID)
		wantText(t, m, "1. ☑ Small", "2. ☑ Large")
		if said := w.botSaid(); len(said) != messages {
			t.Fatalf("%d messages more:\n%s", len(said)-messages, w.chat())
		}
		w.tap(m, "➡ Next")
		w.wantAsked("1 Large", "send")
		m = w.message(m.ID)
		wantText(t, m, "Answered by Ann: Small, Large, at")
		wantNoButtons(t, m)
	})
}

// TestBoxesOfOneNameAreNumbered: which is which can be told, and a tap ticks the one that it names.
func TestBoxesOfOneNameAreNumbered(t *testing.T) {
	long := strings.Repeat("long ", 20)
	for _, name := range []string{"Same", long} {
		inWorld(t, func(w *world) {
			asked := boxes("   ")
			for i, label := range []string{name, "3. " + name, name} {
				asked.Options[i].Label = label
			}
			if name == long {
				asked.Options[2].Label += "but not the same"
			}
			m := w.puts(asked)
			var shown []string
			for _, row := range m.Markup.Rows {
				for _, b := range row {
					if strings.HasPrefix(b.Text, "☐") {
						shown = append(shown, string([]rune(b.Text)[:min(len([]rune(b.Text)), 9)]))
					}
				}
			}
			first := name[:4]
			if want := []string{"☐ 1. " + first, "☐ 2. 3. " + first[:1], "☐ 3. " + first}; !slices.Equal(shown, want) {
				t.Errorf("the buttons are %q, want %q", shown, want)
			}
			w.tap(m, "☐ 3. ")
			w.wantAsked("2 " + asked.Options[2].Label)
		})
	}
}

// TestSendOfAnOldMessageSendsNothing: a button tells what its message showed, also where Telegram shows it for longer.
func TestSendOfAnOldMessageSendsNothing(t *testing.T) {
	for _, button := range []string{"➡ Next", "☐ Small"} {
		inWorld(t, func(w *world) {
			m := w.puts(boxes(" x"))
			var data string
			for _, row := range m.Markup.Rows {
				for _, b := range row {
					if b.Text == button {
						data = b.Data
					}
				}
			}
			at := boxes("x ")
			w.see(sighting(1, screen.Question, &at))
			tap := w.ann.TapData(m.ID, data)
			time.Sleep(5 * time.Second)
			toast, err := tap.Answer(t.Context())
			if err != nil || !strings.Contains(toast.Text, "Nothing was typed") {
				t.Errorf("the tap shows %q, %v", toast.Text, err)
			}
			w.wantAsked()
			wantText(t, w.message(m.ID), "1. ☑ Small", "2. ☐ Large")
		})
	}
}

// TestAFailedTickLeavesTheList as it is, and says so.
func TestAFailedTickLeavesTheList(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.puts(boxes(" x"))
		w.typed.then(deliver.Result{Outcome: deliver.Refused, Reason: deliver.Changed, Detail: reason.Why{Said: "Nothing was typed: pane %1 shows another prompt now."}})
		w.tap(m, "☐ Small")
		wantText(t, w.last(), "🚫", "shows another prompt now")
		m = w.message(m.ID)
		wantText(t, m, "1. ☐ Small", "2. ☑ Large")
		w.typed.then(ticked("xx"))
		w.tap(m, "☐ Small")
		wantText(t, w.message(m.ID), "1. ☑ Small", "2. ☑ Large")
	})
}

// TestRepliesTickAndSend: a number ticks what the message that it replies to shows, the word send sends that, and a reaction
// says that it was done.
func TestRepliesTickAndSend(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.puts(boxes("  "))
		w.typed.then(ticked("x "))
		reply := w.ann.ReplyTo(m.ID, "1")
		wantText(t, w.message(m.ID), "1. ☑ Small")
		if now := w.message(reply.ID); now.Reaction != "👍" {
			t.Errorf("the reaction is %q", now.Reaction)
		}
		w.ann.ReplyTo(m.ID, "send")
		time.Sleep(5 * time.Second)
		w.wantAsked("0 Small", "send")
	})
}

// TestNextPageComesUnderTheOneBefore, as a message of its own; a second tap on that one answers nothing.
func TestNextPageComesUnderTheOneBefore(t *testing.T) {
	inWorld(t, func(w *world) {
		first := w.puts(page(1, "Which colour?"))
		wantText(t, first, "Question 1 of 3")
		again := first.Markup.Rows[0][0].Data
		w.tap(first, "1. Red")
		second := w.puts(boxes("  "))
		if second.ID == first.ID || second.ReplyTo == nil || second.ReplyTo.ID != first.ID {
			t.Errorf("the next question is in message %d, which replies to %+v; the one before is %d", second.ID, second.ReplyTo, first.ID)
		}
		wantText(t, second, "Question 2 of 3")
		wantNoButtons(t, w.message(first.ID))
		w.ann.TapData(first.ID, again)
		time.Sleep(5 * time.Second)
		w.wantAsked("0 Red")
	})
}

// TestTheReviewOfASetIsSent by its button, or by the word, and by no button of a list.
func TestTheReviewOfASetIsSent(t *testing.T) {
	review := screen.Prompt{
		Content:     screen.Content{Agent: "opencode", Shape: "opencode.ask_user_review", Question: "Review", Subject: "Colour: Red\nSizes: Small"},
		OnScreen:    screen.OnScreen{Highlighted: -1},
		Ways:        screen.Ways{Send: []string{"Enter"}, Dismiss: []string{"Escape"}},
		InSet:       screen.InSet{Pages: 2},
		Fingerprint: "review",
	}
	for _, how := range []func(*world, botapi.Record){
		func(w *world, m botapi.Record) { w.tap(m, "📤 Send") },
		func(w *world, m botapi.Record) { w.ann.ReplyTo(m.ID, "send") },
	} {
		inWorld(t, func(w *world) {
			m := w.puts(review)
			wantText(t, m, "The answers to 2 questions", "Tap 📤 Send")
			how(w, m)
			time.Sleep(5 * time.Second)
			w.wantAsked("send")
			wantText(t, w.message(m.ID), "Sent by Ann at")
		})
	}
}

// TestDismissInTheChat leaves the question, and is none of its answers.
func TestDismissInTheChat(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.puts(page(1, "Which colour?"))
		w.tap(m, "✖ Dismiss")
		w.wantAsked("dismiss")
		wantText(t, w.message(m.ID), "Dismissed by Ann, and not answered")
	})
}

// TestWordsOfOnesOwnGoToTheRowThatTakesThem, in a reply to the question; its number, or a tap on it, only asks for them.
func TestWordsOfOnesOwnGoToTheRowThatTakesThem(t *testing.T) {
	inWorld(t, func(w *world) {
		asked := page(1, "Which colour?")
		asked.Options = append(asked.Options, screen.Option{Label: "Type something.", Scope: screen.Text})
		m := w.puts(asked)
		w.ann.ReplyTo(m.ID, "a dark green")
		wantText(t, w.last(), "#"+idOf(t, m)+" takes no words here")
		asked.Question, asked.Fingerprint, asked.Writes = "Which one?", "page with a field", 3
		m = w.puts(asked)
		wantText(t, m, "3. Type something. (reply with your words)", "with your own words")
		w.ann.ReplyTo(m.ID, "3")
		wantText(t, w.last(), "takes words of your own: reply with them")
		w.wantTyped()
		w.ann.ReplyTo(m.ID, "! a dark green")
		time.Sleep(5 * time.Second)
		all := w.typed.all()
		if len(all) != 1 || all[0].Answer.Said() != "! a dark green" || all[0].Choice == nil || *all[0].Choice != (deliver.Choice{Index: 2, Label: "Type something."}) {
			t.Fatalf("typed %+v", all)
		}
		wantText(t, w.message(m.ID), "Answered in words by Ann at ")
	})
}

// TestANumberThatAllowsMoreTakesASecondTap on a button that names the option, whether the number is a reply or not.
func TestANumberThatAllowsMoreTakesASecondTap(t *testing.T) {
	plan := page(1, "Would you like to proceed?")
	plan.Pages, plan.Options[1] = 0, screen.Option{Key: "2", Label: "Yes, and auto-accept edits", Scope: screen.Mode}
	for name, say := range map[string]func(w *world, m botapi.Record){
		"reply": func(w *world, m botapi.Record) { w.ann.ReplyTo(m.ID, "2") },
		"fresh": func(w *world, _ botapi.Record) { w.ann.Say("2") },
		"label": func(w *world, _ botapi.Record) { w.ann.Say("yes, and auto-accept edits") },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				m := w.puts(plan)
				time.Sleep(time.Minute)
				say(w, m)
				wantText(t, w.last(), "Allows more than this once", "Yes, and auto-accept edits", "Tap to confirm")
				w.wantAsked()
				w.tap(w.last(), "Yes: Yes, and auto-accept edits")
				w.wantAsked("1 Yes, and auto-accept edits")
			})
		})
	}
}
