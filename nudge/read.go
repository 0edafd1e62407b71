package nudge

import (
	"fmt"
	"strconv"
	"strings"

	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/reason"
)

// Read finds what an answer says to n: what counts of a reply, and which option is chosen. The verdict is empty unless
// the answer says nothing that n could take.
func (n *Nudge) Read(a Answer) (Answer, Verdict) {
	a, v := n.read(n.readTicks(a))
	if v.Kind == Rejected && n.State != Pending {
		v = Verdict{} // that it is over says more
	}
	return a, v
}

func (n *Nudge) read(a Answer) (Answer, Verdict) {
	if v := n.DrawnAs(a); v.Kind != "" {
		return a, v
	}
	if p := n.Program(); p != nil && p.Join && !a.joinTakes() {
		return a, n.reject(deliver.NeedsConfirmation, n.why(reason.JoinTakesTap))
	}
	if c := a.Choice; c != nil && c.Label == "" {
		return n.choose(a, c.Index)
	}
	if p := n.Program(); p != nil && p.Form && a.Way == ByFresh {
		return a, n.reject(deliver.NeedsConfirmation, n.why(reason.FormTakesReply))
	}
	if a.Line != "" {
		return n.readLine(a)
	}
	if n.Program() != nil && n.Kind() == screen.Question && a.Choice == nil {
		return n.readProgram(a)
	}
	if a.Way != ByReply {
		return a, Verdict{}
	}
	if n.askedWhy(a) {
		return n.readReason(a)
	}
	return n.About.reply(n, a)
}

func (Permission) reply(n *Nudge, a Answer) (Answer, Verdict) { return n.onlyDecision(a) }

func (q Question) reply(n *Nudge, a Answer) (Answer, Verdict) {
	switch {
	case a.Decision != "", a.Text == "":
		return n.onlyDecision(a)
	case strings.EqualFold(a.Text, string(screen.Send)) && (q.Prompt.Ticks() != "" || len(q.Prompt.Send) > 0):
		a.Decision, a.Text = screen.Send, ""
	case strings.EqualFold(a.Text, string(screen.Dismiss)) && len(q.Prompt.Dismiss) > 0:
		a.Decision, a.Text = screen.Dismiss, ""
	case len(q.Prompt.Options) > 0:
		if number, err := strconv.Atoi(strings.Trim(a.Text, ".)# ")); err == nil {
			return n.readNumber(a, number)
		}
	}
	return a, Verdict{}
}

// A reply to an agent whose turn has ended is its next instruction, but for a yes or no, which is nearly always meant for a
// prompt.
func (TurnEnded) reply(n *Nudge, a Answer) (Answer, Verdict) {
	switch {
	case a.Text == "":
		return a, n.reject(deliver.NoKey, n.why(reason.OnlyText))
	case a.Decision != "":
		return a, n.reject(deliver.NoKey, n.whyOf(reason.NoInstruction, a.Text))
	}
	return a, Verdict{}
}

func (Silence) reply(n *Nudge, a Answer) (Answer, Verdict) {
	if a.Decision != "" || a.Text == "" {
		return n.onlyDecision(a)
	}
	return a, Verdict{}
}

// onlyDecision takes the yes or no of a reply, and no other words of it.
func (n *Nudge) onlyDecision(a Answer) (Answer, Verdict) {
	if a.Decision == "" {
		return a, Verdict{Kind: NoAnswer, Nudge: *n}
	}
	a.Text = ""
	return a, Verdict{}
}

// readReason: words in reply to the question why it is denied are a denial, and its reason. A bare no is the
// denial alone; a yes is neither.
func (n *Nudge) readReason(a Answer) (Answer, Verdict) {
	words := a.Text
	a.Text, a.Nudge = "", ""
	switch {
	case a.Decision == screen.Approve:
		return a, n.reject(deliver.NeedsConfirmation, n.why(reason.AsksTheReason))
	case a.Decision == screen.Deny:
		return a, Verdict{}
	case strings.TrimSpace(words) == "":
		return a, n.reject(deliver.NoKey, n.why(reason.OnlyText))
	}
	return n.denyBecause(a, words)
}

// denyBecause is a denial of n, with why.
func (n *Nudge) denyBecause(a Answer, words string) (Answer, Verdict) {
	a.Text = ""
	switch {
	case !n.TakesReason():
		return a, n.reject(deliver.NoKey, n.why(reason.NoReasonHere))
	case len(words) > maxInstruction:
		return a, n.reject(deliver.NoKey, n.whyOf(reason.TextTooLong, tooLong(words)))
	}
	a.Decision, a.Because = screen.Deny, deliver.Say(words)
	return a, Verdict{}
}

// readNumber: a number chooses the option that bears it.
func (n *Nudge) readNumber(a Answer, number int) (Answer, Verdict) {
	for i := range n.Prompt().Options {
		if n.OptionNumber(i) == strconv.Itoa(number) {
			return n.choose(a, i)
		}
	}
	return a, n.reject(deliver.NoKey, n.whyOf(reason.NoOption, strconv.Itoa(number)))
}

func (n *Nudge) choose(a Answer, i int) (Answer, Verdict) {
	if i < 0 || i >= len(n.Prompt().Options) {
		return a, n.reject(deliver.Changed, n.why(reason.OptionUnknown))
	}
	a.Choice, a.Text = &deliver.Choice{Index: i, Label: n.Prompt().Options[i].Label}, ""
	return a, Verdict{}
}

// OptionNumber is what a person types to choose option i: the digit that its row shows if every row has
// one, else its place in the list.
func (n *Nudge) OptionNumber(i int) string {
	for _, o := range n.Prompt().Options {
		if len(o.Key) != 1 || o.Key < "0" || o.Key > "9" {
			return fmt.Sprint(i + 1)
		}
	}
	return n.Prompt().Options[i].Key
}
