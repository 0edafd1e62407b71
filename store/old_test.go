package store

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"nod/detect"
	"nod/nudge"
)

// TestRecordsOfSchemaOne: testdata/schema1 has records as the first schema's nod wrote them.
func TestRecordsOfSchemaOne(t *testing.T) {
	files, err := filepath.Glob("testdata/schema1/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no records: %v", err)
	}
	path := filepath.Join(t.TempDir(), "nod.db")
	db, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		if err := migrate(tx, migrations[:1]); err != nil {
			return err
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			id := filepath.Base(file[:len(file)-len(".json")])
			if err := tx.Bucket(nudgesBucket).Put([]byte(id), data); err != nil {
				return err
			}
			n, err := getNudge(tx, id)
			if err != nil {
				return err
			}
			for _, e := range entries(n) { // as the indexes of that schema were
				if err := tx.Bucket(e.bucket).Put(e.key, e.value); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	db.Close()

	s := reopen(t, path)
	if got := schemaVersion(s); got != len(migrations) || got < 2 {
		t.Errorf("schema %d", got)
	}
	view(t, s, func(tx *nudge.Tx) {
		pending, err := tx.Nudge("k3f")
		if err != nil || pending == nil {
			t.Fatal(err)
		}
		due := time.Date(2026, 3, 1, 12, 5, 0, 0, time.UTC)
		if pending.Kind != detect.Permission || pending.State != nudge.Pending || !pending.Next().Equal(due) || !pending.Live() {
			t.Errorf("got %+v", pending)
		}
		over, err := tx.Nudge("e5e")
		if err != nil || over == nil {
			t.Fatal(err)
		}
		if over.State != nudge.Delivered || over.Claim.Decision != detect.Approve || over.Live() || over.Effect != nil {
			t.Errorf("got %+v", over)
		}
		if last, err := tx.Last(pending.Pane); err != nil || idOf(last) != "k3f" {
			t.Errorf("the pane's newest is %q (%v)", idOf(last), err)
		}
		if due, err := tx.Due(due); err != nil || len(due) != 1 {
			t.Errorf("due: %d (%v)", len(due), err)
		}
	})
}

// TestNudgesOfAPane: the newest first, with what the transaction has put so far, and none of another pane.
func TestNudgesOfAPane(t *testing.T) {
	s := openTest(t)
	for _, panes := range [][]string{{"%1"}, {"%1", "%10", "%2"}} { // with and without a pane behind it
		update(t, s, func(tx *nudge.Tx) {
			for _, p := range panes {
				for i := 1; i <= 3; i++ {
					tx.Put(sample(string(rune('a'+i))+p[1:], p, i))
				}
			}
		})
		view(t, s, func(tx *nudge.Tx) { wantOf(t, tx, "%1", "d1", "c1", "b1") })
	}
	update(t, s, func(tx *nudge.Tx) {
		changed := sample("c1", "%1", 2)
		changed.Where = "main:2.0"
		tx.Put(changed)
		tx.Put(sample("e1", "%1", 4))
		tx.Put(sample("f1", "%1", 5))
		tx.Delete("d1")
		wantOf(t, tx, "%1", "f1", "e1", "c1", "b1")
		wantOf(t, tx, "%3")
		for n, err := range tx.Of(paneNamed("%1")) {
			if err != nil || n.ID == "c1" && n.Where != "main:2.0" {
				t.Errorf("%+v, %v", n, err)
			}
			break
		}
	})
	view(t, s, func(tx *nudge.Tx) { wantOf(t, tx, "%1", "f1", "e1", "c1", "b1") })
}

func wantOf(t *testing.T, tx *nudge.Tx, pane string, want ...string) {
	t.Helper()
	var got []string
	for n, err := range tx.Of(paneNamed(pane)) {
		if err != nil {
			t.Fatal(err)
		}
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
