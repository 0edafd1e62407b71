package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// TestInspect reads databases that are as they should be, or not, and leaves each as it was.
func TestInspect(t *testing.T) {
	change := func(f func(tx *bolt.Tx) error) func(string) {
		return func(path string) {
			db, err := bolt.Open(path, 0o600, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if err := db.Update(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, tt := range map[string]struct {
		do   func(path string)
		says string // of the error; empty: there is none
	}{
		"in order":        {func(string) {}, ""},
		"of a newer nod":  {change(func(tx *bolt.Tx) error { return tx.Bucket(metaBucket).Put(schemaKey, number(99)) }), "newer nod"},
		"of an older nod": {change(func(tx *bolt.Tx) error { return tx.Bucket(metaBucket).Put(schemaKey, number(1)) }), ""},
		"an index lost":   {change(func(tx *bolt.Tx) error { return tx.Bucket(liveBucket).Delete([]byte("k0f")) }), "do not fit together"},
		"an instruction elsewhere": {change(func(tx *bolt.Tx) error {
			return tx.Bucket(instructionsBucket).Put([]byte("i9k"), []byte(`{"ID":"i9k","State":"queued"}`))
		}), "does not belong there"},
		"cut short": {func(path string) { _ = os.Truncate(path, 10_000) }, "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filled(t)
			tt.do(path)
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			switch err := Inspect(path); {
			case tt.says == "" && err != nil:
				t.Errorf("it is in order: %v", err)
			case tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says)):
				t.Errorf("%v, want %q", err, tt.says)
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
	if err := Inspect(filepath.Join(t.TempDir(), "nod.db")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestInUse(t *testing.T) {
	path := filled(t)
	if who, inUse := InUse(path); inUse {
		t.Errorf("%s has it", who)
	}
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if who, inUse := InUse(path); !inUse || !strings.HasPrefix(who, "pid ") {
		t.Errorf("%q, %v", who, inUse)
	}
	if err := Inspect(path); err == nil || !strings.Contains(err.Error(), "another nod runs") {
		t.Errorf("a file that is in use: %v", err)
	}
}
