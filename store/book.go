package store

import (
	"bytes"
	"errors"
	"iter"
	"math"
	"time"

	bolt "go.etcd.io/bbolt"

	"nod/detect"
	"nod/nudge"
)

// View runs f on a state in which no transaction is half done. f must change nothing.
func (s *Store) View(f func(*nudge.Tx) error) error {
	return s.view(func(btx *bolt.Tx) error {
		tx := nudge.NewTx(time.Now(), reads(btx))
		if err := f(tx); err != nil {
			return err
		}
		if !tx.Changes().Empty() {
			return errors.New("a view of the database tried to change it")
		}
		return nil
	})
}

// Update runs f alone and makes all that it changed last: the records, every index, the audit trail
// and what was heard, in one transaction. When f fails, or the disk does, nothing has changed.
func (s *Store) Update(f func(*nudge.Tx) error) error {
	err := s.update(func(btx *bolt.Tx) error {
		tx := nudge.NewTx(time.Now(), reads(btx))
		if err := f(tx); err != nil {
			return err
		}
		if tx.Changes().Empty() {
			return errNoChange
		}
		return write(btx, tx.Now(), tx.Changes())
	})
	if err == errNoChange {
		return nil
	}
	return err
}

// errNoChange rolls a transaction back that has nothing to write: a commit costs two syncs.
var errNoChange = errors.New("nothing has changed")

// reads lets a unit of work read within one transaction.
func reads(tx *bolt.Tx) nudge.Reads {
	return nudge.Reads{
		Nudge: func(id string) (*nudge.Nudge, error) { return getNudge(tx, id) },
		All:   func() ([]string, error) { return keysOf(tx.Bucket(nudgesBucket)), nil },
		Live:  func() ([]string, error) { return keysOf(tx.Bucket(liveBucket)), nil },
		Due:   func(from, by time.Time) ([]string, error) { return due(tx, from, by), nil },
		Pane:  func(p detect.PaneRef) iter.Seq[string] { return ofPane(tx, p) },
		Message: func(chat int64, m int) (string, error) {
			return string(tx.Bucket(messagesBucket).Get(messageKey(chat, m))), nil
		},
		Handled: func(h nudge.Heard) (bool, error) {
			return tx.Bucket(heardBucket).Get(heardKey(h)) != nil, nil
		},
		Desk: func() (desk nudge.Desk, err error) {
			_, err = getJSON(tx.Bucket(stateBucket), deskKey, &desk)
			return desk, err
		},
	}
}

func keysOf(b *bolt.Bucket) []string {
	var keys []string
	c := b.Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		keys = append(keys, string(k))
	}
	return keys
}

// due lists the nudges whose time lies between two moments, both included. The time of an entry is compared, not its key: an id
// after it makes the key of the very moment greater than the moment.
func due(tx *bolt.Tx, from, by time.Time) []string {
	var ids []string
	end := moment(by)
	c := tx.Bucket(dueBucket).Cursor()
	for k, id := c.Seek(moment(from)); k != nil && bytes.Compare(k[:len(end)], end) <= 0; k, id = c.Next() {
		ids = append(ids, string(id))
	}
	return ids
}

// ofPane lists the nudges of a pane, the newest first: backwards from the key that would follow all of them.
func ofPane(tx *bolt.Tx, p detect.PaneRef) iter.Seq[string] {
	return func(yield func(string) bool) {
		prefix := panePrefix(p)
		c := tx.Bucket(panesBucket).Cursor()
		back := c.Prev
		if next, _ := c.Seek(paneKey(p, math.MaxInt)); next == nil {
			back = c.Last
		}
		k, id := back()
		for ; bytes.HasPrefix(k, prefix); k, id = c.Prev() {
			if !yield(string(id)) {
				return
			}
		}
	}
}

// write makes the changes of one unit of work.
func write(tx *bolt.Tx, now time.Time, changes nudge.Changes) error {
	for id, n := range changes.Puts {
		if err := putNudge(tx, id, n); err != nil {
			return err
		}
	}
	for _, h := range changes.Heard {
		if err := hear(tx, now, heardKey(h)); err != nil {
			return err
		}
	}
	for _, e := range changes.Events {
		if err := appendEvent(tx, e); err != nil {
			return err
		}
	}
	if changes.Desk != nil {
		if err := putJSON(tx.Bucket(stateBucket), deskKey, changes.Desk); err != nil {
			return err
		}
	}
	if !changes.Forget.IsZero() {
		if err := forget(tx, changes.Forget); err != nil {
			return err
		}
	}
	if !changes.Archive.IsZero() {
		return dropEvents(tx, changes.Archive)
	}
	return nil
}
