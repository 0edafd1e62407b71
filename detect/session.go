package detect

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"time"

	"nod/internal/proc"
)

// What is remembered of one session's calls at most. What is forgotten makes nothing provable, until the
// turn is over.
const (
	callsLimit = 64
	inputLimit = 4 << 20
	// callAge is how long a call is remembered that never ends: most agents send nothing after a denial.
	callAge = 8 * time.Hour
)

// session is what the events of one pane's agent have told: which calls it makes, and when its turn ends.
// It says nothing of the screen.
type session struct {
	id    string
	voice proc.ID // the process whose events these are
	depth int     // how many processes stand between it and the pane's agent
	calls []*call // that have not ended, oldest first
	asks  bool    // it sends an event for each question
	lossy bool    // calls were forgotten, so that the ones that are known may not be all

	stopped time.Time // when the last turn ended
	words   string    // the agent's last words of that turn
	ended   bool      // the session said goodbye
}

// call is one call of a tool, from its announcement to its end.
type call struct {
	session string
	id      string // empty where the agent does not tell it
	tool    string // empty where the agent does not tell it
	key     [sha256.Size]byte
	input   json.RawMessage
	sub     bool // of a part of the session that works on its own
	began   time.Time
	asked   time.Time // when it asked for permission; zero: it did not
	twin    bool      // another call was just like it, so that an event may be of either

	left  time.Time // when the prompt about it left the screen; zero: it did not, as far as is known
	print string    // that prompt's fingerprint

	ran    time.Time // when its end was told
	failed bool
	took   time.Duration
}

// unfinished reports whether a prompt about the call may still come or stand.
func (c *call) unfinished() bool { return c.ran.IsZero() && c.left.IsZero() }

// provable reports whether an event can be told to be of this very call.
func (c *call) provable() bool { return c != nil && !c.twin }

// hear takes in one event of the session, and returns the call that it ended, if it ended one for sure.
func (s *session) hear(e HookEvent, now time.Time) *call {
	s.forget(func(c *call) bool { return now.Sub(c.began) > callAge })
	switch e.Kind {
	case Started:
		s.begin(e.Session)
	case Submitted:
		if e.Subagent {
			return nil
		}
		s.begin(e.Session)
		s.stopped, s.words = time.Time{}, ""
		// A message that was queued may come while a call runs that was approved.
		s.turn(func(c *call) bool { return c.left.IsZero() })
	case Before:
		s.announce(e, now)
	case Asks:
		s.ask(e, now)
	case Ran:
		return s.end(e, now)
	case Stopped:
		if s.speaks(e) {
			s.stopped, s.words = now, lastWords(e)
			s.turn(func(*call) bool { return true })
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

// begin makes id the pane's session. Its calls stay when it was that already, as after a compaction.
func (s *session) begin(id string) {
	if id == "" {
		return
	}
	if id != s.id {
		*s = session{id: id, voice: s.voice, depth: s.depth, asks: s.asks}
	}
	s.ended = false
}

// turn forgets the session's own calls that a turn's end ends.
func (s *session) turn(over func(*call) bool) {
	s.forget(func(c *call) bool { return !c.sub && c.session == s.id && over(c) })
	s.lossy = false
}

func (s *session) forget(over func(*call) bool) { s.calls = slices.DeleteFunc(s.calls, over) }

// announce takes in that a tool is about to be called.
func (s *session) announce(e HookEvent, now time.Time) {
	s.know(e)
	if e.Call != "" && slices.ContainsFunc(s.calls, func(c *call) bool { return c.id == e.Call }) {
		return
	}
	c := newCall(e, now)
	// Qwen Code announces a call after the answer, so that this is the end of a question and no new call.
	if e.Agent == qwen.name {
		if same := s.like(c, func(o *call) bool { return o.id == "" && !o.asked.IsZero() }); len(same) == 1 {
			same[0].id = e.Call
			return
		}
	}
	s.add(c)
}

// ask takes in that a call asks for permission. The event names the call by tool and input alone.
func (s *session) ask(e HookEvent, now time.Time) {
	if len(e.Input) == 0 {
		return // a reason to look and nothing more
	}
	s.know(e)
	s.asks = true
	c := newCall(e, now)
	c.asked = now
	if same := s.like(c, func(o *call) bool { return o.asked.IsZero() && o.unfinished() }); len(same) > 0 {
		same[len(same)-1].asked = now
		return
	}
	s.add(c)
}

// end takes in that a tool has run, and returns its call where it is certain which one that was.
func (s *session) end(e HookEvent, now time.Time) *call {
	c := newCall(e, now)
	var same []*call
	if e.Call != "" {
		same = s.like(nil, func(o *call) bool { return o.id == e.Call && o.session == e.Session })
	}
	if len(same) == 0 && len(e.Input) > 0 {
		same = s.like(c, func(o *call) bool { return e.Call == "" || o.id == "" })
	}
	if len(same) > 1 {
		for _, o := range same {
			o.twin = true
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

// like are the calls that do the same as c (any, where it is nil) and of which also holds.
func (s *session) like(c *call, also func(*call) bool) []*call {
	var same []*call
	for _, o := range s.calls {
		if (c == nil || c.same(o)) && also(o) {
			same = append(same, o)
		}
	}
	return same
}

func (c *call) same(o *call) bool {
	return c.key == o.key && c.session == o.session && (c.tool == o.tool || c.tool == "" || o.tool == "")
}

// know takes the session of an event for the pane's where none is known yet.
func (s *session) know(e HookEvent) {
	if s.id == "" && !e.Subagent {
		s.begin(e.Session)
	}
}

func newCall(e HookEvent, now time.Time) *call {
	return &call{
		session: e.Session, id: e.Call, tool: e.Tool, key: keyOf(e.Input), input: e.Input, sub: e.Subagent, began: now,
	}
}

func (s *session) add(c *call) {
	for _, o := range s.like(c, (*call).unfinished) {
		o.twin, c.twin = true, true
	}
	s.calls = append(s.calls, c)
	size := 0
	for _, c := range s.calls {
		size += len(c.input)
	}
	for len(s.calls) > callsLimit || size > inputLimit {
		size -= len(s.calls[0].input)
		s.calls, s.lossy = slices.Delete(s.calls, 0, 1), true
	}
}

// overflow takes in that events were lost.
func (s *session) overflow() { s.calls, s.lossy = nil, true }

// open are the calls that a prompt on the screen may be about, a prompt that was first seen when drawn:
// those that asked before it. Of an agent that sends no event for a question, every call is one.
func (s *session) open(drawn time.Time) []*call {
	if s.lossy {
		return nil
	}
	var open []*call
	for _, c := range s.calls {
		if c.unfinished() && (!c.asked.IsZero() || !s.asks) && !c.asked.After(drawn.Add(eventLag)) {
			open = append(open, c)
		}
	}
	return open
}

// waiting is how many calls wait for an answer, whether or not their question has been seen.
func (s *session) waiting() int {
	n := 0
	for _, c := range s.calls {
		if c.unfinished() && (!c.asked.IsZero() || !s.asks) {
			n++
		}
	}
	return n
}
