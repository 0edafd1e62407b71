package store

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"

	"nod/nudge"
)

// An unreadable record must not hide the others. Whoever meets one continues as if it were not there.
// SetAside later moves it, unchanged, to a bucket of its own.

// Aside is a record that could not be read.
type Aside struct {
	Name string // "nudges/k3f"
	At   time.Time
}

// readNudge decodes the record of a nudge.
func readNudge(id string, data []byte) (*nudge.Nudge, error) {
	n := new(nudge.Nudge)
	if err := n.UnmarshalJSON(data); err != nil {
		return nil, fmt.Errorf("decode the record: %w", err)
	}
	if n.ID != id {
		return nil, fmt.Errorf("the record is that of #%s", n.ID)
	}
	if err := n.Sound(); err != nil {
		return nil, err
	}
	return n, nil
}

// unreadable remembers an unreadable record for SetAside.
func (s *Store) unreadable(bucket, key []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.damaged[string(bucket)+"/"+string(key)] = true
}

// SetAside moves the records that could not be read since the last call out of the way, and returns their
// names. Without such records it costs nothing.
func (s *Store) SetAside() (names []string, err error) {
	s.mu.Lock()
	names = slices.Sorted(maps.Keys(s.damaged))
	s.mu.Unlock()
	if len(names) == 0 {
		return nil, nil
	}
	err = s.Update(func(tx *Tx) error {
		for _, name := range names {
			if err := tx.setAside(name); err != nil {
				return fmt.Errorf("set %s aside: %w", name, err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	for _, name := range names {
		delete(s.damaged, name)
	}
	s.mu.Unlock()
	return names, nil
}

func (tx *Tx) setAside(name string) error {
	bucket, key, _ := strings.Cut(name, "/")
	from := tx.bolt.Bucket([]byte(bucket))
	value := bytes.Clone(from.Get([]byte(key)))
	if value == nil {
		return nil
	}
	tx.changed = true
	if err := tx.bolt.Bucket(asideBucket).Put(append(moment(tx.now), name...), value); err != nil {
		return err
	}
	if err := from.Delete([]byte(key)); err != nil {
		return err
	}
	if bucket == string(nudgesBucket) {
		return dropIndexes(tx.bolt, []byte(key))
	}
	return nil
}

// dropIndexes deletes every index key of a nudge. It searches all keys, because the record can't be read.
func dropIndexes(tx *bolt.Tx, id []byte) error {
	for _, name := range indexBuckets {
		var keys [][]byte
		b := tx.Bucket(name)
		c := b.Cursor()
		for k, v := c.First(); k != nil; k, v = c.Next() {
			if bytes.Equal(v, id) {
				keys = append(keys, k)
			}
		}
		for _, k := range keys {
			if err := b.Delete(k); err != nil {
				return fmt.Errorf("index %s: %w", name, err)
			}
		}
	}
	return nil
}

// Asides returns the records that could not be read, oldest first: those that were set aside after since, and
// those that still have to be.
func (s *Store) Asides(since time.Time) (list []Aside, err error) {
	err = s.view(func(tx *bolt.Tx) error {
		c := tx.Bucket(asideBucket).Cursor()
		for k, _ := c.Seek(moment(since)); k != nil; k, _ = c.Next() {
			list = append(list, Aside{Name: string(k[8:]), At: keyTime(k)})
		}
		return nil
	})
	now := time.Now()
	s.mu.Lock()
	for name := range s.damaged {
		list = append(list, Aside{Name: name, At: now})
	}
	s.mu.Unlock()
	slices.SortFunc(list, func(a, b Aside) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Name, b.Name)) })
	return list, err
}

// wasAside reports whether a record with that name was set aside.
func (tx *Tx) wasAside(name string) bool {
	c := tx.bolt.Bucket(asideBucket).Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		if string(k[8:]) == name {
			return true
		}
	}
	return false
}
