package keeper_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"nod/detect/screen"
	"nod/internal/words"
	"nod/nudge"
	"nod/store"
)

// BenchmarkAnswer measures an answer until its claim is on disk, with that many nudges in the records. The
// time must not grow with them, because a person waits for it.
func BenchmarkAnswer(b *testing.B) {
	for _, kept := range []int{100, 1_000, 10_000, 100_000} {
		w := keeps(b, kept)
		n := w.see(shows("%1", permission("make")))
		w.tell()
		n = w.find(n.ID)
		for _, c := range []struct {
			name   string
			answer func() nudge.Answer
		}{
			{"reply", func() nudge.Answer { return w.replyTo(n.ID, screen.Approve) }},
			{"reply to what is on no record", func() nudge.Answer {
				a := w.replyTo(n.ID, screen.Approve)
				a.ReplyTo, a.Shown = 1, []nudge.Shown{{Nudge: n.ID}}
				return a
			}},
			{"button", func() nudge.Answer {
				a := w.answer(nudge.ByButton, screen.Approve)
				a.Nudge = n.ID
				return a
			}},
			{"fresh", func() nudge.Answer { return w.answer(nudge.ByFresh, screen.Approve) }},
		} {
			b.Run(fmt.Sprintf("%s/kept=%d", c.name, kept), func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					if err := w.store.Update(func(tx *store.Tx) error { tx.Put(&n); return nil }); err != nil {
						b.Fatal(err)
					}
					a := c.answer()
					b.StartTimer()
					if v, err := w.Answer(a); err != nil || v.Kind != nudge.Taken {
						b.Fatalf("the verdict is %s (%s), %v", v.Kind, words.Why(v.Detail), err)
					}
				}
			})
		}
		if err := w.store.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkToTell measures what the bot asks after every change: what still has to be said about 200 open
// nudges. The time must not grow with the nudges in the records.
func BenchmarkToTell(b *testing.B) {
	for _, kept := range []int{100, 100_000} {
		w := keeps(b, kept)
		for i := range 200 {
			if err := w.See(shows(fmt.Sprintf("%%o%d", i), permission(fmt.Sprintf("make %d", i)))); err != nil {
				b.Fatal(err)
			}
		}
		w.tell()
		b.Run(fmt.Sprintf("kept=%d", kept), func(b *testing.B) {
			for b.Loop() {
				if list, err := w.ToTell(time.Now()); err != nil || len(list) > 0 {
					b.Fatalf("%d notices are left, %v", len(list), err)
				}
			}
		})
		if err := w.store.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// keeps returns a Keeper over a database with that many nudges that ended long ago.
func keeps(b *testing.B, kept int) *world {
	b.Helper()
	w := &world{TB: b, path: filepath.Join(b.TempDir(), "nod.db"), typist: &typist{}, log: &bytes.Buffer{}, message: kept + 100}
	w.logger = slog.New(slog.NewTextHandler(w.log, nil))
	w.rules = nudge.Rules{Cadence: []time.Duration{0}, Expiry: time.Hour, Supervisors: []nudge.Place{ann}}
	w.start()
	ended := time.Now().Add(-24 * time.Hour).UTC()
	for i := 0; i < kept; {
		err := w.store.Update(func(tx *store.Tx) error {
			for end := min(i+1000, kept); i < end; i++ {
				n := nudge.Open(fmt.Sprintf("o%d", i), nudge.Permission{Prompt: permission("make")}, shows(fmt.Sprintf("%%%d", 100+i%50), permission("make")), nil, w.rules, ended)
				n.Number, n.State, n.Ended = 1+i/50, nudge.Recovered, ended
				n.Copies = []nudge.Copy{{Ref: nudge.Ref{Place: ann, Message: 2 + i}, Reminder: 1, Sent: ended, Closed: true}}
				tx.Put(n)
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	return w
}
