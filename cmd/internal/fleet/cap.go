package fleet

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"nod/cmd/internal/jobs/launch"
	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
)

// This file takes what an edge tells for what it is: words of somebody else's, about panes of that machine alone. What is longer than anything
// that nod tells is cut, and what is none of its values is left out.

// How much is taken over of what an edge tells.
const (
	maxPanes    = 1000
	maxParts    = 64 // frames of a whole state, and as much in changes until the next one
	maxName     = 200
	maxSentence = 1000
	maxTroubles = 10
	maxText     = 300 << 10 // a tool's input may be a whole file
	maxRows     = 1000
	maxRow      = 4 << 10
	maxOptions  = 100
	maxCalls    = 100
)

var (
	paneID    = regexp.MustCompile(`^%[0-9]{1,9}$`)
	agentName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`)
)

var states = []screen.State{screen.Working, screen.Permission, screen.Question, screen.Idle, screen.Silent, screen.Shell, screen.Gone}

// take makes what an edge told of a pane a look at a pane of that machine; false: it is none. shift is how far the edge's clock is behind;
// nothing is told of what is still to come, whatever that clock says.
func take(machine string, s detect.Sighting, shift time.Duration) (detect.Sighting, bool) {
	server := &s.Pane.Server
	if !paneID.MatchString(s.Pane.ID) || !strings.HasPrefix(server.Socket, "/") || len(server.Socket) > maxName || strings.ContainsRune(server.Socket, 0) ||
		!agentName.MatchString(s.Agent) || !slices.Contains(states, s.State) {
		return s, false
	}
	s.Pane.Machine = machine
	s.Project = strings.TrimSuffix(machine+":"+strings.ReplaceAll(capText(s.Project, maxName), ":", "_"), ":")
	for _, text := range []*string{&s.Name, &s.Where, &s.Session, &s.By, &s.Proof} {
		*text = capText(*text, maxName)
	}
	s.Words, s.Said = capText(s.Words, maxText), capText(s.Said, maxText)
	s.Tail, s.Above = capList(s.Tail, maxRows), capList(s.Above, maxRows)
	s.Screen = s.Screen[:min(len(s.Screen), maxRows)]
	for i := range s.Screen {
		s.Screen[i].Text = capText(s.Screen[i].Text, maxRow)
	}
	s.Unasked = s.Unasked[:min(len(s.Unasked), maxTroubles)]
	for i := range s.Unasked {
		capWhy(&s.Unasked[i])
	}
	capWhy(&s.Blocked)
	s.Edits = s.Edits[:min(len(s.Edits), maxCalls)]
	for i := range s.Edits {
		s.Edits[i].Path, s.Edits[i].Diff = capText(s.Edits[i].Path, maxRow), capText(s.Edits[i].Diff, maxText)
	}
	capDenied(&s)
	s.Prompt = takePrompt(s.Prompt)
	for _, at := range []*time.Time{&s.At, &s.Since, &s.Here, &s.Near, &s.Escaped} {
		if !at.IsZero() {
			*at = here(*at, shift)
		}
	}
	return s, true
}

// capDenied cuts the calls that an edge told were denied. One that is cut is not known whole, and neither are they all where some are left out.
func capDenied(s *detect.Sighting) {
	d := &s.Denied
	d.Turn = capText(d.Turn, maxName)
	if len(d.Calls) > maxCalls {
		d.Calls, d.All = d.Calls[:maxCalls], false
	}
	for i := range d.Calls {
		c := &d.Calls[i]
		c.Cut = c.Cut || len(c.Text) > maxText
		c.Text, c.Reason = capText(c.Text, maxText), capText(c.Reason, maxRow)
		c.Verb, c.Folder, c.Session = capText(c.Verb, maxName), capText(c.Folder, maxRow), capText(c.Session, maxName)
		if len(c.Review) > maxText {
			c.Review = ""
		}
	}
}

// takePrompt is a prompt that an edge told, as far as it is one; nil: none.
func takePrompt(p *screen.Prompt) *screen.Prompt {
	if p == nil || len(p.Options) > maxOptions || len(p.Fingerprint) > maxName || len(p.Call+p.Exact) > maxName ||
		!utf8.ValidString(p.Fingerprint+p.Call+p.Exact) {
		return nil
	}
	for _, text := range []*string{&p.Question, &p.Subject, &p.Diff, &p.Plan, &p.Typed} {
		*text = capText(*text, maxText)
	}
	for _, text := range []*string{&p.Title, &p.Verb, &p.Shape, &p.Agent, &p.Taught} {
		*text = capText(*text, maxName)
	}
	for i := range p.Options {
		o := &p.Options[i]
		o.Label, o.Key = capText(o.Label, maxRow), capText(o.Key, maxName)
		o.Scope, o.Tick = screen.Scope(capText(string(o.Scope), maxName)), screen.Tick(capText(string(o.Tick), maxName))
	}
	p.Source, p.Tabs = screen.Source(capText(string(p.Source), maxName)), capText(p.Tabs, maxName)
	for _, keys := range []*[]string{&p.Approve, &p.Deny, &p.Send, &p.Dismiss} {
		*keys = capList(*keys, maxRows)
	}
	p.Furniture = p.Furniture[:min(len(p.Furniture), maxRows)]
	for i := range p.Furniture {
		p.Furniture[i].Text = capText(p.Furniture[i].Text, maxRow)
	}
	p.Rows, p.Notes = capList(p.Rows, maxRows), capList(p.Notes, maxOptions)
	p.Doubts = p.Doubts[:min(len(p.Doubts), maxTroubles)]
	for i := range p.Doubts {
		capWhy(&p.Doubts[i])
	}
	capWhy(&p.Why)
	return p
}

// takeResult is what an edge says became of a request.
func takeResult(r deliver.Result) deliver.Result {
	switch r.Outcome {
	case deliver.Delivered, deliver.Refused, deliver.Unknown:
	default:
		r.Outcome, r.Reason = deliver.Unknown, deliver.Unsure
	}
	r.Reason = deliver.Reason(capText(string(r.Reason), maxName))
	capWhy(&r.Detail)
	r.Keys = capList(r.Keys, maxRows)
	r.After = takePrompt(r.After)
	return r
}

// takeOutcome is what an edge says became of an errand.
func takeOutcome(o *launch.Outcome, machine string) *launch.Outcome {
	if o == nil {
		return nil
	}
	took := launch.Outcome{Lost: capList(o.Lost, maxTroubles), Error: capText(o.Error, maxSentence)}
	for _, row := range o.Sessions[:min(len(o.Sessions), maxPanes)] {
		if !paneID.MatchString(row.Pane.ID) {
			continue
		}
		row.Pane.Machine, row.Args = machine, nil
		for _, text := range []*string{&row.Name, &row.Agent, &row.Cwd, &row.State, &row.Pane.Server.Socket} {
			*text = capText(*text, maxName)
		}
		took.Sessions = append(took.Sessions, row)
	}
	return &took
}

// capWhy cuts what a reason says. An edge speaks in kinds and their data, never in sentences of its own.
func capWhy(w *reason.Why) {
	for depth := 0; w != nil; w, depth = w.Because, depth+1 {
		w.Said = ""
		for _, text := range []*string{&w.Agent, &w.Pane, &w.Where, &w.Nudge, &w.By, &w.Key, &w.What} {
			*text = capText(*text, maxSentence)
		}
		w.Kind = reason.Kind(capText(string(w.Kind), maxName))
		if depth == 3 {
			w.Because = nil
		}
	}
}

// here is a time that an edge told, by this machine's clock.
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

func capList(list []string, most int) []string {
	list = list[:min(len(list), most)]
	for i := range list {
		list[i] = capText(list[i], maxRow)
	}
	return list
}
