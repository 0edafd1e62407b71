package nudge

import (
	"fmt"
	"strconv"
	"strings"

	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/reason"
)

// Read interprets an answer to n: which part of a reply counts, and which option is chosen. The verdict is
// empty unless n can take nothing from the answer.
func (n *Nudge) Read(a Answer) (Answer, Verdict) {
	a, v := n.read(n.readTicks(a))
	if v.Kind == Rejected && n.State != Pending {
		v = Verdict{} // "it is over" says more
	}
	return a, v
}

func (n *Nudge) read(a Answer) (Answer, Verdict) {
	if v := n.DrawnAs(a); v.Kind != "" {
		if decision, id, ok := ParseWord(a.Line, ByCommand); ok && id == "" {
			a.Decision = decision // so that the trail says what was answered
		}
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
	called := n.optionsSaid(a.Text)
	switch {
	case strings.EqualFold(a.Text, string(screen.Send)) && (q.Prompt.Ticks() != "" || len(q.Prompt.Send) > 0):
		a.Decision, a.Text = screen.Send, ""
	case strings.EqualFold(a.Text, string(screen.Dismiss)) && len(q.Prompt.Dismiss) > 0:
		a.Decision, a.Text = screen.Dismiss, ""
	case len(called) > 1:
		return a, n.reject(deliver.NeedsConfirmation, n.whyOf(reason.OptionsAlike, a.Text))
	case len(called) == 1: // before a yes or no, as it may be "Yes"
		a.Decision = ""
		return n.choose(a, called[0])
	case a.Decision != "", a.Text == "":
		return n.onlyDecision(a)
	case len(q.Prompt.Options) > 0 && isNumber(a.Text):
		return a, n.reject(deliver.NoKey, n.whyOf(reason.NoOption, numberIn(a.Text)))
	}
	return a, Verdict{}
}

// reply takes words as the agent's next instruction, but no yes or no: that is nearly always meant for a
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

// onlyDecision takes the yes or no of a reply and drops its words.
func (n *Nudge) onlyDecision(a Answer) (Answer, Verdict) {
	if a.Decision == "" {
		return a, Verdict{Kind: NoAnswer, Nudge: *n}
	}
	a.Text = ""
	return a, Verdict{}
}

// readReason reads a reply to the question for the reason of a denial. Words deny with that reason, a bare no
// denies without one, a yes is rejected.
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

// denyBecause denies n with words as the reason.
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

// optionsSaid returns the options that a text may mean, by label or by number. "2." is a number alone.
func (n *Nudge) optionsSaid(text string) []int {
	if called := n.optionsCalled(text); len(called) > 0 {
		return called
	}
	return n.optionNumbered(text)
}

func (n *Nudge) optionNumbered(text string) []int {
	for i := range n.Prompt().Options {
		if n.OptionNumber(i) == numberIn(text) {
			return []int{i}
		}
	}
	return nil
}

func isNumber(text string) bool { return numberIn(text) != "" }

// numberIn returns the number that a text is, such as "2" of "#2" or "2."; empty: it is none.
func numberIn(text string) string {
	number, err := strconv.Atoi(strings.Trim(text, ".)# "))
	if err != nil {
		return ""
	}
	return strconv.Itoa(number)
}

func (n *Nudge) choose(a Answer, i int) (Answer, Verdict) {
	if i < 0 || i >= len(n.Prompt().Options) {
		return a, n.reject(deliver.Changed, n.why(reason.OptionUnknown))
	}
	a.Choice, a.Text = &deliver.Choice{Index: i, Label: n.Prompt().Options[i].Label}, ""
	return a, Verdict{}
}

// OptionNumber returns the number that a person types to choose option i: the digit in its row if every row
// has one, otherwise its position in the list.
func (n *Nudge) OptionNumber(i int) string {
	for _, o := range n.Prompt().Options {
		if len(o.Key) != 1 || o.Key < "0" || o.Key > "9" {
			return fmt.Sprint(i + 1)
		}
	}
	return n.Prompt().Options[i].Key
}
