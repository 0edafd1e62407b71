package bot_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/bot"
	"nod/bot/message"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/botapi"
	"nod/nudge"
)

// askTogether lets the agents of n panes ask at the same moment, and gives the message that reports all.
func (w *world) askTogether(n int) (botapi.Record, []string) {
	w.t.Helper()
	w.seeTogether(n, func(i int) string { return fmt.Sprint("make ", i) })
	m := w.last()
	list, err := w.keeper.List(false)
	if err != nil {
		w.t.Fatal(err)
	}
	ids := make([]string, n)
	for _, one := range list {
		var i int
		if _, err := fmt.Sscanf(one.Prompt().Subject, "make %d", &i); err == nil && i <= n {
			ids[i-1] = one.ID
		}
	}
	return m, ids
}

// seeTogether lets the agents of n panes ask at the same moment.
func (w *world) seeTogether(n int, command func(int) string) {
	w.t.Helper()
	var all []detect.Sighting
	for i := 1; i <= n; i++ {
		p := prompt(command(i))
		all = append(all, sighting(i, screen.Permission, &p))
	}
	w.mu.Lock()
	w.panes = all
	w.mu.Unlock()
	for _, s := range all {
		w.see(s)
		time.Sleep(time.Millisecond)
	}
}

func rowsOf(m botapi.Record) (rows []string) {
	if m.Markup == nil {
		return nil
	}
	for _, row := range m.Markup.Rows {
		var labels []string
		for _, b := range row {
			labels = append(labels, b.Text)
		}
		rows = append(rows, strings.Join(labels, " "))
	}
	return rows
}

func TestSeveralAtTheSameMomentAreOneMessage(t *testing.T) {
	inWorld(t, func(w *world) {
		before := len(w.botSaid())
		m, ids := w.askTogether(8)
		if n := len(w.botSaid()) - before; n != 1 {
			t.Fatalf("%d messages:\n%s", n, w.chat())
		}
		wantText(t, m, "8 agents wait for you")
		rows := rowsOf(m)
		for i, id := range ids {
			wantText(t, m, fmt.Sprintf("⚠ #%s claude in api%d: make %d\n", id, i+1, i+1))
			if want := fmt.Sprintf("✅ #%[1]s ❌ #%[1]s 👁 #%[1]s", id); len(rows) != 8 || rows[i] != want {
				t.Errorf("row %d is %q", i, rows)
			}
		}
		w.tap(m, "✅ #"+ids[2])
		w.tap(m, "❌ #"+ids[4])
		w.wantTyped(screen.Approve, screen.Deny)
		m = w.message(m.ID)
		wantText(t, m, "6 agents wait for you", "✅ #"+ids[2]+" claude in api3: make 3\nApproved by Ann at", "❌ #"+ids[4]+" claude in api5: make 5\nDenied by Ann at")
		if rows := rowsOf(m); len(rows) != 6 {
			t.Errorf("the rows are now %q", rows)
		}
		if n := len(w.botSaid()) - before; n != 1 {
			t.Errorf("there are %d messages by now:\n%s", n, w.chat())
		}
	})
}

// A message for several rings, unless each of its questions would come silently.
func TestAMessageForSeveralRingsLikeItsQuestions(t *testing.T) {
	for command, silent := range map[string]bool{"/help": false, "/mute api2 1h": false, "/mute 1h": true, "/mute claude": true} {
		inWorld(t, func(w *world) {
			w.mu.Lock()
			w.panes = []detect.Sighting{sighting(2, screen.Working, nil)}
			w.mu.Unlock()
			w.ann.Say(command)
			w.last()
			if m, _ := w.askTogether(3); m.Silent != silent {
				t.Errorf("after %s it is silent: %v", command, m.Silent)
			}
		})
	}
}

