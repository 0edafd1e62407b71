package store

import (
	"fmt"
	"io"
	"os"

	bolt "go.etcd.io/bbolt"

	"nod/internal/host/replace"
)

// copyPath is the path of the copy of a file with that schema.
func copyPath(path string, schema int) string { return fmt.Sprintf("%s.schema%d", path, schema) }

// keepOld copies the file if its schema is older than newest.
func (s *Store) keepOld(newest int) error {
	return s.view(func(tx *bolt.Tx) error {
		schema := schemaOf(tx)
		if schema == 0 || schema >= newest {
			return nil // it is new and empty, or needs no migration
		}
		path := copyPath(s.path, schema)
		if err := writeCopy(tx, path); err != nil {
			return err
		}
		s.copied = path
		return nil
	})
}

// writeCopy writes the whole database to a file that only its owner can read. An existing file is replaced
// once the new one is on disk.
func writeCopy(tx *bolt.Tx, path string) error {
	return replace.File(path, 0o600, func(w io.Writer) error {
		_, err := tx.WriteTo(w)
		return err
	})
}

// Copied returns the path of the copy that Open made of an older file; empty: none.
func (s *Store) Copied() string { return s.copied }

// wayBack returns the part of a sentence that names the newest copy that a nod with that schema can read;
// empty: none.
func wayBack(path string, schema int) string {
	for ; schema > 0; schema-- {
		if _, err := os.Stat(copyPath(path, schema)); err == nil {
			return fmt.Sprintf("or put %s in its place, which forgets what came later, ", copyPath(path, schema))
		}
	}
	return ""
}
