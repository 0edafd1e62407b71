package nudge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"nod/deliver"
	"nod/detect"
)

// Book keeps the records. View runs f on a consistent state; Update does so alone and makes all of
// its changes last together, or none when f or the writing fails.
type Book interface {
	View(f func(*Tx) error) error
	Update(f func(*Tx) error) error
}

// Typist types one request, or says why not. It calls begin just before the first key; when begin
// fails no key may be typed.
type Typist interface {
	Type(ctx context.Context, r deliver.Request, begin func() error) deliver.Result
}

// Reads is how a Tx reads what lies on disk. The book makes one for each transaction; every id that
// it gives out has a record.
type Reads struct {
	Nudge   func(id string) (*Nudge, error) // nil where there is none
	All     func() ([]string, error)
	Live    func() ([]string, error)                   // those with Nudge.Live
	Due     func(from, by time.Time) ([]string, error) // those with from <= Nudge.Next <= by
	Pane    func(detect.PaneRef) iter.Seq[string]      // the pane's nudges, the newest first
	Message func(chat int64, m int) (string, error)    // the nudge that a message shows; empty: none
	Handled func(Heard) (bool, error)
	Desk    func() (Desk, error)
}

// Changes are what a Tx has to write, all in one transaction.
type Changes struct {
	Puts    map[string]*Nudge // by id; nil: delete the record and all that points to it
	Events  []Event
	Heard   []Heard
	Desk    *Desk
	Forget  time.Time // drop what was handled before; zero: nothing
	Archive time.Time // drop audit events from before; zero: nothing
}

// Empty reports whether there is nothing to write.
func (c Changes) Empty() bool {
	return len(c.Puts) == 0 && len(c.Events) == 0 && len(c.Heard) == 0 && c.Desk == nil &&
		c.Forget.IsZero() && c.Archive.IsZero()
}

// Heard names what came in and must not act twice: an update of Telegram's, or, where the same
// words could come again under another update, the message itself.
type Heard struct {
	Update  int // 0: this is a message
	Chat    int64
	Message int
}

// Desk is what lies beside the nudges: how quiet to be, and which messages show no single nudge.
type Desk struct {
	Muted time.Time // until when messages come silently
	Hours *Hours    // quiet hours set in the chat; nil: those of the settings hold
	Spoke []Spoken  // the newest messages that show no single nudge, oldest first
}

// Hours are quiet hours that a supervisor set in the chat. A nil Quiet turns them off.
type Hours struct{ Quiet *Quiet }

// Spoken is a message that shows no single nudge: a digest, a list, a question which one is meant.
type Spoken struct {
	Chat    int64
	Message int
	Sent    time.Time // by Telegram's date
	Several bool      // it shows several nudges, so a bare y in reply to it must ask
}

// Tx is one unit of work: it reads records, remembers what is put, and hands the Book all changes
// in the end. It belongs to one goroutine and one call of View or Update.
type Tx struct {
	now     time.Time
	reads   Reads
	changes Changes
}

// NewTx makes the unit of work of one transaction. The book calls it, with the one time that holds
// for all that is done in it.
func NewTx(now time.Time, reads Reads) *Tx {
	return &Tx{now: now.UTC().Round(0), reads: reads, changes: Changes{Puts: map[string]*Nudge{}}}
}

// Now is the one time of this transaction, in UTC.
func (tx *Tx) Now() time.Time { return tx.now }

// Changes are what the book must write when the work is done.
func (tx *Tx) Changes() Changes { return tx.changes }

// Nudge gives the record of that id, as this transaction last put it; nil where there is none.
func (tx *Tx) Nudge(id string) (*Nudge, error) {
	if n, ok := tx.changes.Puts[id]; ok {
		if n == nil {
			return nil, nil
		}
		return n.clone(), nil
	}
	n, err := tx.reads.Nudge(id)
	if err != nil {
		return nil, fmt.Errorf("read nudge %s: %w", id, err)
	}
	return n, nil
}

// Put takes note of n as it is now; n may be changed afterwards without effect.
func (tx *Tx) Put(n *Nudge) { tx.changes.Puts[n.ID] = n.clone() }

// Delete forgets the nudge and its messages.
func (tx *Tx) Delete(id string) { tx.changes.Puts[id] = nil }

// Note adds a line to the audit trail.
func (tx *Tx) Note(e Event) {
	e.At = tx.now
	tx.changes.Events = append(tx.changes.Events, e)
}

