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
// transaction fail, so none of them has an error to check: View and Update give it. A record that can't be read
// counts as absent, until SetAside has moved it out of the way.
type Tx struct {
	store   *Store
	bolt    *bolt.Tx
	now     time.Time
	changed bool
	err     error
}

// View runs f on a state in which no transaction is half done. f must write nothing.
func (s *Store) View(f func(*Tx) error) error {
	return s.view(func(btx *bolt.Tx) error { return s.run(btx, f).err })
}

// Update runs f alone and makes all that it wrote last together: the records, every index, the audit trail and
// what was handled. When f fails, or the disk does, nothing has changed.
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

// errNoChange rolls a transaction back that has nothing to write: a commit costs two syncs.
var errNoChange = errors.New("nothing has changed")

func (s *Store) run(btx *bolt.Tx, f func(*Tx) error) *Tx {
	tx := &Tx{store: s, bolt: btx, now: time.Now().UTC().Round(0)}
	if err := f(tx); tx.err == nil {
		tx.err = err
	}
	return tx
}

// Now is the one time of this transaction, in UTC.
func (tx *Tx) Now() time.Time { return tx.now }

// write notes that the transaction writes, and what became of it.
func (tx *Tx) write(err error) {
	tx.changed = true
	if tx.err == nil {
		tx.err = err
	}
}

// Nudge gives the record of that id; nil where there is none.
func (tx *Tx) Nudge(id string) *nudge.Nudge {
	data := tx.bolt.Bucket(nudgesBucket).Get([]byte(id))
	if data == nil {
		return nil
	}
	n, err := readNudge(id, data)
	if err != nil {
		tx.store.unreadable(nudgesBucket, []byte(id))
		return nil
	}
	return n
}

// Unused reports whether no record bears the id, be it one that can't be read.
func (tx *Tx) Unused(id string) bool {
	return tx.bolt.Bucket(nudgesBucket).Get([]byte(id)) == nil && !tx.wasAside(string(nudgesBucket)+"/"+id)
}

// state reads a record beside the nudges, if it is there and can be read.
func (tx *Tx) state(key []byte, into any) {
	if _, err := getJSON(tx.bolt.Bucket(stateBucket), key, into); err != nil {
		tx.store.unreadable(stateBucket, key)
	}
}

// Put writes n as it is now; n may be changed afterwards without effect.
func (tx *Tx) Put(n *nudge.Nudge) { tx.write(putNudge(tx.bolt, n.ID, n)) }

// Delete forgets the nudge and its messages.
func (tx *Tx) Delete(id string) { tx.write(putNudge(tx.bolt, id, nil)) }

// Note adds an event to the audit trail, dated now.
func (tx *Tx) Note(e nudge.Event) {
	e.At = tx.now
	tx.write(appendEvent(tx.bolt, e))
}

// Of gives the nudges of a pane, the newest first, over or not. Whoever writes a nudge of the pane must stop there.
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

// Last gives the newest nudge of a pane, over or not; nil where there never was one.
func (tx *Tx) Last(pane detect.PaneRef) *nudge.Nudge {
	for n := range tx.Of(pane) {
		return n
	}
	return nil
}

// ByMessage gives the nudge that a message shows; nil where none does.
func (tx *Tx) ByMessage(r nudge.Ref) *nudge.Nudge {
	id := tx.bolt.Bucket(messagesBucket).Get(messageKey(r))
	if id == nil {
		return nil
	}
	return tx.Nudge(string(id))
}

// Live gives every nudge about which something may still have to be said or done, oldest first.
func (tx *Tx) Live() []*nudge.Nudge { return tx.load(keysOf(tx.bolt.Bucket(liveBucket))) }

// All gives every nudge that is kept, oldest first.
func (tx *Tx) All() []*nudge.Nudge { return tx.load(keysOf(tx.bolt.Bucket(nudgesBucket))) }

// Due gives every nudge with something to do by then, oldest first.
func (tx *Tx) Due(by time.Time) []*nudge.Nudge {
	return tx.load(tx.due(time.Unix(0, math.MinInt64), by))
}

// Ended gives the nudges that ended at or after since, oldest first: the due index has them at the end of their
// record.
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

// due lists the nudges whose time lies between two moments, both included. The time of an entry is compared, not its
// key: an id after it makes the key of the very moment greater than the moment.
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

// Handled reports whether the update that brought r acted before, or, where r names no update, the message itself.
func (tx *Tx) Handled(r nudge.Ref) bool {
	return tx.bolt.Bucket(handledBucket).Get(handledKey(r)) != nil
}

// Handle takes note that r has acted.
func (tx *Tx) Handle(r nudge.Ref) { tx.write(handle(tx.bolt, tx.now, handledKey(r))) }

// Preferences are as SetPreferences last wrote them.
func (tx *Tx) Preferences() (p nudge.Preferences) {
	tx.state(preferencesKey, &p)
	return p
}

// Holds are as SetHolds last wrote them.
func (tx *Tx) Holds() (list []nudge.Holds) {
	tx.state(holdsKey, &list)
	return list
}

// SetHolds writes how long agents' hooks were held in their turns.
func (tx *Tx) SetHolds(list []nudge.Holds) {
	tx.write(putJSON(tx.bolt.Bucket(stateBucket), holdsKey, list))
}

// SetPreferences writes the preferences.
func (tx *Tx) SetPreferences(p nudge.Preferences) {
	tx.write(putJSON(tx.bolt.Bucket(stateBucket), preferencesKey, p))
}

// othersKept is how many messages that show no single nudge are remembered: enough to know one when
// it is replied to.
const othersKept = 200

// OtherMessages gives the newest messages that show no single nudge, oldest first.
func (tx *Tx) OtherMessages() (list []nudge.OtherMessage) {
	tx.state(othersKey, &list)
	return list
}

// AddOtherMessage takes note of a message that shows no single nudge.
func (tx *Tx) AddOtherMessage(o nudge.OtherMessage) {
	list := append(tx.OtherMessages(), o)
	tx.write(putJSON(tx.bolt.Bucket(stateBucket), othersKey, list[max(0, len(list)-othersKept):]))
}

// EndOtherMessage takes note that a message waits for no answer any more.
func (tx *Tx) EndOtherMessage(r nudge.Ref) {
	list := tx.OtherMessages()
	for i := range list {
		list[i].Over = list[i].Over || list[i].Place == r.Place && list[i].Message == r.Message
	}
	tx.write(putJSON(tx.bolt.Bucket(stateBucket), othersKey, list))
}

// Forget drops what was handled before a time, and audit events from before another.
func (tx *Tx) Forget(handled, events time.Time) {
	tx.write(forget(tx.bolt, handled))
	tx.write(dropEvents(tx.bolt, events))
	for _, over := range [][]byte{instructionsOverBucket, wishesOverBucket, denialsOverBucket} {
		tx.write(dropEnded(tx.bolt.Bucket(over), tx.now.Add(-nudge.InstructionKept)))
	}
}
