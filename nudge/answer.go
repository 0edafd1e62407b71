package nudge

import (
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
)

// Answer is a human's input before it is matched to a nudge.
type Answer struct {
	By      Person
	Way     Way
	Ref               // the answering message, or the message with the button; zero: the command line
	Written time.Time // by the date of its place; for a button and the command line the time it was read
	Read    time.Time // when nod read it

	// What the answer points at. A fresh answer points at nothing.
	Nudge   string // the nudge named by `y k3f`, a button or the command line; empty: none
	ReplyTo int    // the message of the same place that is replied to; 0: none
	// Pane is the pane of the topic in which the answer was written; nil: none. It excludes nudges of other
	// panes but never selects one.
	Pane  *detect.PaneRef
	Shown []Shown // the nudges that the buttons of the replied-to or tapped message show

	Said
	Line   string // given at the machine itself; Nudge.readLine parses it
	Drawn  string // the Nudge.Drawn that the human saw, or the prompt's fingerprint; empty: not known
	Repeat string // the Claim.Stamp of an earlier answer whose words are to be given again
	Sure   bool   // the second tap, which confirms an option that grants more than once
	// AfterLimit makes a queued instruction continue by itself when a usage limit has ended.
	AfterLimit bool
}

// Said is the content of an answer: a decision, an option or words. A reply may have both a decision and
// words; the nudge that it answers determines which of them counts.
type Said struct {
	Decision screen.Decision
	Choice   *deliver.Choice // a named option; the label may be left out
	Text     string          // the instruction for an idle agent, or the words for a question's text field
	// Because is the reason of a denial. The agent gets it with the denial if the prompt takes words,
	// otherwise when it is idle.
	Because deliver.Words `json:",omitzero"`
	// Ticks are the ticked boxes of the check list in the message that was answered.
	Ticks     string `json:",omitempty"`
	Unseen    bool   // consents to the parts that can't be shown
	LeaveMode bool   // leave copy mode first
}

// Shown is what the button data of a message says about a nudge. Only nod can make button data, so Shown is
// true whatever the message's text says and even if nod has no record of the message.
type Shown struct {
	Nudge string
	// Own: the message is the nudge's own, a reminder or a notice, not a list or a question about it.
	Own bool
	// Subject is the Nudge.SubjectHash of the subject, if the message shows all of it; empty: it shows a
	// part, or nothing.
	Subject string
	// Reason: the message asks for the reason of a denial.
	Reason bool
}

// Verdict is the result of an answer. No key has been typed yet: Taken means that the nudge is claimed and
// that Keeper.Run will type.
type Verdict struct {
	Kind   VerdictKind
	Nudge  Nudge          // the nudge that was answered; zero: none
	Said   Said           // what the answer says to Nudge: the number of a reply is an option here
	Among  []Nudge        // for WhichOne: the candidates, likeliest first, snoozed last
	Doubt  Doubt          // for WhichOne: why several are possible; empty: the answer was given to several
	Reason deliver.Reason // for Rejected, AskUnseen and AskSure
	Detail reason.Why     // Reason in full
}

// VerdictKind selects the message to the human.
type VerdictKind string

// The verdicts.
const (
	Taken      VerdictKind = "taken"       // claimed: the outcome follows
	WhichOne   VerdictKind = "which_one"   // several nudges are possible: ask, with buttons
	AskUnseen  VerdictKind = "ask_unseen"  // the subject can't be seen whole: ask for consent
	AskSure    VerdictKind = "ask_sure"    // an option that grants more than once: ask for a second tap
	Rejected   VerdictKind = "rejected"    // nothing is typed; Reason and Detail say why
	NoAnswer   VerdictKind = "no_answer"   // the words are no answer: send a hint
	Repeated   VerdictKind = "repeated"    // this update was handled before: send nothing
	NothingDue VerdictKind = "nothing_due" // no pending nudge could be meant
)

// claim returns the claim that the answer makes.
func (a Answer) claim(now time.Time) Claim {
	return Claim{
		Said: a.Said, By: a.By, Way: a.Way, At: now, Written: a.Written.UTC(), Ref: a.Ref,
		Told: a.Place == "", // the command line waits for the outcome itself
	}
}

// under returns the message that a replies to, or the message with the button; zero: none.
func (a Answer) under() Ref {
	switch {
	case a.ReplyTo != 0:
		return Ref{Place: a.Place, Message: a.ReplyTo}
	case a.Way == ByButton:
		return Ref{Place: a.Place, Message: a.Message}
	}
	return Ref{}
}

// Word returns the decision in one word, or the label of the chosen option.
func (s Said) Word() string {
	switch {
	case s.Choice != nil:
		return s.Choice.Label
	case s.Decision != "":
		return string(s.Decision)
	}
	return "tell"
}

// ReceivedEvent returns the event of the answer a to n.
func (a Answer) ReceivedEvent(n *Nudge) Event {
	return n.Event(AnswerReceived, Event{
		Act:    Act{By: a.By.Name, Way: string(a.Way), Decision: a.Word(), Text: a.Text},
		SentTo: SentTo{Chat: a.Place, Message: a.Message},
	})
}
