package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	bolt "go.etcd.io/bbolt"

	"nod/nudge"
)

// Check reads the whole database. It reports every damaged page, every unreadable record, and every index key
// that is missing, wrong or superfluous, and every decoded record that somebody has changed.
func (s *Store) Check() error {
	return s.view(func(tx *bolt.Tx) error {
		if err := checkPages(s.db); err != nil {
			return err
		}
		var problems []error
		for err := range tx.Check() {
			problems = append(problems, err)
		}
		problems = append(problems, s.decoded.check(), checkIndexes(tx), checkHandled(tx), checkInstructions(tx), checkLive(tx, wishID, wishesBucket, wishesOverBucket),
			checkLive(tx, denialsID, denialsBucket, denialsOverBucket))
		return errors.Join(problems...)
	})
}

// checkIndexes rebuilds every index from the records and compares.
func checkIndexes(tx *bolt.Tx) error {
	want := map[string][]string{} // by key, the ids that it may lead to
	err := tx.Bucket(nudgesBucket).ForEach(func(id, data []byte) error {
		n, err := readNudge(string(id), data)
		if err != nil {
			return fmt.Errorf("nudge %s: %w", id, err)
		}
		for _, e := range entries(n) {
			key := name(e.bucket, e.key)
			want[key] = append(want[key], string(e.value))
		}
		return nil
	})
	if err != nil {
		return err
	}
	var problems []error
	for _, bucket := range indexBuckets {
		c := tx.Bucket(bucket).Cursor()
		for k, v := c.First(); k != nil; k, v = c.Next() {
			if ids := want[name(bucket, k)]; !slices.Contains(ids, string(v)) {
				problems = append(problems, fmt.Errorf("%s leads to %s, the records say %q", name(bucket, k), v, ids))
			}
			delete(want, name(bucket, k))
		}
	}
	for key, ids := range want {
		problems = append(problems, fmt.Errorf("%s is missing for %s", key, ids))
	}
	return errors.Join(problems...)
}

func name(bucket, key []byte) string { return fmt.Sprintf("%s/%x", bucket, key) }

// checkHandled compares the two indexes of handled updates and messages.
func checkHandled(tx *bolt.Tx) error {
	byKey, byTime := tx.Bucket(handledBucket), tx.Bucket(handledAtBucket)
	if a, b := byKey.Stats().KeyN, byTime.Stats().KeyN; a != b {
		return fmt.Errorf("%d updates and messages are handled, %d are indexed by time", a, b)
	}
	return byTime.ForEach(func(k, v []byte) error {
		if !bytes.Equal(byKey.Get(v), k[:8]) {
			return fmt.Errorf("%s has another time than %s", name(handledAtBucket, k), name(handledBucket, v))
		}
		return nil
	})
}

// checkInstructions checks that each instruction is in only one bucket, the one for its state.
func checkInstructions(tx *bolt.Tx) error {
	seen := map[string]bool{}
	for _, bucket := range [][]byte{instructionsBucket, instructionsOverBucket} {
		err := tx.Bucket(bucket).ForEach(func(k, v []byte) error {
			var i nudge.Instruction
			if err := json.Unmarshal(v, &i); err != nil {
				return fmt.Errorf("%s: %w", name(bucket, k), err)
			}
			want := []byte(i.ID)
			if i.Live() {
				want = instructionKey(i.Pane, i.Number, i.ID)
			}
			if !bytes.Equal(k, want) || i.Live() != bytes.Equal(bucket, instructionsBucket) || seen[i.ID] {
				return fmt.Errorf("%s holds instruction %s, which does not belong there", name(bucket, k), i.ID)
			}
			seen[i.ID] = true
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// checkLive checks that each record of a kind is in the right one of its two buckets.
func checkLive[T interface{ Live() bool }](tx *bolt.Tx, id func(T) string, liveIn, overIn []byte) error {
	for _, bucket := range [][]byte{liveIn, overIn} {
		b := tx.Bucket(bucket)
		if b == nil {
			continue // Inspect reads files from before these buckets
		}
		err := b.ForEach(func(k, v []byte) error {
			var r T
			if err := json.Unmarshal(v, &r); err != nil {
				return fmt.Errorf("%s: %w", name(bucket, k), err)
			}
			if id(r) != string(k) || r.Live() != bytes.Equal(bucket, liveIn) {
				return fmt.Errorf("%s does not belong there", name(bucket, k))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
