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
		d, waits, ok := p.files.denied(p.asker(), r.transcript, agents.HooksOf(p.agent).Denied)
		if !ok {
			break
		}
		r.told = d
		if !waits && now.Sub(r.asked) > eventLag {
			r.asked = time.Time{}
		}
	}
	seen.Denied = r.told
	if known := len(r.told.Calls); r.transcript != "" && r.gaveUp() && known < len(r.shown.Calls) { // it may say of the last that a person ended it
		seen.Denied.Calls = append(slices.Clip(seen.Denied.Calls), r.shown.Calls[known:]...)
	}
}
