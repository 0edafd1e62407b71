package store

import (
	"errors"
	"fmt"
	"os"
	"time"

	bolt "go.etcd.io/bbolt"
	"golang.org/x/sys/unix"
)

// inspectWait is how long Inspect waits for a nod that has the file open.
const inspectWait = 100 * time.Millisecond

// Inspect reads the database at path like Open and Check, and changes nothing, not even the schema. The error
// is a sentence with a next step; os.ErrNotExist if there is no file yet.
func Inspect(path string) error {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return err
	}
	db, err := openFile(path, bolt.Options{ReadOnly: true, Timeout: inspectWait})
	if err != nil {
		return openError(path, err)
	}
	s := &Store{db: db, path: path, damaged: map[string]bool{}}
	defer s.Close()
	if err := checkPages(db); err != nil {
		return damaged(path, err)
	}
	var schema int
	if err := s.view(func(tx *bolt.Tx) error { schema = schemaOf(tx); return missing(tx, [][]byte{metaBucket}) }); err != nil {
		return damaged(path, err)
	}
	switch {
	case schema > len(migrations):
		return newer(path, NewerError{schema, len(migrations)})
	case schema < len(migrations):
		return nil // the records are checked after the migration
	}
	if err := s.view(func(tx *bolt.Tx) error { return missing(tx, ownBuckets) }); err != nil {
		return damaged(path, err)
	}
	if err := s.Check(); err != nil {
		return fmt.Errorf("%s has records that do not fit together (%w): keep a copy with `nod backup`, and report it", path, err)
	}
	return nil
}

// InUse reports whether a process has the database open for writing, by bbolt's lock, and which process that
// probably is.
func InUse(path string) (process string, inUse bool) {
	f, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer f.Close()
	if !errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK) {
		return "", false // closing releases the lock
	}
	return pidOf(path), true
}
