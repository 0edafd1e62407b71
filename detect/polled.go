package detect

import (
	"maps"
	"slices"
	"time"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/tmux"
	"nod/internal/reason"
)

// room holds what each poll fills again.
type room struct {
	ids   []string
	known []tmux.Capture
	read  map[string]bool
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

// paneIDs are the watched panes in a fixed order, until the next call.
func (s *serverWatcher) paneIDs() []string {
	if len(s.room.ids) != len(s.panes) || slices.ContainsFunc(s.room.ids, func(id string) bool { return s.panes[id] == nil }) {
		s.room.ids = slices.AppendSeq(s.room.ids[:0], maps.Keys(s.panes))
		slices.Sort(s.room.ids)
	}
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
		capture.Spared = s.urgent[id] == nil && s.hooksTell(p)
		known = append(known, capture)
	}
	s.room.known = known
	return known
}

// hookSilence is how long an agent that works may say nothing until its hooks no longer count as alive.
const hookSilence = 5 * time.Minute

// hooksTell reports whether an agent that works has its hooks tell when it asks: it did in this session, and has sent an event lately. Some
// dialogs fire none, so such a pane is spared captures only while it goes on to draw.
func (s *serverWatcher) hooksTell(p *agentPane) bool {
	known := s.sessions[p.info.ID]
	return known != nil && known.process == p.process && known.sendsRequests && time.Since(known.heard) < hookSilence &&
		p.state == screen.Working && p.reading.State == screen.Working
}

// takeSpared handles the panes whose captures a poll spared. They have drawn, as before, so their processes are not read.
func takeSpared(known []tmux.Capture, listing tmux.Listing) {
	for _, k := range known {
		if k.Spared && listing.Missed[k.Pane.ID] {
			delete(listing.Fresh, k.Pane.ID)
		}
	}
}

// lastListing is the listing by which a poll knows which panes are unchanged. It is empty if somebody asked for a pane that
// is not watched, and after the clock was set, since tmux dates changes by that clock.
func (s *serverWatcher) lastListing() tmux.Listing {
	now, last := time.Now(), s.listing.Taken
	if stepped(now.Round(0).Sub(last.Round(0)), now.Sub(last)) {
		s.allCaptured = time.Time{}
	}
	if s.allCaptured.IsZero() || s.urgentUnwatched() {
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

// unreadable names a pane on whose screen the reader fails; zero: there is none.
func (s *serverWatcher) unreadable() reason.Why {
	first := ""
	for id, p := range s.panes {
		if p.reading.Fault != "" && (first == "" || id < first) {
			first = id
		}
	}
	if first == "" {
		return reason.Why{}
	}
	return reason.Why{Kind: reason.ScreenFault, Pane: first, What: s.panes[first].reading.Fault}
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
