package store

import (
	"encoding/json"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"nod/nudge"
)

// Wishes gives those about which something may still have to be done or said, by id.
func (tx *Tx) Wishes() []*nudge.Wish { return tx.wishesIn(wishesBucket) }

// AllWishes gives every one that is kept.
func (tx *Tx) AllWishes() []*nudge.Wish { return append(tx.Wishes(), tx.wishesIn(wishesOverBucket)...) }

func (tx *Tx) wishesIn(bucket []byte) (list []*nudge.Wish) {
	c := tx.bolt.Bucket(bucket).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if w := tx.readWish(bucket, k, v); w != nil {
			list = append(list, w)
		}
	}
	return list
}

// Wish gives the one of that id, over or not; nil where there is none.
func (tx *Tx) Wish(id string) *nudge.Wish {
	for _, bucket := range [][]byte{wishesBucket, wishesOverBucket} {
		if v := tx.bolt.Bucket(bucket).Get([]byte(id)); v != nil {
			return tx.readWish(bucket, []byte(id), v)
		}
	}
	return nil
}

// readWish decodes a record; nil where it can't be read.
func (tx *Tx) readWish(bucket, key, value []byte) *nudge.Wish {
	w := new(nudge.Wish)
	if json.Unmarshal(value, w) != nil || w.ID != string(key) {
		tx.store.unreadable(bucket, key)
		return nil
	}
	return w
}

// PutWish writes w as it is now.
func (tx *Tx) PutWish(w *nudge.Wish) { tx.write(putWish(tx.bolt, w)) }

func putWish(tx *bolt.Tx, w *nudge.Wish) error {
	in, other := tx.Bucket(wishesBucket), tx.Bucket(wishesOverBucket)
	if !w.Live() {
		in, other = other, in
	}
	if err := other.Delete([]byte(w.ID)); err != nil {
		return fmt.Errorf("replace wish %s: %w", w.ID, err)
	}
	return putJSON(in, []byte(w.ID), w)
}
