package fleet

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"nod/cmd/internal/jobs/launch"
	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/text/agentname"
	"nod/internal/text/lazy"
)

// This file trusts nothing that an edge sends: it is foreign text, and only about panes of that machine. What is longer than anything that nod
// sends is cut, and what is none of nod's values is left out.

// The limits for what an edge sends.
const (
	maxPanes    = 1000
	maxParts    = 64 // frames of a whole state, and as much in changes until the next one
	maxName     = 200
	maxSentence = 1000
	maxTroubles = 10
	maxText     = 300 << 10 // a tool's input may be a whole file
	maxRows     = 2000
	maxRow      = 4 << 10
	maxOptions  = 100
	maxCalls    = 100
)

var paneID = lazy.MustCompile(`^%[0-9]{1,9}$`)

var states = []screen.State{screen.Working, screen.Permission, screen.Question, screen.Idle, screen.Silent, screen.Shell, screen.Gone}

// take turns what an edge sent about a pane into a look at a pane of that machine; false: it is none. shift is how far the edge's clock is
// behind. No time is in the future, whatever that clock says.
func take(machine string, s detect.Sighting, shift time.Duration) (detect.Sighting, bool) {
	socket := s.Pane.Server.Socket
	if !paneID().MatchString(s.Pane.ID) || !strings.HasPrefix(socket, "/") || strings.ContainsRune(socket, 0) ||
		!agentname.Is(s.Agent) || !slices.Contains(states, s.State) {
		return s, false
	}
	s.Pane.Machine = machine
	s.Project = strings.TrimSuffix(machine+":"+strings.ReplaceAll(s.Project, ":", "_"), ":")
	capDenied(&s)
	s.Prompt = takePrompt(s.Prompt)
	for _, at := range []*time.Time{&s.At, &s.Since, &s.Here, &s.Near, &s.Escaped} {
		if !at.IsZero() {
			*at = here(*at, shift)
		}
	}
	return s, true
}

// capDenied drops calls beyond the limit. A call that was cut is marked as not known whole, and so are all of them if some were dropped.
func capDenied(s *detect.Sighting) {
	d := &s.Denied
	if len(d.Calls) > maxCalls {
		d.Calls, d.All = d.Calls[:maxCalls], false
	}
	for i := range d.Calls {
		c := &d.Calls[i]
		c.Cut = c.Cut || wasCut(c.Text)
		if wasCut(c.Review) {
			c.Review = ""
		}
	}
}

// wasCut reports whether a long text may have been cut.
func wasCut(text string) bool { return len(text) > maxText-utf8.UTFMax }

// takePrompt returns the prompt that an edge sent, without what is no valid part of one; nil: none.
func takePrompt(p *screen.Prompt) *screen.Prompt {
	if p == nil || len(p.Options) > maxOptions || p.Fingerprint == "" {
		return nil
	}
	p.Lead = max(p.Lead, 0) // it counts lines
	return p
}

// takeResult returns a request's result with only valid values; an outcome that is none becomes unknown.
func takeResult(r deliver.Result) deliver.Result {
	switch r.Outcome {
	case deliver.Delivered, deliver.Refused, deliver.Unknown:
	default:
		r.Outcome, r.Reason = deliver.Unknown, deliver.Unsure
	}
	r.After = takePrompt(r.After)
	return r
}

// takeOutcome returns an errand's outcome with only valid values.
func takeOutcome(o *launch.Done, machine string) *launch.Done {
	if o == nil {
		return nil
	}
	took := launch.Done{Lost: o.Lost, Error: o.Error}
	for _, row := range o.Sessions[:min(len(o.Sessions), maxPanes)] {
		if !paneID().MatchString(row.Pane.ID) {
			continue
		}
		row.Pane.Machine, row.Args = machine, nil
		took.Sessions = append(took.Sessions, row)
	}
	return &took
}

// capWhy drops from a reason what no edge may send: an edge sends kinds and their data, never sentences.
func capWhy(w *reason.Why) {
	w.Said = ""
	for range 3 {
		if w = w.Because; w == nil {
			return
		}
	}
	w.Because = nil
}

// here converts a time that an edge sent to this machine's clock.
func here(at time.Time, shift time.Duration) time.Time {
	now := time.Now()
	if at = at.Add(shift); at.After(now) {
		return now
	}
	return at
}

func capText(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}

// capList cuts rows, in their place.
func capList(list []string) []string {
	list = list[:min(len(list), maxRows)]
	for i := range list {
		list[i] = capText(list[i], maxRow)
	}
	return list
}
