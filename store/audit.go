package store

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"nod/nudge"
)

// Line is one event of the audit trail. Seq grows by one with every event and is never used again.
type Line struct {
	Seq uint64 `json:"seq"`
	nudge.Event
}

// Tail gives the last n events, oldest first.
func (s *Store) Tail(n int) (lines []Line, err error) {
	err = s.view(func(tx *bolt.Tx) error {
		c := tx.Bucket(auditBucket).Cursor()
		for k, v := c.Last(); k != nil && len(lines) < n; k, v = c.Prev() {
			line, err := readLine(k, v)
			if err != nil {
				return err
			}
			lines = append(lines, line)
		}
		return nil
	})
	slices.Reverse(lines)
	return lines, err
}

// After gives up to n events that follow the event seq, oldest first: how a reader goes on where it
// stopped.
func (s *Store) After(seq uint64, n int) (lines []Line, err error) {
	err = s.view(func(tx *bolt.Tx) error {
		c := tx.Bucket(auditBucket).Cursor()
		for k, v := c.Seek(number(seq + 1)); k != nil && len(lines) < n; k, v = c.Next() {
			line, err := readLine(k, v)
			if err != nil {
				return err
			}
			lines = append(lines, line)
		}
		return nil
	})
	return lines, err
}

func readLine(key, value []byte) (Line, error) {
	line := Line{Seq: binary.BigEndian.Uint64(key)}
	if err := json.Unmarshal(value, &line.Event); err != nil {
		return line, fmt.Errorf("read event %d of the audit trail: %w", line.Seq, err)
	}
	return line, nil
}

func appendEvent(tx *bolt.Tx, e nudge.Event) error {
	b := tx.Bucket(auditBucket)
	seq, err := b.NextSequence()
	if err != nil {
		return fmt.Errorf("number an event: %w", err)
	}
	return putJSON(b, number(seq), e)
}

// dropEvents drops events from before a time. They lie in the order in which they happened, so it
// stops at the first that stays.
func dropEvents(tx *bolt.Tx, before time.Time) error {
	var old [][]byte
	c := tx.Bucket(auditBucket).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		line, err := readLine(k, v)
		if err != nil {
			return err
		}
		if !line.At.Before(before) {
			break
		}
		old = append(old, k)
	}
	for _, k := range old {
		if err := tx.Bucket(auditBucket).Delete(k); err != nil {
			return fmt.Errorf("drop an old event: %w", err)
		}
	}
	return nil
}
