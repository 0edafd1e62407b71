// Package nudge follows each question from first sight to its end: when its owner is told, which nudge an
// answer means, when an answer is claimed, and how the question ended. It also keeps the queue of
// instructions that wait for an idle agent.
//
// The package is pure: records, and functions of records and a time. Package keeper runs the nudges.
package nudge

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
)

// State is the state of a nudge.
type State string

// The states of a nudge. Every state but Pending, Claimed and Typing is an end.
const (
	Pending   State = "pending"
	Claimed   State = "claimed"
	Typing    State = "typing"
	Delivered State = "delivered"
	Unknown   State = "unknown"
	Refused   State = "refused"
	Recovered State = "recovered"
	Expired   State = "expired"
	Gone      State = "gone"
)

// Over reports whether s is an end.
func (s State) Over() bool { return s != Pending && s != Claimed && s != Typing }

// Nudge is one thing that a human is told about. Times are UTC.
type Nudge struct {
	ID string
	// Number counts the nudges of one pane from 1, so that the newest is known without a clock.
	Number int

	detect.Whereabouts // at first sight; Where as long as it waits

	About About    `json:"-"`
	Tail  []string // the screen's last rows, as the question was first seen; of a check list with its current ticks, or none
	Above []string `json:",omitempty"` // the screen's rows above Tail, used only for masking and never shown
	By    string   // "poll" or "hook"; "tell": words for the agent that no notice had asked for; "ask": a program asked

	Telling
	Answering
}

// Telling says when a nudge is sent to people, and where it was sent.
type Telling struct {
	// Again is why the question is sent again after it was answered or sent before.
	Again    reason.Why `json:",omitzero"`
	Detected time.Time
	Cadence  []time.Duration // fixed at first sight: a changed setting applies to later nudges
	Reminder int             // the reminder that is due by now, 1..len(Cadence); 0: not yet
	Due      time.Time       // when Reminder increases; zero: never again
	Snoozed  time.Time       // no reminders until then; zero: the cadence alone counts
	Raised   time.Time       // since when a reminder waits to be sent; several waiting reminders count from the first
	// Expires is when a prompt expires. A nudge that is no prompt never expires: at that time nod only checks
	// whether its pane still exists.
	Expires time.Time
	Skipped time.Time // when somebody moved it behind the others in the queue; zero: never
	// Round counts how often the nudge is asked again from the start. Copies of an earlier round do not count
	// as sent, but can still be answered.
	Round  int
	Copies []Copy
	// Listed is when a key was last seen to tick a box of the check list. A look that began before that is
	// out of date.
	Listed time.Time
	// Thread are the messages of the preceding question, if this one is the next of the same set.
	Thread []Ref `json:",omitempty"`
	// Edition counts how often closed copies had to be updated.
	Edition int
	// Overtaken: n is not the newest nudge of its pane. The code that derives notices sets it; it is not
	// stored.
	Overtaken bool `json:"-"`
	// Replaced: a newer idle notice replaced this one, and its copies are deleted.
	Replaced bool
	// TookBack: the idle notice that this one replaced asked something. A reply to the deleted message may
	// arrive as a reply to nothing.
	TookBack bool `json:",omitempty"`
}

// Answering is the progress of the answer to a nudge.
type Answering struct {
	State State
	// Claim is the last answer that was taken. After a temporary refusal it stays until whoever answered has
	// been told.
	Claim *Claim
	// Away is since when the machine of the pane is away, so that nothing can be answered; zero: the machine
	// is connected, or is this one.
	Away time.Time `json:",omitzero"`
	// Asked is when consent to the unseen part was last asked for or given, for the dialog that has been on
	// screen without a break since then. Zero: never.
	Asked  time.Time
	Keys   []string
	Door   bool           // the answer went to the agent's own hook or server; no key was typed
	Reason deliver.Reason // of a refusal, also of one that left the nudge pending
	Detail reason.Why     `json:",omitzero"` // Reason in full
	Ended  time.Time
	// Standing: the nudge expired and its prompt is still on screen.
	Standing bool
	// Proof is what an event proved about a prompt that was answered without nod: "approved", "denied" or
	// "answered" at the terminal. Empty: nothing.
	Proof string
	// Effect is the outcome of the approved tool call, from the agent's own event; nil: not reported. In
	// state Unknown it proves that the approval arrived.
	Effect *Effect
}

// Effect is the outcome of an approved tool call.
type Effect struct {
	Failed bool
	Took   time.Duration // 0: not reported
}

// Kind returns the kind of n's subject; empty: there is no nudge.
func (n *Nudge) Kind() screen.State {
	if n.About == nil {
		return ""
	}
	return n.About.Kind()
}

// Asks reports whether an agent or a program can't go on before a human answers.
func (n *Nudge) Asks() bool { return n.Kind().Asks() }

