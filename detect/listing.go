package detect

import (
	"strings"
	"time"

	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
)

// lastListing is the result of the last polls of a server for all its panes, watched or not.
type lastListing struct {
	polled       time.Time            // when the last poll ended, whether or not it worked
	life         tmux.Life            // the run of the server that was listed last; zero: none
	at           time.Time            // when it was listed
	panes        map[string]bool      // its panes; nil: it no longer answers
	withoutAgent map[string]time.Time // since when listings show no agent in a pane's foreground
	noServer     bool                 // the last poll found that nobody listens at the socket
}

func newLastListing(now time.Time) lastListing {
	return lastListing{polled: now, withoutAgent: map[string]time.Time{}}
}

// noteListing records a successful listing.
func (s *serverWatcher) noteListing(life tmux.Life, panes map[string]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := &s.status.listing
	if last.life != life {
		clear(last.withoutAgent)
	}
	for id := range last.withoutAgent {
		if !panes[id] {
			delete(last.withoutAgent, id)
		}
	}
	last.life, last.at, last.panes, last.noServer = life, time.Now(), panes, false
}

// noteAgent records whether an agent runs in a pane's foreground.
func (s *serverWatcher) noteAgent(pane string, runs bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := &s.status.listing
	switch _, known := last.withoutAgent[pane]; {
	case runs:
		delete(last.withoutAgent, pane)
	case !known:
		last.withoutAgent[pane] = last.at
	}
}

// noteAbsence records whether nobody listens at the socket, and logs a change.
func (s *serverWatcher) noteAbsence(noServer bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if noServer && !s.status.listing.noServer {
		s.watcher.cfg.Log.Info("no tmux server runs there: its panes are seen once one does", "socket", s.screens.Socket())
	}
	s.status.listing.noServer = noServer
}

// notePoll records the end of a poll.
func (s *serverWatcher) notePoll(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status.listing.polled = now
}

// Polled is the end of the last poll, successful or not, of the server that was polled least recently; for a new server, the time when
// it was first watched. Zero before Run.
func (w *Watcher) Polled() time.Time {
	var least time.Time
	for _, s := range w.all() {
		s.mu.Lock()
		polled := s.status.listing.polled
		s.mu.Unlock()
		if least.IsZero() || polled.Before(least) {
			least = polled
		}
	}
	return least
}

// StateOf returns the state of a pane that is not watched now. Gone: the pane, or its run of the server, no longer exists. Shell: it
// exists, and listings a second apart showed no agent in its foreground. Empty: it is watched after all, or nothing is known, because its
// server is not watched, was not looked at so far, or does not answer.
func (w *Watcher) StateOf(pane PaneRef) screen.State {
	s := w.serverOf(pane)
	if s == nil {
		return ""
	}
	s.mu.Lock()
	last := s.status.listing
	since, noAgent := last.withoutAgent[pane.ID]
	listed := last.panes[pane.ID]
	watched := s.status.sightings[pane.ID].Pane == pane
	s.mu.Unlock()
	switch {
	case last.noServer:
		if !runsTmux(pane.Server.PID) {
			return screen.Gone
		}
	case last.panes == nil:
	case last.life != pane.Server, !listed:
		return screen.Gone
	case noAgent && !watched && last.at.Sub(since) >= eventLag:
		return screen.Shell
	}
	return ""
}

// runsTmux reports whether the process has the name of a tmux server: after a restart of the machine another program may have its pid.
func runsTmux(pid int) bool {
	line, err := proc.Lineage(pid)
	return err == nil && strings.HasPrefix(line[0].Comm, "tmux")
}
