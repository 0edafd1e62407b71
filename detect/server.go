package detect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
)

// tmux does not report every change of a pane, so nod looks for the others now and then. captureAllEvery is how often every
// pane is captured. Every listAllEvery polls, every pane is listed with the process that runs in it.
const (
	captureAllEvery = time.Minute
	listAllEvery    = 15
)

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

// room holds what each poll fills again.
type room struct {
	ids   []string
	known []tmux.Capture
	read  map[string]bool
}

// lookSchedule says which panes are looked at, and when.
type lookSchedule struct {
	lookRequests chan lookRequest
	urgent       map[string]*urgentLook
	nextPoll     time.Time
	every        time.Duration // how long after a poll of all panes the next one follows
	allCaptured  time.Time     // when every pane was captured last
	listing      tmux.Listing  // of the last poll of all panes; zero: the next one lists them whole
	polls        int           // of all panes
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

// serverStatus is what the rest of the program knows of a server.
type serverStatus struct {
	life      tmux.Life // the run of the server that was met; zero: none
	owned     bool      // by this nod
	trouble   string    // a sentence; empty: all is well
	sightings map[string]Sighting
	listing   lastListing
	viewed    map[string]time.Time // panes that an inbox or a page shows, and until when
}

func newServerWatcher(w *Watcher, screens Screens, mark ownerMark, stop context.CancelFunc) *serverWatcher {
	return &serverWatcher{
		watcher: w, screens: screens, mark: mark, stop: stop,
		done: make(chan struct{}), ready: make(chan struct{}),
		lookSchedule: lookSchedule{lookRequests: make(chan lookRequest, 64), urgent: map[string]*urgentLook{}},
		fromHooks:    fromHooks{events: newEventQueue(), sessions: map[string]*session{}},
		panes:        map[string]*agentPane{},
		room:         room{read: map[string]bool{}},
		status:       serverStatus{sightings: map[string]Sighting{}, viewed: map[string]time.Time{}, listing: newLastListing(time.Now())},
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
			s.notePoll(time.Now())
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
	last, began := s.lastListing(all), time.Now()
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
		s.noteListing(listing.Life, s.listed)
		if s.claim(ctx, listing) {
			found = s.look(listing, known, captures, began, enough, all, !last.Taken.IsZero())
		} else {
			s.listing = tmux.Listing{} // it does not know which processes run in the panes
		}
	}
	s.scheduleUrgent(began)
	return found
}

// listedNow are the panes of a listing, given those of the one before, which others may read.
func listedNow(before map[string]bool, panes []tmux.Pane) map[string]bool {
	if len(before) == len(panes) && !slices.ContainsFunc(panes, func(p tmux.Pane) bool { return !before[p.ID] }) {
		return before
	}
	now := make(map[string]bool, len(panes))
	for _, p := range panes {
		now[p.ID] = true
	}
	return now
}

// look handles the result of a poll that began at that time; partly says that it went by the listing before.
func (s *serverWatcher) look(listing tmux.Listing, known, captures []tmux.Capture, began time.Time, enough int, all, partly bool) (found bool) {
	trouble, read := "", s.room.read
	clear(read)
	if partly {
		s.takeTicks(captures, listing.Fresh, read)
	}
	if all || s.urgentUnwatched() {
		var err error
		if found, err = s.enrol(listing); err != nil {
			trouble, s.listing = sentence(err), tmux.Listing{}
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

// paneIDs are the watched panes in a fixed order, until the next call.
func (s *serverWatcher) paneIDs() []string {
	s.room.ids = slices.AppendSeq(s.room.ids[:0], maps.Keys(s.panes))
	slices.Sort(s.room.ids)
	return s.room.ids
}

// toRead are the last captures of the panes to be read, until the next call. Now and then they are empty, so that every pane is captured, and so they are of a
// pane that may be read otherwise than it was.
func (s *serverWatcher) toRead(all bool) []tmux.Capture {
	captureAll := all && time.Since(s.allCaptured) >= captureAllEvery
	if captureAll {
		s.allCaptured = time.Now()
	}
	before := s.taught
	s.taught = s.watcher.cfg.Taught()
	known, viewed := s.room.known[:0], s.viewedNow()
	for _, id := range s.paneIDs() {
		p := s.panes[id]
		p.reread = p.reread || s.taught != before
		if p.exited || !all && s.urgent[id] == nil {
			continue
		}
		capture := p.capture
		capture.Pane.ID = id
		if captureAll || p.reread || viewed[id] {
			capture.Taken = time.Time{}
		}
		known = append(known, capture)
	}
	s.room.known = known
	return known
}

// lastListing is the listing by which a poll knows which panes are unchanged. It is empty now and then, if somebody asked for a
// pane that is not watched, and after the clock was set, since tmux dates changes by that clock.
func (s *serverWatcher) lastListing(all bool) tmux.Listing {
	if all {
		s.polls++
	}
	now, last := time.Now(), s.listing.Taken
	if stepped(now.Round(0).Sub(last.Round(0)), now.Sub(last)) {
		s.allCaptured = time.Time{}
	}
	if all && s.polls%listAllEvery == 0 || s.allCaptured.IsZero() || s.urgentUnwatched() {
		return tmux.Listing{}
	}
	return s.listing
}

// stepped reports whether the clock was set during an interval, given its length by that clock and its true length. A clock that only runs
// slower or faster, to be right again, differs by less than a thousandth. The two are not read in the same moment.
func stepped(byClock, took time.Duration) bool {
	return (byClock - took).Abs() > took/1000+time.Millisecond
}

// viewedNow are the panes that an inbox or a page shows.
func (s *serverWatcher) viewedNow() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	var viewed map[string]bool
	for id, until := range s.status.viewed {
		if !time.Now().Before(until) {
			delete(s.status.viewed, id)
			continue
		}
		if viewed == nil {
			viewed = map[string]bool{}
		}
		viewed[id] = true
	}
	return viewed
}

// unreadable names a pane on whose screen the reader fails, in a sentence; empty: there is none.
func (s *serverWatcher) unreadable() string {
	first := ""
	for id, p := range s.panes {
		if p.reading.Fault != "" && (first == "" || id < first) {
			first = id
		}
	}
	if first == "" {
		return ""
	}
	return fmt.Sprintf("nod fails on the screen of pane %s, and hears nothing of it until it changes: this is a fault of nod's (%s); please report what `nod bugreport %s` writes", first, s.panes[first].reading.Fault, first)
}

// takeTicks handles the captures of working agents that did no more than tick, and adds their panes to those that were read. Such an agent
// has its terminal still. So the pane counts as still, and its processes are read when all panes are listed: they are the greatest part of
// what an agent at work would cost.
func (s *serverWatcher) takeTicks(captures []tmux.Capture, fresh, read map[string]bool) {
	for _, capture := range captures {
		id := capture.Pane.ID
		if p := s.panes[id]; p != nil && p.info.PID == capture.Pane.PID && p.info.Agent == capture.Pane.Agent && p.reading.State == screen.Working && p.ticked(capture) {
			read[id] = true
			delete(fresh, id)
		}
	}
}

// takeCaptures handles the captures of a poll, and adds the panes that it read to those that were read.
func (s *serverWatcher) takeCaptures(captures []tmux.Capture, read map[string]bool) {
	readTaught := func(agent string, shown screen.Screen) screen.Reading {
		return agents.ReadTaught(*s.taught, agent, shown)
	}
	for _, capture := range captures {
		if p := s.panes[capture.Pane.ID]; p != nil && !read[capture.Pane.ID] {
			p.takeCapture(capture, readTaught)
			read[capture.Pane.ID] = true
		}
	}
}

// takeUnchanged adds the panes to those that were read which a poll that began at that time did not need to capture: they look as they did.
// A pane that could not be captured was missed, and nothing follows from that.
func (s *serverWatcher) takeUnchanged(known []tmux.Capture, missed map[string]bool, began time.Time, read map[string]bool) {
	for _, asked := range known {
		p := s.panes[asked.Pane.ID]
		if p != nil && s.listed[asked.Pane.ID] && !missed[asked.Pane.ID] && !read[asked.Pane.ID] && !asked.Taken.IsZero() && p.capture.Taken.Equal(asked.Taken) {
			p.unchanged(began)
			read[asked.Pane.ID] = true
		}
	}
}

// report passes on the result of the last look at a pane.
func (s *serverWatcher) report(p *agentPane, clients []tmux.Client, enough int, by string) Sighting {
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
	s.mu.Lock()
	s.status.sightings[p.info.ID] = seen
	s.mu.Unlock()
	s.watcher.cfg.See(seen)
	s.reportEffects()
	return seen
}

// retire stops watching a pane and reports it as gone: it no longer exists, or must not be watched.
func (s *serverWatcher) retire(p *agentPane) {
	id := p.info.ID
	seen := p.sighting(screen.Gone, time.Now())
	seen.Pane, seen.By = PaneRef{Server: s.life, ID: id}, "poll"
	delete(s.panes, id)
	delete(s.sessions, id)
	s.mu.Lock()
	delete(s.status.sightings, id)
	s.mu.Unlock()
	s.watcher.cfg.See(seen)
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
