package nudge

import (
	"fmt"
	"slices"
	"time"
)

// Notice is one thing that a place should show and does not yet. It is derived from stored
// records, so an outage or a crash loses none.
type Notice struct {
	Kind   NoticeKind
	Place  Place
	Of     Of   // nil: a message of nod's own, which ToTell did not ask for
	Silent bool // Send: quiet hours or mute
	Watch  bool // Send, Together: whoever is told can't answer
	Copy   Copy // Close: the message to edit
	// Newest says of a Close that this copy tells how the nudge ended, or is the newest list of its kind; older ones only
	// lose their buttons.
	Newest bool
}

// Of is what a notice is of: an OfNudge, an *Instruction, a *Wish, *Denials or a *MonitorNews.
type Of interface {
	// what names a notice of it: one that would say the same has the same name.
	what(n Notice) string
}

// OfNudge is a nudge as it is to be told.
type OfNudge struct {
	Nudge   Nudge
	ReplyTo int // Send: the first message of this nudge in that place; 0: none
	Under   Ref // Send: the message of the question before it, where both are of one set; zero: none
}

// Match does what belongs to what n is of. Whoever asks names all of them.
func (n Notice) Match(
	ofNudge func(OfNudge) error, ofInstruction func(*Instruction) error, ofWish func(*Wish) error, ofDenials func(*Denials) error,
	ofMonitor func(*MonitorNews) error,
) error {
	switch of := n.Of.(type) {
	case OfNudge:
		return ofNudge(of)
	case *Instruction:
		return ofInstruction(of)
	case *Wish:
		return ofWish(of)
	case *Denials:
		return ofDenials(of)
	case *MonitorNews:
		return ofMonitor(of)
	}
	panic(fmt.Sprintf("a notice is of %T", n.Of))
}

// Sends reports whether n is a message of its own, and no change of one.
func (n Notice) Sends() bool {
	return !slices.Contains([]NoticeKind{Close, Clear, Refresh, Pin, Unpin}, n.Kind)
}

// What names n for the log: one that would say the same has the same name.
func (n Notice) What() string { return n.Of.what(n) }

func (of OfNudge) what(n Notice) string {
	return fmt.Sprintf("%s %s %d %d", n.Kind, of.Nudge.ID, of.Nudge.Reminder, n.Copy.Message)
}

func (i *Instruction) what(n Notice) string {
	return fmt.Sprintf("%s %s %s %d", n.Kind, i.ID, i.State, n.Copy.Message)
}

func (w *Wish) what(n Notice) string {
	return fmt.Sprintf("%s wish %s %s %d", n.Kind, w.ID, w.State, n.Copy.Message)
}

func (d *Denials) what(n Notice) string {
	return fmt.Sprintf("%s denied calls %s %d %d", n.Kind, d.ID, d.Drawn, n.Copy.Message)
}

func (m *MonitorNews) what(n Notice) string { return fmt.Sprintf("%s %s", n.Kind, m.Monitor) }

// Nudge is the nudge that n is of; blank where it is of none.
func (n Notice) Nudge() *Nudge {
	of, _ := n.Of.(OfNudge)
	return &of.Nudge
}

// NoticeKind tells a message from an edit.
type NoticeKind string

// The notices.
const (
	Send  NoticeKind = "send"  // a reminder, Nudge.Reminder of len(Nudge.Cadence)
	Close NoticeKind = "close" // take the buttons off Copy
	// Refresh brings Copy up to date: other boxes of its check list are ticked now, or another call was denied.
	Refresh NoticeKind = "refresh"
	Reply   NoticeKind = "reply" // tell the one who answered what became of it, in reply to the answer
	// Matched tells what a monitor found, and that it ended.
	Matched NoticeKind = "matched"
	// InstructionNews says how a queued instruction ended, or that the agent is still at work on it after its timeout.
	InstructionNews NoticeKind = "outcome"
	Wanted          NoticeKind = "wanted" // show a wish or denied calls, with the buttons that decide
	Pin             NoticeKind = "pin"    // put Copy into the bar of what is pinned
	Unpin           NoticeKind = "unpin"  // take Copy out of it
	Clear           NoticeKind = "clear"  // take the whole message Copy back: a newer notice of the same idle agent takes its place
)

// Not from ToTell: what the bot sent by itself, and Told takes note of.
const (
	Consent NoticeKind = "consent" // a question for consent to what can't be seen; kept as a Copy with Unseen
	Reason  NoticeKind = "reason"  // a question for the reason of a denial; kept as a Copy with Reason
	Several NoticeKind = "several" // a message for several nudges, of which a fresh answer may mean any
	// Together is a message that tells of several nudges at once; kept as a Copy with Group of each.
	Together NoticeKind = "together"
	Aside    NoticeKind = "aside" // a message that asks something beside the nudges, such as a digest
	// Listed is a message of nod's own whose buttons are about nudges; kept as a Copy with Offer of each.
	Listed NoticeKind = "listed"
)

// Receipt is what became of a notice.
type Receipt struct {
	Notice  Notice
	Message int       // Send, Consent: the new message's id
	Topic   int       // Send, Consent: the part of the place that it went to; 0: the place itself
	Sent    time.Time // Send, Consent: its date there
	// Hidden says that a part of the subject stands nowhere in the message (masked secrets, a preview kept short): an
	// approval from that place is met as one of what was seen only in part. A later receipt for the same message may lift it.
	Hidden bool
	Parts  []Part // Together, Several, Listed: what it shows; Close: what the message shows by now
	// Instructions are those that have buttons in the message now, where it shows some, and List whether it is a list of them.
	Instructions []string
	List         bool
	Pinned       Pinning
	Offer        Offer // Reply, Several, Listed: what its buttons are; empty: it has none
}

// Part is one nudge of a message that tells of several.
type Part struct {
	Nudge  Nudge
	Hidden bool // as of a Receipt
}

// OtherMessage is a message that shows no single nudge: a digest, a list, a question which one is meant.
type OtherMessage struct {
	Ref
	Sent    time.Time // by the date of its place
	Several bool      // it shows several nudges, so a bare y in reply to it must ask
	Over    bool      `json:",omitempty"` // it waits for no answer any more
}
