package detect

import (
	"cmp"
	"context"
	"sync"
	"time"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/reason"
)

// captureAllEvery is how often every pane is captured: tmux does not report every change of a pane.
const captureAllEvery = 5 * time.Minute

// serverWatcher watches one tmux server. Everything that is not guarded by mu belongs to run's goroutine.
type serverWatcher struct {
	watcher *Watcher
	screens Screens
	mark    ownerMark          // this nod's
	stop    context.CancelFunc // of run
	done    chan struct{}      // closed when run has returned
	ready   chan struct{}      // closed after the first poll, whether or not it worked

	lookSchedule
	metServer
	panes  map[string]*agentPane
	listed map[string]bool // the panes of the last listing
	room   room
	taught *[]agents.Taught // what the panes were read with
	fromHooks

	mu     sync.Mutex // guards status, which other goroutines read
	status serverStatus
}

// lookSchedule says which panes are looked at, and when.
type lookSchedule struct {
	lookRequests chan lookRequest
	urgent       map[string]*urgentLook
	nextPoll     time.Time
	every        time.Duration // how long after a poll of all panes the next one follows
	allCaptured  time.Time     // when every pane was captured last
	listing      tmux.Listing  // of the last poll of all panes; zero: the next one lists them whole
}

// metServer is the run of the server that answers.
type metServer struct {
	life    tmux.Life // zero while no server is met
	process proc.ID   // the server's
	leftTo  string    // the mark of another nod that owns the server; empty: none does
}

// fromHooks is what the agents' hooks said about the server's panes.
type fromHooks struct {
	events   *eventQueue
	sessions map[string]*session // by pane
	pending  []receivedEvent     // events whose server or pane is not known yet
	lost     time.Time           // when events were lost last
	effects  []Effect            // not passed on yet
}

func newServerWatcher(w *Watcher, screens Screens, mark ownerMark, stop context.CancelFunc) *serverWatcher {
	return &serverWatcher{
		watcher: w, screens: screens, mark: mark, stop: stop,
		done: make(chan struct{}), ready: make(chan struct{}),
		lookSchedule: lookSchedule{lookRequests: make(chan lookRequest, 64), urgent: map[string]*urgentLook{}},
		fromHooks:    fromHooks{events: newEventQueue(), sessions: map[string]*session{}},
		panes:        map[string]*agentPane{},
		room:         room{read: map[string]bool{}},
		status:       serverStatus{sightings: map[string]Sighting{}, viewed: map[string]time.Time{}, withoutAgent: map[string]time.Time{}, polled: time.Now()},
	}
}

// run watches the server until ctx ends:
//
//	timer ──▶ poll ─────▶ claim ────▶ enrol ────▶ read ─────▶ judge ────▶ See
//	  ▲       list and    is it       which       changed     what enough
//	  │       capture     this        panes run   screens     looks agree on
//	  │       the panes   nod's?      an agent?
//	  │
//	urgent looks: for an agent's event, a call of LookSoon, a prompt that a poll saw for the first time
//
// A poll looks at every pane, an urgent look only at the panes that were asked for.
func (s *serverWatcher) run(ctx context.Context) {
	defer close(s.done)
	defer s.release(ctx)
	s.nextPoll = time.Now()
	again := false // the last poll was made at once, because the one before had found new panes
	timer := time.NewTimer(0)
	defer timer.Stop()
	for first := true; ; {
		timer.Reset(time.Until(s.nextLook()))
		select {
		case <-ctx.Done():
			return
		case r := <-s.lookRequests:
			s.requestLook(r)
			continue
		case <-s.events.wake:
			if s.takeEvents() {
				s.nextPoll = time.Now()
			}
			continue
		case pane := <-s.listing.Drew:
			s.listing.Drew = nil
			s.lookAtDrawing(pane)
			continue
		case <-s.listing.Came:
			s.nextPoll = time.Now()
		case <-timer.C:
		}
		settings := s.watcher.settings()
		all := !time.Now().Before(s.nextPoll)
		if all {
			s.nextPoll, s.every = time.Now().Add(settings.Interval), settings.Interval
		}
		found := s.poll(ctx, settings.StablePolls, all)
		if all && s.listing.Next.After(s.nextPoll) {
			s.nextPoll = s.listing.Next
		}
		if found && !again {
			s.nextPoll = time.Now() // they have not been read yet
		}
		again = found
		s.retryPending()
		if all {
			s.note(func(known *serverStatus) { known.polled = time.Now() })
			s.watcher.polled()
		}
		if first {
			close(s.ready)
			first = false
		}
	}
}

