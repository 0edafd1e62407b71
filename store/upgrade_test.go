package store

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	bolt "go.etcd.io/bbolt"
)

var writeGolden = flag.Bool("golden", false, "write the file of today's schema, if there is none yet")

// golden lays down the file that a nod of that schema wrote.
func golden(t *testing.T, schema int) (path string) {
	t.Helper()
	return unpacked(t, fmt.Sprintf("testdata/schema%d.db.gz", schema))
}

// unpacked lays down a database of the testdata.
func unpacked(t *testing.T, name string) (path string) {
	t.Helper()
	packed, err := os.Open(name)
	if err != nil {
		t.Fatalf("%v; go test ./store -golden writes it", err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "nod.db")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// content is every key and value of a file.
func content(t *testing.T, path string) map[string]string {
	t.Helper()
	db, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	all := map[string]string{}
	err = db.View(func(tx *bolt.Tx) error {
		return tx.ForEach(func(bucket []byte, b *bolt.Bucket) error {
			all[string(bucket)] = ""
			return b.ForEach(func(k, v []byte) error { all[name(bucket, k)] = string(v); return nil })
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestEverySchemaThatEverWas is read, and left beside as it was; and there is a way back to it.
func TestEverySchemaThatEverWas(t *testing.T) {
	if last := fmt.Sprintf("testdata/schema%d.db.gz", len(migrations)); *writeGolden {
		if _, err := os.Stat(last); err != nil {
			pack(t, last, len(migrations)-1)
		}
	}
	for schema := 1; schema <= len(migrations); schema++ {
		t.Run(fmt.Sprint(schema), func(t *testing.T) {
			path := golden(t, schema)
			before := content(t, path)
			s := reopen(t, path)
			if got := schemaVersion(s); got != len(migrations) {
				t.Errorf("schema %d", got)
			}
			wantGolden(t, s, schema)
			if schema == len(migrations) {
				if s.Copied() != "" {
					t.Errorf("a copy was made of today's: %s", s.Copied())
				}
				return
			}
			update(t, s, func(tx *Tx) { tx.Put(sample("m4m", "%9", 1)) })
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if s.Copied() != path+fmt.Sprintf(".schema%d", schema) {
				t.Fatalf("the copy is %q", s.Copied())
			}
			if info, err := os.Stat(s.Copied()); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
			if !maps.Equal(content(t, s.Copied()), before) {
				t.Error("the copy is not what the file was")
			}

			// The nod of that schema refuses the file, and says which copy it can use instead.
			_, err := open(path, migrations[:schema])
			if err == nil || !strings.Contains(err.Error(), "newer nod") || !strings.Contains(err.Error(), s.Copied()) {
				t.Fatalf("an older nod says: %v", err)
			}
			if err := os.Rename(s.Copied(), path); err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(content(t, path), before) {
				t.Error("the way back leads elsewhere")
			}
			s = reopen(t, path)
			wantGolden(t, s, schema)
			view(t, s, func(tx *Tx) {
				if tx.Nudge("m4m") != nil {
					t.Error("what came after the copy is still there")
				}
			})
		})
	}
}

// pack writes the file of today's schema: that of the one before, brought up to date.
func pack(t *testing.T, to string, before int) {
	t.Helper()
	path := golden(t, before)
	s := reopen(t, path)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err = w.Write(data)
	if err := errors.Join(err, w.Close(), os.WriteFile(to, packed.Bytes(), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// wantGolden fails unless s has what the nod of that schema wrote.
func wantGolden(t *testing.T, s *Store, schema int) {
	t.Helper()
	if offset, err := s.Memory().Offset(); err != nil || offset != 12 {
		t.Errorf("the offset is %d, %v", offset, err)
	}
	if len(s.Secret()) != 32 {
		t.Errorf("the secret is %d bytes", len(s.Secret()))
	}
	if schema == 1 {
		wantSchemaOne(t, s)
		return
	}
	wantRecords(t, s)
}

// TestNoCopyNoUpgrade: a file is only changed when a copy of it is safe.
func TestNoCopyNoUpgrade(t *testing.T) {
	path := golden(t, 2)
	before := content(t, path)
	if err := os.Mkdir(copyPath(path, 2), 0o700); err != nil { // in the copy's place, so it can't be written
		t.Fatal(err)
	}
	_, err := Open(path)
	if err == nil || !strings.Contains(err.Error(), "keep a copy") || !errors.Is(err, syscall.EEXIST) && !errors.Is(err, syscall.EISDIR) {
		t.Fatalf("%v", err)
	}
	if !maps.Equal(content(t, path), before) {
		t.Error("the file was changed")
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".nod-*")); slices.Compact(left) != nil {
		t.Errorf("left: %v", left)
	}
}

// TestUpgradeMakesTheCopyAnew: after a way back the file of the older schema may have gone on.
func TestUpgradeMakesTheCopyAnew(t *testing.T) {
	path := golden(t, 3)
	if err := os.WriteFile(copyPath(path, 3), []byte("an older copy"), 0o644); err != nil {
		t.Fatal(err)
	}
	before := content(t, path)
	reopen(t, path)
	if !maps.Equal(content(t, copyPath(path, 3)), before) {
		t.Error("the copy is another file's")
	}
}
