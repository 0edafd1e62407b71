package nudge

import (
	"fmt"
	"slices"
	"time"
)

// Notice is one change that a place still needs. It is derived from stored records, so an outage or a crash
// loses none.
type Notice struct {
	Kind   NoticeKind
	Place  Place
	Of     Of   // nil: a message of nod's own, which ToTell did not ask for
	Silent bool // Send: quiet hours or mute
	Watch  bool // Send, Together: the recipient can't answer
	Copy   Copy // Close: the message to edit
	// Newest: the copy to Close says how the nudge ended, or is the newest list of its kind. Other copies
	// only lose their buttons.
	Newest bool
}

// Of is the subject of a notice: an OfNudge, an *Instruction, a *Wish, *Denials or a *MonitorNews.
type Of interface {
	// what returns the notice's name for the log. Notices that would say the same have the same name.
	what(n Notice) string
}

// OfNudge is a nudge in the state to be shown.
type OfNudge struct {
	Nudge   Nudge
	ReplyTo int // Send: the first message of this nudge in that place; 0: none
	Under   Ref // Send: the message of the preceding question of the same set; zero: none
}

// Match calls the function for the subject of n. Every caller must name all kinds.
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

// Sends reports whether n is a new message, not a change of one.
func (n Notice) Sends() bool {
	return !slices.Contains([]NoticeKind{Close, Clear, Refresh, Pin, Unpin}, n.Kind)
}

// What names n for the log: notices that would say the same have the same name.
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

// Nudge returns the nudge that n is about; blank: none.
func (n Notice) Nudge() *Nudge {
	of, _ := n.Of.(OfNudge)
	return &of.Nudge
}

// NoticeKind is the kind of message or edit.
type NoticeKind string

// The notices.
const (
	Send  NoticeKind = "send"  // a reminder, number Nudge.Reminder of len(Nudge.Cadence)
	Close NoticeKind = "close" // remove the buttons of Copy
	// Refresh updates Copy: other boxes are ticked now, the nudge's machine left or came back, or another
	// call was denied.
	Refresh NoticeKind = "refresh"
	Reply   NoticeKind = "reply" // tell the outcome to whoever answered, in reply to the answer
	// Matched reports what a monitor found, and its end.
	Matched NoticeKind = "matched"
	// InstructionNews reports how a queued instruction ended, or that the agent still works on it after the
	// timeout.
	InstructionNews NoticeKind = "outcome"
	Wanted          NoticeKind = "wanted" // show a wish or denied calls, with the buttons that decide
	Pin             NoticeKind = "pin"    // pin Copy
	Unpin           NoticeKind = "unpin"  // unpin Copy
	Clear           NoticeKind = "clear"  // delete the message Copy: a newer notice of the same idle agent replaces it
)

// Kinds that ToTell never returns: messages that the bot sent by itself and that Told records.
const (
	Consent NoticeKind = "consent" // a question for consent to what can't be seen; stored as a Copy with Unseen
	Reason  NoticeKind = "reason"  // a question for the reason of a denial; stored as a Copy with Reason
	Several NoticeKind = "several" // a message about several nudges, any of which a fresh answer may mean
	// Together is one message that reports several nudges; stored in each as a Copy with Group.
	Together  NoticeKind = "together"
	Unrelated NoticeKind = "unrelated" // a message that asks something other than a nudge's question, such as a digest
	// Listed is a bot message whose buttons are about nudges; stored in each as a Copy with Offer.
	Listed NoticeKind = "listed"
)

// Receipt is the result of a notice.
type Receipt struct {
	Notice  Notice
	Message int       // Send, Consent: the id of the new message
	Topic   int       // Send, Consent: the topic that it went to; 0: the place itself
	Sent    time.Time // Send, Consent: its date there
	// Recorded is when nod learnt of the message, by this machine's clock; the keeper sets it.
	Recorded time.Time
	// Hidden: a part of the subject is nowhere in the message (masked secrets, a preview kept short), so an
	// approval from that place needs consent. A later receipt for the same message may lift it.
	Hidden bool
	Parts  []Part // Together, Several, Listed: what the message shows; Close: what it shows now
	// Instructions are the instructions with buttons in the message. List: it is a list of them.
	Instructions []string
	List         bool
	Pinned       Pinning
	Offer        Offer // Reply, Several, Listed: the kind of its buttons; empty: it has none
}

// Part is one nudge of a message about several.
type Part struct {
	Nudge  Nudge
	Hidden bool // see Receipt.Hidden
}

// OtherMessage is a message about no single nudge: a digest, a list, a question which nudge is meant.
type OtherMessage struct {
	Ref
	Sent    time.Time // by the date of its place
	Several bool      // it shows several nudges, so a bare y in reply must be asked about
	Over    bool      `json:",omitempty"` // it no longer waits for an answer
}
