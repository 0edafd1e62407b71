package store

import (
	"bytes"
	"fmt"
	"io"

	bolt "go.etcd.io/bbolt"
)

// Secret returns 32 random bytes, made with the database and never changed. Nobody who has not read the file
// can compute what is derived from them. The caller must not change them.
func (s *Store) Secret() []byte { return s.secret }

// values are small values by name, in the file of a Store or of Claims.
type values struct {
	reads, writes func(func(*bolt.Tx) error) error // one transaction each
}

// Get returns the value that Put last wrote under name; nil: none.
func (s values) Get(name string) (value []byte, err error) {
	err = s.reads(func(tx *bolt.Tx) error {
		value = bytes.Clone(tx.Bucket(stateBucket).Get(chatKey(name)))
		return nil
	})
	return value, err
}

// All returns the values that Put wrote under names with that prefix, by name.
func (s values) All(prefix string) (all map[string][]byte, err error) {
	all = map[string][]byte{}
	err = s.reads(func(tx *bolt.Tx) error {
		c := tx.Bucket(stateBucket).Cursor()
		for k, v := c.Seek(chatKey(prefix)); bytes.HasPrefix(k, chatKey(prefix)); k, v = c.Next() {
			all[string(bytes.TrimPrefix(k, chatPrefix))] = bytes.Clone(v)
		}
		return nil
	})
	return all, err
}

// Put stores a small value under name; nil deletes it.
func (s values) Put(name string, value []byte) error {
	return s.put(stateBucket, chatKey(name), value)
}

// Monitors returns the values that PutMonitor wrote, by name.
func (s values) Monitors() (all map[string][]byte, err error) {
	all = map[string][]byte{}
	err = s.reads(func(tx *bolt.Tx) error {
		return tx.Bucket(monitorsBucket).ForEach(func(k, v []byte) error {
			all[string(k)] = bytes.Clone(v)
			return nil
		})
	})
	return all, err
}

// PutMonitor stores a small value under the name of a monitor; nil deletes it.
func (s values) PutMonitor(name string, value []byte) error {
	return s.put(monitorsBucket, []byte(name), value)
}

func (s values) put(bucket, key, value []byte) error {
	return s.writes(func(tx *bolt.Tx) error {
		if value == nil {
			return tx.Bucket(bucket).Delete(key)
		}
		return tx.Bucket(bucket).Put(key, value)
	})
}

// Backup writes a consistent copy of the whole database while it is in use, and returns its length in bytes.
func (s *Store) Backup(w io.Writer) (size int64, err error) {
	err = s.view(func(tx *bolt.Tx) error {
		size, err = tx.WriteTo(w)
		return err
	})
	if err != nil {
		return size, fmt.Errorf("copy the database: %w", err)
	}
	return size, nil
}

// Mapped calls f with the path of the database, whose mapping in memory stays where it is meanwhile.
func (s *Store) Mapped(f func(path string) error) error {
	return s.view(func(*bolt.Tx) error { return f(s.path) })
}
