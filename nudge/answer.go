package nudge

import (
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
)

// Answer is what a human said, before anybody knows which nudge it means.
type Answer struct {
	By      Person
	Way     Way
	Ref               // the answering message, or the one with the button; zero: the command line
	Written time.Time // by the date of its place; for a button and the command line the time it was read
	Read    time.Time // when nod read it

	// What it points at. A fresh answer points at nothing.
	Nudge   string // the nudge that it names: `y k3f`, a button, the command line; empty: none
	ReplyTo int    // the message of the same place that is replied to; 0: none
	// Pane is what the part of the place is about in which it was written; nil: none. It tells which nudges are not
	// meant, and never which one is.
	Pane  *detect.PaneRef
	Shown []Shown // what the buttons of that message, or of the one with the button, say of it

	Said
	Line   string // at the machine itself: what Nudge.readLine reads
	Drawn  string // the Nudge.Drawn of what it was given to, or the prompt's fingerprint; empty: it does not tell
	Repeat string // the words of an earlier answer once more, named by its Claim.Stamp
	Sure   bool   // the second tap, which confirms an option that grants more than once
	// AfterLimit has an instruction that is queued go on by itself when a usage limit has ended.
	AfterLimit bool
}

// Said is what an answer says: a decision, an option or words. Of a reply both what its words decide and the words
// themselves may be set: the nudge that they are given to tells which of them counts.
type Said struct {
	Decision screen.Decision
	Choice   *deliver.Choice // a named option; the label may be left out
	Text     string          // the instruction for an idle agent, or the words for a question's text field
	// Because is why something is denied. The agent is given it with the denial where it takes words so, else when it is idle.
	Because deliver.Words `json:",omitzero"`
	// Ticks is what of a check list the message shows ticked that it was given to.
	Ticks     string `json:",omitempty"`
	Unseen    bool   // it consents to what can't be seen
	LeaveMode bool   // copy mode is to be left first
}

// Shown is what a message says of a nudge in the data of its buttons. Only nod can make that, so it is true whatever
// the message's text says, and whether or not nod has a record of the message.
type Shown struct {
	Nudge string
	// Own says that the message is the nudge's own: a reminder or a notice, not a list or a question about it.
	Own bool
	// Subject is the Nudge.SubjectHash of the subject that it shows whole; empty: it shows a part, or none.
	Subject string
	// Reason says that the message asks for the reason of a denial.
	Reason bool
}

// Verdict is what became of an answer. No key has been typed yet: Taken means that the nudge is
// claimed, and Keeper.Run types.
type Verdict struct {
	Kind   VerdictKind
	Nudge  Nudge          // the one that is meant; zero where none is
	Among  []Nudge        // for WhichOne: those it may mean, the likeliest first and the snoozed ones last
	Doubt  Doubt          // for WhichOne: why it may mean several; empty: it was given to several
	Reason deliver.Reason // for Rejected, AskUnseen and AskSure
	Detail reason.Why     // the same in full
}

// VerdictKind says what the human must hear.
type VerdictKind string

// The verdicts.
const (
	Taken      VerdictKind = "taken"       // claimed: the outcome follows
	WhichOne   VerdictKind = "which_one"   // it may mean several: ask, with buttons
	AskUnseen  VerdictKind = "ask_unseen"  // an approval of what can't be seen whole: ask for consent
	AskSure    VerdictKind = "ask_sure"    // an option that grants more than once: ask for a second tap
	Rejected   VerdictKind = "rejected"    // nothing is typed; Reason and Detail say why
	NoAnswer   VerdictKind = "no_answer"   // its words are no answer: a hint is due
	Repeated   VerdictKind = "repeated"    // this update was handled before: say nothing
	NothingDue VerdictKind = "nothing_due" // there is no pending nudge that it could mean
)

// claim is the claim that an answer makes.
func (a Answer) claim(now time.Time) Claim {
	return Claim{
		Said: a.Said, By: a.By, Way: a.Way, At: now, Written: a.Written.UTC(), Ref: a.Ref,
		Told: a.Place == "", // the command line waits for the outcome itself
	}
}

// under is the message that a is under: the one that it replies to, or the one with the button. zero: none.
func (a Answer) under() Ref {
	switch {
	case a.ReplyTo != 0:
		return Ref{Place: a.Place, Message: a.ReplyTo}
	case a.Way == ByButton:
		return Ref{Place: a.Place, Message: a.Message}
	}
	return Ref{}
}

// Word is what was said in a word, or the label of what was chosen.
func (s Said) Word() string {
	switch {
	case s.Choice != nil:
		return s.Choice.Label
	case s.Decision != "":
		return string(s.Decision)
	}
	return "tell"
}

// ReceivedEvent is the event of a, which was given to n.
func (a Answer) ReceivedEvent(n *Nudge) Event {
	return n.Event(AnswerReceived, Event{
		Act:    Act{By: a.By.Name, Way: string(a.Way), Decision: a.Word(), Text: a.Text},
		SentTo: SentTo{Chat: a.Place, Message: a.Message},
	})
}
