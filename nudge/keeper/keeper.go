// Package keeper runs the nudges: it takes looks and answers, has answers typed, and says what a chat should
// show. Each change is one transaction of the store, decided by pure functions of package nudge. The messages
// to send and the keys to type follow from the records, so a crash loses nothing.
package keeper

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/internal/reason"
	"nod/nudge"
	"nod/store"
)

// Typist types one request, or says why not. It calls begin just before the first key. If begin fails it
// types no key.
type Typist interface {
	Type(ctx context.Context, r deliver.Request, begin func() error) deliver.Result
}

// Config is the configuration of a Keeper. Every field must be set.
type Config struct {
	Store  *store.Store
	Typist Typist
	Rules  func() nudge.Rules // the current settings
	Log    *slog.Logger
	// Uptime reads the clock that nobody can set and that runs while the machine sleeps (CLOCK_BOOTTIME). It
	// distinguishes a wall clock that was set from a machine that slept.
	Uptime func() time.Duration
	// Alive reports whether an agent's process runs. An agent without a pane has no look that would show its
	// end.
	Alive func(detect.Whereabouts) bool
	// Changed is called after every change that may require a message. It must not block.
	Changed func()
}

// Keeper keeps every nudge from first sight to its end. Its methods may be called from any goroutine. Each
// method that changes something does so in one transaction.
type Keeper struct {
	cfg  Config
	work chan struct{} // something may have to be typed
	// queued: the queue of instructions of some pane may go on.
	queued chan struct{}
	// interrupted calls interrupt, once.
	interrupted func() error

	mu         sync.Mutex // guards the fields below; no transaction begins while it is held
	panes      map[detect.PaneRef]*pane
	own        map[string]bool  // nudges whose claim this process took
	delivering map[string]bool  // nudges that a delivery works on now
	sending    map[sending]bool // false: nobody needs the message any more, but it may have come
	changed    chan struct{}    // closed and replaced when a transaction has changed something
	clocks     nudge.Clocks     // at the last tick
	held       bool             // the last tick found messages held back
	swept      time.Time        // when old records were last dropped

	withdrawn map[nudge.Asker][]time.Time // when each asker has withdrawn questions in the last hour

	refusals map[string]refusal // by queued instruction, the typist's last refusal

	effects  []detect.Effect       // effects that could not be stored yet
	troubles map[reason.Kind]error // storage failures, until they are over
}

// sending is a message that the bot, of this process or an earlier one, was asked to send and has not reported yet.
type sending struct {
	nudge string // the id of a nudge, a wish or denied calls
	place nudge.Place
}

// New makes a Keeper. It reads and writes nothing yet.
func New(c Config) *Keeper {
	k := &Keeper{
		cfg:        c,
		work:       make(chan struct{}, 1),
		queued:     make(chan struct{}, 1),
		panes:      map[detect.PaneRef]*pane{},
		own:        map[string]bool{},
		delivering: map[string]bool{},
		sending:    map[sending]bool{},
		withdrawn:  map[nudge.Asker][]time.Time{},
		changed:    make(chan struct{}),
		refusals:   map[string]refusal{},
		troubles:   map[reason.Kind]error{},
	}
	k.interrupted = sync.OnceValue(k.interrupt)
	return k
}

// tx is a transaction that remembers the work to do after the commit.
type tx struct {
	*store.Tx
	panes  []detect.PaneRef       // panes with written nudges
	lost   map[detect.PaneRef]int // the total of lost looks per pane that the written nudges take account of
	events []nudge.Event
	sent   []sending // messages that the bot has reported
	wrote  bool
}

func (tx *tx) Put(n *nudge.Nudge) {
	tx.Tx.Put(n)
	tx.panes, tx.wrote = append(tx.panes, n.Pane), true
}

func (tx *tx) putInstruction(i *nudge.Instruction) {
	tx.Tx.PutInstruction(i)
	tx.panes, tx.wrote = append(tx.panes, i.Pane), true
}

func (tx *tx) putNews(n *nudge.MonitorNews) {
	tx.Tx.PutNews(n)
	tx.wrote = true
}

func (tx *tx) Note(e nudge.Event) {
	tx.Tx.Note(e)
	tx.events, tx.wrote = append(tx.events, e), true
}

func (tx *tx) SetPreferences(p nudge.Preferences) {
	tx.Tx.SetPreferences(p)
	tx.wrote = true
}

func (tx *tx) AddOtherMessage(o nudge.OtherMessage) {
	tx.Tx.AddOtherMessage(o)
	tx.wrote = true
}

func (tx *tx) EndOtherMessage(r nudge.Ref) {
	tx.Tx.EndOtherMessage(r)
	tx.wrote = true
}

// arrived records that the bot has reported a message.
func (tx *tx) arrived(id string, at nudge.Place) {
	tx.sent, tx.wrote = append(tx.sent, sending{id, at}), true
}

// update runs f in one transaction. After the commit it logs the events and wakes everybody who waits for a
// change.
func (k *Keeper) update(f func(*tx) error) error {
	var done *tx
	err := k.cfg.Store.Update(func(stx *store.Tx) error {
		done = &tx{Tx: stx, lost: map[detect.PaneRef]int{}}
		return f(done)
	})
	if err != nil || !done.wrote {
		return err
	}
	k.trace(done.events)
	k.mu.Lock()
	for _, ref := range done.panes {
		if p := k.panes[ref]; p != nil {
			p.settled = false
			p.accounted = max(p.accounted, done.lost[ref])
		}
	}
	for _, s := range done.sent {
		delete(k.sending, s)
	}
	k.announce()
	k.mu.Unlock()
	k.cfg.Changed()
	return nil
}

// announce wakes everybody who waits for a change. The caller holds mu.
func (k *Keeper) announce() {
	close(k.changed)
	k.changed = make(chan struct{})
}

// Changes returns a channel that is closed by the next change of any record or event.
func (k *Keeper) Changes() <-chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.changed
}

// until calls over at once and after each change, until it returns true or fails. If ctx ends first, it
// returns ctx's error.
func (k *Keeper) until(ctx context.Context, over func() (bool, error)) error {
	for {
		changed := k.Changes()
		if over, err := over(); over || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// unusedID returns an id that no nudge, instruction, wish or denied calls have.
func unusedID(tx *tx) string {
	return nudge.NewID(func(id string) bool {
		return !tx.Unused(id) || tx.Instruction(id) != nil || tx.Wish(id) != nil || tx.DenialsOf(id) != nil
	})
}
