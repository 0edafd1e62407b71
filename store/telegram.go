package store

import (
	"encoding/binary"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"

	"nod/nudge"
)

// Offset is the offset of the next getUpdates, as SetOffset last wrote it; 0 at first.
func (s *Store) Offset() (offset int, err error) {
	err = s.view(func(tx *bolt.Tx) error {
		if data := tx.Bucket(stateBucket).Get(offsetKey); data != nil {
			offset = int(binary.BigEndian.Uint64(data))
		}
		return nil
	})
	return offset, err
}

// SetOffset writes the offset of the next getUpdates. Update ids may start again lower, so it may go
// down as well as up.
func (s *Store) SetOffset(offset int) error {
	return s.update(func(tx *bolt.Tx) error {
		return tx.Bucket(stateBucket).Put(offsetKey, number(uint64(offset)))
	})
}

// Handled reports whether the update has acted before, as an answer or by Handle.
func (s *Store) Handled(update int) (handled bool, err error) {
	err = s.view(func(tx *bolt.Tx) error {
		handled = tx.Bucket(handledBucket).Get(handledKey(nudge.Ref{Update: update})) != nil
		return nil
	})
	return handled, err
}

// Handle takes note of an update that is no answer and has been handled. An answer's update is noted
// in the transaction that claims its nudge.
func (s *Store) Handle(update int) error {
	return s.update(func(tx *bolt.Tx) error {
		return handle(tx, time.Now(), handledKey(nudge.Ref{Update: update}))
	})
}

// handle notes key with its time, in both orders. Handled twice, it keeps its first time.
func handle(tx *bolt.Tx, now time.Time, key []byte) error {
	if tx.Bucket(handledBucket).Get(key) != nil {
		return nil
	}
	if err := tx.Bucket(handledBucket).Put(key, moment(now)); err != nil {
		return fmt.Errorf("note an update: %w", err)
	}
	return tx.Bucket(handledAtBucket).Put(handledAtKey(now, key), key)
}

// forget drops what was handled before a time.
func forget(tx *bolt.Tx, before time.Time) error {
	var old []entry
	c := tx.Bucket(handledAtBucket).Cursor()
	for k, v := c.First(); k != nil && keyTime(k).Before(before); k, v = c.Next() {
		old = append(old, entry{key: k, value: v})
	}
	for _, e := range old {
		if err := tx.Bucket(handledBucket).Delete(e.value); err != nil {
			return fmt.Errorf("forget an update: %w", err)
		}
		if err := tx.Bucket(handledAtBucket).Delete(e.key); err != nil {
			return fmt.Errorf("forget an update: %w", err)
		}
	}
	return nil
}
