// Package deliver types a human's decision into one pane, if that pane still shows what was decided about. It
// is the only way to a keyboard, and it decides nothing.
//
// The diagram shows the way of an answer. Words for an agent (tell.go) go the same way, with a paste and
// Enter as keys. Keys that a human names (byhand.go) are typed without proof of what they answer.
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
//	  │    there                                         │                   │
//	  ▼                                                  │                   │
//	press  begin before the first key; then tmux compares│                   │
//	  │    the guarded rows and types, in one step       │                   │
//	  ├─ not the last key ───────────────────────────────┘                   │
//	  ▼                                                                      │
//	watch  two looks without the prompt: Delivered; else Unknown ◀───────────┘
//	       (watchTick: two looks with that one box changed)
//
// A refusal at any step before the first key means that nothing was typed. A look that may have met a
// half-drawn screen is repeated for a second.
package deliver

import (
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/reason"
)

// Request is one thing to type. Exactly one of Decision, Choice, Instruction, Answer and Keys is set. Because
// is set with Deny, or alone. Answer may have a Choice, which names the option whose field takes it.
type Request struct {
	Nudge   string // for the log; empty for text and keys by hand
	Pane    detect.PaneRef
	Where   string  // the pane's place, "main:2.0", by which people know it; empty: unknown
	Process proc.ID // the agent that the human answered; zero only for Keys
	Agent   string

	// Call identifies the call that was decided on, if the agent's own event reported it in full; then its
	// door may take the answer. If it is empty, only the pane's single door may, and only if the prompt on
	// the screen shows its call in full.
	Call string
	// Fingerprint is the prompt that was decided on. Empty for Keys and for words to an idle agent.
	Fingerprint string
	// Rows are the rows of that prompt's dialog as the human was shown them, drawn for Width columns
	// (screen.Prompt).
	Rows  []string
	Width int

	Decision screen.Decision
	Choice   *Choice
	// Because is the reason of a denial. With Deny it goes to the agent together with the denial, if the
	// agent can take it; Result.Said reports whether it did. Alone it goes to the denied agent when that is
	// idle.
	Because     Words
	Instruction Instruction // for an idle agent
	// Granted is the command of a call that the agent's guard denied. Instruction opens the agent's list of
	// denied calls, and the call's row is chosen there.
	Granted string
	Answer  Words    // for the field of a question, or of the option that Choice names
	Keys    []string // tmux key names, by hand, typed without recognition

	// LeaveMode: the human asked to leave copy mode although a client shows the pane.
	LeaveMode bool
}

// asksAs reports whether p is the prompt that was decided on: same fingerprint, and the same rows on the
// screen. So two prompts that are read alike still differ.
func (r Request) asksAs(p *screen.Prompt) bool {
	return p != nil && p.Fingerprint == r.Fingerprint && p.Draws(r.Rows, r.Width)
}

// Choice is one option of the prompt, as the human saw it.
type Choice struct {
	Index int
	Label string
}

// Reason says why nothing was typed, in one word for programs.
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
	Late              Reason = "late" // the request reached the pane's machine too late, or another run of nod there
	Wish              Reason = "wish" // an agent wants it, and only a supervisor's tap under its words sends it
)

// ForNow reports whether the same answer may be delivered later, so that the nudge becomes pending again
// instead of ending.
func (r Reason) ForNow() bool {
	return r == CopyMode || r == Synchronized || r == Unreadable || r == Away || r == Late || r == NeedsConfirmation
}

// Outcome is how a request ended.
type Outcome string

// The outcomes of a request.
const (
	Delivered Outcome = "delivered" // typed, and the prompt was seen to go; keys by hand: typed
	Unknown   Outcome = "unknown"   // a key was typed, or may have been, and nothing showed that it arrived
	Refused   Outcome = "refused"   // nothing was answered: no key was typed, or only keys that move a highlight
)

// Result is the result of a request.
type Result struct {
	Outcome Outcome
	Reason  Reason     // for Refused; Unsure for Unknown
	Detail  reason.Why // why, what was typed if it matters, and the next step
	Keys    []string   // what was typed; for Unknown the last one may not have been
	Door    bool       // the answer went to the agent's own hook or server, and no key was typed
	Said    bool       // the agent got the words of the denial with it
	// After is the prompt in the pane afterwards; nil: none.
	After *screen.Prompt
}
