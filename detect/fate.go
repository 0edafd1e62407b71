package detect

import (
	"strings"
	"time"

	"nod/internal/proc"
	"nod/internal/tmux"
)

// roll is what the last listing of a server told of all its panes, watched or not.
type roll struct {
	ended  time.Time            // when the last poll ended, whatever came of it
	life   tmux.Life            // which run of the server was listed last; zero: none
	at     time.Time            // when
	panes  map[string]bool      // that it has; nil where it does not answer any more
	lone   map[string]time.Time // since when listings show no agent in a pane's foreground
	absent bool                 // the last poll found that no server listens
}

func newRoll(now time.Time) roll { return roll{ended: now, lone: map[string]time.Time{}} }

// listed takes in a successful listing.
func (l *lookout) listed(listing tmux.Listing) {
	panes := map[string]bool{}
	for _, p := range listing.Panes {
		panes[p.ID] = true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &l.roll
	if r.life != listing.Life {
		clear(r.lone)
	}
	for id := range r.lone {
		if !panes[id] {
			delete(r.lone, id)
		}
	}
	r.life, r.at, r.panes, r.absent = listing.Life, time.Now(), panes, false
}

// alone takes in whether an agent runs in a pane's foreground.
func (l *lookout) alone(pane string, yes bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch _, known := l.roll.lone[pane]; {
	case !yes:
		delete(l.roll.lone, pane)
	case !known:
		l.roll.lone[pane] = l.roll.at
	}
}

// vanished takes in whether nobody listens at the socket.
func (l *lookout) vanished(yes bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.roll.absent = yes
}

// polled takes in that a poll has ended.
func (l *lookout) polled(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.roll.ended = now
}

// Polled is when the last poll of the server ended that was polled least recently, whatever came of it; for
// one that is new, when it was first watched. Zero before Run.
func (w *Watcher) Polled() time.Time {
	var least time.Time
	for _, l := range w.all() {
		l.mu.Lock()
		ended := l.roll.ended
		l.mu.Unlock()
		if least.IsZero() || ended.Before(least) {
			least = ended
		}
	}
	return least
}

// Fate tells what became of a pane that is not watched now. Gone: it, or its run of the server, does not
// exist any more. Shell: it exists, and listings a second apart showed no agent in its foreground. Empty: not
// known, since its server is not watched, has not been looked at yet, or does not answer.
func (w *Watcher) Fate(ref PaneRef) State {
	l := w.lookout(ref.Server.Socket)
	if l == nil {
		return ""
	}
	l.mu.Lock()
	r := l.roll
	since, lone := r.lone[ref.ID]
	there := r.panes[ref.ID]
	l.mu.Unlock()
	switch {
	case r.absent:
		if !runsTmux(ref.Server.PID) {
			return Gone
		}
	case r.panes == nil:
	case r.life != ref.Server, !there:
		return Gone
	case lone && r.at.Sub(since) >= eventLag:
		return Shell
	}
	return ""
}

// runsTmux reports whether the process is a tmux server, as far as its name tells: after a restart of the
// machine another program may have its pid.
func runsTmux(pid int) bool {
	line, err := proc.Lineage(pid)
	return err == nil && strings.HasPrefix(line[0].Comm, "tmux")
}
