package detect

import (
	"maps"
	"slices"
	"time"

	"nod/internal/host/tmux"
)

// How a pane is read that somebody asked for: every fastInterval for the first second, then every
// slowInterval, for urgentFor at most. Agents draw a dialog up to half a second after the hook that announces it: for so long it is
// read every dialogInterval, which is the pause between the two reads that agree on it.
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
	dialog bool // an agent says that a dialog is about to be drawn
}

// urgentLook is a pane that is read sooner than by the next poll, until enough reads agree.
type urgentLook struct {
	asked    time.Time
	next     time.Time
	reads    int
	dialog   bool   // a dialog was announced
	before   string // the fingerprint that was there then
	reported string // the fingerprint that was reported since
	// confirm says that only a poll has asked, which saw a prompt for the first time; the number is how many looks
	// must agree, that poll among them.
	confirm int
}

// LookSoon has a pane read now instead of at the next poll, and waits for nothing: See hears what two looks agree on.
func (w *Watcher) LookSoon(pane PaneRef) {
	s := w.serverOf(pane)
	if s == nil {
		return
	}
	select {
	case s.lookRequests <- lookRequest{pane: pane}:
	default: // as many looks as can wait are waiting, and a poll follows
	}
}

// requestLook takes in a request. Several for one pane are one: however many events come, it is read no faster.
func (s *serverWatcher) requestLook(r lookRequest) {
	if r.pane.Server != s.life {
		return
	}
	now := time.Now()
	u := s.urgent[r.pane.ID]
	switch {
	case u == nil:
		u = &urgentLook{asked: now, next: now}
		s.urgent[r.pane.ID] = u
	case u.confirm > 0:
		u.asked, u.next, u.reads = now, now, 0
	case r.dialog:
		u.asked, u.reads = now, 0
		if soon := now.Add(dialogInterval); soon.Before(u.next) {
			u.next = soon
		}
	default: // a look that is due anyway is enough
		u.reads = 0
	}
	u.confirm = 0
	if r.dialog {
		u.dialog, u.before, u.reported = true, "", ""
		if p := s.panes[r.pane.ID]; p != nil {
			u.before = p.reported
		}
	}
}

// confirmPrompts has the panes read again soon on which a poll has seen a prompt that it does not tell yet.
func (s *serverWatcher) confirmPrompts(read map[string]bool, enough int) {
	now := time.Now()
	for id := range read {
		if p := s.panes[id]; p != nil && p.unconfirmed() && s.urgent[id] == nil {
			s.urgent[id] = &urgentLook{asked: now, confirm: enough}
		}
	}
}

// nextLook is when the next look is due: the next poll, or sooner where somebody asked for a pane.
func (s *serverWatcher) nextLook() time.Time {
	next := s.nextPoll
	for _, u := range s.urgent {
		if u.next.Before(next) {
			next = u.next
		}
	}
	return next
}

// urgentUnwatched reports whether somebody asked for a pane that is not watched, or not any more.
func (s *serverWatcher) urgentUnwatched() bool {
	for id := range s.urgent {
		if p := s.panes[id]; p == nil || p.exited {
			return true
		}
	}
	return false
}

// answerUrgent carries on with the panes that somebody asked for, after a look that read some panes: it tells
// what two reads agree on, whatever the settings ask of polls, and ends what has its answer.
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
		// The dialog that was there before it was announced is not the one that was.
		if !u.dialog || drawn && p.fingerprint.is != u.before {
			delete(s.urgent, id)
		}
	}
}

// answerConfirm carries on with a pane on which a poll has seen a prompt. What does not agree by now is left to the
// next poll, so that a screen that never stands still costs no more than a few looks.
func (s *serverWatcher) answerConfirm(p *agentPane, u *urgentLook, clients []tmux.Client) {
	stable := max(p.fingerprint.looks, p.text.looks) >= u.confirm
	if stable && p.unconfirmed() {
		s.report(p, clients, u.confirm, "poll")
	}
	if stable || !p.unconfirmed() || u.reads >= u.confirm-1 {
		delete(s.urgent, p.info.ID)
	}
}

// scheduleUrgent sets when each pane is read next, and ends what took too long: what is not certain by then is
// left to the polls. A look that confirms counts from when the one before it began, and never comes much sooner after its end.
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
		if now.Sub(u.asked) >= urgentFor {
			delete(s.urgent, id)
		}
	}
}