// A bare y never picks one of several: neither fresh nor in reply to the message that shows them.
func TestABareYNeverPicksOneOfSeveral(t *testing.T) {
	for name, answer := range map[string]func(w *world, m botapi.Record){
		"fresh":        func(w *world, _ botapi.Record) { w.ann.Say("y") },
		"fresh, later": func(w *world, _ botapi.Record) { time.Sleep(4 * time.Minute); w.ann.Say("y") },
		"reply":        func(w *world, m botapi.Record) { w.ann.ReplyTo(m.ID, "y") },
		"reply when one is left": func(w *world, m botapi.Record) {
			w.leave(2)
			w.leave(3)
			if rows := rowsOf(w.message(m.ID)); len(rows) != 1 {
				w.t.Errorf("the rows are %q", rows)
			}
			w.ann.ReplyTo(m.ID, "y")
		},
		"reply after much else": func(w *world, m botapi.Record) {
			for range 60 { // more messages for several than nod remembers
				w.ann.Say("/queue")
				time.Sleep(time.Second)
			}
			w.ann.ReplyTo(m.ID, "y")
		},
		"reply after a restart": func(w *world, m botapi.Record) { w.restart(); w.ann.ReplyTo(m.ID, "y") },
		"reply with words":      func(w *world, m botapi.Record) { w.ann.ReplyTo(m.ID, "go on") },
		"fresh, one is left":    func(w *world, _ botapi.Record) { w.leave(2); w.leave(3); w.ann.Say("y") },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				m, ids := w.askTogether(3)
				answer(w, m)
				w.wantTyped()
				if name == "reply with words" {
					return
				}
				asked := w.last()
				wantText(t, asked, "Which one is meant?", "#"+ids[0])
				w.tap(asked, "y → #"+ids[0])
				w.wantTyped(screen.Approve)
				if all := w.typed.all(); all[0].Pane.ID != "%1" {
					t.Errorf("it was typed into %s", all[0].Pane.ID)
				}
			})
		})
	}
}

func TestOneOfSeveralIsNamed(t *testing.T) {
	inWorld(t, func(w *world) {
		m, ids := w.askTogether(3)
		w.ann.ReplyTo(m.ID, "n "+ids[1])
		w.wantTyped(screen.Deny)
		w.ann.Say("y " + ids[2])
		w.wantTyped(screen.Deny, screen.Approve)
		if all := w.typed.all(); all[0].Pane.ID != "%2" || all[1].Pane.ID != "%3" {
			t.Errorf("typed into %s and %s", all[0].Pane.ID, all[1].Pane.ID)
		}
	})
}

// A message of which nod never learnt shows several as well: an answer to it means none of them, and adopts none.
func TestUnlearntMessageForSeveralMeansNone(t *testing.T) {
	inWorld(t, func(w *world) {
		w.tg.Fail(botapi.Fault{Method: "sendMessage", DropAfter: true})
		_, ids := w.askTogether(3)
		said := w.botSaid()
		lost := said[len(said)-2]
		wantText(t, lost, "3 agents wait for you")
		w.ann.ReplyTo(lost.ID, "y")
		w.wantTyped()
		w.tap(lost, "❌ #"+ids[1])
		w.wantTyped(screen.Deny)
		w.ann.ReplyTo(lost.ID, "y")
		w.wantTyped(screen.Deny)
	})
}

// What a line of the message does not show whole is shown before it is approved.
func TestLongSubjectInAMessageForSeveralIsShownFirst(t *testing.T) {
	inWorld(t, func(w *world) {
		w.seeTogether(3, func(i int) string { return fmt.Sprintf("make %d\nrm -rf build", i) })
		m := w.last()
		wantText(t, m, "There is more to see before you can approve it")
		list, _ := w.keeper.List(false)
		id := list[0].ID
		w.tap(m, "✅ #"+id)
		w.wantTyped()
		whole := w.last()
		wantText(t, whole, "make 1\nrm -rf build", "#"+id)
		if now := w.message(m.ID); len(rowsOf(now)) != 3 {
			t.Errorf("the message for several has the rows %q", rowsOf(now))
		}
		w.tap(whole, "Approve")
		w.wantTyped(screen.Approve)
	})
}

