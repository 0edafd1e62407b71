package store

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// migrations lead from an empty file to today's schema, one version a step. A step that has been
// released is never changed: the next one is added after it.
var migrations = []func(*bolt.Tx) error{
	createBuckets,
	letAgentsBeIdle,
}

// migrate brings the database to the newest schema, all in one transaction.
// A database of a newer nod is left alone.
func migrate(tx *bolt.Tx, steps []func(*bolt.Tx) error) error {
	version := schemaOf(tx)
	if version > len(steps) {
		return newerError{version, len(steps)}
	}
	for i := version; i < len(steps); i++ {
		if err := steps[i](tx); err != nil {
			return fmt.Errorf("bring the database to schema %d: %w", i+1, err)
		}
	}
	return tx.Bucket(metaBucket).Put(schemaKey, number(uint64(len(steps))))
}

// schemaOf is the schema of the database; 0 for an empty file.
func schemaOf(tx *bolt.Tx) int {
	meta := tx.Bucket(metaBucket)
	if meta == nil {
		return 0
	}
	data := meta.Get(schemaKey)
	if len(data) != 8 {
		return 0
	}
	return int(binary.BigEndian.Uint64(data))
}

// newerError is a database that a newer nod has written.
type newerError struct{ found, known int }

func (e newerError) Error() string {
	return fmt.Sprintf("it has schema %d and this nod knows %d", e.found, e.known)
}

func createBuckets(tx *bolt.Tx) error {
	for _, name := range [][]byte{
		metaBucket, nudgesBucket, panesBucket, liveBucket, dueBucket, messagesBucket,
		heardBucket, heardAtBucket, auditBucket, stateBucket,
	} {
		if _, err := tx.CreateBucket(name); err != nil {
			return fmt.Errorf("create bucket %s: %w", name, err)
		}
	}
	secret := make([]byte, 32)
	rand.Read(secret)
	return tx.Bucket(metaBucket).Put(secretKey, secret)
}

// letAgentsBeIdle changes nothing in the file: records of before are read as they are. From here on some tell of
// agents that are idle or silent, and a nod that takes every nudge for a prompt must leave them alone.
func letAgentsBeIdle(*bolt.Tx) error { return nil }
