package detect

import (
	"slices"
	"strings"

	"nod/detect/screen"
	"nod/internal/text/visible"
)

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
