package control

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/internal/settings"
	"nod/nudge"
	"nod/store"
)

// TestACopyHasManyParts, the last of which says how long it is, and one copy is made after the other.
func TestACopyHasManyParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		records, err := store.Open(filepath.Join(t.TempDir(), "nod.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer records.Close()
		for i := range 4 {
			err := records.Update(func(tx *store.Tx) error {
				n := nudge.OpenQuestion("k3"+string(rune('a'+i)), nudge.ProgramQuestion{Text: strings.Repeat("x", 60<<10), Words: true, Timeout: time.Hour}, nudge.Rules{}, tx.Now())
				tx.Put(n)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		dir := t.TempDir()
		c := New(Config{Store: records, Settings: func() settings.Settings { return settings.Settings{StateDir: settings.Path(dir)} }})
		ctx := context.WithValue(t.Context(), visitorKey{}, Visitor{KeyAlone: true})
		for name, takes := range map[string]time.Duration{"at once": 0, "slowly": backupTime + time.Second} {
			stream, err := c.backup(ctx, none{})
			if err != nil {
				t.Fatal(err)
			}
			parts, bytes, size := 0, 0, int64(0)
			err = stream(t.Context(), func(value any) error {
				part := value.(BackupPart)
				parts, bytes, size = parts+1, bytes+len(part.Data), part.Size
				time.Sleep(takes)
				return nil
			})
			if whole := size > 0 && int64(bytes) == size && parts > 2; err != nil || whole != (takes == 0) || takes > 0 && parts != 1 {
				t.Errorf("read %s it has %d parts of %d bytes of %d, %v", name, parts, bytes, size, err)
			}
		}
		stream, err := c.backup(ctx, none{})
		parts := 0
		if err = errors.Join(err, stream(t.Context(), func(any) error { parts++; return io.EOF })); err != nil || parts != 1 {
			t.Errorf("who hangs up gets %d parts, %v", parts, err)
		}
	})
}

// TestAllEventsCome, however many there are at once.
func TestAllEventsCome(t *testing.T) {
	w := newWorld(t)
	const all = eventsPage + 2
	err := w.cfg.Store.Update(func(tx *store.Tx) error {
		for range all {
			tx.Note(nudge.Event{Kind: "one"})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	got := 0
	err = w.client.Stream(ctx, "events", EventsParams{After: 1}, func(json.RawMessage) error {
		if got++; got == all-1 {
			return io.EOF
		}
		return nil
	})
	if !errors.Is(err, io.EOF) {
		t.Errorf("%d of %d came, %v", got, all-1, err)
	}
}
