package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	berrors "go.etcd.io/bbolt/errors"

	"nod/detect"
	"nod/internal/tmux"
	"nod/nudge"
)

// openTest opens a new database that is checked, page by page and index by index, when the test ends.
func openTest(t *testing.T) *Store {
	t.Helper()
	return reopen(t, filepath.Join(t.TempDir(), "state", "nod.db"))
}

func reopen(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Check(); err != nil && !errors.Is(err, berrors.ErrDatabaseNotOpen) {
			t.Errorf("the database is not in order: %v", err)
		}
		s.Close()
	})
	return s
}

func update(t *testing.T, s *Store, f func(*nudge.Tx)) {
	t.Helper()
	if err := s.Update(func(tx *nudge.Tx) error { f(tx); return nil }); err != nil {
		t.Fatal(err)
	}
}

func view(t *testing.T, s *Store, f func(*nudge.Tx)) {
	t.Helper()
	if err := s.View(func(tx *nudge.Tx) error { f(tx); return nil }); err != nil {
		t.Fatal(err)
	}
}

func paneNamed(id string) detect.PaneRef {
	return detect.PaneRef{Server: tmux.Life{Socket: "/tmp/tmux-1000/default", PID: 42, Start: 1}, ID: id}
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func sample(id, pane string, number int) *nudge.Nudge {
	return &nudge.Nudge{
		ID: id, Number: number, Pane: paneNamed(pane), State: nudge.Pending, Kind: detect.Permission,
		Detected: noon, Due: noon.Add(5 * time.Minute), Expires: noon.Add(8 * time.Hour),
		Copies: []nudge.Copy{{Chat: 7, Message: 100 + number, Sent: noon}},
	}
}

func TestRecordComesBackAsItWasPut(t *testing.T) {
	s := openTest(t)
	n := sample("k3f", "%1", 1)
	n.Claim = &nudge.Claim{Decision: detect.Approve, By: nudge.Person{ID: 7, Name: "Ann"}, At: noon}
	n.Prompt = detect.Prompt{Subject: "touch /tmp/x\n\x1b[31m\xff", Highlighted: -1, Options: []detect.Option{{Key: "1", Label: "Yes", Scope: detect.Once}}}
	update(t, s, func(tx *nudge.Tx) { tx.Put(n) })
	n.Prompt.Subject = strings.ToValidUTF8(n.Prompt.Subject, "\ufffd")
	view(t, s, func(tx *nudge.Tx) {
		got, err := tx.Nudge("k3f")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(n, got, cmpopts.IgnoreUnexported(detect.Prompt{})); diff != "" {
			t.Error(diff)
		}
	})
}

func TestIndexesFollowTheRecord(t *testing.T) {
	s := openTest(t)
	ended := sample("e5e", "%1", 1)
	ended.State, ended.Ended, ended.Copies[0].Closed = nudge.Recovered, noon, true
	update(t, s, func(tx *nudge.Tx) {
		tx.Put(ended)
		tx.Put(sample("k3f", "%1", 2))
		tx.Put(sample("m4m", "%10", 1)) // a pane whose name begins like another's
	})
	view(t, s, func(tx *nudge.Tx) {
		for pane, want := range map[string]string{"%1": "k3f", "%10": "m4m", "%0": "", "%2": "", "%99": ""} {
			n, err := tx.Last(paneNamed(pane))
			if got := idOf(n); err != nil || got != want {
				t.Errorf("newest nudge of pane %s is %q (%v), want %q", pane, got, err, want)
			}
		}
		for by, want := range map[time.Time]int{
			noon.Add(5*time.Minute - 1):   0,
			noon.Add(5 * time.Minute):     2,
			noon.Add(nudge.Kept - 1):      2,
			noon.Add(nudge.Kept):          3,
			noon.Add(nudge.Kept + 1e9*60): 3,
		} {
			if due, err := tx.Due(by); err != nil || len(due) != want {
				t.Errorf("due at %s: %d (%v), want %d", by, len(due), err, want)
			}
		}
		if ended, err := tx.Ended(noon); err != nil || len(ended) != 1 {
			t.Errorf("ended since noon: %d (%v), want 1", len(ended), err)
		}
		if live, err := tx.Live(); err != nil || len(live) != 2 {
			t.Errorf("live: %d (%v), want 2", len(live), err)
		}
		if n, err := tx.ByMessage(7, 102); err != nil || idOf(n) != "k3f" {
			t.Errorf("message 102 shows %q (%v)", idOf(n), err)
		}
		if n, err := tx.ByMessage(8, 102); err != nil || n != nil {
			t.Errorf("the same message id in another chat shows %q (%v)", idOf(n), err)
		}
	})
	update(t, s, func(tx *nudge.Tx) { tx.Delete("k3f") })
	view(t, s, func(tx *nudge.Tx) {
		if n, _ := tx.ByMessage(7, 102); n != nil {
			t.Error("a deleted nudge's message still leads to it")
		}
		if n, _ := tx.Last(paneNamed("%1")); idOf(n) != "e5e" {
			t.Errorf("after the newest was deleted, the pane's newest is %q", idOf(n))
		}
	})
}

func idOf(n *nudge.Nudge) string {
	if n == nil {
		return ""
	}
	return n.ID
}

// TestMessageIdsMayRestart: another bot's messages have the ids that this chat had before.
func TestMessageIdsMayRestart(t *testing.T) {
	s := openTest(t)
	old, fresh := sample("e5e", "%1", 1), sample("k3f", "%2", 1)
	update(t, s, func(tx *nudge.Tx) { tx.Put(old) })
	update(t, s, func(tx *nudge.Tx) { tx.Put(fresh) })
	update(t, s, func(tx *nudge.Tx) { tx.Delete(old.ID) })
	view(t, s, func(tx *nudge.Tx) {
		if n, err := tx.ByMessage(7, 101); err != nil || idOf(n) != "k3f" {
			t.Errorf("the message shows %q (%v)", idOf(n), err)
		}
	})
}

func TestFailedUpdateChangesNothing(t *testing.T) {
	s := openTest(t)
	failed := errors.New("no")
	err := s.Update(func(tx *nudge.Tx) error {
		tx.Put(sample("k3f", "%1", 1))
		tx.Note(nudge.Event{Kind: "prompt detected"})
		tx.Handle(nudge.Heard{Update: 1})
		return failed
	})
	if err != failed {
		t.Fatalf("got %v", err)
	}
	view(t, s, func(tx *nudge.Tx) {
		if n, _ := tx.Nudge("k3f"); n != nil {
			t.Error("the record was written")
		}
		if handled, _ := tx.Handled(nudge.Heard{Update: 1}); handled {
			t.Error("the update was noted")
		}
	})
	if lines, _ := s.Tail(1); len(lines) != 0 {
		t.Error("the audit trail was written")
	}
}

func TestViewMayNotWrite(t *testing.T) {
	s := openTest(t)
	err := s.View(func(tx *nudge.Tx) error { tx.Put(sample("k3f", "%1", 1)); return nil })
	if err == nil {
		t.Error("a view changed a record")
	}
}

func TestHeardIsForgottenByAge(t *testing.T) {
	s := openTest(t)
	if err := s.Handle(5); err != nil {
		t.Fatal(err)
	}
	update(t, s, func(tx *nudge.Tx) {
		tx.Handle(nudge.Heard{Update: -3})
		tx.Handle(nudge.Heard{Chat: 7, Message: 5})
		tx.Handle(nudge.Heard{Update: 5})
	})
	update(t, s, func(tx *nudge.Tx) { tx.Forget(time.Now().Add(-time.Hour), time.Time{}) })
	for _, u := range []int{5, -3} {
		if handled, err := s.Handled(u); err != nil || !handled {
			t.Errorf("update %d: %t, %v", u, handled, err)
		}
	}
	update(t, s, func(tx *nudge.Tx) { tx.Forget(time.Now().Add(time.Hour), time.Time{}) })
	if handled, err := s.Handled(5); err != nil || handled {
		t.Errorf("update 5 is still remembered: %t, %v", handled, err)
	}
}

func TestOffsetMayGoDown(t *testing.T) {
	s := openTest(t)
	for _, want := range []int{0, 900, 17} {
		if want != 0 {
			if err := s.SetOffset(want); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := s.Offset(); err != nil || got != want {
			t.Errorf("offset %d (%v), want %d", got, err, want)
		}
	}
}

func TestAuditTrail(t *testing.T) {
	s := openTest(t)
	for _, kind := range []string{"a", "b", "c"} {
		update(t, s, func(tx *nudge.Tx) { tx.Note(nudge.Event{Kind: kind}) })
	}
	kinds := func(lines []Line, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, l := range lines {
			all = append(all, l.Kind)
		}
		return strings.Join(all, "")
	}
	for _, c := range []struct{ got, want string }{
		{kinds(s.Tail(2)), "bc"}, {kinds(s.Tail(9)), "abc"}, {kinds(s.Tail(0)), ""},
		{kinds(s.After(0, 9)), "abc"}, {kinds(s.After(1, 1)), "b"}, {kinds(s.After(3, 9)), ""},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	update(t, s, func(tx *nudge.Tx) { tx.Forget(time.Time{}, time.Now().Add(time.Hour)) })
	if got := kinds(s.Tail(9)); got != "" {
		t.Errorf("old events are kept: %q", got)
	}
	update(t, s, func(tx *nudge.Tx) { tx.Note(nudge.Event{Kind: "d"}) })
	if lines, _ := s.Tail(1); lines[0].Seq != 4 {
		t.Errorf("a number of the trail was used again: %d", lines[0].Seq)
	}
}

func TestSecretStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nod.db")
	s := reopen(t, path)
	first := string(s.Secret())
	s.Close()
	if second := string(reopen(t, path).Secret()); len(first) != 32 || first != second {
		t.Errorf("the secret is %d bytes long, and the same after a restart: %t", len(first), first == second)
	}
	if other := string(openTest(t).Secret()); other == first {
		t.Error("two databases share a secret")
	}
}

func TestSmallState(t *testing.T) {
	s := openTest(t)
	if v, err := s.Get("blocked/7"); err != nil || v != nil {
		t.Errorf("got %q, %v", v, err)
	}
	for _, value := range [][]byte{[]byte("x"), nil} {
		if err := s.Put("blocked/7", value); err != nil {
			t.Fatal(err)
		}
		if v, err := s.Get("blocked/7"); err != nil || string(v) != string(value) {
			t.Errorf("got %q, %v, want %q", v, err, value)
		}
	}
}

func TestFileIsPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "nod.db")
	reopen(t, path)
	for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v (%v), want %v", name, info.Mode().Perm(), err, want)
		}
	}
}

func TestBackupOpens(t *testing.T) {
	s := openTest(t)
	update(t, s, func(tx *nudge.Tx) { tx.Put(sample("k3f", "%1", 1)) })
	path := filepath.Join(t.TempDir(), "copy.db")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if size, err := s.Backup(f); err != nil || size == 0 {
		t.Fatalf("%d bytes, %v", size, err)
	}
	f.Close()
	view(t, reopen(t, path), func(tx *nudge.Tx) {
		if n, _ := tx.Nudge("k3f"); n == nil {
			t.Error("the copy lacks the nudge")
		}
	})
}

func TestSaveErrorsAreSentences(t *testing.T) {
	for err, want := range map[error]string{
		syscall.ENOSPC: "free some space", syscall.EDQUOT: "free some space", syscall.EROFS: "NOD_STATE_DIR", syscall.EIO: "write /s/nod.db",
	} {
		got := saveError("/s/nod.db", &os.PathError{Op: "write", Path: "/s/nod.db", Err: err})
		if !strings.Contains(got.Error(), want) || !errors.Is(got, err) {
			t.Errorf("%v: %q lacks %q", err, got, want)
		}
	}
}
