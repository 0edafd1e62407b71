package detect

import (
	"slices"
	"strings"
	"time"

	"nod/detect/screen"
	"nod/internal/reason"
)

// eventLag is how much later than the screen an event may tell the same thing, or earlier.
const eventLag = time.Second

// standingPrompt is one prompt on the screen, from when it was first seen until another one is, and what events
// have told of it.
type standingPrompt struct {
	fingerprint string
	since       time.Time // when it was seen first
	session     string    // whose prompt it is; empty where no event told
	call        *call     // the call that it asks about; nil where that is not certain
	gone        bool      // it is not on the screen any more
	left        time.Time // since when
	turnEnded   time.Time // when that session's turn ended while the prompt was there
	// disputed says that the log has heard that the screen and an event disagree.
	disputed     bool
	contradicted bool // the screen has contradicted what events told
}

// stillStands takes in that the prompt is there at a look of that time. An event that says that it was answered,
// while it goes on standing there, was about another one.
func (p *standingPrompt) stillStands(s *session, prompt *screen.Prompt, at time.Time) {
	if p.call != nil && !p.call.ran.IsZero() && at.Sub(p.call.ran) > eventLag || !p.turnEnded.IsZero() && at.Sub(p.turnEnded) > eventLag {
		p.call, p.contradicted, p.turnEnded = nil, true, time.Time{}
	}
	if p.call != nil && at.Sub(p.call.denied) > eventLag {
		p.call.denied = time.Time{} // its hook was ended for another reason
	}
	if p.session == "" {
		p.session = s.id
	}
	if p.call == nil && !p.contradicted {
		p.call = s.about(prompt, p.since)
	}
}

// redrawn reports whether the prompt still stands and is only drawn otherwise: what is there renders the call that it is
// about, the one that waits for an answer. Some agents draw a dialog before they know all that it shows (opencode 1.18.33).
func (p *standingPrompt) redrawn(known *session, prompt *screen.Prompt) bool {
	if p.gone || p.contradicted || p.call == nil || p.fingerprint == prompt.Fingerprint || known.request(p.since) != p.call || !p.call.denied.IsZero() {
		return false
	}
	return p.call.drawnAs(prompt)
}

// replaced reports whether another prompt is there that looks the same: the call of this one is over, and the one
// request that waits is one that the screen renders as well.
func (p *standingPrompt) replaced(known *session, prompt *screen.Prompt, at time.Time) bool {
	if p.call == nil || p.call.ran.IsZero() {
		return false
	}
	next := known.request(at)
	return next != nil && next != p.call && next.drawnAs(prompt)
}

// about is the call that a prompt asks about, which was first seen when drawn; nil where that is not certain.
func (s *session) about(prompt *screen.Prompt, drawn time.Time) *call {
	open := s.openCalls(drawn)
	if len(open) == 1 {
		if how, _ := open[0].input.compare(&prompt.Content); how == undecided || how == rendered {
			return open[0]
		}
		return nil
	}
	var only *call
	for _, c := range open {
		if prompt.Partial || !c.drawnAs(prompt) {
			continue
		}
		if only != nil {
			return nil
		}
		only = c
	}
	return only
}

// request is the one call that waits for an answer, which a prompt must then be about that was first seen when drawn;
// nil where none or several wait, or where that is not certain.
func (s *session) request(drawn time.Time) *call {
	open := s.openCalls(drawn)
	if len(s.callsLike(nil, s.waits)) != 1 || len(open) != 1 || open[0].cut {
		return nil
	}
	return open[0]
}

// maxText is how many bytes of a call's text become a subject. A longer one stays seen in part.
const maxText = 64 << 10

// otherCall is why a human must look twice where the agent's event and its screen disagree.
var otherCall = reason.Why{Kind: reason.OtherCall}

// withCall is the prompt with what the event told of the call that it asks about. Where the screen is a rendering of the
// call, the subject is the call's own text, and below it the labels that the screen shows besides. Where it is not, both
// are shown, and what is asked counts as seen in part: one of the two must be wrong. The fingerprint stays the screen's.
func (p *standingPrompt) withCall(known *session, prompt *screen.Prompt) *screen.Prompt {
	c := known.request(p.since)
	if c == nil || p.contradicted {
		return prompt
	}
	how, labels := c.input.compare(&prompt.Content)
	full := *prompt
	switch {
	case how == rendered:
		full.Call = c.name()
		if !c.asked.IsZero() {
			full.Exact = c.exact
		}
		if len(c.input.text) <= maxText {
			full.Subject = strings.Join(append([]string{c.input.text}, labels...), "\n")
			full.Lead = strings.Count(c.input.text, "\n") + 1
			full.Source, full.Partial, full.Doubts = screen.FromEvent, false, nil
			full.Diff = c.input.edit()
		}
	case how == differs && c.input.text != "" && !c.asked.IsZero():
		full.Call = c.name()
		full.Subject += "\nthe hook says: " + beginning(c.input.text, maxText)
		full.Partial, full.Doubts = true, append(slices.Clone(prompt.Doubts), otherCall)
	default:
		return prompt
	}
	return &full
}

// withPlan is the prompt of a question with the plan that it asks about: the one call that waits for an answer is about one.
func (p *standingPrompt) withPlan(known *session, prompt *screen.Prompt) *screen.Prompt {
	c := known.request(p.since)
	if c == nil || p.contradicted || c.input.plan == "" || len(c.input.plan) > maxText {
		return prompt
	}
	full := *prompt
	full.Plan = c.input.plan
	return &full
}

// leave takes in that the prompt was not there at a look of that time.
func (p *standingPrompt) leave(at time.Time) {
	if p.gone {
		return
	}
	p.gone, p.left = true, at
	if p.call != nil {
		p.call.promptLeft, p.call.fingerprint = at, p.fingerprint
	}
}

// proofTold is how long a proof is told at every look, in case one of them was lost.
const proofTold = 10 * time.Second

// toldLongEnough reports whether all that is proven of a prompt that has left has been told for long enough.
func (p *standingPrompt) toldLongEnough(at time.Time) bool {
	known := p.left
	for _, since := range []time.Time{p.turnEnded, p.callEnded()} {
		if since.After(known) {
			known = since
		}
	}
	return at.Sub(known) > proofTold
}

// callEnded is when the call was over that the prompt asked about; zero: it is not known to be.
func (p *standingPrompt) callEnded() time.Time {
	if p.call == nil {
		return time.Time{}
	}
	if p.call.ran.IsZero() {
		return p.call.denied
	}
	return p.call.ran
}

// turnEvent takes in that the turn of a session is over. Parts of it that work on their own may go on, and so
// may a prompt of theirs.
func (p *standingPrompt) turnEvent(e HookEvent, s *session, now time.Time) {
	if p.gone || p.session == "" || !s.speaks(e) || p.session != e.Session {
		return
	}
	if e.Kind == Ended || p.call != nil && !p.call.subagent {
		p.turnEnded = now
	}
}

// proof is what events have proven of a prompt that has left.
func (p *standingPrompt) proof() string {
	switch {
	case p == nil || p.contradicted:
		return ""
	case p.call.provable() && !p.call.ran.IsZero():
		return "approved"
	case p.call.provable() && !p.call.denied.IsZero():
		return "denied"
	case !p.turnEnded.IsZero():
		return "answered"
	}
	return ""
}
