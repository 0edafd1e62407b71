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

// Get returns the value that Put last wrote under name; nil: none.
func (s *Store) Get(name string) (value []byte, err error) { return getState(s.view, name) }

type access = func(func(*bolt.Tx) error) error

func getState(view access, name string) (value []byte, err error) {
	err = view(func(tx *bolt.Tx) error {
		value = bytes.Clone(tx.Bucket(stateBucket).Get(chatKey(name)))
		return nil
	})
	return value, err
}

// All returns the values that Put wrote under names with that prefix, by name.
func (s *Store) All(prefix string) (values map[string][]byte, err error) {
	return allState(s.view, prefix)
}

func allState(view access, prefix string) (values map[string][]byte, err error) {
	values = map[string][]byte{}
	err = view(func(tx *bolt.Tx) error {
		c := tx.Bucket(stateBucket).Cursor()
		for k, v := c.Seek(chatKey(prefix)); bytes.HasPrefix(k, chatKey(prefix)); k, v = c.Next() {
			values[string(bytes.TrimPrefix(k, chatPrefix))] = bytes.Clone(v)
		}
		return nil
	})
	return values, err
}

// Put stores a small value under name; nil deletes it.
func (s *Store) Put(name string, value []byte) error { return putState(s.update, name, value) }

func putState(update access, name string, value []byte) error {
	return update(func(tx *bolt.Tx) error {
		if value == nil {
			return tx.Bucket(stateBucket).Delete(chatKey(name))
		}
		return tx.Bucket(stateBucket).Put(chatKey(name), value)
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
