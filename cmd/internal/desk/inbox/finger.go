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

// pressedWithin is the highest age of a client's last key for which a key counts as pressed. tmux reports
// whole seconds.
const pressedWithin = 3 * time.Second

// Why a key does not count.
var (
	errNoFinger    = errors.New("tmux saw nobody press this key here: nothing was answered. A key that a program sends does not count; press it once more")
	errSilentPopup = errors.New("this system lets no program see keys in a pop-up of tmux: nothing was answered. Close it, and run nod inbox in a pane")
)

// finger tells keys that a person pressed at a terminal from keys that a program sent. tmux reads only a
// person's keys from a client's terminal. #{client_activity} is not enough: `send-keys -K` (tmux 3.4 and
// later) changes it, too.
type finger struct {
	server *tmux.Server // nil: the inbox is not in tmux, and every key is a person's
	reads  *proc.Reads  // reads of the clients' terminals; nil: this system doesn't count them
	agents func(ctx context.Context, pid int) bool
	began  time.Time

	mu   sync.Mutex
	came []time.Time // when the last keys arrived

	asking sync.Mutex
	last   time.Time // the key for which the last answer was accepted
}

// key records that a key has arrived. Its press came before, so what is read from a terminal from now on
// belongs to later keys.
func (f *finger) key() {
	if f.reads != nil {
		f.reads.Note()
	}
	now := time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.came = append(f.came[max(len(f.came)-keysUnderWay+1, 0):], now)
}

// keysUnderWay is the number of remembered keys: more than can arrive while one of them is checked.
const keysUnderWay = 16

// together is how close two keys must be for it to be unknown which of them a client sent.
const together = 40 * time.Millisecond

// alone reports whether no other key arrived together with the one of that time, and when the key before it
// arrived.
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

// begin watches the terminals until end is called.
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

// watch starts to watch the terminals of all clients. What was read from them before is not known.
func (f *finger) watch(ctx context.Context) {
	if f.reads == nil {
		return
	}
	listing, _ := f.server.List(ctx) // otherwise the next look finds them
	for _, c := range listing.Clients {
		f.sent(c, time.Now())
	}
}

// pressed reports whether a person pressed the key that arrived at a time. A client must have sent a key just
// then whose keys the inbox gets and that no agent started. That key must be newer than the one of the last
// answer and than the key that arrived before.
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
		if own < 0 { // a pop-up over a client that has been idle since it opened
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

// sent returns when a client last sent a key before a time, and whether that is exact.
func (f *finger) sent(c tmux.Client, until time.Time) (at time.Time, exact bool) {
	if f.reads == nil {
		return c.Activity, false
	}
	terminal := proc.Terminal(c.PID)
	switch read, err := f.reads.Of(terminal, until); {
	case err == nil:
		return read, true
	case errors.Is(err, proc.ErrNewTerminal): // only tmux knows the last key, and it also counts keys of programs
		return time.Time{}, false
	}
	if read, err := proc.LastRead(terminal); err == nil && read.Before(c.Activity.Add(-proc.ReadGrain)) {
		return time.Time{}, false // the activity was something else than a key
	}
	return c.Activity, false
}
