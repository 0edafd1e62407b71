package inbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"nod/internal/host/proc"
	"nod/internal/host/tmux"
)

// pressedWithin is how old, at most, the key is that a client sent last when a key counts as pressed. tmux tells whole seconds.
const pressedWithin = 3 * time.Second

// Why a key does not count.
var (
	errNoFinger    = errors.New("tmux saw nobody press this key here: nothing was answered. A key that a program sends does not count; press it once more")
	errSilentPopup = errors.New("this system lets no program see keys in a pop-up of tmux: nothing was answered. Close it, and run nod inbox in a pane")
)

// finger tells a key that a person pressed at a terminal from one that a program sent. tmux reads only the former from a client's
// terminal; `send-keys -K` (tmux 3.4 and later) moves #{client_activity} as well.
type finger struct {
	server *tmux.Server // nil: the inbox is not in tmux, and every key is a person's
	reads  *proc.Reads  // of the clients' terminals; nil: this system does not tell
	agents func(ctx context.Context, pid int) bool
	began  time.Time

	mu   sync.Mutex
	came []time.Time // when the last keys came in

	asking sync.Mutex
	last   time.Time // the key that the last answer counted by
}

// key takes in that a key has come in. Whoever pressed it did so before: what was read until now counts for no later key.
func (f *finger) key() {
	if f.reads != nil {
		f.reads.Note()
	}
	now := time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.came = append(f.came[max(len(f.came)-keysUnderWay+1, 0):], now)
}

// keysUnderWay is more keys than come in while one of them is asked about.
const keysUnderWay = 16

// together is how close two keys come of which it can't be told which one a client has sent.
const together = 40 * time.Millisecond

// alone reports whether no other key came in together with the one of a time, and when the one before it did.
func (f *finger) alone(at time.Time) (before time.Time, alone bool) {
	time.Sleep(time.Until(at.Add(together)))
	f.mu.Lock()
	defer f.mu.Unlock()
	own := len(f.came) - 1
	for own > 0 && f.came[own].After(at) {
		own--
	}
	if own > 0 {
		before = f.came[own-1]
	}
	near := func(i int) bool {
		return i >= 0 && i < len(f.came) && i != own && f.came[i].Sub(f.came[own]).Abs() < together
	}
	return before, !near(own-1) && !near(own+1)
}

// begin watches terminals until the func that it gives is called.
func (f *finger) begin(ctx context.Context) (end func()) {
	f.began = time.Now()
	reads, err := proc.NewReads()
	if f.server == nil || err != nil {
		return func() {}
	}
	f.reads = reads
	var noting sync.WaitGroup
	noting.Go(reads.Run)
	f.watch(ctx)
	return func() { _ = reads.Close(); noting.Wait() }
}

// watch has the terminals of all clients watched: what was read before that, nobody knows.
func (f *finger) watch(ctx context.Context) {
	if f.reads == nil {
		return
	}
	listing, _ := f.server.List(ctx) // else the next look sees them
	for _, c := range listing.Clients {
		f.sent(c, time.Now())
	}
}

// pressed reports whether a person pressed the key that came in at a time: a client whose keys the inbox gets, and that no agent has
// started, sent one just then, and not only before the last answer, or the key that came in before.
func (f *finger) pressed(ctx context.Context, at time.Time) error {
	if f.server == nil {
		return nil
	}
	f.asking.Lock()
	defer f.asking.Unlock()
	listing, err := f.server.List(ctx)
	if err != nil {
		return fmt.Errorf("whether somebody pressed this key can't be asked, so nothing was answered: %w", err)
	}
	before, alone := f.alone(at)
	if !alone {
		return errNoFinger
	}
	leader, err := unix.Getsid(0)
	own := slices.IndexFunc(listing.Panes, func(p tmux.Pane) bool { return err != nil || p.PID == leader })
	for _, c := range listing.Clients {
		sent, exact := f.sent(c, at)
		gets := own >= 0 && c.Pane == listing.Panes[own].ID
		if own < 0 { // a pop-up, which lies over a client that has not been active since
			gets = !c.Activity.After(f.began.Add(time.Second))
		}
		if gets && sent.After(f.last) && at.Sub(sent) <= pressedWithin && (!exact || sent.After(before)) && !f.agents(ctx, c.PID) {
			f.last = sent
			return nil
		}
	}
	if own < 0 && f.reads == nil {
		return errSilentPopup
	}
	return errNoFinger
}

// sent is when a client sent its last key until a time, and whether that is known to the moment.
func (f *finger) sent(c tmux.Client, until time.Time) (at time.Time, exact bool) {
	if f.reads == nil {
		return c.Activity, false
	}
	terminal := proc.Terminal(c.PID)
	switch read, err := f.reads.Of(terminal, until); {
	case err == nil:
		return read, true
	case errors.Is(err, proc.ErrNewTerminal): // tmux alone knows of its last key, and counts those of programs too
		return time.Time{}, false
	}
	if read, err := proc.LastRead(terminal); err == nil && read.Before(c.Activity.Add(-proc.ReadGrain)) {
		return time.Time{}, false // activity of another kind
	}
	return c.Activity, false
}
