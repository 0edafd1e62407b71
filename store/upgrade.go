package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"
)

// copyPath is where the copy of a file lies as it was with that schema.
func copyPath(path string, schema int) string { return fmt.Sprintf("%s.schema%d", path, schema) }

// keepOld leaves a copy of the file beside it if its schema is older than that one.
func (s *Store) keepOld(newest int) error {
	return s.view(func(tx *bolt.Tx) error {
		schema := schemaOf(tx)
		if schema == 0 || schema >= newest {
			return nil // it is new and empty, or nothing is to be done
		}
		path := copyPath(s.path, schema)
		if err := writeCopy(tx, path); err != nil {
			return err
		}
		s.copied = path
		return nil
	})
}

// writeCopy writes the whole database to a file of its owner's alone. One that is there already is replaced, when the
// new one is on disk.
func writeCopy(tx *bolt.Tx, path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".nod-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = tx.WriteTo(f)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// Copied is the path of the copy that Open made of an older file; empty: it was none.
func (s *Store) Copied() string { return s.copied }

// wayBack is the part of a sentence that names the newest copy that a nod can read which knows that schema.
func wayBack(path string, schema int) string {
	for ; schema > 0; schema-- {
		if _, err := os.Stat(copyPath(path, schema)); err == nil {
			return fmt.Sprintf("or put %s in its place, which forgets what came later, ", copyPath(path, schema))
		}
	}
	return ""
}