// 👁 sends the whole of one and leaves the message for several as it is.
func TestShowOneOfSeveral(t *testing.T) {
	inWorld(t, func(w *world) {
		m, ids := w.askTogether(3)
		w.tap(m, "👁 #"+ids[1])
		whole := w.last()
		wantText(t, whole, "⚠ claude in api2: make 2\nmain:2.0 · #")
		if now := w.message(m.ID); len(rowsOf(now)) != 3 || now.Text != m.Text {
			t.Errorf("the message for several became:\n%s", now.Text)
		}
		w.ann.ReplyTo(whole.ID, "y")
		w.wantTyped(screen.Approve)
		if all := w.typed.all(); all[0].Pane.ID != "%2" {
			t.Errorf("typed into %s", all[0].Pane.ID)
		}
		wantNoButtons(t, w.message(whole.ID))
		if rows := rowsOf(w.message(m.ID)); len(rows) != 2 {
			t.Errorf("the rows are %q", rows)
		}
	})
}

// What expired in a message for several is asked again from there, while its question is still on the screen.
func TestOneOfSeveralIsAskedAgain(t *testing.T) {
	inWorld(t, func(w *world) {
		w.askTogether(3)
		w.sleepHours(9)
		m := w.last()
		wantText(t, m, "3 agents still wait, without reminders", "🔁 asks it again.")
		rows := rowsOf(m)
		if len(rows) != 3 {
			t.Fatalf("the rows are %q", rows)
		}
		w.tap(m, rows[0])
		time.Sleep(3 * time.Second)
		wantText(t, w.last(), "Asked again: "+strings.TrimPrefix(rows[0], "🔁 ")+" had expired.")
		wantText(t, w.message(m.ID), "2 agents still wait, without reminders")
		if now := rowsOf(w.message(m.ID)); len(now) != 2 || slices.Contains(now, rows[0]) {
			t.Errorf("the rows are now %q", now)
		}
	})
}

// Reminders that are due together come as one message.
func TestRemindersDueTogetherAreOneMessage(t *testing.T) {
	inWorld(t, func(w *world) {
		for i := 1; i <= 4; i++ {
			p := prompt(fmt.Sprint("make ", i))
			w.see(sighting(i, screen.Permission, &p))
			time.Sleep(2 * time.Second)
		}
		before := len(w.botSaid())
		w.end()
		w.stop()
		time.Sleep(10 * time.Minute)
		w.begin()
		time.Sleep(10 * time.Second)
		if n := len(w.botSaid()) - before; n != 1 {
			t.Errorf("%d messages:\n%s", n, w.chat())
		}
		wantText(t, w.last(), "4 agents wait for you", "make 1", "make 4")
	})
}

// Live buttons of what is over go within five seconds, in a message for several too.
func TestDeadRowsGoWithinFiveSeconds(t *testing.T) {
	inWorldWith(t, botapi.Options{Token: token, Flood: true}, func(w *world) {
		m, ids := w.askTogether(8)
		for i := 1; i <= 8; i++ {
			w.see(sighting(i, screen.Working, nil))
			w.see(sighting(i, screen.Working, nil))
		}
		time.Sleep(5 * time.Second)
		now, _ := w.ann.Message(m.ID)
		wantNoButtons(t, now)
		wantText(t, now, "None of these is still waiting", "#"+ids[7])
	})
}

