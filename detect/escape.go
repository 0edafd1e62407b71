package detect

import (
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"nod/detect/agents"
	"nod/detect/screen"
)

// escape is when a person at the terminal has stopped the agent, as it tells once a call was denied or asked about.
type escape struct {
	transcript string    // the file that tells; empty: none was
	at         time.Time // zero: nobody has
}

// hear takes in that a call was denied, or may be, and where it will be written that a person has stopped the agent.
func (s *escape) hear(e HookEvent) {
	if (e.Kind == Blocked || e.Kind == Asks && !e.notifies()) && agents.HooksOf(e.Agent).Escaped != nil {
		s.transcript = e.Transcript
	}
}

// readEscape completes what a look told with when a person has stopped the agent. No event tells that: the agent has become idle, and its
// turn has no end. Where no transcript tells it its screen may.
func (p *agentPane) readEscape(seen *Sighting, now time.Time) {
	s := &p.escape
	switch {
	case s.transcript == "":
		s.at = p.review.stopped
	case seen.State == screen.Idle && now.Sub(seen.Since) < urgentFor:
		if at := p.files.escaped(fmt.Sprint(p.info.ID, p.process), s.transcript, agents.HooksOf(p.agent).Escaped, now); !at.IsZero() {
			s.at = at
		}
	}
	seen.Escaped = s.at
}

// EscapedAt is when a person has stopped the agent that sent an event last, as the transcript tells that it names; zero: not since that begins.
func (w *Watcher) EscapedAt(e HookEvent) time.Time {
	read := agents.HooksOf(e.Agent).Escaped
	if read == nil || e.Transcript == "" {
		return time.Time{}
	}
	return w.files.escaped(e.Socket+" "+e.Pane+" "+e.Session, e.Transcript, read, time.Now())
}

// escaped is when a person has stopped an agent last, as its transcript tells; zero: not since that begins, or it can't be read. What is
// dated later than now says nothing. The asker is whose transcript it is said to be.
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
