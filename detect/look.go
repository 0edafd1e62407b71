package detect

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"nod/internal/host/tmux"
)

// The pace at which a pane is read after a request: every fastInterval for the first second, then every slowInterval, for
// urgentFor at most. Agents draw a dialog up to half a second after the hook that announces it. During that time the pane is read every
// dialogInterval, which is also the pause between the two reads that agree on the dialog.
const (
	dialogInterval = 10 * time.Millisecond
	dialogWithin   = 500 * time.Millisecond
	fastInterval   = 50 * time.Millisecond
	slowInterval   = 200 * time.Millisecond
	urgentFor      = 5 * time.Second
	// confirmAfter is how long after a poll that has seen a prompt for the first time the pane is read again.
	confirmAfter = 250 * time.Millisecond
)

// lookRequest asks for a look at a pane at once.
type lookRequest struct {
	pane   PaneRef
	dialog bool // an agent is about to draw a dialog
}

// urgentLook is a pane that is read sooner than the next poll would, until enough reads agree.
type urgentLook struct {
	asked    time.Time
	next     time.Time
	limit    time.Duration // how long after it was asked for the polls follow the pane; 0: urgentFor
	reads    int
	dialog   bool   // a dialog was announced
	before   string // the fingerprint on the screen at that time
	reported string // the fingerprint that was reported since
	// confirm says that only a poll asked, because it saw a prompt for the first time. It is the number of looks that must agree,
	// including that poll.
	confirm int
}

// LookSoon has a pane read now instead of at the next poll. It does not wait: See is called once two looks agree.
func (w *Watcher) LookSoon(pane PaneRef) {
	s := w.serverOf(pane)
	if s == nil {
		return
	}
	select {
	case s.lookRequests <- lookRequest{pane: pane}:
	default: // enough looks are waiting, and a poll follows
	}
}

// requestLook handles a request. Several requests for one pane count as one, so that many events do not make reading faster.
func (s *serverWatcher) requestLook(r lookRequest) {
	if r.pane.Server != s.life {
		return
	}
	now := time.Now()
	u := s.urgent[r.pane.ID]
	switch {
	case u == nil || u.confirm > 0: // that only a poll asked for
		u = &urgentLook{asked: now, next: now}
		s.urgent[r.pane.ID] = u
	case r.dialog:
		u.asked, u.reads = now, 0
		if soon := now.Add(dialogInterval); soon.Before(u.next) {
			u.next = soon
		}
	default: // the pending look is enough
		u.reads = 0
	}
	u.limit = 0
	if r.dialog {
		u.dialog, u.before, u.reported = true, "", ""
		if p := s.panes[r.pane.ID]; p != nil {
			u.before = p.reported
		}
	}
}

// lookAtDrawing has a watched pane read that has drawn after it was still: it may ask. Where it goes on to draw, the polls follow it.
func (s *serverWatcher) lookAtDrawing(pane string) {
	if p := s.panes[pane]; p != nil && !p.exited && s.urgent[pane] == nil {
		now := time.Now()
		s.urgent[pane] = &urgentLook{asked: now, next: now, limit: dialogWithin}
	}
}

// confirmPrompts has panes read again soon if a poll saw a prompt on them that it could not report so far.
func (s *serverWatcher) confirmPrompts(read map[string]bool, enough int) {
	now := time.Now()
	for id := range read {
		if p := s.panes[id]; p != nil && p.unconfirmed() && s.urgent[id] == nil {
			s.urgent[id] = &urgentLook{asked: now, confirm: enough}
		}
	}
}

// nextLook is the time of the next look: that of the next poll, or an earlier one if a pane was asked for.
func (s *serverWatcher) nextLook() time.Time {
	next := s.nextPoll
	for _, u := range s.urgent {
		if u.next.Before(next) {
			next = u.next
		}
	}
	return next
}

// urgentUnwatched reports whether a pane was asked for that is not watched.
func (s *serverWatcher) urgentUnwatched() bool {
	for id := range s.urgent {
		if p := s.panes[id]; p == nil || p.exited {
			return true
		}
	}
	return false
}

// answerUrgent goes on with the panes that were asked for, after a look at some panes. It reports what two reads agree on, whatever
// number of reads the settings want of polls, and ends the requests that have their answer.
func (s *serverWatcher) answerUrgent(read map[string]bool, clients []tmux.Client) {
	for _, id := range slices.Sorted(maps.Keys(s.urgent)) {
		p, u := s.panes[id], s.urgent[id]
		if p == nil || !read[id] {
			continue
		}
		u.reads++
		if u.confirm > 0 {
			s.answerConfirm(p, u, clients)
			continue
		}
		drawn := u.dialog && p.fingerprint.is != "" && p.fingerprint.looks >= 2 && p.fingerprint.is != u.reported
		still := p.text.looks >= 2 && !u.dialog
		if u.reads < 2 || !drawn && !still {
			continue
		}
		by := "poll"
		if drawn {
			by, u.reported = "hook", p.fingerprint.is
		}
		s.report(p, clients, 2, by)
		// A dialog from before the announcement is not the announced one.
		if !u.dialog || drawn && p.fingerprint.is != u.before {
			delete(s.urgent, id)
		}
	}
}

// answerConfirm goes on with a pane on which a poll saw a prompt. If the looks do not agree by now, it leaves the pane to the next poll,
// so that a screen that never keeps still costs only a few looks.
func (s *serverWatcher) answerConfirm(p *agentPane, u *urgentLook, clients []tmux.Client) {
	stable := max(p.fingerprint.looks, p.text.looks) >= u.confirm
	if stable && p.unconfirmed() {
		s.report(p, clients, u.confirm, "poll")
	}
	if stable || !p.unconfirmed() || u.reads >= u.confirm-1 {
		delete(s.urgent, p.info.ID)
	}
}

// scheduleUrgent sets the time of the next read of each pane, and ends requests that took too long, leaving them to the polls. The time
// of a look that confirms counts from the beginning of the look before it, but never is much sooner than its end.
func (s *serverWatcher) scheduleUrgent(began time.Time) {
	now := time.Now()
	for id, u := range s.urgent {
		switch {
		case u.confirm > 0:
			u.next = now.Add(max(confirmAfter-now.Sub(began), confirmAfter/2))
		case u.dialog && now.Sub(u.asked) < dialogWithin:
			u.next = now.Add(dialogInterval)
		case now.Sub(u.asked) > time.Second:
			u.next = now.Add(slowInterval)
		default:
			u.next = now.Add(fastInterval)
		}
		if now.Sub(u.asked) >= cmp.Or(u.limit, urgentFor) {
			delete(s.urgent, id)
		}
	}
}
