// Package habits finds the calls that a person always approves, and the entry in an agent's own settings that
// would allow them.
package habits

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/text/redact"
	"nod/internal/text/risk"
	"nod/internal/text/visible"
	"nod/nudge"
)

// Call is a call that a permission was requested for.
type Call struct {
	Agent, Project string
	Verb           string // "edit", "fetch", …; empty if Text is a command
	Text           string // the whole command, file or address; for a form, its first words
}

// Habit is a call that was approved each time, or a form that several such calls have in common.
type Habit struct {
	Call
	Calls       int // how many different calls have this form; 0: it is one call
	Times       int
	First, Last time.Time
	// NoEntry is why the agent's settings should not, or can't, allow the call permanently; zero if nothing
	// prevents it.
	NoEntry reason.Why
}

// Entry returns the line that allows exactly this call, and its file in the agent's settings, relative to the
// project. Both are empty if NoEntry is set.
func (h Habit) Entry() (file, entry string) {
	if !h.NoEntry.IsZero() {
		return "", ""
	}
	rule := agents.ProfileOf(h.Agent).Rule
	return rule.File, rule.Allows(h.Text)
}

// Of returns the calls that were approved at least least times and never denied, and the forms of calls that
// differ, most frequent first. A call that a guard had denied and a human left denied counts as denied. An
// approval counts for the project of the call, a denial for all projects.
func Of(all []nudge.Nudge, guarded []nudge.Denials, least int) []Habit {
	calls, denied := countCalls(all)
	for _, d := range guarded {
		for _, c := range d.Calls {
			if c.Left {
				call := Call{Agent: d.Agent, Verb: c.Verb, Text: leadingOrAll(c.Text, c.Lead)}
				denied[call], denied[call.form()] = true, true
			}
		}
	}
	var habits []Habit
	for call, h := range calls {
		if !denied[call.anywhere()] && h.Times >= least {
			habits = append(habits, *h)
		}
	}
	for form, h := range formsOf(calls) { // that of a denied call is denied as well
		if h.Calls > 1 && h.Times >= least && !denied[form.anywhere()] {
			habits = append(habits, *h)
		}
	}
	slices.SortFunc(habits, func(a, b Habit) int {
		return cmp.Or(-cmp.Compare(a.Times, b.Times), cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.Project, b.Project),
			cmp.Compare(a.Verb, b.Verb), cmp.Compare(a.Text, b.Text))
	})
	return habits
}

// countCalls counts the approvals of each call, and returns the calls and forms that were denied in any
// project.
func countCalls(all []nudge.Nudge) (calls map[Call]*Habit, denied map[Call]bool) {
	calls, denied = map[Call]*Habit{}, map[Call]bool{}
	for i := range all {
		n := &all[i]
		call := callOf(n)
		switch {
		case call.Text == "":
		case saidNo(n):
			denied[call.anywhere()] = true
			denied[call.form().anywhere()] = true
		case saidYes(n):
			h := calls[call]
			if h == nil {
				h = &Habit{Call: call, First: n.Detected, NoEntry: call.noEntry()}
				calls[call] = h
			}
			if p := n.Prompt(); p.Partial || len(p.Doubts) > 0 {
				h.NoEntry = reason.Why{Kind: reason.CallNotWhole}
			}
			h.took(1, n.Detected, n.Detected)
		}
	}
	return calls, denied
}

// formsOf counts the calls of each form.
func formsOf(calls map[Call]*Habit) map[Call]*Habit {
	forms := map[Call]*Habit{}
	for call, h := range calls {
		form := call.form()
		if form.Text == "" {
			continue
		}
		f := forms[form]
		if f == nil {
			f = &Habit{Call: form, First: h.First, NoEntry: reason.Why{Kind: reason.CallIsAForm}}
			forms[form] = f
		}
		f.Calls++
		f.took(h.Times, h.First, h.Last)
	}
	return forms
}

// took adds approvals between first and last.
func (h *Habit) took(times int, first, last time.Time) {
	h.Times += times
	if first.Before(h.First) {
		h.First = first
	}
	if last.After(h.Last) {
		h.Last = last
	}
}

