// Package deliver types what a human decided into one pane, if that pane still shows what it was
// decided on. It is the only way to a keyboard, and it decides nothing.
//
// This is the way of an answer. Words for an agent (tell.go) go the same way, with a paste and Enter for keys; keys that
// a human names (byhand.go) are typed without proof of what they answer.
//
//	Type ──▶ enter: one request for a pane at a time
//	  │
//	  ├─ the agent's own hook waits for this very call ──▶ throughDoor ──────┐
//	  ├─ this very call waits at the agent's own server ─▶ throughServer ────┤
//	  ▼                                                                      │
//	prove ◀──────────────────────────────────────────────┐                   │
//	  │  look    reads the pane afresh                   │                   │
//	  │  barred  is it that pane, that agent, and awake? │ after: the        │
//	  │  asked   is it the very prompt? which keys?      │ dialog that the   │
//	  │  settled is it old enough, and does it hold      │ key opened, or    │
//	  │          still?                                  │ the highlight     │
//	  ▼                                                  │ further on        │
//	say    where the dialog is the field for the words   │                   │
//	  │    of a denial or an answer: typed, and seen     │                   │
//	  │    to stand there                                │                   │
//	  ▼                                                  │                   │
//	press  begin before the first key; then tmux compares│                   │
//	  │    the guarded rows and types, in one step       │                   │
//	  ├─ not the last key ───────────────────────────────┘                   │
//	  ▼                                                                      │
//	watch  two looks without the prompt: Delivered; else Unknown ◀───────────┘
//	       (watchTick: two looks with that one box changed)
//
// A no at any step before the first key is a refusal, and nothing was typed. A look that may have met a screen half
// drawn is made again for a second.
package deliver

import (
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/reason"
)

// Request is one thing to type. Exactly one of Decision, Choice, Instruction, Answer and Keys is set. Because is set with Deny,
// or alone; Answer may have a Choice, which names the option whose field takes it.
type Request struct {
	Nudge   string // for traces; empty for text and keys by hand
	Pane    detect.PaneRef
	Process proc.ID // the agent that the human answered; zero only for Keys
	Agent   string

	// Call names the call that was decided on, where the agent's own event had told it whole: then its door may take the answer.
	// Empty, that may the one door whose call the whole prompt on the screen renders.
	Call string
	// Fingerprint is the prompt that was decided on. Empty for Keys and for what is told to an idle agent.
	Fingerprint string
	// Rows are the rows of that prompt's dialog as they were told, drawn for Width columns (screen.Prompt).
	Rows  []string
	Width int

	Decision screen.Decision
	Choice   *Choice
	// Because is the reason of a denial. With Deny it goes with that where the agent takes it so, which Result.Said tells;
	// alone it goes to the agent that was denied, when that is idle.
	Because     Words
	Instruction Instruction // for an agent that is idle
	// Granted is the command of a call that the agent's guard denied: Instruction opens the agent's list of those, and the row of this one
	// is taken there.
	Granted string
	Answer  Words    // for the field of a question, or of the option that Choice names
	Keys    []string // tmux key names, by hand, past recognition

	// LeaveMode says that the human asked to leave copy mode although a client shows the pane.
	LeaveMode bool
}

// asksAs reports whether p is the prompt that was decided on: what was read of it is the same, and the rows that were
// told stand there. So two prompts that ever read alike are still two.
func (r Request) asksAs(p *screen.Prompt) bool {
	return p != nil && p.Fingerprint == r.Fingerprint && p.Draws(r.Rows, r.Width)
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
	Working           Reason = "working"
	Shell             Reason = "shell"
	Gone              Reason = "gone"
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
	Away              Reason = "away" // the machine of the pane is not connected
	Late              Reason = "late" // the request came too late to the machine of the pane, or to another run of nod there
	Wish              Reason = "wish" // an agent wants it, and only a supervisor's tap under its words sends it
)

// ForNow reports whether the same answer may be delivered later, so that the nudge goes back to
// pending instead of ending.
func (r Reason) ForNow() bool {
	return r == CopyMode || r == Synchronized || r == Unreadable || r == Away || r == Late || r == NeedsConfirmation
}

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
	Reason  Reason     // for Refused; Unsure for Unknown
	Detail  reason.Why // why, what was typed if it matters, and the next step
	Keys    []string   // what was typed; for Unknown the last one only may have been
	Door    bool       // it went through the agent's own door, and no key was typed
	Said    bool       // the agent was given the words of the denial with it
	// After is the prompt that is in the pane afterwards, if one does.
	After *screen.Prompt
}
