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

// Line is one event of the audit trail. Seq grows by one with every event and is never reused.
type Line struct {
	Seq uint64 `json:"seq"`
	nudge.Event
}

// unreadableEvent is the kind of an unreadable event, so that the trail shows that there was one.
const unreadableEvent = "unreadable"

// Tail returns the last n events, oldest first.
func (s *Store) Tail(n int) (lines []Line, err error) {
	err = s.view(func(tx *bolt.Tx) error {
		c := tx.Bucket(auditBucket).Cursor()
		for k, v := c.Last(); k != nil && len(lines) < n; k, v = c.Prev() {
			lines = append(lines, readLine(k, v))
		}
		return nil
	})
	slices.Reverse(lines)
	return lines, err
}

// After returns up to n events after the event seq, oldest first. A reader continues with it where it
// stopped.
func (s *Store) After(seq uint64, n int) (lines []Line, err error) {
	err = s.view(func(tx *bolt.Tx) error {
		c := tx.Bucket(auditBucket).Cursor()
		for k, v := c.Seek(number(seq + 1)); k != nil && len(lines) < n; k, v = c.Next() {
			lines = append(lines, readLine(k, v))
		}
		return nil
	})
	return lines, err
}

// Before returns the number of the last event before the database was opened; 0: none. The events after it
// are from this nod.
func (s *Store) Before() uint64 { return s.before }

func readLine(key, value []byte) Line {
	line := Line{Seq: binary.BigEndian.Uint64(key)}
	if json.Unmarshal(value, &line.Event) != nil {
		line.Event = nudge.Event{Kind: unreadableEvent}
	}
	return line
}

func appendEvent(tx *bolt.Tx, e nudge.Event) error {
	b := tx.Bucket(auditBucket)
	seq, err := b.NextSequence()
	if err != nil {
		return fmt.Errorf("number an event: %w", err)
	}
	return putJSON(b, number(seq), e)
}

// dropEvents drops events from before a time. It checks all of them, because with a wrong clock an event with
// a young date may precede one with an old date.
func dropEvents(tx *bolt.Tx, before time.Time) error {
	var old [][]byte
	c := tx.Bucket(auditBucket).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		var event struct {
			At time.Time `json:"at"`
		}
		if json.Unmarshal(v, &event) == nil && event.At.Before(before) {
			old = append(old, k)
		}
	}
	for _, k := range old {
		if err := tx.Bucket(auditBucket).Delete(k); err != nil {
			return fmt.Errorf("drop an old event: %w", err)
		}
	}
	return nil
}
