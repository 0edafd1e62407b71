package bot_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"nod/bot"
	"nod/detect/screen"
	"nod/internal/botapi"
	"nod/nudge"
)

// digest has the bot send one, and gives what Ann gets.
func (w *world) digest() botapi.Record {
	w.t.Helper()
	before := len(w.botSaid())
	if err := w.bot.Digest(context.Background()); err != nil {
		w.t.Fatal(err)
	}
	m := w.last()
	if n := len(w.botSaid()) - before; n != 1 {
		w.t.Fatalf("%d messages came", n)
	}
	return m
}

func TestDigestSumsUp(t *testing.T) {
	inWorld(t, func(w *world) {
		withPanes(w)
		w.set(func(s *bot.Settings) { s.Health = nil })
		one := w.ask(3, prompt("login hunter2"))
		w.tap(one, "Deny")
		w.ask(4, prompt("make docs"))
		m := w.digest()
		wantText(t, m, "Digest: laptop: 2 agents, 1 waits for your answer", "claude in laptop:api · idle for", "Waits for you", "make docs · waits for",
			"Since the last digest", "❌ Ann denied login ••• (claude")
		if strings.Contains(m.Text, "⏳") {
			t.Errorf("what waits stands twice:\n%s", m.Text)
		}
		if strings.Contains(m.Text, "hunter2") {
			t.Error("a secret left the machine")
		}
		w.ann.ReplyTo(m.ID, "y") // it shows several, so it means none
		w.wantTyped(screen.Deny)
		wantText(t, w.last(), "Which one is meant?")

		next := w.digest()
		wantText(t, next, "make docs")
		if strings.Contains(next.Text, "denied login") {
			t.Errorf("it tells again what the last one told:\n%s", next.Text)
		}
	})
}

func TestDigestOfNothing(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.ask(1, prompt("make test"))
		w.tap(m, "Approve")
		time.Sleep(25 * time.Hour) // the first digest looks a day back
		if m := w.digest(); m.Text != "All quiet." || m.Silent {
			t.Errorf("it says %q, silent %v", m.Text, m.Silent)
		}
	})
}

func TestDigestIsSilentInQuietHours(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(w *world) error
	}{
		{"quiet hours", func(w *world) error {
			return w.keeper.SetQuiet(&nudge.Quiet{From: 0, To: 23 * time.Hour, Zone: time.UTC})
		}},
		{"muted", func(w *world) error { return w.keeper.Mute(time.Now().Add(time.Hour)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				if err := c.do(w); err != nil {
					t.Fatal(err)
				}
				if m := w.digest(); !m.Silent {
					t.Error("it rings")
				}
			})
		})
	}
}

// What Telegram did not take is in the next digest.
func TestDigestLosesNothingInAnOutage(t *testing.T) {
	inWorld(t, func(w *world) {
		w.tap(w.ask(1, prompt("make test")), "Approve")
		w.tg.Fail(botapi.Fault{Method: "sendMessage", DropBefore: true, Times: -1})
		if err := w.bot.Digest(context.Background()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		w.restart()
		w.tg.Heal()
		time.Sleep(2 * time.Minute)
		wantText(t, w.digest(), "Ann approved make test")
	})
}
