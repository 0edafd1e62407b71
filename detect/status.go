package detect

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"nod/internal/host/proc"
	"nod/internal/host/tmux"
)

// serverStatus is what the rest of the program knows of a server.
type serverStatus struct {
	life      tmux.Life // the run of the server that was met; zero: none
	owned     bool      // by this nod
	trouble   string    // a sentence; empty: all is well
	sightings map[string]Sighting
	listing   lastListing
	viewed    map[string]time.Time // panes that an inbox or a page shows, and until when
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
	s.mu.Lock()
	s.status.life = life
	s.mu.Unlock()
}

// serverEnded retires all panes.
func (s *serverWatcher) serverEnded() {
	for _, id := range s.paneIDs() {
		s.retire(s.panes[id])
	}
	s.life, s.process, s.listing = tmux.Life{}, proc.ID{}, tmux.Listing{}
	s.mu.Lock()
	s.status.life, s.status.owned = tmux.Life{}, false
	s.status.listing.panes = nil
	s.mu.Unlock()
}

// pollFailed handles a poll that could not reach the server. That says nothing about its panes, unless nobody listens on its
// socket and the server's process has ended.
func (s *serverWatcher) pollFailed(err error) {
	noServer := errors.Is(err, tmux.ErrNoServer)
	s.noteAbsence(noServer)
	switch {
	case !noServer:
		s.setStatus(s.owns(), sentence(err))
	case s.life == (tmux.Life{}):
		s.setStatus(false, "")
	case proc.Alive(s.process):
		s.setStatus(s.owns(), fmt.Sprintf("The tmux server at %s runs (process %d), but its socket does not answer; `kill -USR1 %d` makes a new one if the file was deleted.",
			s.life.Socket, s.process.PID, s.process.PID))
	default:
		s.serverEnded()
		s.setStatus(false, "")
	}
}

// setStatus records whether this nod owns the server and what is wrong with it, and logs changes.
func (s *serverWatcher) setStatus(owned bool, trouble string) {
	s.mu.Lock()
	before := s.status.trouble
	s.status.owned, s.status.trouble = owned, trouble
	s.mu.Unlock()
	switch {
	case trouble == before:
	case trouble != "":
		s.watcher.cfg.Log.Warn("tmux server in trouble", "socket", s.screens.Socket(), "trouble", trouble)
	default:
		s.watcher.cfg.Log.Info("tmux server works again", "socket", s.screens.Socket())
	}
}

// owns reports whether this nod owns the server.
func (s *serverWatcher) owns() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status.owned
}

// trouble says what is wrong with the server, in a sentence; empty: nothing.
func (s *serverWatcher) trouble() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status.trouble
}

// currentLife is the run of the server that was met last; zero: none.
func (s *serverWatcher) currentLife() tmux.Life {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status.life
}

// lastSightings are the results of the last looks at the watched panes.
func (s *serverWatcher) lastSightings() []Sighting {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Sighting
	for _, id := range slices.Sorted(maps.Keys(s.status.sightings)) {
		all = append(all, s.status.sightings[id])
	}
	return all
}

// sentence turns an error into a sentence.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
