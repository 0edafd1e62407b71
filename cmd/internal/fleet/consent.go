package fleet

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
	"sync"
	"time"

	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/text/visible"
)

// In this file a human at this machine allows what the hub asks for, if NOD_EDGE is ask-here. The hub's request is refused at first. Once that
// human has seen the prompt here and allowed it, the same request is accepted. Consents are kept in memory only, so they end with this run of
// nod.

// consents are the requests that wait for a human's consent here, or have it, by their nudges.
type consents struct {
	mu  sync.Mutex
	all map[string]*consent
}

// consent is for one request about one appearance of one prompt, and for nothing similar.
type consent struct {
	request deliver.Request
	bound   uint64 // from which change on that asking is there
	until   time.Time
	shown   bool
	given   bool
}

const (
	// consentKept is how long a request waits to be looked at, and how long a consent counts.
	consentKept  = 10 * time.Minute
	mostConsents = 100
)

// admit reports whether a human here has allowed a request, and uses that consent up. If nobody has, somebody may from now on.
func (cs *consents) admit(r deliver.Request, bound uint64) bool {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	now := time.Now()
	maps.DeleteFunc(cs.all, func(_ string, c *consent) bool { return !now.Before(c.until) })
	c := cs.all[r.Nudge]
	same := c != nil && c.bound == bound && reflect.DeepEqual(c.request, r)
	switch {
	case same && c.given:
		delete(cs.all, r.Nudge)
		return true
	case !same && (c != nil || len(cs.all) < mostConsents):
		cs.all[r.Nudge] = &consent{request: r, bound: bound, until: now.Add(consentKept)}
	}
	return false
}

// Consent takes a human's yes or no to the hub's request with that id. A yes counts only after the human was shown the request: after the first
// yes given is false, and shown is what to show. ok is false if no request with that id waits for consent here.
func (e *Edge) Consent(id string, yes bool) (shown string, given, ok bool) {
	cs := &e.consents
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c := cs.all[id]
	if c == nil || !time.Now().Before(c.until) {
		return "", false, false
	}
	t, bound := e.out.at(c.request.Pane)
	if !yes || t == nil || bound != c.bound || !answers(c.request, t.own.Prompt) {
		delete(cs.all, id)
		return "", false, !yes
	}
	c.given, c.shown, c.until = c.shown, true, time.Now().Add(consentKept)
	return describe(c.request, t), c.given, true
}

// answers reports whether a request answers exactly that prompt: a human can be shown no other.
func answers(r deliver.Request, p *screen.Prompt) bool {
	one := r.Decision == screen.Approve || r.Choice != nil || !r.Answer.IsZero()
	return p != nil && one && r.Nudge != "" && r.Fingerprint == p.Fingerprint && len(r.Keys) == 0 && r.Instruction == "" && r.Because.IsZero()
}

// describe says what is in a pane, and what the hub would have typed there.
func describe(r deliver.Request, t *told) string {
	p := t.own.Prompt
	would := "approve it, this once"
	switch {
	case r.Choice != nil:
		would = fmt.Sprintf("choose %q", capText(unmasked(r, p, t.Prompt).Choice.Label, maxRow))
	case !r.Answer.IsZero():
		would = "answer"
	}
	if !r.Answer.IsZero() {
		would += fmt.Sprintf(", with the words %q", capText(r.Answer.Said(), maxRow))
	}
	asks := strings.Join(p.Rows, "\n")
	for line := range strings.Lines(p.Subject) {
		if !strings.Contains(visible.Unspaced(asks), visible.Unspaced(line)) {
			asks += "\n\nThe whole of it:\n" + p.Subject
			break
		}
	}
	if p.Partial {
		asks += "\n\nOnly a part of it can be seen from here: look at the pane itself."
	}
	return visible.Text(fmt.Sprintf("%s asks in pane %s (%s):\n\n%s\n\nThe bot would %s.", t.own.Agent, t.own.Pane.ID, t.own.Where, asks, would))
}

// askHere refuses what nobody here has allowed, and what can't be shown to anybody here.
func (e *Edge) askHere(r deliver.Request, t *told, bound uint64) *deliver.Result {
	var res deliver.Result
	switch {
	case !answers(r, t.own.Prompt):
		res = refused(deliver.NotOwner, reason.EdgeDenies, "")
	case e.consents.admit(r, bound):
		return nil
	default:
		res = refused(deliver.NeedsConfirmation, reason.EdgeAsksHere, "")
		res.Detail.Because.Nudge = r.Nudge
	}
	return &res
}