// TakesInstruction reports whether words for n are the next instruction of an agent whose turn has ended.
func (n *Nudge) TakesInstruction() bool {
	_, ended := n.About.(TurnEnded)
	return ended
}

// Prompt returns the prompt that asks; blank: n is no prompt. It is read-only: copies of a nudge share it.
func (n *Nudge) Prompt() *screen.Prompt {
	if n.Asks() {
		return n.About.prompt()
	}
	return new(screen.Prompt)
}

// ask replaces the prompt of n.
func (n *Nudge) ask(p screen.Prompt) { n.About = n.About.asking(&p) }

// Program returns the program's question; nil: n is about a pane.
func (n *Nudge) Program() *Program {
	if p, ok := n.About.(Program); ok {
		return &p
	}
	return nil
}

// Sound returns what makes a stored record unusable.
func (n *Nudge) Sound() error {
	switch n.State {
	case Pending, Recovered, Expired, Gone:
		return nil
	case Claimed, Typing, Delivered, Unknown, Refused:
		if n.Claim == nil {
			return fmt.Errorf("nudge %s is %s and has no answer", n.ID, n.State)
		}
		return nil
	}
	return fmt.Errorf("nudge %s is in no known state: %q", n.ID, n.State)
}

// Live reports whether something may still have to be said or done about n. A nudge that is not live is only
// looked up, until it is purged.
func (n *Nudge) Live() bool {
	if !n.State.Over() || n.Standing || n.Claim != nil && !n.Claim.Told {
		return true
	}
	return slices.ContainsFunc(n.Copies, func(c Copy) bool { return !c.Closed || c.Pin.held() })
}

// Lives returns how long n has lived at now, or lived until it ended.
func (n *Nudge) Lives(now time.Time) time.Duration {
	if n.State.Over() {
		now = n.Ended
	}
	return max(0, now.Sub(n.Detected))
}

// Stuck reports whether the reminders have run out and the prompt still waits.
func (n *Nudge) Stuck() bool {
	waits := n.State == Pending || n.State == Expired && n.Standing
	return waits && n.Asks() && len(n.Cadence) > 0 && n.Reminder >= len(n.Cadence)
}

// Copy is one message that shows a nudge.
type Copy struct {
	Ref
	Reminder int       // which reminder it was; 0: nod knows the message only from the answer to it
	Round    int       // the nudge's round when the message was sent
	Sent     time.Time // by the date of its place; zero: unknown
	// Waited is how long its reminder had waited until it was recorded, in whole seconds. An earlier message with it, of which nod does not
	// know, may have come as much sooner.
	Waited time.Duration `json:",omitempty"`
	Unseen bool          // a question for consent to the unseen part, not a reminder
	Hidden bool          // a part of the subject is nowhere in the message: masked secrets, or a preview kept short
	// Watched: the message has no buttons to answer with, because its recipient can't answer.
	Watched bool `json:",omitempty"`
	// Reason, with Unseen: the message asks for the reason of a denial, not for consent.
	Reason bool `json:",omitempty"`
	// Away: the message has no buttons because the nudge's machine is away.
	Away bool `json:",omitempty"`
	// Offer, with Unseen: a bot message whose buttons are about the nudge, neither of the above.
	Offer Offer `json:"Beside,omitempty"`
	// Ticks are the ticks that the message shows, if the nudge is a check list (screen.Prompt.Ticks).
	Ticks string `json:",omitempty"`
	// Group names the nudges in a message about several, including this one. Such a message refers to none of
	// them: if it is answered in words, nod asks which one is meant.
	Group []string `json:",omitempty"`
	// Pin is the pin state of the message.
	Pin Pinning `json:",omitempty"`
	// Closed: the buttons are removed, and the newest copy says how the nudge ended. For a Replaced nudge:
	// the message is deleted.
	Closed bool
}

// Claim is an answer that was taken for a nudge.
type Claim struct {
	Said
	By      Person
	Way     Way
	At      time.Time // when it was claimed
	Written time.Time // by the date of its place
	Ref               // the answering message, or the message with the button
	// Told: whoever answered has been told the outcome.
	Told bool
}

// Stamp identifies c among the claims of its nudge.
func (c *Claim) Stamp() string { return strconv.FormatInt(c.At.UnixNano(), 36) }

// Person is the author of an answer.
type Person struct {
	ID   Place  // where they get messages; empty: the owner, at the machine itself
	Name string // "Ann", or the login name at the machine
}

// Way is the way in which an answer came.
type Way string

// The ways to answer.
const (
	ByReply   Way = "reply"
	ByFresh   Way = "fresh"
	ByButton  Way = "button"
	ByCommand Way = "command"
	ByInbox   Way = "inbox"
	ByPage    Way = "page"
	ByGrant   Way = "grant" // to the dialog about a call that was allowed before
)
