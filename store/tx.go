package store

import (
	"bytes"
	"cmp"
	"errors"
	"iter"
	"math"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"nod/detect"
	"nod/nudge"
)

// Tx is one transaction: reads see what it has written so far. The first write that fails makes the whole
// transaction fail, so writes return no error: View and Update return it. An unreadable record counts as
// absent until SetAside has moved it.
type Tx struct {
	store   *Store
	bolt    *bolt.Tx
	now     time.Time
	changed bool
	err     error
}

// View runs f on a consistent state. f must not write.
func (s *Store) View(f func(*Tx) error) error {
	return s.view(func(btx *bolt.Tx) error { return s.run(btx, f).err })
}

// Update runs f alone and commits all that it wrote together: records, indexes, audit trail and handled
// updates. If f or the disk fails, nothing changes.
func (s *Store) Update(f func(*Tx) error) error {
	err := s.update(func(btx *bolt.Tx) error {
		tx := s.run(btx, f)
		if tx.err == nil && !tx.changed {
			return errNoChange
		}
		return tx.err
	})
	if err == errNoChange {
		return nil
	}
	return err
}

// errNoChange rolls back a transaction that has nothing to write, because a commit costs two syncs.
var errNoChange = errors.New("nothing has changed")

func (s *Store) run(btx *bolt.Tx, f func(*Tx) error) *Tx {
	tx := &Tx{store: s, bolt: btx, now: time.Now().UTC().Round(0)}
	if err := f(tx); tx.err == nil {
		tx.err = err
	}
	return tx
}

// Now returns the one time of this transaction, in UTC.
func (tx *Tx) Now() time.Time { return tx.now }

// write records that the transaction writes, and the error of the write.
func (tx *Tx) write(err error) {
	tx.changed = true
	if tx.err == nil {
		tx.err = err
	}
}

// Nudge returns the nudge with that id; nil: none.
func (tx *Tx) Nudge(id string) *nudge.Nudge {
	n, err := tx.stored(id)
	if err != nil {
		tx.store.unreadable(nudgesBucket, []byte(id))
	}
	if n == nil {
		return nil
	}
	return copyOf(n)
}

// stored returns the nudge with that id, which must not be changed; nil: none.
func (tx *Tx) stored(id string) (*nudge.Nudge, error) {
	data := tx.bolt.Bucket(nudgesBucket).Get([]byte(id))
	if data == nil {
		return nil, nil
	}
	return tx.store.decoded.read(id, data)
}

// Unused reports whether no record has the id, not even an unreadable one.
func (tx *Tx) Unused(id string) bool {
	return tx.bolt.Bucket(nudgesBucket).Get([]byte(id)) == nil && !tx.wasAside(string(nudgesBucket)+"/"+id)
}

// state reads a record of the state bucket, if it is there and readable.
func (tx *Tx) state(key []byte, into any) {
	if err := getJSON(tx.bolt.Bucket(stateBucket), key, into); err != nil {
		tx.store.unreadable(stateBucket, key)
	}
}

// Put writes n. Later changes to n have no effect.
func (tx *Tx) Put(n *nudge.Nudge) { tx.write(tx.putNudge(n.ID, n)) }

// Delete deletes a nudge and the index of its messages.
func (tx *Tx) Delete(id string) { tx.write(tx.putNudge(id, nil)) }

// Note adds an event to the audit trail, dated now.
func (tx *Tx) Note(e nudge.Event) {
	e.At = tx.now
	tx.write(appendEvent(tx.bolt, e))
}

// Of returns the nudges of a pane, newest first, over or not. Whoever writes a nudge of the pane must stop
// the iteration there.
func (tx *Tx) Of(pane detect.PaneRef) iter.Seq[*nudge.Nudge] {
	return func(yield func(*nudge.Nudge) bool) {
		prefix := panePrefix(pane)
		c := tx.bolt.Bucket(panesBucket).Cursor()
		back := c.Prev // from the key that would follow all of them
		if next, _ := c.Seek(paneKey(pane, math.MaxInt)); next == nil {
			back = c.Last
		}
		k, id := back()
		for ; bytes.HasPrefix(k, prefix); k, id = c.Prev() {
			if n := tx.Nudge(string(id)); n != nil && !yield(n) {
				return
			}
		}
	}
}

// Last returns the newest nudge of a pane, over or not; nil: none.
func (tx *Tx) Last(pane detect.PaneRef) *nudge.Nudge {
	for n := range tx.Of(pane) {
		return n
	}
	return nil
}

// ByMessage returns the nudge that a message shows; nil: none.
func (tx *Tx) ByMessage(r nudge.Ref) *nudge.Nudge {
	id := tx.bolt.Bucket(messagesBucket).Get(messageKey(r))
	if id == nil {
		return nil
	}
	return tx.Nudge(string(id))
}

