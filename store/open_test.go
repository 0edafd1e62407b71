package store

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// refused opens path, which must fail with a sentence and leave the file as it was.
func refused(t *testing.T, path string, words ...string) {
	t.Helper()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(path)
	if err == nil {
		s.Close()
		t.Fatal("it opened")
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q lacks %q", err, w)
		}
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("the file was changed")
	}
}

func TestSecondNodIsNamed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "nod.db")
	reopen(t, path)
	refused(t, path, "another nod runs on this state", fmt.Sprintf("pid %d", os.Getpid()), "NOD_STATE_DIR")
}

// filled makes a closed database of some size.
func filled(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "nod.db")
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	update(t, s, func(tx *Tx) {
		for i := range 200 {
			n := sample(fmt.Sprintf("k%df", i), fmt.Sprintf("%%%d", i), 1)
			n.Tail = []string{strings.Repeat("x", 200)}
			tx.Put(n)
		}
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTruncatedFileIsLeftAlone(t *testing.T) {
	whole, err := os.ReadFile(filled(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1, 79, 4096, 8192, 12288, 16384, len(whole) / 2, len(whole) - 40000} {
		path := filepath.Join(t.TempDir(), "nod.db")
		if err := os.WriteFile(path, whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		t.Run(fmt.Sprint(size), func(t *testing.T) { refused(t, path, "damaged", "was left as it is", "nod backup") })
	}
}

func TestGarbageIsLeftAlone(t *testing.T) {
	whole, err := os.ReadFile(filled(t))
	if err != nil {
		t.Fatal(err)
	}
	inside := bytes.Clone(whole)
	for i := 8192; i < len(inside); i++ {
		inside[i] = byte(i * 7)
	}
	for name, data := range map[string][]byte{
		"text":  []byte(strings.Repeat("this is no database\n", 1000)),
		"zeros": make([]byte, 65536),
		"pages": inside,
	} {
		path := filepath.Join(t.TempDir(), "nod.db")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { refused(t, path, "damaged", "was left as it is") })
	}
}

func TestNewerSchemaIsLeftAlone(t *testing.T) {
	path := filled(t)
	db, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error { return tx.Bucket(metaBucket).Put(schemaKey, number(99)) })
	if err != nil {
		t.Fatal(err)
	}
	db.Close()
	refused(t, path, "newer nod", "schema 99", "NOD_STATE_DIR")
}

func TestMigrationsRunOnceAndInOrder(t *testing.T) {
	s := openTest(t)
	var ran []int
	step := func(i int) func(*bolt.Tx) error {
		return func(*bolt.Tx) error { ran = append(ran, i); return nil }
	}
	last := len(migrations)
	steps := append(slices.Clone(migrations), step(last+1), step(last+2))
	for range 2 {
		if err := s.db.Update(func(tx *bolt.Tx) error { return migrate(tx, steps) }); err != nil {
			t.Fatal(err)
		}
	}
	if want := []int{last + 1, last + 2}; !slices.Equal(ran, want) {
		t.Errorf("ran %v, want %v", ran, want)
	}
	s.db.View(func(tx *bolt.Tx) error {
		if v := schemaOf(tx); v != len(steps) {
			t.Errorf("schema %d", v)
		}
		return nil
	})
}

func TestFailedMigrationChangesNothing(t *testing.T) {
	s := openTest(t)
	before := schemaVersion(s)
	err := s.db.Update(func(tx *bolt.Tx) error {
		return migrate(tx, append(migrations, func(tx *bolt.Tx) error {
			tx.DeleteBucket(nudgesBucket)
			return fmt.Errorf("broken")
		}))
	})
	if err == nil || schemaVersion(s) != before {
		t.Errorf("schema %d, was %d: %v", schemaVersion(s), before, err)
	}
}

func schemaVersion(s *Store) (v int) {
	s.db.View(func(tx *bolt.Tx) error { v = schemaOf(tx); return nil })
	return v
}
