package detect

import (
	"cmp"
	"slices"
	"time"

	"nod/detect/agents"
	"nod/internal/host/proc"
)

// What is remembered of one session's calls at most. What is forgotten makes nothing provable, until the
// turn is over.
const (
	callsLimit = 64
	callsBytes = 2 << 20
	// callAge is how long a call is remembered that never ends: most agents send nothing after a denial.
	callAge = 8 * time.Hour
)

// session is what the events of one pane's agent have told: which calls it makes, and when its turn ends.
// It says nothing of the screen.
type session struct {
	id            string
	process       proc.ID // the process whose events these are
	depth         int     // how many processes stand between it and the pane's agent
	calls         []*call // that have not ended, oldest first
	sendsRequests bool    // it sends an event for each question that it asks
	incomplete    bool    // calls were forgotten, so that the ones that are known may not be all

	stopped time.Time    // when the last turn ended
	words   string       // the agent's last words of that turn
	ended   bool         // the session said goodbye
	elicits *Elicitation // what an MCP server has asked last; nil: none has
	mode    string       // the permission mode that its events told last; empty: none did

	version    string // the agent's, as its events told last; empty: none did
	transcript string // the file that its events named last; empty: none did
}

// hear takes in one event of the session, and returns the call that it ended, if it ended one for sure.
func (s *session) hear(e HookEvent, now time.Time) *call {
	s.forget(func(c *call) bool { return now.Sub(c.began) > callAge })
	if e.Mode != "" && !e.Subagent {
		defer func() { s.mode = e.Mode }() // a session that begins forgets the one before
	}
	if !e.Subagent {
		defer func() { s.version, s.transcript = cmp.Or(e.Version, s.version), cmp.Or(e.Transcript, s.transcript) }()
	}
	switch e.Kind {
	case Started:
		s.startAs(e.Session)
	case Submitted:
		if e.Subagent {
			return nil
		}
		s.startAs(e.Session)
		s.stopped, s.words = time.Time{}, ""
		// A message that was queued may come while a call runs that was approved.
		s.endTurn(func(c *call) bool { return c.promptLeft.IsZero() })
	case Before:
		s.announce(e, now)
	case Asks:
		s.ask(e, now)
	case Elicits:
		s.elicits = e.Elicitation
	case Ran:
		return s.end(e, now)
	case Denied:
		if same := s.callsLike(newCall(e, now), func(o *call) bool { return !o.asked.IsZero() && o.ran.IsZero() }); len(same) == 1 {
			same[0].denied = now
		}
	case Stopped:
		if s.speaks(e) {
			s.stopped, s.words = now, cutWords(e.Message)
			s.endTurn(func(*call) bool { return true })
		}
	case Ended:
		if s.speaks(e) {
			s.calls, s.ended = nil, true
		}
	}
	return nil
}

// speaks reports whether an event is of the session itself: not of a part that works on its own, nor of
// another session of the same process.
func (s *session) speaks(e HookEvent) bool {
	return !e.Subagent && e.Session != "" && e.Session == s.id
}

// startAs makes id the pane's session. Its calls stay when it was that already, as after a compaction.
func (s *session) startAs(id string) {
	if id == "" {
		return
	}
	if id != s.id {
		*s = session{id: id, process: s.process, depth: s.depth, sendsRequests: s.sendsRequests}
	}
	s.ended = false
}

// endTurn forgets the session's own calls that are over with a turn.
func (s *session) endTurn(over func(*call) bool) {
	s.forget(func(c *call) bool { return !c.subagent && c.session == s.id && over(c) })
	s.incomplete = false
}

// forget drops the calls that are over.
func (s *session) forget(over func(*call) bool) { s.calls = slices.DeleteFunc(s.calls, over) }

// announce takes in that a tool is about to be called.
func (s *session) announce(e HookEvent, now time.Time) {
	s.adoptID(e)
	if e.Call != "" && slices.ContainsFunc(s.calls, func(c *call) bool { return c.id == e.Call }) {
		return
	}
	c := newCall(e, now)
	if agents.HooksOf(e.Agent).AnnouncesAnswered {
		if same := s.callsLike(c, func(o *call) bool { return o.id == "" && !o.asked.IsZero() }); len(same) == 1 {
			same[0].id = e.Call
			return
		}
	}
	s.add(c)
}

// ask takes in that a call asks for permission. The event names the call by tool and input alone; one that tells
// no input counts too, for it may be what is on the screen.
func (s *session) ask(e HookEvent, now time.Time) {
	if e.isOnlyALook() {
		return
	}
	s.adoptID(e)
	s.sendsRequests = true
	c := newCall(e, now)
	c.asked = now
	if same := s.callsLike(c, func(o *call) bool { return o.asked.IsZero() && o.unfinished() }); len(same) > 0 {
		same[len(same)-1].asked, same[len(same)-1].exact = now, c.exact
		return
	}
	s.add(c)
}

// end takes in that a tool has run, and returns its call where it is certain which one that was.
func (s *session) end(e HookEvent, now time.Time) *call {
	c := newCall(e, now)
	var same []*call
	if e.Call != "" {
		same = s.callsLike(nil, func(o *call) bool { return o.id == e.Call && o.session == e.Session })
	}
	if len(same) == 0 && len(e.Input) > 0 {
		same = s.callsLike(c, func(o *call) bool { return e.Call == "" || o.id == "" })
	}
	if len(same) > 1 {
		for _, o := range same {
			o.ambiguous = true
		}
		return nil
	}
	if len(same) == 0 {
		return nil
	}
	ended := same[0]
	ended.ran, ended.failed, ended.took = now, e.Failed, e.Took
	s.forget(func(c *call) bool { return c == ended })
	return ended
}

// callsLike are the calls that do what c does (any, where it is nil) and of which also holds.
func (s *session) callsLike(c *call, also func(*call) bool) []*call {
	var alike []*call
	for _, o := range s.calls {
		if (c == nil || c.doesAs(o)) && also(o) {
			alike = append(alike, o)
		}
	}
	return alike
}

// adoptID takes the session of an event for the pane's where none is known yet.
func (s *session) adoptID(e HookEvent) {
	if s.id == "" && !e.Subagent {
		s.startAs(e.Session)
	}
}

// add remembers a call. Where it is just like another one, nothing can be told of either any more.
func (s *session) add(c *call) {
	for _, o := range s.callsLike(c, (*call).unfinished) {
		o.ambiguous, c.ambiguous = true, true
	}
	s.calls = append(s.calls, c)
	size := 0
	for _, c := range s.calls {
		size += c.input.size()
	}
	for len(s.calls) > callsLimit || size > callsBytes {
		size -= s.calls[0].input.size()
		s.calls, s.incomplete = slices.Delete(s.calls, 0, 1), true
	}
}

// overflow takes in that events were lost.
func (s *session) overflow() { s.calls, s.incomplete = nil, true }

// openCalls are the calls that a prompt on the screen may be about, a prompt that was first seen when drawn:
// those that asked before it. Of an agent that sends no event for a question, every call is one.
func (s *session) openCalls(drawn time.Time) []*call {
	if s.incomplete {
		return nil
	}
	var open []*call
	for _, c := range s.calls {
		if s.waits(c) && !c.asked.After(drawn.Add(eventLag)) {
			open = append(open, c)
		}
	}
	return open
}

// waits reports whether a call may wait for an answer, whether or not its question has been seen.
func (s *session) waits(c *call) bool {
	return c.unfinished() && (!c.asked.IsZero() || !s.sendsRequests)
}
