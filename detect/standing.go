package detect

import (
	"slices"
	"strings"
	"time"

	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/text/visible"
)

// eventLag is how much an event may come earlier or later than the screen that shows the same thing.
const eventLag = time.Second

// standingPrompt is one prompt on the screen, from the first look that shows it until another prompt is seen, with what events
// say about it.
type standingPrompt struct {
	fingerprint string
	since       time.Time // when it was seen first
	session     string    // whose prompt it is; empty: no event says so
	call        *call     // the call that it asks about; nil: not certain, or contradicted
	gone        bool      // it is no longer on the screen
	left        time.Time // when it left the screen
	turnEnded   time.Time // when that session's turn ended while the prompt was there
	// disputed says that the log already has a line that the screen and an event disagree.
	disputed     bool
	contradicted bool // the screen has contradicted the events
}

// stillStands handles a look that shows the prompt. If an event said that it was answered, but it stays on the screen, the event was
// about another prompt.
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

// redrawn reports whether the prompt was only drawn again in another form: the screen renders the prompt's call, which still waits
// for an answer. Some agents draw a dialog before they know all of it (opencode 1.18.33).
func (p *standingPrompt) redrawn(known *session, prompt *screen.Prompt) bool {
	if p.call == nil || p.fingerprint == prompt.Fingerprint || known.request(p.since) != p.call || !p.call.denied.IsZero() {
		return false
	}
	return p.call.drawnAs(prompt)
}

// replaced reports whether another prompt that looks the same took the place of this one: this one's call is over, and the screen
// also renders the one request that waits.
func (p *standingPrompt) replaced(known *session, prompt *screen.Prompt, at time.Time) bool {
	if p.call == nil || p.call.ran.IsZero() {
		return false
	}
	next := known.request(at)
	return next != nil && next.drawnAs(prompt)
}

// about is the call that a prompt, first seen at drawn, asks about; nil: not certain.
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

// request is the one call that waits for an answer, so that a prompt first seen at drawn must be about it; nil: none or several wait,
// or it is not certain.
func (s *session) request(drawn time.Time) *call {
	open := s.openCalls(drawn)
	if len(s.callsLike(nil, s.waits)) != 1 || len(open) != 1 || open[0].cut {
		return nil
	}
	return open[0]
}

// maxText is the greatest length, in bytes, of a call's text that becomes a subject. The prompt of a longer one stays seen in part.
const maxText = 64 << 10

// otherCall warns the human that the agent's event and its screen disagree.
var otherCall = reason.Why{Kind: reason.OtherCall}

// withCall is the prompt with the text of the call from its event. If the screen renders the call, the subject is the call's own text
// and, below it, the further labels on the screen. If not, the subject holds both and counts as seen in part, since one of them must
// be wrong. The fingerprint stays the screen's.
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

// withPlan is the prompt of a question with the plan of the one call that waits for an answer, if that has a plan.
func (p *standingPrompt) withPlan(known *session, prompt *screen.Prompt) *screen.Prompt {
	c := known.request(p.since)
	if c == nil || p.contradicted || c.input.plan == "" || len(c.input.plan) > maxText {
		return prompt
	}
	full := *prompt
	full.Plan = c.input.plan
	return &full
}

// leave handles a look that does not show the prompt.
func (p *standingPrompt) leave(at time.Time) {
	if p.gone {
		return
	}
	p.gone, p.left = true, at
	if p.call != nil {
		p.call.promptLeft, p.call.fingerprint = at, p.fingerprint
	}
}

// proofTold is how long each look reports a proof, in case a look is lost.
const proofTold = 10 * time.Second

// toldLongEnough reports whether the proof about a prompt that has left was reported for long enough.
func (p *standingPrompt) toldLongEnough(at time.Time) bool {
	known := slices.MaxFunc([]time.Time{p.left, p.turnEnded, p.callEnded()}, time.Time.Compare)
	return at.Sub(known) > proofTold
}

// callEnded is when the prompt's call ended; zero: it is not known to have ended.
func (p *standingPrompt) callEnded() time.Time {
	if p.call == nil {
		return time.Time{}
	}
	if p.call.ran.IsZero() {
		return p.call.denied
	}
	return p.call.ran
}

