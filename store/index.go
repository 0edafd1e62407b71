package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	bolt "go.etcd.io/bbolt"

	"nod/nudge"
)

// entry is one key of an index.
type entry struct {
	bucket, key, value []byte
}

// entries returns all index keys of a nudge. They follow from the record alone, so an index can be rebuilt,
// and the change of a record is the difference of two lists.
func entries(n *nudge.Nudge) []entry {
	if n == nil {
		return nil
	}
	id := []byte(n.ID)
	var list []entry
	if n.Program() == nil {
		list = append(list, entry{panesBucket, paneKey(n.Pane, n.Number), id})
	}
	if n.Live() {
		list = append(list, entry{liveBucket, id, id})
	}
	if next := n.Next(); !next.IsZero() {
		list = append(list, entry{dueBucket, dueKey(next, n.ID), id})
	}
	for _, c := range n.Copies {
		if len(c.Group) > 0 {
			continue // a message about several nudges refers to none
		}
		list = append(list, entry{messagesBucket, messageKey(c.Ref), id})
	}
	return list
}

// putNudge writes a record, or deletes it if n is nil, and updates every index.
func (tx *Tx) putNudge(id string, n *nudge.Nudge) error {
	before, err := tx.stored(id)
	if err != nil {
		return fmt.Errorf("replace nudge %s: %w", id, err)
	}
	tx.store.decoded.forget(id)
	old, now := entries(before), entries(n)
	for _, e := range old {
		// Message ids of a new bot start low again, so the message may show another nudge by now.
		mine := bytes.Equal(tx.bolt.Bucket(e.bucket).Get(e.key), e.value)
		if mine && !contains(now, e) {
			if err := tx.bolt.Bucket(e.bucket).Delete(e.key); err != nil {
				return fmt.Errorf("index %s: %w", e.bucket, err)
			}
		}
	}
	for _, e := range now {
		if !contains(old, e) {
			if err := tx.bolt.Bucket(e.bucket).Put(e.key, e.value); err != nil {
				return fmt.Errorf("index %s: %w", e.bucket, err)
			}
		}
	}
	if n == nil {
		return tx.bolt.Bucket(nudgesBucket).Delete([]byte(id))
	}
	record, err := n.MarshalJSON() // json.Marshal would read and copy its output again
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	return tx.bolt.Bucket(nudgesBucket).Put([]byte(id), record)
}

func contains(list []entry, e entry) bool {
	return slices.ContainsFunc(list, func(f entry) bool { return bytes.Equal(f.bucket, e.bucket) && bytes.Equal(f.key, e.key) })
}

func putJSON(b *bolt.Bucket, key []byte, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	return b.Put(key, data)
}

// getJSON reads a record, if it is there.
func getJSON(b *bolt.Bucket, key []byte, v any) error {
	data := b.Get(key)
	if data == nil {
		return nil
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("decode the record: %w", err)
	}
	return nil
}

// reindex rebuilds every index from the records.
func reindex(tx *bolt.Tx) error {
	for _, name := range indexBuckets {
		if err := tx.DeleteBucket(name); err != nil {
			return fmt.Errorf("drop index %s: %w", name, err)
		}
		if _, err := tx.CreateBucket(name); err != nil {
			return fmt.Errorf("create index %s: %w", name, err)
		}
	}
	return tx.Bucket(nudgesBucket).ForEach(func(id, data []byte) error {
		n, err := readNudge(string(id), data)
		if err != nil {
			return nil // All finds it, and it is set aside
		}
		for _, e := range entries(n) {
			if err := tx.Bucket(e.bucket).Put(e.key, e.value); err != nil {
				return fmt.Errorf("index %s: %w", e.bucket, err)
			}
		}
		return nil
	})
}
