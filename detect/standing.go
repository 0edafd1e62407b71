package detect

import "time"

// eventLag is how much later than the screen an event may tell the same thing, or earlier.
const eventLag = time.Second

// standing is one prompt on the screen, from when it was first seen until another one is, and what events
// have told of it.
type standing struct {
	print   string
	drawn   time.Time // when it was seen first
	session string    // whose prompt it is; empty where no event told
	call    *call     // the call that it asks about; nil where that is not certain
	gone    bool      // it is not on the screen any more
	left    time.Time // since when
	over    time.Time // when that session's turn ended while the prompt stood there
	// disputed says that the log has heard that the screen and an event disagree.
	disputed bool
	void     bool // the screen has contradicted what events told
}

// on takes in that the prompt stands there at a look of that time. An event that says that it was answered,
// while it goes on standing there, was about another one.
func (p *standing) on(s *session, prompt *Prompt, at time.Time) {
	if p.call != nil && !p.call.ran.IsZero() && at.Sub(p.call.ran) > eventLag || !p.over.IsZero() && at.Sub(p.over) > eventLag {
		p.call, p.void, p.over = nil, true, time.Time{}
	}
	if p.session == "" {
		p.session = s.id
	}
	if p.call == nil && !p.void {
		p.call = s.about(prompt, p.drawn)
	}
}

// about is the call that a prompt asks about; nil where that is not certain.
func (s *session) about(prompt *Prompt, drawn time.Time) *call {
	open := s.open(drawn)
	if len(open) == 1 && want(open[0].input).fits(prompt) != differs {
		return open[0]
	}
	var only *call
	for _, c := range open {
		if prompt.Partial || want(c.input).fits(prompt) != agreed {
			continue
		}
		if only != nil {
			return nil
		}
		only = c
	}
	return only
}

// fuller is the prompt with what the one request that waits says of its subject: the whole of it, where the
// screen shows a part that agrees; both, where the screen shows all and it is not the same. The
// fingerprint stays the screen's. disagree reports the latter.
func (p *standing) fuller(s *session, prompt *Prompt) (_ *Prompt, disagree bool) {
	if s.waiting() != 1 || p.void {
		return prompt, false
	}
	open := s.open(p.drawn)
	if len(open) != 1 {
		return prompt, false
	}
	w := want(open[0].input)
	if w.whole == "" || len(w.whole) > wholeLimit {
		return prompt, false
	}
	more := *prompt
	switch fit := w.fits(prompt); {
	case prompt.Partial && fit == agreed:
		more.Subject, more.Partial = w.whole, false
	case !prompt.Partial && fit == differs && w.command != "" && prompt.Verb == "" && prompt.Subject != "":
		more.Subject += "\nthe hook says: " + w.whole
		disagree = true
	default:
		return prompt, false
	}
	return &more, disagree
}

// leave takes in that the prompt was not there at a look of that time.
func (p *standing) leave(at time.Time) {
	if p.gone {
		return
	}
	p.gone, p.left = true, at
	if p.call != nil {
		p.call.left, p.call.print = at, p.print
	}
}

// proofTold is how long a proof is told at every look, in case one of them was lost.
const proofTold = 10 * time.Second

// stale reports whether all that is proven of a prompt that has left has been told for long enough.
func (p *standing) stale(at time.Time) bool {
	known := p.left
	for _, since := range []time.Time{p.over, p.ended()} {
		if since.After(known) {
			known = since
		}
	}
	return at.Sub(known) > proofTold
}

// ended is when the call was over that the prompt asked about; zero: it is not known to be.
func (p *standing) ended() time.Time {
	if p.call == nil {
		return time.Time{}
	}
	return p.call.ran
}

// turned takes in that the turn of a session is over. Parts of it that work on their own may go on, and so
// may a prompt of theirs.
func (p *standing) turned(e HookEvent, s *session, now time.Time) {
	if p.gone || p.session == "" || !s.speaks(e) || p.session != e.Session {
		return
	}
	if e.Kind == Ended || p.call != nil && !p.call.sub {
		p.over = now
	}
}

// proof is what events have proven of a prompt that has left.
func (p *standing) proof() string {
	switch {
	case p == nil || p.void:
		return ""
	case p.call.provable() && !p.call.ran.IsZero():
		return "approved"
	case !p.over.IsZero():
		return "answered"
	}
	return ""
}
