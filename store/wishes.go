package store

import (
	"encoding/json"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"nod/nudge"
)

// Wishes returns the live wishes, by id.
func (tx *Tx) Wishes() []*nudge.Wish { return readAll(tx, wishesBucket, wishID) }

// AllWishes returns every stored wish.
func (tx *Tx) AllWishes() []*nudge.Wish {
	return append(tx.Wishes(), readAll(tx, wishesOverBucket, wishID)...)
}

// Wish returns the wish with that id, over or not; nil: none.
func (tx *Tx) Wish(id string) *nudge.Wish {
	return readOne(tx, id, wishID, wishesBucket, wishesOverBucket)
}

// PutWish writes w.
func (tx *Tx) PutWish(w *nudge.Wish) { tx.write(putWish(tx.bolt, w)) }

func putWish(tx *bolt.Tx, w *nudge.Wish) error {
	return putLive(tx, w.ID, w, w.Live(), wishesBucket, wishesOverBucket)
}

func wishID(w *nudge.Wish) string { return w.ID }

// Denials returns the live messages of denied calls, by id.
func (tx *Tx) Denials() []*nudge.Denials { return readAll(tx, denialsBucket, denialsID) }

// AllDenials returns all stored messages of denied calls.
func (tx *Tx) AllDenials() []*nudge.Denials {
	return append(tx.Denials(), readAll(tx, denialsOverBucket, denialsID)...)
}

// DenialsOf returns the denied calls with that id, over or not; nil: none.
func (tx *Tx) DenialsOf(id string) *nudge.Denials {
	return readOne(tx, id, denialsID, denialsBucket, denialsOverBucket)
}

// PutDenials writes d.
func (tx *Tx) PutDenials(d *nudge.Denials) { tx.write(putDenials(tx.bolt, d)) }

func putDenials(tx *bolt.Tx, d *nudge.Denials) error {
	return putLive(tx, d.ID, d, d.Live(), denialsBucket, denialsOverBucket)
}

func denialsID(d *nudge.Denials) string { return d.ID }

// readAll decodes the records of a bucket. An unreadable one counts as absent.
func readAll[T any](tx *Tx, bucket []byte, id func(*T) string) (list []*T) {
	c := tx.bolt.Bucket(bucket).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if r := read(tx, bucket, k, v, id); r != nil {
			list = append(list, r)
		}
	}
	return list
}

// readOne returns the record with that id from any of the buckets; nil: none.
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

// putLive writes a record into the bucket for live records, or into the one for those that are over.
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
