package message

import (
	"slices"
	"strings"
)

// Messages whose buttons Telegram refuses.

// Styled reports whether a button has a colour, or opens a page.
func (k Keys) Styled() bool {
	return slices.ContainsFunc(k, func(row []button) bool {
		return slices.ContainsFunc(row, func(b button) bool { return b.Style != "" || b.App != nil })
	})
}

// Unstyled returns the buttons without colours, and without those that open a page.
func (k Keys) Unstyled() Keys {
	if k == nil {
		return nil
	}
	plain := Keys{}
	for _, row := range k {
		var left []button
		for _, b := range row {
			if b.App == nil {
				left = append(left, b.styled(""))
			}
		}
		if len(left) > 0 {
			plain = append(plain, left)
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