// callOf returns the call that n asks permission for; the zero Call if it asks for none.
func callOf(n *nudge.Nudge) Call {
	p := n.Prompt()
	if n.Kind() != screen.Permission || n.Agent == "" {
		return Call{}
	}
	text := leading(p.Subject, p.Lead)
	if n.Program() != nil {
		text = leadingOrAll(p.Subject, p.Lead)
	}
	return Call{Agent: n.Agent, Project: n.Project, Verb: p.Verb, Text: text}
}

// leadingOrAll is leading for a subject that was made of a call's input: without such lines the whole is the call.
func leadingOrAll(subject string, lead int) string {
	if lead <= 0 {
		lead = 1 + strings.Count(subject, "\n")
	}
	return leading(subject, lead)
}

// leading returns the first lines of a subject, which are the call itself; empty if a screen does not say which they are.
func leading(subject string, lead int) string {
	lines := strings.Split(subject, "\n")
	return strings.TrimSpace(strings.Join(lines[:min(max(lead, 0), len(lines))], "\n"))
}

// Displayed returns the call for people, with masked secrets and visible characters only.
func (c Call) Displayed() string { return redact.Mask(visible.Text(c.Text)) }

// anywhere returns the call without its project.
func (c Call) anywhere() Call {
	c.Project = ""
	return c
}

// form returns what a command has in common with others that differ only in their later words; the zero Call
// if it has too few words.
func (c Call) form() Call {
	words := strings.Fields(c.Text)
	if c.Verb != "" || len(words) < 3 || compound(c.Text) {
		return Call{}
	}
	c.Text = words[0] + " " + words[1] + " …"
	return c
}

// saidNo reports whether somebody denied n, whatever the outcome.
func saidNo(n *nudge.Nudge) bool {
	if n.Proof == "denied" {
		return true
	}
	if n.Claim == nil {
		return false
	}
	chose := chosen(n)
	return n.Claim.Decision == screen.Deny || chose == screen.No || chose == screen.NoAlways || chose == screen.Text
}

// saidYes reports whether somebody's plain yes to n is known to have reached the agent.
func saidYes(n *nudge.Nudge) bool {
	yes := n.Claim != nil && (n.Claim.Decision == screen.Approve || chosen(n) == screen.Once)
	return yes && (n.State == nudge.Delivered || n.Effect != nil) || n.State == nudge.Recovered && n.Proof == "approved"
}

// chosen returns the scope of the option that answered n; empty if no option did.
func chosen(n *nudge.Nudge) screen.Scope {
	if c := n.Claim.Choice; c != nil && 0 <= c.Index && c.Index < len(n.Prompt().Options) {
		return n.Prompt().Options[c.Index].Scope
	}
	return ""
}

// noEntry says why c should not be allowed permanently. Signs of danger only make the reason better: what counts is what is known as harmless.
func (c Call) noEntry() reason.Why {
	switch risks := risk.Reasons(c.Text, c.Project); {
	case redact.Mask(c.Text) != c.Text:
		return reason.Why{Kind: reason.CallIsMasked}
	case c.Verb != "":
		return reason.Why{Kind: reason.CallIsNoCommand}
	case len(risks) > 0:
		return reason.Why{Kind: reason.CallIsRisky, What: strings.Join(risks, ", ")}
	case compound(c.Text):
		return reason.Why{Kind: reason.CallIsCompound}
	case !isHarmless(c.Text):
		return reason.Why{Kind: reason.CallMayHarm}
	case agents.ProfileOf(c.Agent).Rule.File == "":
		return reason.Why{Kind: reason.NoExactRule, Agent: c.Agent}
	}
	return reason.Why{}
}

// compound reports whether a command may be more than one program with plain words. Signs other than the
// plain ones may mean something to a shell, or be a pattern in an agent's settings.
func compound(command string) bool {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ._-/:=,@%+'\""
	return strings.ContainsFunc(command, func(r rune) bool { return !strings.ContainsRune(plain, r) })
}
