package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"nod/internal/reason"
)

// Asking completes r with the prompt of a dialog.
func (r Reading) Asking(d *Dialog) Reading {
	inverted := d.State == Permission && d.inverted()
	if inverted {
		d.State = Question
	}
	r.State = d.State
	if d.State == Overlay {
		r.Why = append(append(r.Why, "overlay: a list to pick from, which asks nothing"), d.why()...)
		return r
	}
	r.Prompt = d.Prompt(r.Agent)
	r.Rows = d.drawn()
	r.Why = append(append(r.Why, "shape "+r.Prompt.Shape), d.why()...)
	switch {
	case inverted:
		r.Why = append(r.Why, "yes means to stop here, and no may let it run: neither y nor n is an answer")
	case d.State == Permission:
		r.Why = append(r.Why, r.Prompt.whyKeys()...)
	}
	return r
}

// why says how the dialog was recognised, in a sentence each.
func (d *Dialog) why() []string {
	var why []string
	if d.Question != "" {
		why = append(why, "it asks "+quote(d.Question))
	}
	if n := len(d.Entries); n > 0 {
		how := "one below the other"
		switch {
		case d.Numbered:
			how = "numbered from 1"
		case d.Across:
			how = "side by side"
		}
		mark, by := "none of them marked", "the cursor"
		if d.Colour {
			by = "its colour"
		}
		if d.Marked >= 0 {
			mark = quote(d.Entries[d.Marked].Label) + " marked by " + by
		}
		why = append(why, fmt.Sprintf("%d answers, %s, %s, known by %s", n, how, mark, cmp.Or(d.knownBy, "their keys")))
	}
	if d.Footer != "" {
		why = append(why, "below them the keys: "+quote(d.Footer))
	}
	return why
}

// WhyNoDialog says which rows of a screen without a dialog are the lowest that look like options, and what is below them.
func (s Screen) WhyNoDialog() []string {
	l := Lay(s)
	m, ok := l.anyMenu(nil)
	if !ok {
		return []string{"no rows of it look like options"}
	}
	var labels []string
	for _, e := range m.Entries {
		labels = append(labels, quote(e.Label))
	}
	why := []string{"the lowest rows that look like options: " + strings.Join(labels, ", ") + ", known by " + cmp.Or(m.knownBy, "their keys")}
	if i := l.LineFrom(m.Last+1, len(l.Lines), func(i int) bool { return l.words(i) && !IsFooter(l.Lines[i].Text) }); i >= 0 {
		why = append(why, "below them: "+quote(l.Lines[i].Text))
	}
	return why
}

// whyKeys says why these keys approve and deny the prompt. If none approves, w.Why says why.
func (w *Ways) whyKeys() []string {
	var why []string
	if len(w.Approve) > 0 {
		why = append(why, "approve with "+strings.Join(w.Approve, " ")+": the one answer that says yes to this and no more")
	}
	switch {
	case len(w.Deny) == 0:
		why = append(why, "no key denies: no answer says no alone, and Escape is not known to")
	case w.Deny[0] == "Escape":
		why = append(why, "deny with "+strings.Join(w.Deny, " ")+": known to deny here, or printed beside the answer that says no")
	default:
		why = append(why, "deny with "+strings.Join(w.Deny, " ")+": the one answer that says no")
	}
	return why
}

func quote(s string) string { return "“" + s + "”" }

// Foreign is r as a dialog of another program in the agent's terminal, which may have drawn it. None of its keys is proven.
func (r Reading) Foreign(program, agent string) Reading {
	p := *r.Prompt
	p.Agent, p.Shape = program, program+".prompt"
	p.Ways = Ways{AtTerminal: len(p.Options) > 0, Why: reason.Why{Kind: reason.OtherProgram, Agent: agent, What: program}}
	p.Field = Field{}
	p.Options = slices.Clone(p.Options)
	for i := range p.Options {
		p.Options[i].Key = ""
	}
	p.Fingerprint = fingerprint(&p.Content)
	r.Agent, r.State, r.Prompt, r.Composer = program, Question, &p, nil
	r.Why = append([]string{"in the terminal of " + agent + ", " + program + " can draw and read keys too: it may have drawn this"}, r.Why...)
	return r
}

// Program is the program in the agent's terminal that may have drawn the prompt; empty: the agent itself did.
func (w *Ways) Program() string {
	if w.Why.Kind != reason.OtherProgram {
		return ""
	}
	return w.Why.What
}
