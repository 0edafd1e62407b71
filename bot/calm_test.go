package bot_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"nod/detect"
	"nod/detect/screen"
	"nod/internal/botapi"
)

// remindedAt are the minutes since begin at which a message about text was sent.
func (w *world) remindedAt(begin time.Time, text string) (minutes []int) {
	for _, m := range w.botSaid() {
		if m.Document == nil && strings.Contains(m.Text, text) {
			minutes = append(minutes, int(time.Unix(m.Date, 0).Sub(begin).Round(time.Minute).Minutes()))
		}
	}
	return minutes
}

// Snoozed, a question is asked again half an hour later and not before, whatever its cadence says, and then goes on in it.
func TestSnoozeKeepsRemindersBackForHalfAnHour(t *testing.T) {
	inWorld(t, func(w *world) {
		begin := time.Now()
		m := w.ask(1, prompt("make test"))
		time.Sleep(6 * time.Minute)
		w.tap(m, "Snooze")
		w.sleepHours(1)
		if got := w.remindedAt(begin, "make test"); !slices.Equal(got, []int{0, 5, 36, 45}) {
			t.Errorf("told at %v", got)
		}
		w.ann.ReplyTo(m.ID, "y") // every copy can be answered all the while
		w.wantTyped(screen.Approve)
	})
}

// After the last step that the cadence has reached, a snoozed question is told once more as well.
func TestSnoozeBetweenTwoStepsIsToldOnceMore(t *testing.T) {
	inWorld(t, func(w *world) {
		begin := time.Now()
		w.ask(1, prompt("make test"))
		w.sleepHours(1) // told at 0, 5, 15, 45
		w.tap(w.last(), "Snooze")
		w.restart()
		w.sleepHours(1)
		if got := w.remindedAt(begin, "make test"); !slices.Equal(got, []int{0, 5, 15, 45, 90, 120}) {
			t.Errorf("told at %v", got)
		}
	})
}

func TestSnoozeOfWhatIsOver(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.ask(1, prompt("make test"))
		data := m.Markup.Rows[1][2].Data
		w.ann.ReplyTo(m.ID, "n")
		w.wantTyped(screen.Deny)
		w.toastOf(w.ann.TapData(m.ID, data), "#"+idOf(t, m)+" no longer waits.")
	})
}

// A muted project's messages come silently, the others' do not.
func TestMuteByAgentOrProject(t *testing.T) {
	inWorld(t, func(w *world) {
		w.mu.Lock()
		w.panes = []detect.Sighting{sighting(1, screen.Working, nil), sighting(2, screen.Working, nil)}
		w.mu.Unlock()
		w.ann.Say("/mute API1 1h")
		wantText(t, w.last(), "Messages about API1 come silently until")
		if m := w.ask(1, prompt("make one")); !m.Silent {
			t.Error("a message of the muted project rings")
		}
		if m := w.ask(2, prompt("make two")); m.Silent {
			t.Error("a message of another project is silent")
		}
		w.ann.Say("/status")
		wantText(t, w.last(), "Muted for", ": api1.")
		w.ann.Say("/unmute api1")
		w.last()
		if m := w.ask(1, prompt("make three")); m.Silent {
			t.Error("after /unmute it is silent")
		}
		w.ann.Say("/mute claude")
		wantText(t, w.last(), "Messages about claude come silently until")
		if m := w.ask(2, prompt("make four")); !m.Silent {
			t.Error("a message of the muted agent rings")
		}
		w.ann.Say("/unmute")
		w.last()
		if m := w.ask(2, prompt("make five")); m.Silent {
			t.Error("after /unmute it is silent")
		}
		for _, wrong := range []string{"/mute nothere", "/mute 8d", "/mute api1 0h", "/mute nothere 2h"} {
			w.ann.Say(wrong)
			wantText(t, w.last(), "othing was changed")
		}
		w.ann.Say("/mute api1 1h")
		time.Sleep(2 * time.Hour)
		if m := w.ask(1, prompt("make six")); m.Silent {
			t.Error("an hour after its end the mute holds")
		}
	})
}

