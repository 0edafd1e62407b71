package bot_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/bot/message"
	"nod/internal/botapi"
	"nod/internal/settings/quiet"
	"nod/internal/testrun"
)

// lengths are the labels of the last row of a message's buttons.
func lengths(m botapi.Record) (labels []string) {
	for _, b := range m.Markup.Rows[len(m.Markup.Rows)-1] {
		labels = append(labels, b.Text)
	}
	return labels
}

// TestASnoozeOffersLengths: the first tap snoozes at once, and a length holds from its own tap on, whatever was chosen before and
// however often nod restarts. The question keeps all its other buttons, and can be answered by them.
func TestASnoozeOffersLengths(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 30))
	inWorld(t, func(w *world) {
		m := w.ask(1, prompt("make test"))
		before := m.Markup.Rows
		w.tap(m, "Snooze")
		m = w.message(m.ID)
		if got := lengths(m); !slices.Equal(got, []string{"10 min", "✓ 30 min", "2 h", "Morning"}) {
			t.Fatalf("offered are %q", got)
		}
		if rows := m.Markup.Rows; !slices.EqualFunc(rows[:len(rows)-2], before[:len(before)-1], slices.Equal) {
			t.Errorf("the buttons were\n%v and are\n%v", before, rows)
		}
		spans := []time.Duration{10 * time.Minute, 30 * time.Minute, 2 * time.Hour}
		var chosen time.Duration
		var at time.Time
		for range 1 + r.IntN(4) {
			i := r.IntN(len(spans))
			chosen, at = spans[i], time.Now()
			w.tap(m, lengths(w.message(m.ID))[i])
			m = w.message(m.ID)
			if got := lengths(m)[i]; got != "✓ "+message.Length(chosen) {
				t.Errorf("seed %d: the chosen one is marked %q", seed, got)
			}
			if r.IntN(2) == 0 {
				w.restart()
			}
			time.Sleep(time.Duration(r.IntN(60)) * time.Second)
		}
		time.Sleep(time.Until(at.Add(chosen)) - 5*time.Second)
		if got := w.remindedAt(at, "make test"); !slices.Equal(got[1:], nil) {
			t.Errorf("seed %d: snoozed for %v, told at %v", seed, chosen, got)
		}
		time.Sleep(time.Minute)
		if got := w.remindedAt(at, "make test"); len(got) != 2 {
			t.Errorf("seed %d: snoozed for %v, told at %v", seed, chosen, got)
		}
		if got := lengths(w.last()); slices.Contains(got, "Morning") {
			t.Errorf("the reminder begins with lengths: %q", got)
		}
		w.tap(w.message(m.ID), "Deny")
		wantNoButtons(t, w.message(m.ID))
	})
}

// TestASnoozeUntilTheMorningOutlastsTheExpiry: it ends when the night's quiet hours do, and the question still waits then.
func TestASnoozeUntilTheMorningOutlastsTheExpiry(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 31))
	zones := []string{"America/New_York", "Asia/Kolkata", "Pacific/Auckland", "UTC"}
	for range testrun.Rounds(1, 8) {
		name, ends := zones[r.IntN(len(zones))], []string{"", "06:30", "09:00"}[r.IntN(3)]
		inWorld(t, func(w *world) {
			zone, want := time.UTC, "08:00"
			if ends != "" {
				q, err := quiet.Parse("22:00-" + ends + " " + name)
				if err != nil {
					t.Fatal(err)
				}
				if err := w.keeper.SetQuiet(q); err != nil {
					t.Fatal(err)
				}
				zone, want = q.Zone, ends
			}
			w.sleep(time.Duration(r.IntN(24*60)) * time.Minute)
			m := w.ask(1, prompt("make test"))
			begin := time.Now()
			w.tap(m, "Snooze")
			w.tap(w.message(m.ID), "Morning")
			for w.last().ID == m.ID {
				w.sleepHours(1)
				if time.Since(begin) > 30*time.Hour {
					t.Fatalf("seed %d: it is never asked again", seed)
				}
			}
			told := time.Unix(w.last().Date, 0)
			if got := told.In(zone).Truncate(2 * time.Minute).Format("15:04"); got != want || told.Sub(begin) < 4*time.Hour-time.Minute {
				t.Errorf("seed %d: %s %s: asked again at %s, %v later", seed, name, ends, got, told.Sub(begin))
			}
			w.sleepHours(3)
			w.ann.ReplyTo(m.ID, "y")
			time.Sleep(5 * time.Second)
			if n := len(w.typed.all()); n != 1 {
				t.Errorf("seed %d: it could not be answered in the morning: %s", seed, w.last().Text)
			}
		})
	}
}

// TestToastsSayHowLongASnoozeIs, by no server's clock.
func TestToastsSayHowLongASnoozeIs(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.ask(1, prompt("make test"))
		for _, c := range []struct{ label, want string }{{"Snooze", "30 min"}, {"10 min", "10 min"}, {"2 h", "2 h"}, {"Morning", " h"}} {
			tap, err := w.ann.Tap(m.ID, labelWith(w.message(m.ID), c.label))
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(5 * time.Second)
			toast, _ := tap.Answer(t.Context())
			if !strings.HasPrefix(toast.Text, "💤 It is asked again in ") || !strings.Contains(toast.Text, c.want) || strings.Contains(toast.Text, ":") {
				t.Errorf("%s says %q", c.label, toast.Text)
			}
		}
	})
}

// labelWith is the label of the button that contains some text.
func labelWith(m botapi.Record, text string) string {
	for _, row := range m.Markup.Rows {
		for _, b := range row {
			if strings.Contains(b.Text, text) {
				return b.Text
			}
		}
	}
	return ""
}
