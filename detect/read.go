package detect

import (
	"fmt"
	"slices"
	"strings"
)

// agent is what one agent's file knows of it.
type agent struct {
	name    string
	program program
	// tidy takes away what this agent draws around its dialogs, before anything is read.
	tidy func(v *view)
	// overlay says which view lies over the agent's screen; empty: none.
	overlay func(v *view) string
	// closed says that no dialog of this agent is read by structure alone: its second dialogs look like first ones.
	closed bool
	// opened reads the dialog that a key of a longer answer opens, while it is an overlay.
	opened func(v *view) *Prompt
	// dialog recognises a prompt. Nil: none.
	dialog func(v *view) (*dialog, *found)
	// composer finds the agent's input box.
	composer func(v *view) *Composer
	// working reports whether line l says that the agent is at work.
	working func(v *view) bool
	// volatile reports whether a line changes for cosmetic reasons. Nil: nothing is stripped.
	volatile func(l *line) bool
	// hint is a weaker mark, asked for where no agent's own mark is on the screen.
	hint func(v *view) bool
	// mark reports whether something on the screen is drawn by no other agent.
	mark func(v *view) bool
}

// catalogue lists every known agent. Where a screen could be that of several, the first one wins.
var catalogue = []*agent{
	&claude, &codex, &gemini, &qwen, &copilot, &opencode, &kilo, &cursor, &kiro, &auggie, &continueCLI, &pi,
	&cline, &goose, &aider, &amp, &droid,
}

// Agents lists the names of the agents whose screens are catalogued, sorted.
func Agents() []string {
	names := make([]string, 0, len(catalogue))
	for _, a := range catalogue {
		names = append(names, a.name)
	}
	slices.Sort(names)
	return names
}

func byName(name string) *agent {
	for _, a := range catalogue {
		if a.name == name {
			return a
		}
	}
	return nil
}

// Read tells what one screen of an agent says. Its name may be empty, then the screen itself tells whose
// it is, or a name that nobody has catalogued. Read depends on nothing but its arguments.
//
// Where nothing known is on the screen the state is Silent: time, which Read does not know, decides between
// that and Working.
func Read(name string, s Screen) Reading {
	if a := byName(name); a != nil {
		return a.read(s)
	}
	if name != "" {
		return readUnknown(name, s)
	}
	seen := views{screen: s}
	for _, sign := range []func(*agent) func(*view) bool{
		func(a *agent) func(*view) bool { return a.mark },
		func(a *agent) func(*view) bool { return a.hint },
	} {
		if r, ok := seen.guess(sign); ok {
			return r
		}
	}
	return readUnknown("", s)
}

// views are the screen as agents' signs are looked for on it, made once for all of them: as it is, and without
// what those that draw panels draw around them. No sign changes a view; a dialog is read from a view of its own.
type views struct {
	screen        Screen
	plain, tidied *view
}

func (w *views) of(a *agent) *view {
	at := &w.plain
	if a.tidy != nil {
		at = &w.tidied // there is one way to tidy
	}
	if *at == nil {
		*at = a.view(w.screen)
	}
	return *at
}

// guess reads the screen as that of the first agent that shows a sign of itself on it.
func (w *views) guess(sign func(*agent) func(*view) bool) (Reading, bool) {
	for _, a := range append(catalogue[:len(catalogue):len(catalogue)], &panel) {
		if seen := sign(a); seen == nil || !seen(w.of(a)) {
			continue
		}
		if r := a.read(w.screen); r.State != Silent {
			whose := a.name
			if whose == "" {
				whose = "OpenCode or a fork of it"
			}
			r.Why = append([]string{"the screen is drawn as " + whose + " draws it"}, r.Why...)
			return r, true
		}
	}
	return Reading{}, false
}

func (a *agent) view(s Screen) *view {
	v := newView(s)
	if a.tidy != nil {
		a.tidy(v)
	}
	return v
}

func (a *agent) read(s Screen) Reading { return a.readView(a.view(s)) }

