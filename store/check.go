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

// Check reads the whole database and reports every page that is not in order, every record that
// can't be read and every index key that is missing, wrong or left over.
func (s *Store) Check() error {
	return s.view(func(tx *bolt.Tx) error {
		var problems []error
		for err := range tx.Check() {
			problems = append(problems, err)
		}
		problems = append(problems, checkIndexes(tx), checkHeard(tx))
		return errors.Join(problems...)
	})
}

// checkIndexes makes every index anew from the records and compares.
func checkIndexes(tx *bolt.Tx) error {
	want := map[string][]string{} // by key, the ids that it may lead to
	err := tx.Bucket(nudgesBucket).ForEach(func(id, data []byte) error {
		n := new(nudge.Nudge)
		if err := json.Unmarshal(data, n); err != nil {
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
	for _, bucket := range [][]byte{panesBucket, liveBucket, dueBucket, messagesBucket} {
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

// checkHeard compares the two orders of what was heard.
func checkHeard(tx *bolt.Tx) error {
	byKey, byTime := tx.Bucket(heardBucket), tx.Bucket(heardAtBucket)
	if a, b := byKey.Stats().KeyN, byTime.Stats().KeyN; a != b {
		return fmt.Errorf("%d things were heard, %d are in order of time", a, b)
	}
	return byTime.ForEach(func(k, v []byte) error {
		if !bytes.Equal(byKey.Get(v), k[:8]) {
			return fmt.Errorf("%s has another time than %s", name(heardAtBucket, k), name(heardBucket, v))
		}
		return nil
	})
}
