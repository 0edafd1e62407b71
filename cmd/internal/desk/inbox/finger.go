package inbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"nod/internal/host/tmux"
)

// pressedWithin is how old, at most, the key is that tmux saw last when a key counts as pressed. tmux tells whole seconds.
const pressedWithin = 3 * time.Second

// errNoFinger says that nobody pressed the key, as far as tmux knows.
var errNoFinger = errors.New("tmux saw nobody press this key here: nothing was answered. A key that a program sends does not count; press it once more")

// finger tells a key that a person pressed at a terminal from one that a program sent with send-keys. Only the former moves
// tmux's #{client_activity}.
type finger struct {
	server *tmux.Server // nil: the inbox is not in tmux, and every key is a person's
	pane   string       // of the inbox
	popup  bool         // it is meant to run in a pop-up

	mu   sync.Mutex
	last time.Time // the activity that the last answer counted by
}

// pressed reports whether a person pressed the key that came in at a time: a client that shows the inbox as the pane that gets
// the keys was active just then, and not only before the last answer.
func (f *finger) pressed(ctx context.Context, at time.Time) error {
	if f.server == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	listing, err := f.server.List(ctx)
	if err != nil {
		return fmt.Errorf("whether somebody pressed this key can't be asked, so nothing was answered: %w", err)
	}
	if f.popup && !inPane(listing) {
		return nil // send-keys reaches panes alone
	}
	for _, c := range listing.Clients {
		if c.Pane == f.pane && c.Activity.After(f.last) && at.Sub(c.Activity) <= pressedWithin {
			f.last = c.Activity
			return nil
		}
	}
	return errNoFinger
}

// inPane reports whether the terminal of this process is that of a pane.
func inPane(listing tmux.Listing) bool {
	leader, err := unix.Getsid(0)
	return err != nil || slices.ContainsFunc(listing.Panes, func(p tmux.Pane) bool { return p.PID == leader })
}