// Live returns every live nudge, oldest first.
func (tx *Tx) Live() []*nudge.Nudge {
	live := keysOf(tx.bolt.Bucket(liveBucket))
	tx.store.decoded.keep(live)
	return tx.load(live)
}

// All returns every stored nudge, oldest first.
func (tx *Tx) All() []*nudge.Nudge { return tx.load(keysOf(tx.bolt.Bucket(nudgesBucket))) }

// Due returns every nudge with something to do by then, oldest first.
func (tx *Tx) Due(by time.Time) []*nudge.Nudge {
	return tx.load(tx.due(time.Unix(0, math.MinInt64), by))
}

// Ended returns the nudges that ended at or after since, oldest first. The due index has them under the time
// when their record is deleted.
func (tx *Tx) Ended(since time.Time) []*nudge.Nudge {
	return tx.load(tx.due(since.Add(nudge.Kept), tx.now.Add(2*nudge.Kept)))
}

func (tx *Tx) load(ids []string) []*nudge.Nudge {
	var nudges []*nudge.Nudge
	for _, id := range ids {
		if n := tx.Nudge(id); n != nil {
			nudges = append(nudges, n)
		}
	}
	slices.SortStableFunc(nudges, func(a, b *nudge.Nudge) int {
		return cmp.Or(a.Detected.Compare(b.Detected), cmp.Compare(a.ID, b.ID))
	})
	return nudges
}

// due returns the nudges whose time is between two moments, both included. It compares the time of an entry,
// not its key, because the id makes the key greater than the moment alone.
func (tx *Tx) due(from, by time.Time) []string {
	var ids []string
	end := moment(by)
	c := tx.bolt.Bucket(dueBucket).Cursor()
	for k, id := c.Seek(moment(from)); k != nil && bytes.Compare(k[:len(end)], end) <= 0; k, id = c.Next() {
		ids = append(ids, string(id))
	}
	return ids
}

func keysOf(b *bolt.Bucket) []string {
	var keys []string
	c := b.Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		keys = append(keys, string(k))
	}
	return keys
}

// Handled reports whether the update of r acted before or, if r has no update, the message itself.
func (tx *Tx) Handled(r nudge.Ref) bool {
	return tx.bolt.Bucket(handledBucket).Get(handledKey(r)) != nil
}

// Handle records that r has acted.
func (tx *Tx) Handle(r nudge.Ref) { tx.write(handle(tx.bolt, tx.now, handledKey(r))) }

// Preferences returns what SetPreferences last wrote.
func (tx *Tx) Preferences() (p nudge.Preferences) {
	tx.state(preferencesKey, &p)
	return p
}

// Holds returns what SetHolds last wrote.
func (tx *Tx) Holds() (list []nudge.Holds) {
	tx.state(holdsKey, &list)
	return list
}

// SetHolds stores how long agents' hooks were made to wait in their turns.
func (tx *Tx) SetHolds(list []nudge.Holds) {
	tx.write(putJSON(tx.bolt.Bucket(stateBucket), holdsKey, list))
}

// SetPreferences stores the preferences.
func (tx *Tx) SetPreferences(p nudge.Preferences) {
	tx.write(putJSON(tx.bolt.Bucket(stateBucket), preferencesKey, p))
}

// othersKept is how many messages about no single nudge are stored: enough to recognise one that is replied
// to.
const othersKept = 200

// OtherMessages returns the newest messages about no single nudge, oldest first.
func (tx *Tx) OtherMessages() (list []nudge.OtherMessage) {
	tx.state(othersKey, &list)
	return list
}

// AddOtherMessage stores a message about no single nudge.
func (tx *Tx) AddOtherMessage(o nudge.OtherMessage) {
	list := append(tx.OtherMessages(), o)
	tx.write(putJSON(tx.bolt.Bucket(stateBucket), othersKey, list[max(0, len(list)-othersKept):]))
}

// EndOtherMessage records that a message no longer waits for an answer.
func (tx *Tx) EndOtherMessage(r nudge.Ref) {
	list := tx.OtherMessages()
	for i := range list {
		list[i].Over = list[i].Over || list[i].Place == r.Place && list[i].Message == r.Message
	}
	tx.write(putJSON(tx.bolt.Bucket(stateBucket), othersKey, list))
}

// Forget drops the handled updates from before one time, and the audit events from before another. It also
// drops other old records that are over.
func (tx *Tx) Forget(handled, events time.Time) {
	tx.write(forget(tx.bolt, handled))
	tx.write(dropEvents(tx.bolt, events))
	for _, over := range [][]byte{instructionsOverBucket, wishesOverBucket, denialsOverBucket} {
		tx.write(dropEnded(tx.bolt.Bucket(over), tx.now.Add(-nudge.InstructionKept)))
	}
}
