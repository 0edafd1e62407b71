package detect

import (
	"slices"
	"sync"
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
			received.sender = SenderOf(lineage)
		}
	}
	s.events.put(received)
	return true
}

// VersionOf is the version of the agent that sent an event, from the event or from the transcript that it names. Empty: unknown, or
// not found soon enough.
func (w *Watcher) VersionOf(e HookEvent) string {
	return w.files.version(e.Agent, e.asker(), e.Version, e.Transcript)
}

// EscapedAt is when a person last stopped the agent that sent an event, by the transcript that the event names; zero: unknown.
func (w *Watcher) EscapedAt(e HookEvent) time.Time {
	if agents.HooksOf(e.Agent).Escaped == nil || e.Transcript == "" {
		return time.Time{}
	}
	return w.files.escaped(e.Agent, e.asker(), e.Transcript, time.Now())
}

// asker is on whose behalf the event's transcript is read.
func (e *HookEvent) asker() string { return e.Socket + " " + e.Pane + " " + e.Session }

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
	return s.handleEvents(events)
}

// handleEvents handles those of this server, and postpones others. It reports whether there are others.
func (s *serverWatcher) handleEvents(events []receivedEvent) (unmet bool) {
	for _, e := range events {
		if e.ServerPID == s.life.PID {
			s.handleEvent(e)
			continue
		}
		s.postpone(e)
		unmet = true
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
	pending := slices.DeleteFunc(s.pending, func(e receivedEvent) bool { return time.Since(e.at) > urgentFor })
	s.pending = nil
	s.handleEvents(pending)
}

// handleEvent handles an event of this server. If the pane's own agent sent it, its session learns from it. The pane gets a look.
func (s *serverWatcher) handleEvent(e receivedEvent) {
	p := s.panes[e.Pane]
	var from speaker
	if p != nil && !p.exited {
		from = e.sender.speaker(p.agent, p.process)
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
	if from.role == unknownSpeaker && e.sender != nil {
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
		p.turnStopped(e.HookEvent, e.at)
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

// How much may wait at most to be handled. A server that hangs holds its watcher up for some seconds.
const (
	maxQueuedEvents = 1024
	maxQueuedBytes  = 8 << 20
)

// receivedEvent is an event, when it came, and who sent it.
type receivedEvent struct {
	HookEvent
	at     time.Time
	sender Sender
	looked bool // the event has led to a look already
}

// size is about how many bytes an event takes.
func (e *receivedEvent) size() int {
	edits := 0
	for _, edit := range e.Edits {
		edits += 128 + len(edit.Path) + len(edit.Diff)
	}
	return 512 + edits + len(e.Event) + len(e.Session) + len(e.Tool) + len(e.Call) + len(e.Input) + len(e.Message) + len(e.Cwd) +
		len(e.Transcript) + len(e.Socket) + 64*len(e.sender)
}

// eventQueue holds the events that a serverWatcher has not handled yet.
type eventQueue struct {
	wake chan struct{} // has room for one

	mu     sync.Mutex // guards what follows
	events []receivedEvent
	bytes  int
	looks  map[string]bool // panes for which an event waits that is only a reason to look
	lost   bool            // an event had no room
}

func newEventQueue() *eventQueue {
	return &eventQueue{wake: make(chan struct{}, 1), looks: map[string]bool{}}
}

// repeats reports whether an event says no more than a waiting one.
func (q *eventQueue) repeats(e *HookEvent) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return e.isOnlyALook() && q.looks[e.Pane]
}

// put never waits: an event without room is lost, and take says so.
func (q *eventQueue) put(e receivedEvent) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if size := e.size(); len(q.events) >= maxQueuedEvents || q.bytes+size > maxQueuedBytes {
		q.lost = true
	} else {
		q.events, q.bytes = append(q.events, e), q.bytes+size
		if e.isOnlyALook() {
			q.looks[e.Pane] = true
		}
	}
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// take empties the queue.
func (q *eventQueue) take() (events []receivedEvent, lost bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	events, lost = q.events, q.lost
	q.events, q.bytes, q.lost = nil, 0, false
	clear(q.looks)
	return events, lost
}