// Of gives the nudges of a pane, the newest first, over or not, as this transaction last put them.
func (tx *Tx) Of(pane detect.PaneRef) iter.Seq2[*Nudge, error] {
	return func(yield func(*Nudge, error) bool) {
		put := tx.put(pane)
		for id := range tx.reads.Pane(pane) {
			n, err := tx.Nudge(id)
			if err != nil {
				yield(nil, err)
				return
			}
			if n == nil {
				continue
			}
			for ; len(put) > 0 && put[0].Number >= n.Number; put = put[1:] {
				if put[0].ID != n.ID && !yield(put[0], nil) {
					return
				}
			}
			if !yield(n, nil) {
				return
			}
		}
		for _, n := range put {
			if !yield(n, nil) {
				return
			}
		}
	}
}

// put gives what this transaction has put of a pane, the newest first.
func (tx *Tx) put(pane detect.PaneRef) []*Nudge {
	var list []*Nudge
	for _, n := range tx.changes.Puts {
		if n != nil && n.Pane == pane {
			list = append(list, n.clone())
		}
	}
	slices.SortFunc(list, func(a, b *Nudge) int { return cmp.Compare(b.Number, a.Number) })
	return list
}

// Last gives the newest nudge of a pane, over or not; nil where there never was one.
func (tx *Tx) Last(pane detect.PaneRef) (*Nudge, error) {
	for n, err := range tx.Of(pane) {
		if err != nil {
			return nil, fmt.Errorf("find the nudge of pane %s: %w", pane, err)
		}
		return n, nil
	}
	return nil, nil
}

// ByMessage gives the nudge that a message shows; nil where none does.
func (tx *Tx) ByMessage(chat int64, message int) (*Nudge, error) {
	id, err := tx.reads.Message(chat, message)
	if err != nil {
		return nil, fmt.Errorf("find the nudge of message %d: %w", message, err)
	}
	if id == "" {
		return nil, nil
	}
	return tx.Nudge(id)
}

// Live gives every nudge about which something may still have to be said or done, oldest first, as
// it stood when the transaction began.
func (tx *Tx) Live() ([]*Nudge, error) { return tx.load(tx.reads.Live()) }

// All gives every nudge that is kept, oldest first, as it stood when the transaction began.
func (tx *Tx) All() ([]*Nudge, error) { return tx.load(tx.reads.All()) }

// Due gives every nudge with something to do by then, as it stood when the transaction began.
func (tx *Tx) Due(by time.Time) ([]*Nudge, error) {
	return tx.load(tx.reads.Due(time.Unix(0, 0), by))
}

// Ended gives the nudges that ended at or after since, as they stood when the transaction began: the
// due index has them at the end of their record.
func (tx *Tx) Ended(since time.Time) ([]*Nudge, error) {
	return tx.load(tx.reads.Due(since.Add(Kept), tx.now.Add(2*Kept)))
}

func (tx *Tx) load(ids []string, err error) ([]*Nudge, error) {
	if err != nil {
		return nil, fmt.Errorf("find nudges: %w", err)
	}
	var nudges []*Nudge
	for _, id := range ids {
		n, err := tx.reads.Nudge(id)
		if err != nil {
			return nil, fmt.Errorf("read nudge %s: %w", id, err)
		}
		if n == nil {
			return nil, fmt.Errorf("nudge %s: %w", id, errNoRecord)
		}
		nudges = append(nudges, n)
	}
	slices.SortStableFunc(nudges, func(a, b *Nudge) int {
		return cmp.Or(a.Detected.Compare(b.Detected), cmp.Compare(a.ID, b.ID))
	})
	return nudges, nil
}

var errNoRecord = errors.New("it is indexed but has no record")

// Handled reports whether h acted before.
func (tx *Tx) Handled(h Heard) (bool, error) {
	if slices.Contains(tx.changes.Heard, h) {
		return true, nil
	}
	return tx.reads.Handled(h)
}

// Handle takes note that h has acted.
func (tx *Tx) Handle(h Heard) { tx.changes.Heard = append(tx.changes.Heard, h) }

// Desk gives the desk.
func (tx *Tx) Desk() (Desk, error) {
	if tx.changes.Desk != nil {
		return *tx.changes.Desk, nil
	}
	return tx.reads.Desk()
}

// SetDesk writes the desk.
func (tx *Tx) SetDesk(d Desk) { tx.changes.Desk = &d }

// Forget drops what was handled before a time, and audit events from before another.
func (tx *Tx) Forget(handled, events time.Time) {
	tx.changes.Forget, tx.changes.Archive = handled, events
}

// clone copies n so far that changing the copy leaves n alone.
func (n *Nudge) clone() *Nudge {
	c := *n
	c.Copies = slices.Clone(n.Copies)
	if n.Claim != nil {
		claim := *n.Claim
		c.Claim = &claim
	}
	return &c
}
