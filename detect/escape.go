package detect

import (
	"encoding/json"
	"iter"
	"time"

	"nod/detect/agents"
	"nod/detect/screen"
)

// escape is when a person at the terminal stopped the agent. It is known only after a call was denied or asked about.
type escape struct {
	transcript string    // the file that says so; empty: unknown
	at         time.Time // zero: nobody has
}

// hear handles the event that a call was denied, or may be. It names the file that will say that a person stopped the agent.
func (s *escape) hear(e HookEvent) {
	if (e.Kind == Blocked || e.Kind == Asks && !e.notifies()) && agents.HooksOf(e.Agent).Escaped != nil {
		s.transcript = e.Transcript
	}
}

// readEscape adds to a sighting when a person stopped the agent. No event says so: the agent becomes idle, and its turn has no end. Its
// transcript says so, or else its screen, which alone shows whether the agent stopped by itself.
func (p *agentPane) readEscape(seen *Sighting, now time.Time) {
	s := &p.escape
	switch {
	case s.transcript == "":
		s.at = p.review.stopped
	case seen.State == screen.Idle && now.Sub(seen.Since) < urgentFor:
		if at := p.files.escaped(p.asker(), s.transcript, agents.HooksOf(p.agent).Escaped, now); !at.IsZero() && !p.review.gaveUp() {
			s.at = at
		}
	}
	seen.Escaped = s.at
}

// EscapedAt is when a person last stopped the agent that sent an event, by the transcript that the event names; zero: unknown.
func (w *Watcher) EscapedAt(e HookEvent) time.Time {
	read := agents.HooksOf(e.Agent).Escaped
	if read == nil || e.Transcript == "" {
		return time.Time{}
	}
	return w.files.escaped(e.Socket+" "+e.Pane+" "+e.Session, e.Transcript, read, time.Now())
}

// escaped is when a person last stopped an agent, by its transcript; zero: the transcript does not say so, or can't be read. A time
// later than now does not count. The asker is whose transcript it is said to be.
func (f *fileQuestions) escaped(asker, path string, read func(iter.Seq[map[string]json.RawMessage]) map[string]json.RawMessage, now time.Time) time.Time {
	at, _ := answerTo(f, question{"escape", path}, asker, func() (at time.Time) {
		line := read(newestFirst(f.tail(path)))
		if json.Unmarshal(line["timestamp"], &at) != nil || at.After(now) {
			return time.Time{}
		}
		return at
	})
	return at
}
