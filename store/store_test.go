package store

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/tmux"
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

func update(t *testing.T, s *Store, f func(*Tx)) {
	t.Helper()
	if err := s.Update(func(tx *Tx) error { f(tx); return nil }); err != nil {
		t.Fatal(err)
	}
}

func view(t *testing.T, s *Store, f func(*Tx)) {
	t.Helper()
	if err := s.View(func(tx *Tx) error { f(tx); return nil }); err != nil {
		t.Fatal(err)
	}
}

func paneNamed(id string) detect.PaneRef {
	return detect.PaneRef{Server: tmux.Life{Socket: "/tmp/tmux-1000/default", PID: 42, Start: 1}, ID: id}
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func sample(id, pane string, number int) *nudge.Nudge {
	return &nudge.Nudge{
		ID: id, Number: number, Whereabouts: detect.Whereabouts{Pane: paneNamed(pane)}, About: nudge.Permission{Prompt: new(screen.Prompt)},
		Telling: nudge.Telling{
			Detected: noon, Due: noon.Add(5 * time.Minute), Expires: noon.Add(8 * time.Hour),
			Copies: []nudge.Copy{{Ref: nudge.Ref{Place: "7", Message: 100 + number}, Sent: noon}},
		},
		Answering: nudge.Answering{State: nudge.Pending},
	}
}

func TestRecordComesBackAsItWasPut(t *testing.T) {
	s := openTest(t)
	n := sample("k3f", "%1", 1)
	n.Claim = &nudge.Claim{Said: nudge.Said{Decision: screen.Deny, Because: deliver.Say("use the cache")}, By: nudge.Person{ID: "7", Name: "Ann"}, At: noon}
	n.About = nudge.Permission{Prompt: &screen.Prompt{Content: screen.Content{Subject: "touch /tmp/x\n\x1b[31m\xff", Options: []screen.Option{{Key: "1", Label: "Yes", Scope: screen.Once}}}, OnScreen: screen.OnScreen{Highlighted: -1}}}
	update(t, s, func(tx *Tx) { tx.Put(n) })
	n.Prompt().Subject = strings.ToValidUTF8(n.Prompt().Subject, "\ufffd")
	view(t, s, func(tx *Tx) {
		if diff := cmp.Diff(n, tx.Nudge("k3f"), cmpopts.IgnoreUnexported(screen.Ways{}, screen.InSet{}), cmpopts.EquateComparable(deliver.Words{})); diff != "" {
			t.Error(diff)
		}
	})
}

func TestIndexesFollowTheRecord(t *testing.T) {
	s := openTest(t)
	ended := sample("e5e", "%1", 1)
	ended.State, ended.Ended, ended.Copies[0].Closed = nudge.Recovered, noon, true
	update(t, s, func(tx *Tx) {
		tx.Put(ended)
		tx.Put(sample("k3f", "%1", 2))
		tx.Put(sample("m4m", "%10", 1)) // a pane whose name begins like another's
	})
	view(t, s, func(tx *Tx) {
		for pane, want := range map[string]string{"%1": "k3f", "%10": "m4m", "%0": "", "%2": "", "%99": ""} {
			if got := idOf(tx.Last(paneNamed(pane))); got != want {
				t.Errorf("newest nudge of pane %s is %q, want %q", pane, got, want)
			}
		}
		for by, want := range map[time.Time]int{
			noon.Add(5*time.Minute - 1):   0,
			noon.Add(5 * time.Minute):     2,
			noon.Add(nudge.Kept - 1):      2,
			noon.Add(nudge.Kept):          3,
			noon.Add(nudge.Kept + 1e9*60): 3,
		} {
			if due := tx.Due(by); len(due) != want {
				t.Errorf("due at %s: %d, want %d", by, len(due), want)
			}
		}
		if ended := tx.Ended(noon); len(ended) != 1 {
			t.Errorf("ended since noon: %d, want 1", len(ended))
		}
		if live := tx.Live(); len(live) != 2 {
			t.Errorf("live: %d, want 2", len(live))
		}
		if n := tx.ByMessage(nudge.Ref{Place: "7", Message: 102}); idOf(n) != "k3f" {
			t.Errorf("message 102 shows %q", idOf(n))
		}
		if n := tx.ByMessage(nudge.Ref{Place: "8", Message: 102}); n != nil {
			t.Errorf("the same message id in another chat shows %q", idOf(n))
		}
	})
	update(t, s, func(tx *Tx) { tx.Delete("k3f") })
	view(t, s, func(tx *Tx) {
		if tx.ByMessage(nudge.Ref{Place: "7", Message: 102}) != nil {
			t.Error("a deleted nudge's message still leads to it")
		}
		if n := tx.Last(paneNamed("%1")); idOf(n) != "e5e" {
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
	update(t, s, func(tx *Tx) { tx.Put(old) })
	update(t, s, func(tx *Tx) { tx.Put(fresh) })
	update(t, s, func(tx *Tx) { tx.Delete(old.ID) })
	view(t, s, func(tx *Tx) {
		if n := tx.ByMessage(nudge.Ref{Place: "7", Message: 101}); idOf(n) != "k3f" {
			t.Errorf("the message shows %q", idOf(n))
		}
	})
}

func TestFailedUpdateChangesNothing(t *testing.T) {
	s := openTest(t)
	failed := errors.New("no")
	err := s.Update(func(tx *Tx) error {
		tx.Put(sample("k3f", "%1", 1))
		tx.Note(nudge.Event{Kind: "prompt detected"})
		tx.Handle(nudge.Ref{Update: 1})
		return failed
	})
	if err != failed {
		t.Fatalf("got %v", err)
	}
	view(t, s, func(tx *Tx) {
		if tx.Nudge("k3f") != nil {
			t.Error("the record was written")
		}
		if tx.Handled(nudge.Ref{Update: 1}) {
			t.Error("the update was noted")
		}
	})
	if lines, _ := s.Tail(1); len(lines) != 0 {
		t.Error("the audit trail was written")
	}
}

func TestViewMayNotWrite(t *testing.T) {
	s := openTest(t)
	err := s.View(func(tx *Tx) error { tx.Put(sample("k3f", "%1", 1)); return nil })
	if err == nil {
		t.Error("a view changed a record")
	}
}

func TestHandledIsForgottenByAge(t *testing.T) {
	s := openTest(t)
	if err := s.Memory().Handle(5); err != nil {
		t.Fatal(err)
	}
	update(t, s, func(tx *Tx) {
		tx.Handle(nudge.Ref{Update: -3})
		tx.Handle(nudge.Ref{Place: "7", Message: 5})
		tx.Handle(nudge.Ref{Update: 5})
	})
	update(t, s, func(tx *Tx) { tx.Forget(time.Now().Add(-time.Hour), time.Time{}) })
	for _, u := range []int{5, -3} {
		if handled, err := s.Memory().Handled(u); err != nil || !handled {
			t.Errorf("update %d: %t, %v", u, handled, err)
		}
	}
	update(t, s, func(tx *Tx) { tx.Forget(time.Now().Add(time.Hour), time.Time{}) })
	if handled, err := s.Memory().Handled(5); err != nil || handled {
		t.Errorf("update 5 is still remembered: %t, %v", handled, err)
	}
}

// TestWhatEndedLongAgoIsForgotten: what has just ended stays, and so does what goes on.
func TestWhatEndedLongAgoIsForgotten(t *testing.T) {
	s := openTest(t)
	old := time.Now().Add(-nudge.InstructionKept - time.Hour)
	update(t, s, func(tx *Tx) {
		for id, ended := range map[string]time.Time{"a1a": old, "b2b": time.Now(), "c3c": {}} {
			i, w := &nudge.Instruction{ID: "i" + id}, &nudge.Wish{ID: "w" + id, State: nudge.WishDropped, Ended: ended}
			if i.State, i.Ended = nudge.Completed, ended; ended.IsZero() {
				i.State, w.State = nudge.Queued, nudge.Wished
			}
			tx.PutInstruction(i)
			tx.PutWish(w)
			tx.PutDenials(&nudge.Denials{ID: "d" + id, Ended: ended})
		}
		tx.Forget(old, old)
	})
	view(t, s, func(tx *Tx) {
		for _, id := range []string{"a1a", "b2b", "c3c"} {
			if there := id != "a1a"; (tx.Instruction("i"+id) != nil) != there || (tx.Wish("w"+id) != nil) != there || (tx.DenialsOf("d"+id) != nil) != there {
				t.Errorf("%s is there %t", id, !there)
			}
		}
	})
}

func TestOffsetMayGoDown(t *testing.T) {
	s := openTest(t)
	for _, want := range []int{0, 900, 17} {
		if want != 0 {
			if err := s.Memory().SetOffset(want); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := s.Memory().Offset(); err != nil || got != want {
			t.Errorf("offset %d (%v), want %d", got, err, want)
		}
	}
}

func TestAuditTrail(t *testing.T) {
	s := openTest(t)
	for _, kind := range []string{"a", "b", "c"} {
		update(t, s, func(tx *Tx) { tx.Note(nudge.Event{Kind: kind}) })
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
	update(t, s, func(tx *Tx) { tx.Forget(time.Time{}, time.Now().Add(time.Hour)) })
	if got := kinds(s.Tail(9)); got != "" {
		t.Errorf("old events are kept: %q", got)
	}
	update(t, s, func(tx *Tx) { tx.Note(nudge.Event{Kind: "d"}) })
	if lines, _ := s.Tail(1); lines[0].Seq != 4 {
		t.Errorf("a number of the trail was used again: %d", lines[0].Seq)
	}
}

// TestAuditTrailIsTrimmedBehindAnyEvent: one that is dated in the future, by a clock that was wrong, and one that can't
// be read keep nothing behind them.
func TestAuditTrailIsTrimmedBehindAnyEvent(t *testing.T) {
	s := openTest(t)
	note := func(kind string, at time.Time) {
		t.Helper()
		err := s.db.Update(func(tx *bolt.Tx) error { return appendEvent(tx, nudge.Event{Kind: kind, At: at}) })
		if err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now()
	note("future", now.Add(24*365*time.Hour))
	note("old", now.Add(-time.Hour))
	err := s.db.Update(func(tx *bolt.Tx) error { return tx.Bucket(auditBucket).Put(number(3), []byte("x")) })
	if err != nil {
		t.Fatal(err)
	}
	err = s.db.Update(func(tx *bolt.Tx) error { return tx.Bucket(auditBucket).SetSequence(3) })
	if err != nil {
		t.Fatal(err)
	}
	note("old", now.Add(-time.Hour))
	note("young", now)
	update(t, s, func(tx *Tx) { tx.Forget(time.Time{}, now.Add(-time.Minute)) })
	lines, err := s.Tail(9)
	if err != nil || len(lines) != 3 || lines[0].Kind != "future" || lines[1].Kind != unreadableEvent || lines[2].Kind != "young" {
		t.Errorf("kept %+v, %v", lines, err)
	}
	if after, err := s.After(lines[0].Seq, 9); err != nil || len(after) != 2 {
		t.Errorf("after the first: %+v, %v", after, err)
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

func TestAMonitorIsStoredUntilItIsDropped(t *testing.T) {
	s := openTest(t)
	for _, value := range [][]byte{[]byte("x"), nil} {
		if err := s.PutMonitor("ci", value); err != nil {
			t.Fatal(err)
		}
		if all, err := s.Monitors(); err != nil || len(all) != len(value) || string(all["ci"]) != string(value) {
			t.Errorf("got %q, %v, want %q", all, err, value)
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

// TestADirectoryThatAnybodyCanWriteToIsRefused: whoever can replace the file decides what was answered.
func TestADirectoryThatAnybodyCanWriteToIsRefused(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "nod.db")
	opens := map[string]func() error{
		"a bot's":   func() error { return closed(Open(path)) },
		"an edge's": func() error { c, _, err := OpenClaims(path + "2"); return closed(c, err) },
	}
	for name, open := range opens {
		for mode, want := range map[os.FileMode]bool{0o777: false, 0o707: false, 0o777 | os.ModeSticky: true, 0o755: true} {
			if err := os.Chmod(dir, mode); err != nil {
				t.Fatal(err)
			}
			if err := open(); (err == nil) != want || err != nil && !strings.Contains(err.Error(), "chmod go-w "+dir) {
				t.Errorf("%s in a directory of mode %v: %v", name, mode, err)
			}
		}
	}
	for _, below := range []string{"/proc", path} {
		if err := closed(Open(filepath.Join(below, "state", "nod.db"))); err == nil || !strings.Contains(err.Error(), "set NOD_STATE_DIR") {
			t.Errorf("in %s: %v", below, err)
		}
	}
}

func closed(c io.Closer, err error) error {
	if err != nil {
		return err
	}
	return c.Close()
}

func TestBackupOpens(t *testing.T) {
	s := openTest(t)
	update(t, s, func(tx *Tx) { tx.Put(sample("k3f", "%1", 1)) })
	path := filepath.Join(t.TempDir(), "copy.db")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if size, err := s.Backup(f); err != nil || size == 0 {
		t.Fatalf("%d bytes, %v", size, err)
	}
	f.Close()
	view(t, reopen(t, path), func(tx *Tx) {
		if tx.Nudge("k3f") == nil {
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
