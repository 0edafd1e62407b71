package store

import (
	"fmt"
	"runtime/debug"

	bolt "go.etcd.io/bbolt"
)

// errMissing is the name of a bucket that the file lacks.
type errMissing string

func (name errMissing) Error() string { return "it has no " + string(name) }

// missing returns the first of the buckets that a non-empty file lacks.
func missing(tx *bolt.Tx, buckets [][]byte) error {
	if first, _ := tx.Cursor().First(); first == nil {
		return nil // a new file
	}
	for _, name := range buckets {
		if tx.Bucket(name) == nil {
			return errMissing(name)
		}
	}
	return nil
}

// openFile opens path with bbolt. A panic of bbolt, or its read of memory without a file behind it, becomes
// an error.
func openFile(path string, options bolt.Options) (db *bolt.DB, err error) {
	before := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(before)
		if r := recover(); r != nil {
			err = fmt.Errorf("a page can't be read: %v", r)
		}
	}()
	return bolt.Open(path, 0o600, &options)
}
