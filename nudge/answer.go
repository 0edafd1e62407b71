package nudge

import (
	"time"

	"nod/deliver"
	"nod/detect"
)

// Answer is what a human said, before anybody knows which nudge it means.
type Answer struct {
	// Nudge names the nudge: `y k3f`, a button, the command line, a reply whose message names it.
	// Empty for a fresh answer, and for a reply that is found by (Chat, ReplyTo).
	Nudge   string
	ReplyTo int // the message replied to; 0: none

	Decision detect.Decision
	Choice   *deliver.Choice // instead of Decision: a named option
	Text     string          // instead of Decision: words for an idle agent, or for a question's text field
	// Unseen is consent to what can't be seen; LeaveMode asks to leave copy mode first; Sure is the second
	// tap that confirms an option which grants more than once.
	Unseen, LeaveMode, Sure bool

	By      Person
	Way     Way
	Chat    int64
	Message int
	Update  int       // 0: not from Telegram
	Written time.Time // Telegram's date of the answer; for a button and the command line the time it was read
	Read    time.Time // when nod read it
}

// Verdict is what became of an answer. No key has been typed yet: Taken means that the nudge is
// claimed, and Keeper.Run types.
type Verdict struct {
	Kind   VerdictKind
	Nudge  Nudge          // the one that is meant; zero where none is
	Among  []Nudge        // for WhichOne: those it may mean, the likeliest first
	Reason deliver.Reason // for Rejected, AskUnseen and AskSure
	Detail string         // a sentence for the human
}

// VerdictKind says what the human must hear.
type VerdictKind string

// The verdicts.
const (
	Taken      VerdictKind = "taken"       // claimed: the outcome follows
	WhichOne   VerdictKind = "which"       // it may mean several: ask, with buttons
	AskUnseen  VerdictKind = "unseen"      // an approval of what can't be seen whole: ask for consent
	AskSure    VerdictKind = "sure"        // an option that grants more than once: ask for a second tap
	Rejected   VerdictKind = "rejected"    // nothing is typed; Reason and Detail say why
	Repeated   VerdictKind = "repeated"    // this update was handled before: say nothing
	NothingDue VerdictKind = "nothing_due" // there is no pending nudge that it could mean
)
