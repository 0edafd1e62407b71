package detect

import (
	"time"

	"nod/internal/proc"
)

// early is how many events wait at most for their server or pane to be met.
const early = 256

// Hook takes in an agent's event: the pane is read at once, and where the event says that a dialog comes,
// again and again until it is drawn or 5 seconds have passed. It reports whether the event is of a server
// that this nod watches; others change nothing. It does not wait for the look.
func (w *Watcher) Hook(e HookEvent) bool {
	l := w.lookoutAt(e.Socket)
	if l == nil || e.Pane == "" || !l.concerns(e.ServerPID) {
		return false
	}
	if e.Kind == Unrelated || l.inbox.repeats(&e) {
		return true
	}
	h := heard{HookEvent: e, at: time.Now()}
	if e.Caller > 0 && !e.bare() {
		// Now, while the sender waits for its answer: later it has ended. Who can't be told is nobody.
		h.line, _ = w.cfg.Lineage(e.Caller)
	}
	l.inbox.put(h)
	return true
}

// lookoutAt finds the lookout of a socket, by whatever path.
func (w *Watcher) lookoutAt(socket string) *lookout {
	if l := w.lookout(socket); l != nil {
		return l
	}
	for _, l := range w.all() {
		if sameSocket(l.screens.Socket(), socket) {
			return l
		}
	}
	return nil
}

// concerns reports whether an event of the server with this pid is to be heard: it is the one that was met,
// and this nod's; or it runs, and has not been met yet.
func (l *lookout) concerns(pid int) bool {
	if life := l.current(); life.PID == pid {
		return l.owns()
	}
	_, err := proc.Of(pid)
	return err == nil
}

// listen takes in the events that have come. It reports whether one is of a server that has not been met,
// so that a poll is due.
func (l *lookout) listen() (unmet bool) {
	events, lost := l.inbox.take()
	if lost {
		for _, s := range l.sessions {
			s.overflow()
		}
		l.watcher.cfg.Log.Warn("agents sent more events than could be taken in; what they prove is lost", "socket", l.screens.Socket())
	}
	for _, h := range events {
		if h.ServerPID != l.life.PID {
			l.postpone(h)
			unmet = true
			continue
		}
		l.heed(h)
	}
	return unmet
}

// postpone keeps an event until its server, or its sender's pane, is known.
func (l *lookout) postpone(h heard) {
	if len(l.early) < early {
		l.early = append(l.early, h)
	}
}

// reconsider takes in what was postponed, after a poll.
func (l *lookout) reconsider() {
	waiting := l.early
	l.early = nil
	for _, h := range waiting {
		switch {
		case time.Since(h.at) > patience:
		case h.ServerPID != l.life.PID:
			l.postpone(h)
		default:
			l.heed(h)
		}
	}
}

// heed takes in an event of this server: what it tells of its session, if it is of the pane's own agent,
// and that the pane is worth a look.
func (l *lookout) heed(h heard) {
	w := l.panes[h.Pane]
	var who role
	var voice proc.ID
	var depth int
	if w != nil && !w.shell {
		who, voice, depth = speaker(h.line, w.agent, w.process)
	}
	if who == nested {
		return
	}
	if who == itself {
		s := l.session(h.Pane, voice, depth)
		if s == nil {
			return
		}
		l.learn(w, s, h)
		l.report()
	}
	if !h.beckoned {
		l.beckon(h, w)
	}
	if who == stranger && h.line != nil {
		// The pane has an agent, or another one, that has not been listed yet.
		h.beckoned = true
		l.postpone(h)
	}
}

// session is what is known of the session that a process of the pane's agent speaks for. nil: that process
// runs inside the one that spoke before.
func (l *lookout) session(pane string, voice proc.ID, depth int) *session {
	s := l.sessions[pane]
	switch {
	case s == nil || s.voice != voice && (depth < s.depth || !proc.Alive(s.voice)):
		s = &session{voice: voice, depth: depth}
		l.sessions[pane] = s
	case s.voice != voice:
		return nil
	}
	return s
}

