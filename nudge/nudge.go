// Package nudge keeps each question from first sight to its end: when its owner is told, which
// nudge an answer means, when an answer is claimed, and how the question ended. It keeps the queue of instructions that
// wait for an agent to be idle, too.
//
// All of it is pure: records, and functions of records and a time. Package keeper moves nudges through their life.
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

// State is where a nudge is in its life.
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

	detect.Whereabouts // at first sight

	About About `json:"-"`
	Tail  []string
	Above []string `json:",omitempty"` // the screen's rows above Tail, for masking alone: they are never shown
	By    string   // "poll" or "hook"; "tell" where words for the agent came that no notice had asked for; "ask": a program asked

	Telling
	Answering
}

// Telling is when a nudge is told, and to whom it was told.
type Telling struct {
	// Again is why a prompt that was answered or told before is asked again.
	Again    reason.Why `json:",omitzero"`
	Detected time.Time
	Cadence  []time.Duration // fixed at first sight: a changed setting holds for later nudges
	Reminder int             // the reminder that is to be told by now, 1..len(Cadence); 0: not yet
	Due      time.Time       // when Reminder goes up; zero: never again
	Snoozed  time.Time       // until when a human wants no reminder; zero: the cadence alone counts
	Raised   time.Time       // since when a reminder waits to be told: several that wait count from the first
	// Expires is when a prompt is given up. What is no prompt never expires: then it is only checked that its
	// pane is still there.
	Expires time.Time
	Skipped time.Time // when somebody put it behind the others in the queue; zero: never
	// Round counts how often the nudge is asked from the start again: copies of an earlier round do not
	// count as told, but can still be answered.
	Round  int
	Copies []Copy
	// Listed is when a key was last seen to tick a box of it: what a look read before that is out of date.
	Listed time.Time
	// Thread are the messages of the question before, where this is the next one of the same set.
	Thread []Ref `json:",omitempty"`
	// Edition counts how often closed copies have to be brought up to date.
	Edition int
	// Overtaken says that n is not the newest of its pane. It is set by who tells notices, and not stored.
	Overtaken bool `json:"-"`
	// Replaced says of an idle notice that a newer one took its place: its copies are taken back.
	Replaced bool
	// TookBack says of an idle notice that the one that it replaced asked something: a reply to that may come as a reply to
	// nothing.
	TookBack bool `json:",omitempty"`
}

// Answering is how the answer to a nudge goes.
type Answering struct {
	State State
	// Claim is the answer that was taken last. It stays when a refusal for now leaves the nudge pending,
	// until the one who answered has been told.
	Claim *Claim
	// Away is since when the machine of its pane is away, where nothing can be answered; zero: it is there, or this one.
	Away time.Time `json:",omitzero"`
	// Asked is when consent to what can't be seen was last asked for or given, for the dialog that has
	// was on screen since then without a break. Zero: there is none.
	Asked  time.Time
	Keys   []string
	Door   bool           // the answer went through the agent's own door, and no key was typed
	Reason deliver.Reason // of a refusal, also of one that left it pending
	Detail reason.Why     `json:",omitzero"` // the same in full
	Ended  time.Time
	// Standing says that an expired nudge's prompt is still on screen.
	Standing bool
	// Proof is what an event proved of a prompt that was answered elsewhere: "approved", "denied" or
	// "answered" at the terminal. Empty: nothing did.
	Proof string
	// Effect is what became of the approved tool call, as the agent's own event says; nil: nothing said it. Of an
	// Unknown nudge it proves that the approval landed.
	Effect *Effect
}

// Effect is what became of an approved tool call.
type Effect struct {
	Failed bool
	Took   time.Duration // 0: not told
}

// Kind is that of what n is about; empty where there is no nudge.
func (n *Nudge) Kind() screen.State {
	if n.About == nil {
		return ""
	}
	return n.About.Kind()
}

// Asks reports whether an agent or a program goes on only when a human has answered.
func (n *Nudge) Asks() bool { return n.Kind().Asks() }

// TakesInstruction reports whether words for n are the next instruction of an agent whose turn has ended.
func (n *Nudge) TakesInstruction() bool {
	_, ended := n.About.(TurnEnded)
	return ended
}

// Prompt is what asks; where nothing does, it is blank. It is only read: the copies of a nudge share it.
func (n *Nudge) Prompt() *screen.Prompt {
	if n.Asks() {
		return n.About.prompt()
	}
	return new(screen.Prompt)
}

// ask has n ask p from now on.
func (n *Nudge) ask(p screen.Prompt) { n.About = n.About.asking(&p) }

// Program is the one that asks; nil: what n is about is in a pane.
func (n *Nudge) Program() *Program {
	if p, ok := n.About.(Program); ok {
		return &p
	}
	return nil
}

// Sound says what is wrong with a record that was read, such that nothing could be done with it.
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

// Live reports whether something may still have to be said or done about n. What is not live is
// only looked up, until it is purged.
func (n *Nudge) Live() bool {
	if !n.State.Over() || n.Standing || n.Claim != nil && !n.Claim.Told {
		return true
	}
	return slices.ContainsFunc(n.Copies, func(c Copy) bool { return !c.Closed || c.Pin.held() })
}

// Lives is how long n has lived at now, or lived until it ended.
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
	Reminder int       // which reminder it was; 0 for a copy that nod learnt of by its answer
	Round    int       // the nudge's round when it was sent
	Sent     time.Time // by the date of its place; zero where nod never learnt it
	Unseen   bool      // a question for consent to what can't be seen, not a reminder
	Hidden   bool      // a part of the subject stands nowhere in it: masked secrets, or a preview kept short
	// Watched says that it has no buttons to answer with: whoever it was sent to can't.
	Watched bool `json:",omitempty"`
	// Reason says of one with Unseen that it asks for the reason of a denial, and not for consent.
	Reason bool `json:",omitempty"`
	// Away says that it shows no buttons because the nudge's machine is away.
	Away bool `json:",omitempty"`
	// Offer says of one with Unseen that it is neither: a message of nod's own whose buttons are about the nudge.
	Offer Offer `json:"Beside,omitempty"`
	// Ticks is what the message shows ticked, where the nudge is a check list (screen.Prompt.Ticks).
	Ticks string `json:",omitempty"`
	// Group names the nudges that the message shows, this one among them, where it shows several. Such a message names
	// none of them: whoever answers it in words is asked which is meant.
	Group []string `json:",omitempty"`
	// Pin is whether the message is pinned in its place.
	Pin Pinning `json:",omitempty"`
	// Closed says that its buttons are gone, and that it says how the nudge ended if it is the newest; of a
	// nudge that was Replaced, that the message was taken back.
	Closed bool
}

// Claim is an answer that was taken for a nudge.
type Claim struct {
	Said
	By      Person
	Way     Way
	At      time.Time // when it was claimed
	Written time.Time // by the date of its place
	Ref               // the answering message, or the one with the button
	// Told says that the one who answered has heard what became of it.
	Told bool
}

// Stamp names c among the claims of its nudge.
func (c *Claim) Stamp() string { return strconv.FormatInt(c.At.UnixNano(), 36) }

// Person is who answered.
type Person struct {
	ID   Place  // where they are told; empty: at the machine itself, as its owner
	Name string // "Ann", or the login name at the machine
}

// Way is how an answer came.
type Way string

// The ways to answer.
const (
	ByReply   Way = "reply"
	ByFresh   Way = "fresh"
	ByButton  Way = "button"
	ByCommand Way = "command"
	ByInbox   Way = "inbox"
	ByPage    Way = "page"
	ByGrant   Way = "grant" // to a dialog about a call that was allowed before
)