// An agent outside tmux is muted by the same names.
func TestMuteOfAnAgentOutside(t *testing.T) {
	for name, want := range map[string]bool{"claude": true, "api1": true, "api2": false} {
		inWorld(t, func(w *world) {
			w.mu.Lock()
			w.panes = []detect.Sighting{sighting(1, screen.Working, nil), sighting(2, screen.Working, nil)}
			w.mu.Unlock()
			w.ann.Say("/mute " + name + " 1h")
			wantText(t, w.last(), "come silently until")
			w.bot.Outside(detect.HookEvent{Agent: "claude", Kind: detect.Asks, Session: "s", ToolCall: detect.ToolCall{Tool: "Bash"}, Cwd: "/home/ann/api1"})
			if m := w.last(); m.Silent != want {
				t.Errorf("with %s muted it is silent: %v", name, m.Silent)
			}
		})
	}
}

// After an outage one line says from when to when it was, and what is still open.
func TestAnOutageIsToldInOneLine(t *testing.T) {
	for _, f := range []botapi.Fault{{DropBefore: true}, {HTML: 502}, {Code: 500}} {
		inWorld(t, func(w *world) {
			w.ask(1, prompt("make test"))
			f.Times = -1
			w.tg.Fail(f)
			time.Sleep(31 * time.Minute)
			w.tg.Heal()
			time.Sleep(5 * time.Minute)
			lines := 0
			for _, m := range w.botSaid() {
				if strings.Contains(m.Text, "could not reach Telegram") {
					lines++
					wantText(t, m, "📡 nod could not reach Telegram from 00:", "Still open: #", "claude in api1: make test.")
					w.ann.ReplyTo(m.ID, "y") // it is no nudge
				}
			}
			if lines != 1 {
				t.Errorf("%+v: %d lines:\n%s", f, lines, w.chat())
			}
			w.wantTyped()
			w.ann.Say("y") // and it is newer than the question, so a bare y asks
			w.wantTyped()
			wantText(t, w.last(), "Which one is meant?")
		})
	}
}

// A restart in the middle of an outage neither hides it nor cuts it short; one while all is well reports none.
func TestARestartInAnOutage(t *testing.T) {
	for name, heal := range map[string]func(w *world){
		"it goes on":        func(w *world) { w.restart(); time.Sleep(time.Minute); w.tg.Heal() },
		"it ends meanwhile": func(w *world) { w.stop(); time.Sleep(time.Minute); w.tg.Heal(); w.begin() },
		"nod is off after":  func(w *world) { w.stop(); time.Sleep(5 * time.Hour); w.tg.Heal(); w.begin() },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.ask(1, prompt("make test"))
				w.tg.Fail(botapi.Fault{DropBefore: true, Times: -1})
				time.Sleep(20 * time.Minute)
				heal(w)
				time.Sleep(2 * time.Minute)
				w.restart()
				time.Sleep(2 * time.Minute)
				if n := w.count(ann, "could not reach Telegram"); n != 1 {
					t.Fatalf("%d lines:\n%s", n, w.chat())
				}
				line := w.holding(ann, "could not reach Telegram").Text
				_, span, _ := strings.Cut(line, "from ")
				span, _, _ = strings.Cut(span, ". ")
				from, to, _ := strings.Cut(span, " to ")
				begin, _ := time.Parse("15:04 MST", from)
				end, _ := time.Parse("15:04 MST", to)
				if begin.Minute() > 2 || end.Sub(begin) < 18*time.Minute || end.Sub(begin) > 25*time.Minute {
					t.Errorf("it says %s", line)
				}
			})
		})
	}
}

func TestAShortOutageIsNotTold(t *testing.T) {
	inWorld(t, func(w *world) {
		w.tg.Fail(botapi.Fault{DropBefore: true, Times: -1})
		time.Sleep(time.Minute)
		w.tg.Heal()
		time.Sleep(5 * time.Minute)
		if strings.Contains(w.chat(), "could not reach Telegram") {
			t.Errorf("it was told:\n%s", w.chat())
		}
	})
}