// learn takes in what an event tells of a session.
func (l *lookout) learn(w *watched, s *session, h heard) {
	ended := s.hear(h.HookEvent, h.at)
	switch h.Kind {
	case Submitted, Stopped, Ended:
		if w.standing != nil {
			w.standing.turned(h.HookEvent, s, h.at)
		}
	}
	switch {
	case h.Kind == Stopped && s.stopped.Equal(h.at):
		w.stop(s.words, h.Transcript, h.at)
	case h.Kind == Submitted && !h.Subagent:
		w.words, w.unread = "", ""
	}
	if ended != nil && !ended.left.IsZero() {
		l.effect(w, ended)
	}
}

// effect notes what became of a call whose prompt has left, to be passed on when the look that showed it
// gone has been told.
func (l *lookout) effect(w *watched, c *call) {
	if !c.provable() || c.print == "" {
		return
	}
	took := c.took
	if took == 0 && c.ran.After(c.left) {
		took = c.ran.Sub(c.left)
	}
	l.effects = append(l.effects, Effect{
		Pane: PaneRef{Server: l.life, ID: w.info.ID}, Fingerprint: c.print, Failed: c.failed, Took: took, At: c.ran,
	})
}

// report passes on what became of calls.
func (l *lookout) report() {
	effects := l.effects
	l.effects = nil
	for _, e := range effects {
		if l.watcher.cfg.Ran != nil {
			l.watcher.cfg.Ran(e)
		}
	}
}

// beckon asks for the look that an event is a reason for.
func (l *lookout) beckon(h heard, w *watched) {
	r := request{pane: PaneRef{Server: l.life, ID: h.Pane}}
	switch h.Kind {
	case Before:
		return // the agent works; where it asks, it says so
	case Ran:
		// Agents run many tools. It matters where something was asked.
		if w != nil && !w.state.Asks() {
			return
		}
	case Asks:
		// A notification comes seconds after the dialog that it is about.
		r.dialog = bare(h.Event) != "notification" || w == nil || w.shown == ""
	}
	l.take(r)
}

// interpret completes what a look says with what events have told.
func (l *lookout) interpret(w *watched, s *Sighting) {
	known := l.sessions[w.info.ID]
	if known == nil {
		known = &session{}
	}
	switch {
	case s.Prompt != nil:
		l.stand(w, known, s)
	case w.standing == nil:
	case s.Unseen && w.standing.proof() != "", !s.Unseen && !s.State.Asks():
		l.leave(w, s.At)
		if !w.standing.stale(s.At) {
			s.Proof = w.standing.proof()
		}
	}
}

// stand takes in which prompt stands on the screen.
func (l *lookout) stand(w *watched, known *session, s *Sighting) {
	if p := w.standing; p == nil || p.gone || p.print != s.Prompt.Fingerprint {
		if p != nil && p.print != s.Prompt.Fingerprint {
			l.leave(w, s.At)
			if !p.stale(s.At) {
				s.Proof = p.proof()
			}
		}
		w.standing = &standing{print: s.Prompt.Fingerprint, drawn: w.printed}
	}
	w.standing.on(known, s.Prompt, s.At)
	if s.State != Permission {
		return
	}
	prompt, disagree := w.standing.fuller(known, s.Prompt)
	if disagree && !w.standing.disputed {
		w.standing.disputed = true
		l.watcher.cfg.Log.Warn("the screen and the hook disagree on what is asked; the screen decides on keys",
			"pane", w.info.ID, "agent", w.agent, "shape", s.Prompt.Shape)
	}
	s.Prompt = prompt
}

// leave takes in that the prompt which stood there has left the screen.
func (l *lookout) leave(w *watched, at time.Time) {
	p := w.standing
	if p.gone {
		return
	}
	p.leave(at)
	if p.call != nil && !p.call.ran.IsZero() && !p.void {
		l.effect(w, p.call)
	}
}
