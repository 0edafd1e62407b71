package store

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"nod/detect/screen"
	"nod/nudge"
)

// upgraded opens a database whose records are those that a nod of that schema wrote, in testdata, after today's
// has brought it up to date.
func upgraded(t *testing.T, schema int, dir string) *Store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nod.db")
	db, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		for _, step := range migrations[:schema] {
			if err := step(tx); err != nil {
				return err
			}
		}
		fillOld(t, tx, dir)
		if schema == len(migrations) {
			if err := reindex(tx); err != nil {
				return err
			}
		}
		return tx.Bucket(metaBucket).Put(schemaKey, number(uint64(schema)))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s := reopen(t, path)
	if got := schemaVersion(s); got != len(migrations) {
		t.Errorf("schema %d, want %d", got, len(migrations))
	}
	return s
}

// fillOld writes the files of a directory as they are: nudges, the audit trail, what was handled, and state.
func fillOld(t *testing.T, tx *bolt.Tx, dir string) {
	t.Helper()
	put := func(bucket string, key, value []byte) {
		if err := tx.Bucket([]byte(bucket)).Put(key, value); err != nil {
			t.Fatal(err)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) == 0 {
		t.Fatalf("no records: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		name, kind, _ := strings.Cut(file.Name(), ".")
		switch kind {
		case "json":
			put("nudges", []byte(name), data)
		case "jsonl":
			for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
				put(name, number(uint64(i+1)), line)
			}
		case "hex": // what was handled, in order of time: TIME KEY, and KEY
			for line := range strings.Lines(string(data)) {
				byTime, key, _ := strings.Cut(strings.TrimSpace(line), " ")
				at, _ := hex.DecodeString(byTime)
				handled, _ := hex.DecodeString(key)
				put(name, handled, at[:8])
				put(name+"_at", at, handled)
			}
		default:
			put(name, []byte(kind), bytes.TrimSpace(data))
		}
	}
}

func TestRecordsOfSchemaOne(t *testing.T) {
	wantSchemaOne(t, upgraded(t, 1, "testdata/schema1"))
}

// wantSchemaOne fails unless s has the records of which the first schema's files tell.
func wantSchemaOne(t *testing.T, s *Store) {
	t.Helper()
	view(t, s, func(tx *Tx) {
		pending := tx.Nudge("k3f")
		if pending == nil {
			t.Fatal("a record is lost")
		}
		due := time.Date(2026, 3, 1, 12, 5, 0, 0, time.UTC)
		if pending.Kind() != screen.Permission || pending.State != nudge.Pending || !pending.Next().Equal(due) || !pending.Live() {
			t.Errorf("got %+v", pending)
		}
		over := tx.Nudge("e5e")
		if over == nil {
			t.Fatal("a record is lost")
		}
		if over.State != nudge.Delivered || over.Claim.Decision != screen.Approve || over.Live() || over.Effect != nil {
			t.Errorf("got %+v", over)
		}
		if last := tx.Last(pending.Pane); idOf(last) != "k3f" {
			t.Errorf("the pane's newest is %q", idOf(last))
		}
		if due := tx.Due(due); len(due) != 1 {
			t.Errorf("due: %d", len(due))
		}
		if n := tx.ByMessage(nudge.Ref{Place: "7", Message: 102}); idOf(n) != "k3f" {
			t.Errorf("message 102 shows %q", idOf(n))
		}
	})
}

func TestRecordsOfSchemaTwo(t *testing.T) {
	wantRecords(t, upgraded(t, 2, "testdata/schema2"))
}

// TestRecordsOfSchemaFour: the same records, as the nod of that schema writes them.
func TestRecordsOfSchemaFour(t *testing.T) {
	wantRecords(t, upgraded(t, 4, "testdata/schema4"))
}

// wantRecords fails unless s has the records of which the later schemas' files tell.
func wantRecords(t *testing.T, s *Store) {
	t.Helper()
	view(t, s, func(tx *Tx) {
		for message, want := range map[nudge.Ref]string{
			{Place: "7", Message: 102}: "k3f", {Place: "7", Message: 104}: "k3f", {Place: "-100200", Message: 9}: "k3f",
			{Place: "7", Message: 101}: "i2d e5e", {Place: "7", Message: 103}: "",
		} {
			if got := idOf(tx.ByMessage(message)); !strings.Contains(want, got) || got == "" && want != "" {
				t.Errorf("message %+v shows %q, want %q", message, got, want)
			}
		}
		pending, over, idle := tx.Nudge("k3f"), tx.Nudge("e5e"), tx.Nudge("i2d")
		if c := pending.Copies[1]; c.Message != 104 || !c.Unseen || !c.Hidden || !c.Sent.Equal(noon) || pending.Cadence[1] != 5*time.Minute {
			t.Errorf("got %+v", pending)
		}
		if c := over.Claim; c.By != (nudge.Person{ID: "7", Name: "Ann"}) || c.Ref != (nudge.Ref{Place: "7", Message: 9, Update: 11}) || !c.Unseen {
			t.Errorf("the claim is %+v", over.Claim)
		}
		if over.Effect.Took != 12*time.Second || over.Live() || over.Ended.IsZero() {
			t.Errorf("got %+v", over)
		}
		if c := idle.Claim; c.By.ID != "" || c.Place != "" || c.Text != "run the tests" || !idle.Replaced {
			t.Errorf("got %+v, %+v", idle, idle.Claim)
		}
		for _, r := range []nudge.Ref{{Update: 11}, {Place: "7", Message: 9}, {Place: "-100200", Message: 5}} {
			if !tx.Handled(r) {
				t.Errorf("%+v may act twice", r)
			}
		}
		if p := tx.Preferences(); !p.Muted.Equal(noon) || p.Hours.Quiet.String() != "22:00-07:00 UTC" {
			t.Errorf("preferences %+v", p)
		}
		others := tx.OtherMessages()
		if len(others) != 2 || others[0].Ref != (nudge.Ref{Place: "7", Message: 103}) || !others[0].Several || others[1].Several {
			t.Errorf("other messages %+v", others)
		}
	})
	lines, err := s.Tail(9)
	if err != nil || len(lines) != 3 || lines[0].Chat != "7" || lines[0].Message != 102 || lines[2].Chat != "" {
		t.Errorf("the audit trail is %+v, %v", lines, err)
	}
}

// TestNudgesOfAPane: the newest first, with what the transaction has put so far, and none of another pane.
func TestNudgesOfAPane(t *testing.T) {
	s := openTest(t)
	for _, panes := range [][]string{{"%1"}, {"%1", "%10", "%2"}} { // with and without a pane behind it
		update(t, s, func(tx *Tx) {
			for _, p := range panes {
				for i := 1; i <= 3; i++ {
					tx.Put(sample(string(rune('a'+i))+p[1:], p, i))
				}
			}
		})
		view(t, s, func(tx *Tx) { wantOf(t, tx, "%1", "d1", "c1", "b1") })
	}
	update(t, s, func(tx *Tx) {
		changed := sample("c1", "%1", 2)
		changed.Where = "main:2.0"
		tx.Put(changed)
		tx.Put(sample("e1", "%1", 4))
		tx.Put(sample("f1", "%1", 5))
		tx.Delete("d1")
		wantOf(t, tx, "%1", "f1", "e1", "c1", "b1")
		wantOf(t, tx, "%3")
		for n := range tx.Of(paneNamed("%1")) {
			if n.ID == "c1" && n.Where != "main:2.0" {
				t.Errorf("%+v", n)
			}
		}
	})
	view(t, s, func(tx *Tx) { wantOf(t, tx, "%1", "f1", "e1", "c1", "b1") })
}

func wantOf(t *testing.T, tx *Tx, pane string, want ...string) {
	t.Helper()
	var got []string
	for n := range tx.Of(paneNamed(pane)) {
		got = append(got, n.ID)
	}
	if len(got) != len(want) {
		t.Fatalf("pane %s has %v, want %v", pane, got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("pane %s has %v, want %v", pane, got, want)
		}
	}
}
