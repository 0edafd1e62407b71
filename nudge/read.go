package nudge

import (
	"fmt"
	"strconv"
	"strings"

	"nod/deliver"
	"nod/detect/screen"
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
	if c := a.Choice; c != nil && c.Label == "" {
		return n.choose(a, c.Index)
	}
	if n.Program != nil && n.Kind == screen.Question && a.Choice == nil {
		return n.readProgram(a)
	}
	if a.Way != ByReply {
		return a, Verdict{}
	}
	if n.askedWhy(a) {
		return n.readReason(a)
	}
	word := a.Decision != ""
	switch {
	case n.Kind == screen.Idle:
		return n.readInstruction(a)
	case n.Kind == screen.Silent && word, n.Kind.Asks() && word:
		a.Text = ""
		return a, Verdict{}
	case n.Kind == screen.Permission, a.Text == "":
		return a, Verdict{Kind: NoAnswer, Nudge: *n}
	case n.Kind == screen.Question && strings.EqualFold(a.Text, string(screen.Send)) && (n.Prompt.Ticks() != "" || len(n.Prompt.Send) > 0):
		a.Decision, a.Text = screen.Send, ""
		return a, Verdict{}
	case n.Kind == screen.Question && strings.EqualFold(a.Text, string(screen.Dismiss)) && len(n.Prompt.Dismiss) > 0:
		a.Decision, a.Text = screen.Dismiss, ""
		return a, Verdict{}
	case n.Kind == screen.Question && len(n.Prompt.Options) > 0:
		if number, err := strconv.Atoi(strings.Trim(a.Text, ".)# ")); err == nil {
			return n.readNumber(a, number)
		}
	}
	return a, Verdict{}
}

// readReason: words in reply to the question why it is denied are a denial, and its reason. A bare no is the
// denial alone; a yes is neither.
func (n *Nudge) readReason(a Answer) (Answer, Verdict) {
	words := a.Text
	a.Text, a.Nudge = "", ""
	switch {
	case a.Decision == screen.Approve:
		return a, n.reject(deliver.NeedsConfirmation, fmt.Sprintf("That asks why #%s is denied: to approve it, answer its own message.", n.ID))
	case a.Decision == screen.Deny:
		return a, Verdict{}
	case strings.TrimSpace(words) == "":
		return a, n.reject(deliver.NoKey, "Only text can be given to an agent.")
	case len(words) > maxInstruction:
		return a, n.reject(deliver.NoKey, fmt.Sprintf("The text has %d KB, and an instruction may have %d: put it into a file and name that.", len(words)>>10, maxInstruction>>10))
	}
	a.Decision, a.Because = screen.Deny, deliver.Say(words)
	return a, Verdict{}
}

// readInstruction: any words are the next instruction of an idle agent, but a yes or no, which is nearly always meant
// for a prompt.
func (n *Nudge) readInstruction(a Answer) (Answer, Verdict) {
	switch {
	case a.Text == "":
		return a, n.reject(deliver.NoKey, "Only text can be given to an agent.")
	case a.Decision != "":
		return a, n.reject(deliver.NoKey, fmt.Sprintf("%s asks nothing, so %s was not taken as its next instruction. "+
			"If you meant just that: /tell %s %s", n.Agent, strings.ToLower(a.Text), n.Where, a.Text))
	}
	return a, Verdict{}
}

// readNumber: a number chooses the option that bears it.
func (n *Nudge) readNumber(a Answer, number int) (Answer, Verdict) {
	for i := range n.Prompt.Options {
		if n.OptionNumber(i) == strconv.Itoa(number) {
			return n.choose(a, i)
		}
	}
	return a, n.reject(deliver.NoKey, fmt.Sprintf("There is no option %d.", number))
}

func (n *Nudge) choose(a Answer, i int) (Answer, Verdict) {
	if i < 0 || i >= len(n.Prompt.Options) {
		return a, n.reject(deliver.Changed, "That option does not exist.")
	}
	a.Choice, a.Text = &deliver.Choice{Index: i, Label: n.Prompt.Options[i].Label}, ""
	return a, Verdict{}
}

// OptionNumber is what a person types to choose option i: the digit that its row shows if every row has
// one, else its place in the list.
func (n *Nudge) OptionNumber(i int) string {
	for _, o := range n.Prompt.Options {
		if len(o.Key) != 1 || o.Key < "0" || o.Key > "9" {
			return fmt.Sprint(i + 1)
		}
	}
	return n.Prompt.Options[i].Key
}