// One answer of Telegram's with an error, or a chat that is blocked for a while, leaves them one message; one that fails
// again and again holds up none of them.
func TestSeveralStayOneMessageOverAFault(t *testing.T) {
	for _, c := range []struct {
		fault botapi.Fault
		want  int
	}{
		{botapi.Fault{Code: 500}, 1}, {botapi.Fault{Code: 429, RetryAfter: 10}, 1}, {botapi.Fault{HTML: 502, Times: 3}, 1}, {botapi.Fault{DropBefore: true}, 1},
		{botapi.Fault{DropAfter: true}, 2}, {botapi.Fault{Delay: 30 * time.Second}, 1}, {botapi.Fault{Code: 403, Description: "Forbidden: bot was blocked by the user"}, 1},
		{botapi.Fault{Code: 500, Times: 2}, 8}, {botapi.Fault{Code: 400, Description: "Bad Request: BUTTON_DATA_INVALID"}, 1},
	} {
		inWorld(t, func(w *world) {
			c.fault.Method = "sendMessage"
			w.tg.Fail(c.fault)
			w.seeTogether(8, func(i int) string { return fmt.Sprint("make ", i) })
			time.Sleep(2 * time.Second)
			w.see(sighting(1, screen.Working, nil)) // one has its answer before the message is there
			w.see(sighting(1, screen.Working, nil))
			time.Sleep(time.Minute)
			if c.fault.Code == 403 {
				w.ann.Start()
				time.Sleep(10 * time.Second)
			}
			got, rows := 0, 0
			for _, m := range w.botSaid() {
				if strings.Contains(m.Text, "make ") {
					got, rows = got+1, len(rowsOf(m))
				}
			}
			if got != c.want || c.want == 1 && rows != 7 {
				t.Errorf("%+v: %d messages, want %d; the last has %d rows:\n%s", c.fault, got, c.want, rows, w.chat())
			}
		})
	}
}

// They go also while another message is on its way and Telegram is slow to answer that: it takes edits.
func TestDeadButtonsGoWhileAMessageIsSlow(t *testing.T) {
	for _, method := range []string{"sendMessage", "sendPhoto"} {
		inWorld(t, func(w *world) {
			w.watched("first")
			for i := 1; i <= 8; i++ {
				w.ask(i, prompt(fmt.Sprint("make ", i)))
			}
			w.tg.Fail(botapi.Fault{Method: method, Delay: 18 * time.Second})
			w.ann.Say(map[string]string{"sendMessage": "/status", "sendPhoto": "/screen main:1.0"}[method])
			time.Sleep(time.Second)
			for i := 1; i <= 8; i++ {
				w.see(sighting(i, screen.Working, nil))
				w.see(sighting(i, screen.Working, nil))
			}
			w.wantNoneLive()
			time.Sleep(time.Minute)
			slow := w.botSaid()
			if n := len(w.tg.Calls(method)); slow[len(slow)-1].Text+slow[len(slow)-1].Caption == "" || method == "sendPhoto" && n != 1 {
				t.Errorf("the slow one came %d times", n)
			}
		})
	}
}

// A supervisor who leaves loses the buttons of a message for several at once.
func TestMessageForSeveralOfAFormerSupervisor(t *testing.T) {
	inWorld(t, func(w *world) {
		m, _ := w.askTogether(3)
		w.set(func(s *bot.Settings) { s.Supervisors = []int64{bob} })
		wantNoButtons(t, w.message(m.ID))
	})
}

// The index of messages knows none that shows several, also when it is made again.
func TestMessageForSeveralIsInNoIndex(t *testing.T) {
	inWorld(t, func(w *world) {
		m, _ := w.askTogether(3)
		n, found, err := w.keeper.About(nudge.Ref{Place: message.Place(ann), Message: m.ID}, nil)
		if err != nil || found {
			t.Errorf("it is about %+v, %v", n.ID, err)
		}
	})
}

func TestTwoAreTwoMessages(t *testing.T) {
	inWorld(t, func(w *world) {
		before := len(w.botSaid())
		for i := 1; i <= 2; i++ {
			p := prompt(fmt.Sprint("make ", i))
			w.see(sighting(i, screen.Permission, &p))
		}
		w.last()
		if n := len(w.botSaid()) - before; n != 2 {
			t.Errorf("%d messages", n)
		}
	})
}
