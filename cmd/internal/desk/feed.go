package desk

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"nod/bot/message"
	"nod/detect"
	"nod/nudge/keeper"
)

// FeedConfig is what a Feed works with. Every field is needed.
type FeedConfig struct {
	Open    func(since time.Time) (keeper.Open, error) // what waits, and what was answered since
	Changes func() <-chan struct{}                     // closed by the next change of that
	Panes   func() []detect.Sighting                   // as they were last seen, and the sessions of agents that run in no pane
	View    func(pane detect.PaneRef, until time.Time) // has a pane read at each poll, for somebody looks at it
	Style   func() Style                               // of texts, by the settings of the moment
	Health  func() []string                            // what is wrong, in sentences
	Log     *slog.Logger
}

// Style is how texts are masked and drawn.
type Style struct {
	Host   string              // this machine's name; empty: it is not said
	Redact func(string) string // masks secrets; nil: they are shown
}

// same reports whether texts look the same in both styles.
func (s Style) same(o Style) bool { return s.Host == o.Host && (s.Redact == nil) == (o.Redact == nil) }

// Feed sends all cards to its readers, and then changes. The cards are computed once for all readers, and only while there are any.
type Feed struct {
	cfg  FeedConfig
	wake chan struct{} // there may be something new, or somebody to tell

	mu      sync.Mutex // guards what follows; held while cards are computed
	readers map[*reader]bool
	state   *state               // what readers were told; nil: there is none to tell
	viewed  map[string]time.Time // cards that somebody looks at, and until when

	read atomic.Bool // there are readers
}

// NewFeed makes a Feed. It does no I/O.
func NewFeed(cfg FeedConfig) *Feed {
	return &Feed{cfg: cfg, wake: make(chan struct{}, 1), readers: map[*reader]bool{}, viewed: map[string]time.Time{}}
}

// How often the cards are computed: at most once each restLeast, and so rarely that it takes one part in restPart of the time.
const (
	restLeast = 100 * time.Millisecond
	restPart  = 20
	// idleLook is after how long without news the health is looked at.
	idleLook = 5 * time.Second
)

// Run computes cards for as long as there are readers, until ctx ends.
func (f *Feed) Run(ctx context.Context) error {
	for {
		changed, more := f.cfg.Changes(), false
		rest := time.Duration(0)
		if f.read.Load() {
			began := time.Now()
			more = f.compute(began)
			rest = max(restLeast, restPart*time.Since(began))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(rest):
		}
		if more {
			continue
		}
		if !f.read.Load() { // nobody is told of changes
			changed = nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		case <-f.wake:
		case <-time.After(idleLook):
		}
	}
}

// Saw has the cards computed soon, because a pane was looked at. It does not block.
func (f *Feed) Saw() {
	if f.read.Load() {
		f.ring()
	}
}

// ring has the cards computed soon.
func (f *Feed) ring() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// viewLasts is how long a card counts as looked at.
const viewLasts = 15 * time.Second

// View records that somebody looks at a card. That counts for some seconds.
func (f *Feed) View(card string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.state == nil || f.state.cards[card] == nil {
		return
	}
	f.viewed[card] = time.Now().Add(viewLasts)
	f.cfg.View(f.state.cards[card].pane, f.viewed[card])
	f.ring()
}

// kept is how many changes may wait for a reader.
const kept = 32

// reader is a receiver of changes.
type reader struct {
	changes chan Change
	missed  bool // some were left out: it begins again with a snapshot
}

// Watch emits a snapshot of all cards and then changes, until ctx ends or emit fails. A reader that is too slow gets another snapshot
// in place of the changes, and keeps nobody waiting.
func (f *Feed) Watch(ctx context.Context, emit func(Change) error) error {
	r := &reader{changes: make(chan Change, kept)}
	f.mu.Lock()
	f.readers[r] = true
	f.read.Store(true)
	if f.state != nil {
		r.changes <- f.state.snapshot()
	}
	f.mu.Unlock()
	f.ring()
	defer f.leave(r)
	for {
		select {
		case <-ctx.Done():
			return nil
		case c := <-r.changes:
			if c, ok := f.next(r, c); ok && emit(c) != nil {
				return nil // it is gone
			}
		}
	}
}

// next returns what a reader gets if c is its next change: a snapshot if it has missed some.
func (f *Feed) next(r *reader, c Change) (Change, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !r.missed {
		return c, true
	}
	for len(r.changes) > 0 {
		<-r.changes
	}
	r.missed = false
	return f.state.snapshot(), true
}

// leave removes a reader, and with the last one everything that is kept for readers.
func (f *Feed) leave(r *reader) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if delete(f.readers, r); len(f.readers) == 0 {
		f.state = nil
		clear(f.viewed)
		f.read.Store(false)
	}
}

// tell passes a change to all readers. The caller holds mu.
func (f *Feed) tell(c Change) {
	for r := range f.readers {
		select {
		case r.changes <- c:
		default:
			r.missed = true
		}
	}
}

// compute computes the cards and sends what has changed. It reports whether there is more to do.
func (f *Feed) compute(now time.Time) (more bool) {
	open, err := f.cfg.Open(now.Add(-answeredFor))
	if err != nil {
		f.cfg.Log.Error("the cards could not be read", "error", err)
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.readers) == 0 {
		return false
	}
	style := f.cfg.Style()
	first := f.state == nil
	if first || !f.state.style.same(style) {
		seq := uint64(1)
		if !first {
			seq = f.state.seq + 1
		}
		f.state, first = &state{seq: seq, style: style, cards: map[string]*built{}}, true
	}
	for card, until := range f.viewed {
		if !until.After(now) {
			delete(f.viewed, card)
		}
	}
	b := builder{style: message.NewStyle(style.Host, false, nil, style.Redact), now: now}
	change, more := f.state.update(b.inputs(f.cfg.Panes(), open), b, f.viewed)
	f.state.sum(&change, b.answered(open.Answered), Health{Problems: append([]string{}, f.cfg.Health()...)})
	switch {
	case first:
		f.tell(f.state.snapshot())
	case !change.empty():
		f.state.seq++
		change.Seq = f.state.seq
		f.tell(change)
	}
	return more
}

// state is what readers were sent.
type state struct {
	seq      uint64
	style    Style
	cards    map[string]*built
	answered []Answered
	health   *Health
}

// snapshot returns all of it.
func (s *state) snapshot() Change {
	c := Change{Seq: s.seq, Snapshot: true, Answered: s.answered, Health: s.health}
	for _, b := range s.cards {
		c.Cards = append(c.Cards, b.card)
	}
	slices.SortFunc(c.Cards, func(a, b Card) int { return Compare(&a, &b) })
	return c
}

func (c Change) empty() bool {
	return len(c.Cards)+len(c.Gone) == 0 && c.Answered == nil && c.Health == nil
}
