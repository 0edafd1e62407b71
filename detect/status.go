package detect

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/reason"
)

// serverStatus is what the rest of the program knows of a server.
type serverStatus struct {
	life      tmux.Life  // the run of the server that was met; zero: none
	owned     bool       // by this nod
	trouble   reason.Why // zero: all is well
	noServer  bool       // the last poll found that nobody listens at the socket
	polled    time.Time  // when the last poll ended, whether or not it worked
	sightings map[string]Sighting
	viewed    map[string]time.Time // panes that an inbox or a page shows, and until when

	// What the last successful poll listed: all panes, watched or not.
	listedAt     time.Time
	panes        map[string]bool      // nil: the server no longer answers
	withoutAgent map[string]time.Time // since when listings show no agent in a pane's foreground
}

// note changes what the rest of the program knows.
func (s *serverWatcher) note(change func(known *serverStatus)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.status)
}

// told is what is known now. Its maps belong to whoever holds mu.
func (s *serverWatcher) told() serverStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

// meetServer records which run of the server answers. If it is another one than before, all panes of the earlier run are gone,
// although the new run has panes with the same ids.
func (s *serverWatcher) meetServer(life tmux.Life) {
	if life == s.life {
		return
	}
	s.serverEnded()
	s.life, s.allCaptured, s.listing = life, time.Now(), tmux.Listing{}
	// If this fails, the server counts as dead as soon as it does not answer.
	s.process, _ = proc.Of(life.PID)
	s.note(func(known *serverStatus) { known.life = life })
}

// serverEnded retires all panes.
func (s *serverWatcher) serverEnded() {
	for _, id := range s.paneIDs() {
		s.retire(s.panes[id])
	}
	s.life, s.process, s.listing = tmux.Life{}, proc.ID{}, tmux.Listing{}
	s.note(func(known *serverStatus) {
		known.life, known.owned, known.panes = tmux.Life{}, false, nil
		clear(known.withoutAgent)
	})
}

// pollFailed handles a poll that could not reach the server. That says nothing about its panes, unless nobody listens on its
// socket and the server's process has ended.
func (s *serverWatcher) pollFailed(err error) {
	noServer := errors.Is(err, tmux.ErrNoServer)
	if noServer && !s.told().noServer {
		s.watcher.cfg.Log.Info("no tmux server runs there: its panes are seen once one does", "socket", s.screens.Socket())
	}
	s.note(func(known *serverStatus) { known.noServer = noServer })
	switch {
	case !noServer:
		s.setStatus(s.told().owned, s.unwatched(err))
	case s.life == (tmux.Life{}):
		s.setStatus(false, reason.Why{})
	case proc.Alive(s.process):
		s.setStatus(s.told().owned, reason.Why{Kind: reason.SocketSilent, Where: s.life.Socket, What: fmt.Sprint(s.process.PID)})
	default:
		s.serverEnded()
		s.setStatus(false, reason.Why{})
	}
}

// setStatus records whether this nod owns the server and what is wrong with it, and logs changes.
func (s *serverWatcher) setStatus(owned bool, trouble reason.Why) {
	var before reason.Why
	s.note(func(known *serverStatus) {
		before, known.owned, known.trouble = known.trouble, owned, trouble
	})
	switch {
	case trouble == before:
	case !trouble.IsZero():
		s.watcher.cfg.Log.Warn("tmux server in trouble", "socket", s.screens.Socket(), "why", trouble)
	case owned:
		s.watcher.cfg.Log.Info("tmux server works again", "socket", s.screens.Socket())
	}
}

// lastSightings are the results of the last looks at the watched panes.
func (s *serverWatcher) lastSightings() []Sighting {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Sighting, 0, len(s.status.sightings))
	for _, id := range slices.Sorted(maps.Keys(s.status.sightings)) {
		all = append(all, s.status.sightings[id])
	}
	return all
}

// noteListing records a successful listing.
func (s *serverWatcher) noteListing(panes map[string]bool) {
	s.note(func(known *serverStatus) {
		maps.DeleteFunc(known.withoutAgent, func(id string, _ time.Time) bool { return !panes[id] })
		known.listedAt, known.panes, known.noServer = time.Now(), panes, false
	})
}

// noteAgent records whether an agent runs in a pane's foreground.
func (s *serverWatcher) noteAgent(pane string, runs bool) {
	s.note(func(known *serverStatus) {
		switch _, before := known.withoutAgent[pane]; {
		case runs:
			delete(known.withoutAgent, pane)
		case !before:
			known.withoutAgent[pane] = known.listedAt
		}
	})
}

// Polled is the end of the last poll, successful or not, of the server that was polled least recently; for a new server, the time when
// it was first watched. Zero before Run.
func (w *Watcher) Polled() time.Time {
	var least time.Time
	for _, s := range w.all() {
		if polled := s.told().polled; least.IsZero() || polled.Before(least) {
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
	last := s.status
	since, noAgent := last.withoutAgent[pane.ID]
	watched := last.sightings[pane.ID].Pane == pane
	s.mu.Unlock()
	switch {
	case last.noServer:
		if !runsTmux(pane.Server.PID) {
			return screen.Gone
		}
	case last.panes == nil:
	case last.life != pane.Server, !last.panes[pane.ID]:
		return screen.Gone
	case noAgent && !watched && last.listedAt.Sub(since) >= eventLag:
		return screen.Shell
	}
	return ""
}

// runsTmux reports whether the process runs and has the name of a tmux server: after a restart of the machine another program may have its pid.
// In a container whose first process adopts nobody's children, one that has ended keeps its pid and its name.
func runsTmux(pid int) bool {
	line, err := proc.Lineage(pid)
	return err == nil && strings.HasPrefix(line[0].Comm, "tmux") && proc.Alive(line[0].ID)
}

// unwatched is the trouble that err makes.
func (s *serverWatcher) unwatched(err error) reason.Why {
	return reason.Why{Kind: reason.ServerUnwatched, Where: s.screens.Socket(), What: err.Error()}
}
