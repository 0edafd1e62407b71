package detect

import (
	"slices"
	"time"

	"nod/detect/agents"
	"nod/detect/screen"
)

// The calls that an agent's own guard denied, and the list in which it keeps them, as package agents knows them.
type (
	DeniedCalls = agents.DeniedCalls
	DeniedCall  = agents.DeniedCall
	Grants      = agents.Grants
)

// GrantsOf is the list of an agent; nil: it keeps none.
func GrantsOf(agent string) *Grants { return agents.GrantsOf(agent) }

// review is what is known of the calls that the agent's own guard denied in its current turn.
type review struct {
	shown      agents.DeniedCalls // by the screen
	looks      int                // how many in a row agree about that
	transcript string             // the file that says more; empty: unknown
	asked      time.Time          // of a call whose result was perhaps not read there yet; zero: all were
	told       agents.DeniedCalls // the last that were reported
	stops      bool               // those looks also show that a person stopped the agent
	stopped    time.Time          // when they said so last; zero: none has
}

// agreed is how many looks must show a denied call before it is reported.
const agreed = 2

// take takes in what a look at the screen at that time shows. Where the input box is covered it shows nothing of this.
func (r *review) take(shown agents.DeniedCalls, at time.Time) {
	switch {
	case shown.Turn == "" && len(shown.Calls) == 0:
	case r.shown.Same(shown):
		r.again(at)
	default:
		if r.stops = shown.StoppedSince(r.shown, r.looks >= agreed); r.stops {
			r.stopped = at
		}
		r.shown, r.looks = shown, 1
	}
}

// again takes in that another look shows the same. What it shows to be denied has been told by the one before: that is stopped too.
func (r *review) again(at time.Time) {
	if r.looks++; r.stops && r.looks == agreed+1 {
		r.stopped = at
	}
}

// gaveUp reports whether the agent has stopped by itself at the last of the calls that are shown.
func (r *review) gaveUp() bool { return r.shown.Stops > 0 && r.shown.GivesUp && !r.stops }

// hear handles an event of the session itself, which names its transcript.
func (r *review) hear(e HookEvent, at time.Time) {
	if agents.HooksOf(e.Agent).Denied == nil || e.Transcript == "" || e.Subagent {
		return
	}
	r.transcript = e.Transcript
	if e.Kind == Asks || e.Kind == Stopped {
		r.asked = at
	}
}

// readDenied adds the calls that were denied to a sighting.
func (p *agentPane) readDenied(seen *Sighting, now time.Time) {
	r := &p.review
	switch {
	case r.transcript == "":
		if r.looks >= agreed {
			r.told = r.shown
		}
	case !r.asked.IsZero() && seen.State != screen.Permission:
		type denials struct {
			calls DeniedCalls
			waits bool
		}
		found, ok := inTranscript(p.files, "denied", p.asker(), r.transcript, func(lines agents.Lines) (d denials) {
			d.calls, d.waits = agents.HooksOf(p.agent).Denied(lines)
			return d
		})
		if !ok {
			break
		}
		if r.told = found.calls; !found.waits && now.Sub(r.asked) > eventLag {
			r.asked = time.Time{}
		}
	}
	seen.Denied = r.told
	if known := len(r.told.Calls); r.transcript != "" && r.gaveUp() && known < len(r.shown.Calls) { // it may say of the last that a person ended it
		seen.Denied.Calls = append(slices.Clip(seen.Denied.Calls), r.shown.Calls[known:]...)
	}
}

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
		if at := p.files.escaped(p.agent, p.asker(), s.transcript, now); !at.IsZero() && !p.review.gaveUp() {
			s.at = at
		}
	}
	seen.Escaped = s.at
}
