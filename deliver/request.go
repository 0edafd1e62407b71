// Package deliver types what a human decided into one pane, if that pane still shows what it was
// decided on. It is the only door to a keyboard, and it decides nothing.
package deliver

import (
	"nod/detect"
	"nod/internal/proc"
)

// Request is one thing to type. Exactly one of Decision, Choice, Text and Keys is set.
type Request struct {
	Nudge   string // for traces; empty for text and keys by hand
	Pane    detect.PaneRef
	Process proc.ID // the agent that the human answered; zero only for Keys
	Agent   string

	// Fingerprint is the prompt that was decided on. Empty for Keys and for Text to an idle agent.
	Fingerprint string

	Decision detect.Decision
	Choice   *Choice
	Text     string
	Keys     []string // tmux key names, by hand, past recognition

	// LeaveMode says that the human asked to leave copy mode although a client shows the pane.
	LeaveMode bool
}

// Choice is one option of the prompt, named by what the human saw.
type Choice struct {
	Index int
	Label string
}

// Reason says why nothing was typed, in a word that a program can read.
type Reason string

// The reasons of a refusal.
const (
	AwaitingDecision  Reason = "awaiting_decision"
	Busy              Reason = "working"
	InShell           Reason = "shell"
	IsGone            Reason = "gone"
	CopyMode          Reason = "copy_mode"
	Synchronized      Reason = "synchronized"
	Unreadable        Reason = "unreadable"
	Changed           Reason = "changed"
	Ambiguous         Reason = "ambiguous"
	Answered          Reason = "answered"
	Expired           Reason = "expired"
	NoKey             Reason = "no_key"
	NeedsConfirmation Reason = "needs_confirmation"
	Draft             Reason = "draft"
	Unsure            Reason = "unknown"
	NotFound          Reason = "not_found"
	NotOwner          Reason = "not_owner"
	CallerIsAgent     Reason = "caller_is_agent"
)

// ForNow reports whether the same answer may be delivered later, so that the nudge goes back to
// pending instead of ending.
func (r Reason) ForNow() bool { return r == CopyMode || r == Synchronized || r == Unreadable }

// Outcome is how a request ended.
type Outcome string

// The outcomes of a request.
const (
	Delivered Outcome = "delivered" // typed, and the prompt was seen to go; keys by hand: typed
	Unknown   Outcome = "unknown"   // a key was typed or may have been; nothing showed that it landed
	Refused   Outcome = "refused"   // nothing was answered: no key was typed, or only keys that move a highlight
)

// Result is what became of a request.
type Result struct {
	Outcome Outcome
	Reason  Reason   // for Refused; Unsure for Unknown
	Detail  string   // for the human: why, what was typed if it matters, and the next step
	Keys    []string // what was typed; for Unknown the last one only may have been
	// After is the prompt that stands in the pane afterwards, if one does.
	After *detect.Prompt
}