// poll looks at all watched panes, or only at those that were asked for. It reports whether it found panes that it did not
// know to capture.
func (s *serverWatcher) poll(ctx context.Context, enough int, all bool) (found bool) {
	last, began := s.lastListing(), time.Now()
	known := s.toRead(all)
	if all {
		last.Every = s.every
	}
	listing, captures, err := s.screens.Poll(ctx, known, last)
	switch {
	case ctx.Err() != nil:
		return false
	case err != nil:
		s.pollFailed(err)
	default:
		s.meetServer(listing.Life)
		if all {
			s.listing = listing
		}
		s.listed = listedNow(s.listed, listing.Panes)
		s.noteListing(s.listed)
		if s.claim(ctx, listing) {
			found = s.look(listing, known, captures, began, enough, all)
		} else {
			s.listing = tmux.Listing{} // it does not know which processes run in the panes
		}
	}
	s.scheduleUrgent(began)
	return found
}

// look handles the result of a poll that began at that time.
func (s *serverWatcher) look(listing tmux.Listing, known, captures []tmux.Capture, began time.Time, enough int, all bool) (found bool) {
	trouble, read := reason.Why{}, s.room.read
	clear(read)
	if !listing.Whole {
		s.takeTicks(captures, listing.Fresh, read)
		takeSpared(known, listing)
	}
	if all || s.urgentUnwatched() {
		var err error
		if found, err = s.enrol(listing); err != nil {
			trouble, s.listing = s.unwatched(err), tmux.Listing{}
		}
	}
	if listing.Taken.Before(began) { // it was asked for before
		began = listing.Taken
	}
	s.takeCaptures(captures, read)
	s.takeUnchanged(known, listing.Missed, began, read)
	s.setStatus(true, cmp.Or(trouble, s.unreadable()))
	if all {
		for _, id := range s.paneIDs() {
			if p := s.panes[id]; p.exited || read[id] {
				s.report(p, listing.Clients, enough, "poll")
			}
		}
	}
	s.answerUrgent(read, listing.Clients)
	if all {
		s.confirmPrompts(read, enough)
	}
	return found
}

// report passes on the result of the last look at a pane.
func (s *serverWatcher) report(p *agentPane, clients []tmux.Client, enough int, by string) {
	seen := p.judge(enough, time.Now())
	seen.Pane, seen.By = PaneRef{Server: s.life, ID: p.info.ID}, by
	known := s.sessions[p.info.ID]
	if known != nil && known.process != p.process {
		known = nil
	}
	if known != nil {
		seen.Session = known.id
	}
	if seen.State != screen.Shell {
		seen.Unasked = p.unasked(known, time.Now())
	}
	s.addEvidence(p, &seen)
	p.readTranscript(&seen)
	p.readDenied(&seen, time.Now())
	p.readEscape(&seen, time.Now())
	for _, c := range clients {
		if c.Activity.After(seen.Near) {
			seen.Near = c.Activity
		}
		if c.Pane == p.info.ID && c.Activity.After(seen.Here) {
			seen.Here = c.Activity
		}
	}
	s.note(func(known *serverStatus) { known.sightings[p.info.ID] = seen })
	s.watcher.cfg.See(seen)
	s.reportEffects()
}

// retire stops watching a pane and reports it as gone: it no longer exists, or must not be watched.
func (s *serverWatcher) retire(p *agentPane) {
	id := p.info.ID
	seen := p.sighting(screen.Gone, time.Now())
	seen.Pane, seen.By = PaneRef{Server: s.life, ID: id}, "poll"
	delete(s.panes, id)
	delete(s.sessions, id)
	s.note(func(known *serverStatus) { delete(known.sightings, id) })
	s.watcher.cfg.See(seen)
}
