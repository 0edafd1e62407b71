package message

import (
	"slices"
	"strings"
)

// Messages whose buttons Telegram does not take as they are.

// Styled reports whether a button has a colour.
func (k Keys) Styled() bool {
	return slices.ContainsFunc(k, func(row []button) bool {
		return slices.ContainsFunc(row, func(b button) bool { return b.Style != "" })
	})
}

// Unstyled are the same buttons without colours.
func (k Keys) Unstyled() Keys {
	if k == nil {
		return nil
	}
	plain := make(Keys, len(k))
	for i, row := range k {
		for _, b := range row {
			plain[i] = append(plain[i], b.styled(""))
		}
	}
	return plain
}

// InWords says how to do without the buttons what they do.
func (k Keys) InWords() string {
	var words []string
	consent, choice, show := "", false, false
	for _, row := range k {
		for _, b := range row {
			p, _, ok := parseTap(b.Data)
			switch {
			case !ok || p.reason:
			case p.Verb == VerbApprove && p.Unseen:
				consent = p.ID
			case p.Leave || p.Sure || len(words) >= 2*maxAmong:
			case p.Verb == VerbApprove:
				words = append(words, "y "+p.ID)
			case p.Verb == VerbDeny:
				words = append(words, "n "+p.ID)
			case p.Verb == VerbChoose:
				choice = true
			case p.Verb == VerbShow || p.Verb == VerbScreen:
				show = true
			}
		}
	}
	switch {
	case consent != "":
		return "At the machine, nod reply --unseen " + consent + " y does the same."
	case len(words) > 0:
		return "Reply " + strings.Join(words, " or ") + ", or use nod inbox at the machine."
	case choice:
		return "Reply with the number of an answer, or use nod inbox at the machine."
	case show:
		return "/screen shows the pane, and nod inbox at the machine takes the answer."
	}
	return "nod inbox at the machine, and /help here, tell what can be done without."
}