// turnEvent handles the end of a session's turn. Its sub-agents may go on, and so may their prompts.
func (p *standingPrompt) turnEvent(e HookEvent, s *session, now time.Time) {
	if p.gone || p.session == "" || !s.speaks(e) || p.session != e.Session {
		return
	}
	if e.Kind == Ended || p.call != nil && !p.call.subagent {
		p.turnEnded = now
	}
}

// proof is what events prove about a prompt that has left.
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

// addEvidence adds to a look's sighting what events say.
func (s *serverWatcher) addEvidence(p *agentPane, seen *Sighting) {
	known := s.sessions[p.info.ID]
	if known == nil {
		known = &session{}
	}
	switch {
	case seen.Prompt != nil:
		s.promptStands(p, known, seen)
	case p.standing == nil:
	case seen.Unseen && p.standing.proof() != "", !seen.Unseen && !seen.State.Asks():
		s.promptLeft(p, seen)
	}
}

// promptStands records the prompt on the screen.
func (s *serverWatcher) promptStands(p *agentPane, known *session, seen *Sighting) {
	old, since := p.standing, p.fingerprint.from
	switch {
	case old == nil:
	case old.redrawn(known, seen.Prompt):
		old.fingerprint = seen.Prompt.Fingerprint
	case old.fingerprint != seen.Prompt.Fingerprint:
		s.promptLeft(p, seen)
	case !old.gone && old.replaced(known, seen.Prompt, seen.At):
		s.promptLeft(p, seen)
		since = seen.At
	}
	if old == nil || old.gone {
		p.standing = &standingPrompt{fingerprint: seen.Prompt.Fingerprint, since: since}
	}
	p.standing.stillStands(known, seen.Prompt, seen.At)
	if seen.State == screen.Question {
		seen.Prompt = known.refusedForm(seen.Prompt)
	}
	if seen.State != screen.Permission {
		seen.Prompt = p.standing.withPlan(known, seen.Prompt)
		return
	}
	seen.Prompt = p.standing.withCall(known, seen.Prompt)
	if slices.Contains(seen.Prompt.Doubts, otherCall) && !p.standing.disputed {
		p.standing.disputed = true
		s.watcher.cfg.Log.Warn("the screen and the hook disagree on what is asked; the screen decides on keys",
			"pane", p.info.ID, "agent", p.agent, "shape", seen.Prompt.Shape)
	}
}

// promptLeft handles a look that no longer shows the prompt, and reports what is proven about it.
func (s *serverWatcher) promptLeft(p *agentPane, seen *Sighting) {
	left := p.standing
	if !left.gone {
		left.leave(seen.At)
		if left.call != nil && !left.call.ran.IsZero() {
			s.noteEffect(p, left.call)
		}
	}
	if !left.toldLongEnough(seen.At) {
		seen.Proof = left.proof()
	}
}

// noteEffect records the outcome of a call (nil: none) whose prompt has left. It is passed on after the look that showed the prompt gone.
func (s *serverWatcher) noteEffect(p *agentPane, c *call) {
	if !c.provable() || c.fingerprint == "" {
		return
	}
	took := c.took
	if took == 0 && c.ran.After(c.promptLeft) {
		took = c.ran.Sub(c.promptLeft)
	}
	s.effects = append(s.effects, Effect{
		Pane: PaneRef{Server: s.life, ID: p.info.ID}, Fingerprint: c.fingerprint, Call: c.name(), Failed: c.failed, Took: took, At: c.ran,
	})
}

// reportEffects passes on the outcomes of calls.
func (s *serverWatcher) reportEffects() {
	effects := s.effects
	s.effects = nil
	for _, e := range effects {
		if s.watcher.cfg.Ran != nil {
			s.watcher.cfg.Ran(e)
		}
	}
}

// refusedForm is a prompt with why nobody is asked in the chat for what the form wants that it shows, if it shows one.
func (s *session) refusedForm(p *screen.Prompt) *screen.Prompt {
	if s.elicits == nil || s.elicits.Refused.IsZero() || len(p.Options) > 0 || !strings.Contains(visible.Unspaced(p.Subject), visible.Unspaced(s.elicits.Message)) {
		return p
	}
	shown := *p
	shown.Why = s.elicits.Refused
	return &shown
}

// Effect is the outcome of a tool call that a prompt asked about, as the agent's own events prove it. Without such an
// event there is none.
type Effect struct {
	Pane        PaneRef
	Fingerprint string // of the prompt
	Call        string // as screen.Prompt has it
	Failed      bool
	Took        time.Duration // 0: unknown
	At          time.Time
}
