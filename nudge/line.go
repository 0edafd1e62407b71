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

// What is answered at the machine that nod runs on: on the command line, in the inbox, on the page.

// Owns reports whether an answer is of nod's own machine's owner: it came from there, and names no user of the chat. The socket
// has seen to it that no agent gave it.
func (a Answer) Owns() bool {
	return a.By.ID == "" && slices.Contains([]Way{ByCommand, ByInbox, ByPage}, a.Way)
}

// MayAnswer reports whether an answer counts, by who gave it.
func (r Rules) MayAnswer(a Answer) bool { return a.Owns() || r.Supervises(a.By.ID) }

// Drawn names what a human decides on where n is drawn: its prompt, every word, role and box of it, and which question of a set it is.
func (n *Nudge) Drawn() string {
	p := n.Prompt()
	content, _ := json.Marshal(p.Content) // its record is written so, too
	set, _ := json.Marshal(p.InSet)
	return hashOf(p.Fingerprint + "\x00" + string(content) + "\x00" + string(set))
}

// DrawnAs is the verdict on an answer to something else than n is now, as far as a tells by Drawn or by the prompt's own fingerprint;
// empty: it is to n.
func (n *Nudge) DrawnAs(a Answer) Verdict {
	if a.Drawn == "" || a.Drawn == n.Drawn() || a.Drawn == n.Prompt().Fingerprint {
		return Verdict{}
	}
	return n.reject(deliver.Changed, n.why(reason.DrawnOtherwise))
}

// Lines that do what other buttons of a message do.
const (
	tickLine  = "tick "
	leaveLine = "leave"
)

// readLine reads an answer in a line: y or n, the number or the whole label of an option, "tick N", "send", "leave", or words for
// what takes words. Text beside it is why something is denied.
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
	case n.Program() != nil && n.Kind() == screen.Question:
		a.Decision, a.Text = decision, line
		return n.readProgram(a)
	case ticks && n.Prompt().Ticks() != "":
		return n.chooseCalled(a, box)
	case strings.EqualFold(line, string(screen.Send)) && (n.Prompt().Ticks() != "" || len(n.Prompt().Send) > 0):
		a.Decision, a.Ticks = screen.Send, n.Prompt().Ticks()
	case strings.EqualFold(line, leaveLine) && len(n.Prompt().Dismiss) > 0:
		a.Decision = screen.Dismiss
	case decides:
		a.Decision = decision
	default:
		return n.chooseCalled(a, line)
	}
	return a, Verdict{}
}

// chooseCalled chooses the option of that number or label, where a message would have a button for it. Another line is words,
// where n asks for some.
func (n *Nudge) chooseCalled(a Answer, name string) (Answer, Verdict) {
	i, called := n.optionCalled(name)
	if !called {
		return n.readWords(a, name)
	}
	o := n.Prompt().Options[i]
	permission := n.Kind() == screen.Permission
	switch {
	case n.Offers(i):
		a.Ticks = n.Prompt().Ticks()
		return n.choose(a, i)
	case permission && o.Scope == screen.Once && len(n.Prompt().Approve) > 0:
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

// readWords takes a line as words for the field of a question that has one.
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

// Offers reports whether option i is chosen by a button of its own: of a permission only where nothing says yes for this once, and
// of a question where its screen proves how.
func (n *Nudge) Offers(i int) bool {
	p, o := n.Prompt(), n.Prompt().Options[i]
	switch {
	case n.Kind() == screen.Permission:
		return len(p.Approve) == 0 && (o.Scope == screen.Once || slices.Contains(wider, o.Scope))
	case o.Tick != screen.NoBox:
		return p.Tickable && o.Scope != screen.Text
	}
	return !p.AtTerminal && (o.Scope != screen.Text || n.Program() != nil)
}

// Would gives the verdict that a would have. Nothing changes.
func (n *Nudge) Would(a Answer, now time.Time) Verdict {
	probe := *n
	a, v := probe.Read(a)
	if v.Kind == "" {
		v, _ = probe.Decide(a, now)
	}
	return v
}
