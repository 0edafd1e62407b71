package detect

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
)

// Limits of the calls that a session remembers. Once a call was forgotten, nothing is proven until the turn is over.
const (
	callsLimit = 64
	callsBytes = 2 << 20
	// callAge is how long a call without an end is remembered: most agents send nothing after a denial.
	callAge = 8 * time.Hour
)

// session is what the events of one pane's agent say: the calls that it makes, and the end of its turn. It knows nothing of the
// screen.
type session struct {
	id            string
	process       proc.ID // the process whose events these are
	depth         int     // the number of processes between it and the pane's agent
	calls         []*call // not ended, oldest first
	sendsRequests bool    // it sends an event for each question that it asks
	incomplete    bool    // calls were forgotten

	heard   time.Time    // when the last event came
	stopped time.Time    // when the last turn ended
	ended   bool         // the session said goodbye
	elicits *Elicitation // the last question of an MCP server; nil: none
	mode    string       // the permission mode in its last events; empty: unknown

	version    string // the agent's version in its last events; empty: unknown
	transcript string // the transcript's file in its last events; empty: unknown
}

// hear handles one event of the session. It returns the call that the event ended, if that is certain.
func (s *session) hear(e HookEvent, now time.Time) *call {
	s.heard = now
	s.forget(func(c *call) bool { return now.Sub(c.began) > callAge })
	if !e.Subagent {
		defer func() { // behind what makes a new session forget the old one's
			s.mode, s.version, s.transcript = cmp.Or(e.Mode, s.mode), cmp.Or(e.Version, s.version), cmp.Or(e.Transcript, s.transcript)
		}()
	}
	switch e.Kind {
	case Started:
		s.startAs(e.Session)
	case Submitted:
		if e.Subagent {
			return nil
		}
		s.startAs(e.Session)
		s.stopped = time.Time{}
		// A queued message may arrive while an approved call still runs.
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
		if same := s.callsLike(newCall(e, now), func(o *call) bool { return !o.asked.IsZero() }); len(same) == 1 {
			same[0].denied = now
		}
	case Stopped:
		if s.speaks(e) {
			s.stopped = now
			s.endTurn(func(*call) bool { return true })
		}
	case Ended:
		if s.speaks(e) {
			s.calls, s.ended = nil, true
		}
	}
	return nil
}

// speaks reports whether an event is about the session itself, and not about a sub-agent or another session of the same process.
func (s *session) speaks(e HookEvent) bool {
	return !e.Subagent && e.Session != "" && e.Session == s.id
}

// startAs makes id the pane's session. If it already was, as after a compaction, its calls stay.
func (s *session) startAs(id string) {
	if id == "" {
		return
	}
	if id != s.id {
		*s = session{id: id, process: s.process, depth: s.depth, heard: s.heard, sendsRequests: s.sendsRequests}
	}
	s.ended = false
}

// endTurn forgets the session's own calls that end with a turn.
func (s *session) endTurn(over func(*call) bool) {
	s.forget(func(c *call) bool { return !c.subagent && c.session == s.id && over(c) })
	s.incomplete = false
}

// forget drops the calls that are over.
func (s *session) forget(over func(*call) bool) { s.calls = slices.DeleteFunc(s.calls, over) }

// announce handles the event that a tool is about to be called.
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

// ask handles the event that a call asks for permission. It names the call by tool and input. An event without input counts too,
// since the screen may show its call.
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

// end handles the event that a tool has run. It returns the tool's call, if that is certain.
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

// callsLike are the calls that do the same as c (nil: any) and for which also holds.
func (s *session) callsLike(c *call, also func(*call) bool) []*call {
	var alike []*call
	for _, o := range s.calls {
		if (c == nil || c.doesAs(o)) && also(o) {
			alike = append(alike, o)
		}
	}
	return alike
}

// adoptID makes the session of an event the pane's, if none is known yet.
func (s *session) adoptID(e HookEvent) {
	if s.id == "" && !e.Subagent {
		s.startAs(e.Session)
	}
}

// add remembers a call. If it equals another one, neither can be proven any more.
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

// overflow handles the loss of events.
func (s *session) overflow() { s.calls, s.incomplete = nil, true }

// openCalls are the calls that a prompt on the screen, first seen at drawn, may be about: those that asked before it. If the agent
// sends no event for a question, all calls may be.
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

// waits reports whether a call may wait for an answer, even if its question was not seen.
func (s *session) waits(c *call) bool {
	return c.unfinished() && (!c.asked.IsZero() || !s.sendsRequests)
}

// call is one call of a tool, from its announcement to its end.
type call struct {
	session   string
	id        string // empty: unknown
	tool      string // empty: unknown
	key       [sha256.Size]byte
	exact     string // names the very call, by the event that asked or announced it
	input     toolInput
	cut       bool // not all of its input is known
	subagent  bool // of a sub-agent of the session
	began     time.Time
	asked     time.Time // when it asked for permission; zero: never
	ambiguous bool      // another call was just like it, so that an event may be about either

	promptLeft  time.Time // when the prompt about it left the screen; zero: it was not seen to leave
	fingerprint string    // that prompt's

	ran    time.Time // when an event reported its end
	failed bool
	denied time.Time // when an event reported that it was denied at the terminal
	took   time.Duration
}

func newCall(e HookEvent, now time.Time) *call {
	return &call{
		session: e.Session, id: e.Call, tool: e.Tool, key: keyOf(e.Input), exact: ExactCall(e), input: parseToolInput(e.Input), cut: e.InputCut, subagent: e.Subagent, began: now,
	}
}

// unfinished reports whether a prompt about the call may still come or stand. A session forgets a call that has run.
func (c *call) unfinished() bool { return c.promptLeft.IsZero() }

// drawnAs reports whether a prompt renders the call.
func (c *call) drawnAs(p *screen.Prompt) bool {
	how, _ := c.input.compare(&p.Content)
	return how == rendered
}

// provable reports whether it is certain which events are about this very call.
func (c *call) provable() bool { return c != nil && !c.ambiguous && !c.cut }

// name is what a screen.Prompt about the call calls it.
func (c *call) name() string { return hex.EncodeToString(c.key[:]) }

// doesAs reports whether c does the same as o, by their inputs.
func (c *call) doesAs(o *call) bool {
	return c.key == o.key && c.session == o.session && (c.tool == o.tool || c.tool == "" || o.tool == "")
}

// ExactCall names the very call that an event is about, as Prompt.Exact does. Agents send the same data of a call before it is made and
// when it asks (Claude Code 2.0.54 and 2.1.329).
func ExactCall(e HookEvent) string {
	text, err := json.Marshal([]any{e.Session, e.Subagent, e.Part, e.Cwd, e.Mode, e.Tool, e.Input})
	if err != nil || e.InputCut {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// CallName names the call that an event is about, as screen.Prompt.Call does.
func CallName(e HookEvent) string { return newCall(e, time.Time{}).name() }
