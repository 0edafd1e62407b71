package nudge

import (
	"log/slog"
	"sync"
	"time"

	"nod/detect"
	"nod/internal/proc"
)

// Config is what a Keeper needs. Every field must be set.
type Config struct {
	Book   Book
	Typist Typist
	Rules  func() Rules // the settings as they are now
	Log    *slog.Logger
	// Uptime reads a clock that nobody sets and that goes on while the machine sleeps (CLOCK_BOOTTIME).
	// It tells a wall clock that was set from a machine that slept.
	Uptime func() time.Duration
	// Changed is called after every change that may leave something to be told. It must not block.
	Changed func()
}

// Keeper keeps every nudge from first sight to its end. Its methods may be called from any
// goroutine; each that changes something does so in one transaction of the Book.
type Keeper struct {
	book    Book
	typist  Typist
	rules   func() Rules
	log     *slog.Logger
	uptime  func() time.Duration
	changed func()

	work chan struct{} // something may have to be typed

	mu      sync.Mutex // guards what follows; no transaction begins while it is held
	panes   map[detect.PaneRef]*watched
	taken   map[string]bool // claims of this process, by nudge
	hands   map[string]bool // nudges that are being typed now
	sending map[sending]bool
	news    chan struct{} // closed and replaced when a transaction has changed something
	clock   reading
	held    bool      // the last tick found messages held back
	swept   time.Time // when old records were last dropped
}

// sending is a message that the bot was asked to send and has not reported yet.
type sending struct {
	nudge string
	chat  int64
}

// watched is what the Keeper remembers of a pane between two looks.
type watched struct {
	presence
	misses  int  // looks in a row that did not show the prompt of the pane's nudge
	version int  // goes up with every change of a record of the pane
	settled bool // another look like the last one changes nothing
	last    signature
	seen    detect.Sighting // the last look
}

// signature is what makes two looks say the same.
type signature struct {
	view                 detect.State
	process              proc.ID
	since                time.Time
	worked, partial      bool
	words, blocked       string
	fingerprint, subject string
}

// NewKeeper makes a Keeper. It reads and writes nothing yet.
func NewKeeper(c Config) *Keeper {
	return &Keeper{
		book: c.Book, typist: c.Typist, rules: c.Rules, log: c.Log, uptime: c.Uptime, changed: c.Changed,
		work:    make(chan struct{}, 1),
		panes:   map[detect.PaneRef]*watched{},
		taken:   map[string]bool{},
		hands:   map[string]bool{},
		sending: map[sending]bool{},
		news:    make(chan struct{}),
	}
}

// update runs f in one transaction and, when its changes are on disk, traces them and wakes whoever
// waits for news.
func (k *Keeper) update(f func(*Tx) error) error {
	var done Changes
	err := k.book.Update(func(tx *Tx) error {
		err := f(tx)
		done = tx.Changes()
		return err
	})
	if err != nil || done.Empty() {
		return err
	}
	k.trace(done.Events)
	k.mu.Lock()
	for _, n := range done.Puts {
		if n != nil && k.panes[n.Pane] != nil {
			k.panes[n.Pane].version++
			k.panes[n.Pane].settled = false
		}
	}
	k.announce()
	k.mu.Unlock()
	k.changed()
	return nil
}

// announce wakes whoever waits for news. The caller holds mu.
func (k *Keeper) announce() {
	close(k.news)
	k.news = make(chan struct{})
}

// next is closed by the next change of any record.
func (k *Keeper) next() <-chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.news
}
