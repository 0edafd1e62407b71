package store

import (
	"encoding/json"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"nod/nudge"
)

// Wishes gives those about which something may still have to be done or said, by id.
func (tx *Tx) Wishes() []*nudge.Wish { return readAll(tx, wishesBucket, wishID) }

// AllWishes gives every one that is kept.
func (tx *Tx) AllWishes() []*nudge.Wish {
	return append(tx.Wishes(), readAll(tx, wishesOverBucket, wishID)...)
}

// Wish gives the one of that id, over or not; nil where there is none.
func (tx *Tx) Wish(id string) *nudge.Wish {
	return readOne(tx, id, wishID, wishesBucket, wishesOverBucket)
}

// PutWish writes w as it is now.
func (tx *Tx) PutWish(w *nudge.Wish) { tx.write(putWish(tx.bolt, w)) }

func putWish(tx *bolt.Tx, w *nudge.Wish) error {
	return putLive(tx, w.ID, w, w.Live(), wishesBucket, wishesOverBucket)
}

func wishID(w *nudge.Wish) string { return w.ID }

// Denials gives the denied calls about which something may still have to be done or said, by id of their message.
func (tx *Tx) Denials() []*nudge.Denials { return readAll(tx, denialsBucket, denialsID) }

// AllDenials gives all that are kept.
func (tx *Tx) AllDenials() []*nudge.Denials {
	return append(tx.Denials(), readAll(tx, denialsOverBucket, denialsID)...)
}

// DenialsOf gives those of that id, over or not; nil where there are none.
func (tx *Tx) DenialsOf(id string) *nudge.Denials {
	return readOne(tx, id, denialsID, denialsBucket, denialsOverBucket)
}

// PutDenials writes d as it is now.
func (tx *Tx) PutDenials(d *nudge.Denials) { tx.write(putDenials(tx.bolt, d)) }

func putDenials(tx *bolt.Tx, d *nudge.Denials) error {
	return putLive(tx, d.ID, d, d.Live(), denialsBucket, denialsOverBucket)
}

func denialsID(d *nudge.Denials) string { return d.ID }

// readAll decodes the records of a bucket. One that can't be read counts as absent.
func readAll[T any](tx *Tx, bucket []byte, id func(*T) string) (list []*T) {
	c := tx.bolt.Bucket(bucket).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if r := read(tx, bucket, k, v, id); r != nil {
			list = append(list, r)
		}
	}
	return list
}

// readOne gives the record of an id in one of two buckets; nil where there is none.
func readOne[T any](tx *Tx, id string, idOf func(*T) string, buckets ...[]byte) *T {
	for _, bucket := range buckets {
		if v := tx.bolt.Bucket(bucket).Get([]byte(id)); v != nil {
			return read(tx, bucket, []byte(id), v, idOf)
		}
	}
	return nil
}

func read[T any](tx *Tx, bucket, key, value []byte, id func(*T) string) *T {
	r := new(T)
	if json.Unmarshal(value, r) != nil || id(r) != string(key) {
		tx.store.unreadable(bucket, key)
		return nil
	}
	return r
}

// putLive writes a record into one of two buckets, as it is live or not.
func putLive(tx *bolt.Tx, id string, record any, live bool, liveIn, overIn []byte) error {
	in, other := tx.Bucket(liveIn), tx.Bucket(overIn)
	if !live {
		in, other = other, in
	}
	if err := other.Delete([]byte(id)); err != nil {
		return fmt.Errorf("replace %s: %w", name(liveIn, []byte(id)), err)
	}
	return putJSON(in, []byte(id), record)
}
