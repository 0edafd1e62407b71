package keeper_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"nod/detect/screen"
	"nod/internal/words"
	"nod/nudge"
)

// damage makes the record of a nudge unreadable while nod is not running.
func (w *world) damage(id string) {
	w.Helper()
	w.stop()
	if err := w.store.Close(); err != nil {
		w.Fatal(err)
	}
	db, err := bolt.Open(w.path, 0o600, nil)
	if err != nil {
		w.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte("nudges"))
		return b.Put([]byte(id), append([]byte("x"), b.Get([]byte(id))[1:]...))
	})
	if err != nil {
		w.Fatal(err)
	}
	if err := db.Close(); err != nil {
		w.Fatal(err)
	}
	w.start()
}

// wantHealth fails unless exactly one sentence of the health contains all of these parts. Without parts, the
// health must be good.
func (w *world) wantHealth(parts ...string) {
	w.Helper()
	health := w.Health()
	if len(parts) == 0 {
		if len(health) > 0 {
			w.Errorf("the health is %+v", health)
		}
		return
	}
	if len(health) != 1 {
		w.Fatalf("the health is %+v", health)
	}
	for _, part := range parts {
		if !strings.Contains(words.Why(health[0]), part) {
			w.Errorf("the health lacks %q: %q", part, words.Why(health[0]))
		}
	}
}

func TestDamagedRecordBlocksNothing(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		over := w.see(shows("%1", permission("make")))
		w.tell()
		old := w.replyTo(over.ID, screen.Deny)
		w.give(w.replyTo(over.ID, screen.Deny), nudge.Taken)
		w.tell()
		w.damage(over.ID)
		w.deliver()
		n := w.see(shows("%2", permission("go test")))
		w.tell()
		w.tick()
		w.give(old, nudge.Rejected)
		w.give(w.answer(nudge.ByFresh, screen.Approve), nudge.Taken)
		w.wantState(n.ID, nudge.Delivered)
		if all, err := w.List(true); err != nil || len(all) != 1 {
			w.Errorf("%d nudges, %v", len(all), err)
		}
		w.wantHealth("#"+over.ID, "can't be read", "nod backup")
		w.restart()
		w.wantHealth("#" + over.ID)
	})
}

func TestDamagedRecordOfAStandingPromptIsAskedAnew(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		w.tell()
		w.damage(n.ID)
		w.tick()
		again := w.see(shows("%1", permission("make")))
		if again.ID == n.ID || again.State != nudge.Pending {
			w.Errorf("#%s is %s", again.ID, again.State)
		}
		w.wantHealth("#" + n.ID)
	})
}

// TestRecordDamagedWhileNodRuns: looks at the pane were settled before.
func TestRecordDamagedWhileNodRuns(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		look := shows("%1", permission("make"))
		n := w.see(look)
		w.tell()
		w.see(look)
		w.see(look)
		data, err := os.ReadFile(w.path)
		if err != nil {
			t.Fatal(err)
		}
		// Every copy of the record in the file, even on free pages. The database is mapped, so nod sees the
		// damage at once.
		record := []byte(`{"ID":"` + n.ID + `"`)
		f, err := os.OpenFile(w.path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for at := 0; ; at++ {
			next := bytes.Index(data[at:], record)
			if next < 0 {
				break
			}
			at += next
			if _, err := f.WriteAt([]byte("x"), int64(at)); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Second)
		w.tick()
		again := w.see(look)
		if again.ID == n.ID || again.State != nudge.Pending {
			w.Errorf("#%s is %s", again.ID, again.State)
		}
		if sent := kinds(w.tell(), nudge.Send); len(sent) != 1 {
			w.Errorf("sent %+v", sent)
		}
		w.wantHealth("#" + n.ID)
	})
}
