package nudge

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/reason"
)

// Answers given at nod's own machine: on the command line, in the inbox, on the page.

// Owns reports whether the answer comes from the owner of nod's machine: it was given there and names no chat
// user. The socket makes sure that no agent gave it.
func (a Answer) Owns() bool {
	return a.By.ID == "" && slices.Contains([]Way{ByCommand, ByInbox, ByPage}, a.Way)
}

// MayAnswer reports whether the answer's author may answer.
func (r Rules) MayAnswer(a Answer) bool { return a.Owns() || r.Supervises(a.By.ID) }

// Drawn identifies everything that a human decides on in n: the prompt's words, roles and boxes, and its
// position in a set of questions.
func (n *Nudge) Drawn() string {
	p := n.Prompt()
	content, _ := json.Marshal(p.Content) // records use the same encoding
	set, _ := json.Marshal(p.InSet)
	return hashOf(p.Fingerprint + "\x00" + string(content) + "\x00" + string(set))
}

// DrawnAs returns a rejection if a was given to another state of n, judging by a.Drawn, which is an earlier
// Drawn or the prompt's own fingerprint. An empty verdict: a was given to n as it is, or does not say.
func (n *Nudge) DrawnAs(a Answer) Verdict {
	if a.Drawn == "" || a.Drawn == n.Drawn() || a.Drawn == n.Prompt().Fingerprint {
		return Verdict{}
	}
	return n.reject(deliver.Changed, n.why(reason.DrawnOtherwise))
}

// The lines that act like further buttons of a message.
const (
	tickLine  = "tick "
	leaveLine = "leave"
)

// drawn reports whether the answer comes from where a line names an option by its number alone, and words come apart.
func (a Answer) drawn() bool { return a.Way == ByInbox || a.Way == ByPage }

// readLine parses an answer line: y or n, the number or full label of an option, "tick N", "send", "leave",
// or words if n takes words. Text next to a denial is its reason.
func (n *Nudge) readLine(a Answer) (Answer, Verdict) {
	line, words := strings.TrimSpace(a.Line), a.Text
	decision, id, decides := ParseWord(line, ByCommand)
	decides = decides && id == ""
	a.Line = ""
	box, ticks := strings.CutPrefix(strings.ToLower(line), tickLine)
	switch {
	case words != "" && decision != screen.Deny:
		return a, n.reject(deliver.NeedsConfirmation, n.why(reason.WordsDeny))
	case words != "":
		return n.denyBecause(a, words)
	case n.Program() != nil && n.Kind() == screen.Question && a.drawn() && len(n.optionNumbered(line)) > 0:
		return n.choose(a, n.optionNumbered(line)[0])
	case n.Program() != nil && n.Kind() == screen.Question:
		a.Decision, a.Text = decision, line
		return n.readProgram(a)
	case ticks && n.Prompt().Ticks() != "":
		return n.chooseCalled(a, box)
	case strings.EqualFold(line, string(screen.Send)) && (n.Prompt().Ticks() != "" || len(n.Prompt().Send) > 0):
		a.Decision, a.Ticks = screen.Send, n.Prompt().Ticks()
	case strings.EqualFold(line, leaveLine) && len(n.Prompt().Dismiss) > 0:
		a.Decision = screen.Dismiss
	case decides && (n.Kind() != screen.Question || len(n.optionsCalled(line)) == 0):
		a.Decision = decision
	default:
		return n.chooseCalled(a, line)
	}
	return a, Verdict{}
}

// chooseCalled chooses the option with that number or label, if a message would have a button for it. Any
// other line is words, if n asks for words.
func (n *Nudge) chooseCalled(a Answer, name string) (Answer, Verdict) {
	called := n.optionsSaid(name)
	if numbered := n.optionNumbered(name); a.drawn() && len(numbered) > 0 {
		called = numbered
	}
	switch {
	case len(called) > 1:
		return a, n.reject(deliver.NeedsConfirmation, n.whyOf(reason.OptionsAlike, name))
	case len(called) == 0:
		return n.readWords(a, name)
	}
	i := called[0]
	o := n.Prompt().Options[i]
	permission := n.Kind() == screen.Permission
	switch {
	case n.Offers(i):
		a.Ticks = n.Prompt().Ticks()
		return n.choose(a, i)
	case permission && o.Scope == screen.Once: // then another way approves once
		a.Decision = screen.Approve
	case permission && o.Scope == screen.No && len(n.Prompt().Deny) > 0:
		a.Decision = screen.Deny
	case permission:
		return a, n.reject(deliver.NoKey, n.whyOf(reason.NotOffered, o.Label))
	case o.Scope == screen.Text && takesWords(n.Prompt().Field):
		return a, n.reject(deliver.NoKey, n.why(reason.OptionTakesWords))
	default:
		return a, n.reject(deliver.NoKey, n.whyOf(reason.OnlyThere, o.Label))
	}
	return a, Verdict{}
}

// readWords takes a line as the words for a question's text field.
func (n *Nudge) readWords(a Answer, line string) (Answer, Verdict) {
	code, why := n.About.noWords(n)
	switch {
	case n.Kind() != screen.Question:
		return a, Verdict{Kind: NoAnswer, Nudge: *n, Detail: n.why(reason.NeitherYesNorNo)}
	case code != "":
		return a, Verdict{Kind: NoAnswer, Nudge: *n, Detail: why}
	}
	a.Text = line
	return a, Verdict{}
}

// Offers reports whether option i has a button of its own, which it has only if its screen proves how to choose it. An option of a
// permission has one only if nothing approves just once.
func (n *Nudge) Offers(i int) bool {
	p, o := n.Prompt(), n.Prompt().Options[i]
	switch {
	case n.Kind() == screen.Permission:
		reached := !p.AtTerminal && (o.Scope != screen.Once || p.Why.Kind != reason.YesUnreached && p.Why.Kind != reason.MarkUnseen)
		return reached && len(p.Approve) == 0 && (o.Scope == screen.Once || slices.Contains(wider, o.Scope))
	case o.Tick != screen.NoBox:
		return p.Tickable && o.Scope != screen.Text
	}
	return !p.AtTerminal && (o.Scope != screen.Text || n.Program() != nil)
}

// Would returns the verdict that a would get, without changing n.
func (n *Nudge) Would(a Answer, now time.Time) Verdict {
	probe := *n
	a, v := probe.Read(a)
	if v.Kind == "" {
		v, _ = probe.Decide(a, now)
	}
	return v
}