func (a *agent) readView(v *view) Reading {
	r := Reading{Agent: a.name, State: Silent, Text: a.text(v)}
	if a.overlay != nil {
		if what := a.overlay(v); what != "" {
			r.State = Overlay
			if a.opened != nil {
				r.Prompt = a.opened(v)
			}
			r.Why = append(r.Why, "overlay: "+what)
			return r
		}
	}
	if d, f := a.dialog(v); f != nil {
		return r.with(d, f)
	}
	r.Why = append(r.Why, "none of this agent's dialogs is the last live thing on the screen")
	if other := a.guest(v.screen); other != "" {
		r.Why = append(r.Why, "the dialog is drawn as "+other+" draws it, inside this agent's screen")
	} else if !a.closed {
		if d, f := dialogOver(v, nil); f != nil {
			r.Why = append(r.Why, "no shape of this agent fits: read by structure alone")
			return r.with(d, f)
		}
	}
	if a.composer != nil {
		r.Composer = a.composer(v)
	}
	switch {
	case a.working != nil && a.working(v):
		r.State = Working
		r.Why = append(r.Why, "the screen says that the agent is at work")
	case r.Composer != nil:
		r.State = Idle
		r.Why = append(r.Why, "a live input box and no sign of work")
	}
	return r
}

// guest names another agent whose dialog is on the screen: it runs inside this one, and its keys are its own.
func (a *agent) guest(s Screen) string {
	seen := views{screen: s}
	for _, other := range catalogue {
		if other == a || other.mark == nil || !other.mark(seen.of(other)) {
			continue
		}
		if _, f := other.dialog(other.view(s)); f != nil {
			return other.name
		}
	}
	return ""
}

// with completes r with the prompt that d and f make.
func (r Reading) with(d *dialog, f *found) Reading {
	turned := f.state == Permission && inverted(f.question)
	if turned {
		f.state = Question
	}
	r.State = f.state
	if f.state == Overlay {
		r.Why = append(append(r.Why, "overlay: a list to pick from, which asks nothing"), d.seen()...)
		return r
	}
	r.Prompt = d.prompt(r.Agent, *f)
	r.Why = append(append(r.Why, "shape "+r.Prompt.Shape), d.seen()...)
	switch {
	case turned:
		r.Why = append(r.Why, "yes means to stop here, and no may let it run: neither y nor n is an answer")
	case f.state == Permission:
		r.Why = append(r.Why, r.Prompt.keysFor()...)
	}
	return r
}

// seen says what the dialog was recognised by, a sentence each.
func (d *dialog) seen() []string {
	var why []string
	if d.question != "" {
		why = append(why, "it asks "+quote(d.question))
	}
	if n := len(d.rows); n > 0 {
		how := "one below the other"
		switch {
		case d.numbered:
			how = "numbered from 1"
		case d.across:
			how = "side by side"
		}
		mark := "none of them marked"
		switch {
		case d.marked >= 0 && d.colour:
			mark = quote(d.rows[d.marked].Label) + " marked by its colour"
		case d.marked >= 0:
			mark = quote(d.rows[d.marked].Label) + " marked by the cursor"
		}
		why = append(why, fmt.Sprintf("%d answers, %s, %s", n, how, mark))
	}
	if d.footer != "" {
		why = append(why, "below them the keys: "+quote(d.footer))
	}
	if d.cutTop {
		why = append(why, "where it begins is not on the screen, or can't be told")
	}
	return why
}

// keysFor says why p is approved and denied with these keys, or with none.
func (p *Prompt) keysFor() []string {
	var why []string
	if len(p.Approve) > 0 {
		why = append(why, "approve with "+strings.Join(p.Approve, " ")+": the one answer that says yes to this and no more")
	} else {
		why = append(why, "no key approves: "+p.Why)
	}
	switch {
	case len(p.Deny) == 0:
		why = append(why, "no key denies: no answer says no alone, and Escape is not known to")
	case p.Deny[0] == "Escape":
		why = append(why, "deny with "+strings.Join(p.Deny, " ")+": known to deny here, or printed beside the answer that says no")
	default:
		why = append(why, "deny with "+strings.Join(p.Deny, " ")+": the one answer that says no")
	}
	return why
}

func quote(s string) string { return "“" + s + "”" }

// tailRows is how many rows at the bottom of a screen detection reads.
const tailRows = 15

// text is what is hashed: the bottom rows without those that change for cosmetic reasons.
func (a *agent) text(v *view) string {
	var b strings.Builder
	for i := max(len(v.lines)-tailRows, 0); i < len(v.lines); i++ {
		if a.volatile != nil && a.volatile(&v.lines[i]) {
			continue
		}
		b.WriteString(v.screen.Rows[i].Text)
		b.WriteByte('\n')
	}
	return b.String()
}
