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

// unreadableEvent is the kind of an event that can't be read: the trail does not hide that there was one.
const unreadableEvent = "unreadable"

// Tail gives the last n events, oldest first.
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

// After gives up to n events that follow the event seq, oldest first: how a reader goes on where it
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

// Before is the number of the last event of before the database was opened: After it comes what this nod did. 0: there
// was none.
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

// dropEvents drops events from before a time. It looks at all of them: while the clock was wrong, one that is
// young by its date may have come before one that is old.
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
