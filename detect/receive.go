package detect

import (
	"time"

	"nod/detect/agents"
	"nod/internal/host/proc"
	"nod/internal/reason"
)

// Hook handles an agent's event. It has the pane read at once, and, if the event announces a dialog, again until the dialog is drawn or
// 5 seconds have passed. It reports whether this nod watches the event's server; other events change nothing. It does not wait for the
// look.
func (w *Watcher) Hook(e HookEvent) bool {
	s := w.serverReachedBy(e.Socket)
	if s == nil || e.Pane == "" || !s.concerns(e.ServerPID) {
		return false
	}
	if e.Kind == Unrelated || s.events.repeats(&e) {
		return true
	}
	received := receivedEvent{HookEvent: e, at: time.Now()}
	if e.Caller > 0 && !e.isOnlyALook() {
		// Now, while the sender still waits for its answer. An event from an unknown sender is only a reason to look.
		if lineage, err := w.cfg.Lineage(e.Caller); err == nil {
			received.ancestors = ancestorsOf(lineage)
		}
	}
	s.events.put(received)
	return true
}

// VersionOf is the version of the agent that sent an event, from the event or from the transcript that it names. Empty: unknown, or
// not found soon enough.
func (w *Watcher) VersionOf(e HookEvent) string {
	field := agents.HooksOf(e.Agent).Version
	if e.Version != "" || field == "" || e.Transcript == "" {
		return e.Version
	}
	return w.files.version(e.Socket+" "+e.Pane+" "+e.Session, e.Transcript, field)
}

// concerns reports whether an event of the server with this pid counts: the server was met and is this nod's, or it runs and was not
// met so far.
func (s *serverWatcher) concerns(pid int) bool {
	if known := s.told(); known.life.PID == pid {
		return known.owned
	}
	_, err := proc.Of(pid)
	return err == nil
}

// takeEvents handles the events that have come. It reports whether one is from a server that was not met so far, so that a poll is
// needed.
func (s *serverWatcher) takeEvents() (unmet bool) {
	events, lost := s.events.take()
	if lost {
		s.lostEvents()
	}
	for _, e := range events {
		if e.ServerPID != s.life.PID {
			s.postpone(e)
			unmet = true
			continue
		}
		s.handleEvent(e)
	}
	return unmet
}

// lostEvents handles the loss of events of an unknown session: sessions may have calls that are not known.
func (s *serverWatcher) lostEvents() {
	if time.Since(s.lost) > urgentFor { // once in a flood
		s.watcher.cfg.Log.Warn("agents sent more events than nod could take in; what they would have proven is lost", "socket", s.screens.Socket())
	}
	s.lost = time.Now()
	for _, known := range s.sessions {
		known.overflow()
	}
}

// The greatest number of events, and of their bytes, that wait until their server or pane is known.
const (
	maxPending      = 256
	maxPendingBytes = 4 << 20
)

// postpone keeps an event until its server, or its sender's pane, is known.
func (s *serverWatcher) postpone(e receivedEvent) {
	size := e.size()
	for i := range s.pending {
		size += s.pending[i].size()
	}
	if len(s.pending) >= maxPending || size > maxPendingBytes {
		s.lostEvents()
		return
	}
	s.pending = append(s.pending, e)
}

// retryPending handles the postponed events after a poll.
func (s *serverWatcher) retryPending() {
	pending := s.pending
	s.pending = nil
	for _, e := range pending {
		switch {
		case time.Since(e.at) > urgentFor:
		case e.ServerPID != s.life.PID:
			s.postpone(e)
		default:
			s.handleEvent(e)
		}
	}
}

// handleEvent handles an event of this server. If the pane's own agent sent it, its session learns from it. The pane gets a look.
func (s *serverWatcher) handleEvent(e receivedEvent) {
	p := s.panes[e.Pane]
	var from speaker
	if p != nil && !p.exited {
		from = speakerOf(e.ancestors, p.agent, p.process)
	}
	switch from.role {
	case nestedAgent:
		return
	case ownAgent:
		known := s.sessionOf(e.Pane, from)
		if known == nil {
			return
		}
		s.learn(p, known, e)
		s.reportEffects()
	}
	if !e.looked {
		s.lookForEvent(e, p)
	}
	if from.role == unknownSpeaker && e.ancestors != nil {
		// The pane has an agent that was not listed so far.
		e.looked = true
		s.postpone(e)
	}
}

// sessionOf is the session of a process of the pane's agent. nil: the process runs inside of the one that spoke before.
func (s *serverWatcher) sessionOf(pane string, from speaker) *session {
	known := s.sessions[pane]
	switch {
	case known == nil || known.process != from.process && (from.depth < known.depth || !proc.Alive(known.process)):
		known = &session{process: from.process, depth: from.depth, incomplete: time.Since(s.lost) < urgentFor}
		s.sessions[pane] = known
	case known.process != from.process:
		return nil
	}
	return known
}

// learn adds an event to a session.
func (s *serverWatcher) learn(p *agentPane, known *session, e receivedEvent) {
	ended := known.hear(e.HookEvent, e.at)
	p.review.hear(e.HookEvent, e.at)
	p.escape.hear(e.HookEvent)
	switch e.Kind {
	case Submitted, Stopped, Ended:
		if p.standing != nil {
			p.standing.turnEvent(e.HookEvent, known, e.at)
		}
	}
	switch {
	case e.Kind == Stopped && known.stopped.Equal(e.at):
		p.turnStopped(known.words, e.HookEvent, e.at)
	case e.Kind == Submitted && !e.Subagent:
		p.turn.words, p.turn.transcript, p.turn.failed, p.turn.edits = "", "", reason.Why{}, nil
	case len(e.Edits) > 0:
		p.turn.edit(e.Edits)
	}
	s.noteEffect(p, ended)
}

// lookForEvent asks for the look that an event calls for.
func (s *serverWatcher) lookForEvent(e receivedEvent, p *agentPane) {
	r := lookRequest{pane: PaneRef{Server: s.life, ID: e.Pane}}
	switch e.Kind {
	case Before:
		return // the agent works; where it asks, it says so
	case Ran:
		// Agents run many tools. It matters where something was asked.
		if p != nil && !p.state.Asks() {
			return
		}
	case Asks:
		r.dialog = !e.notifies() || p == nil || p.reported == ""
	}
	s.requestLook(r)
}
