package nudge

import "time"

// Notice is one thing that a place should show and does not yet. It is derived from stored
// records, so an outage or a crash loses none.
type Notice struct {
	Kind    NoticeKind
	Place   Place
	Nudge   Nudge
	ReplyTo int  // Send: the first message of this nudge in that place; 0: none
	Silent  bool // Send: quiet hours or mute
	Under   Ref  // Send: the message of the question before it, where both are of one set; zero: none
	Watch   bool // Send, Together: whoever is told can't answer
	Copy    Copy // Close: the message to edit
	// Outcome: the instruction as it stands.
	Instruction *Instruction
	Monitor     *MonitorNews // Matched: what is to be told
	Wish        *Wish        // Wanted, and Close and Consent of a wish
	// Newest says of a Close that this copy tells how the nudge ended, or is the newest list of its kind; older ones only
	// lose their buttons.
	Newest bool
}

// NoticeKind tells a message from an edit.
type NoticeKind string

// The notices.
const (
	Send  NoticeKind = "send"  // a reminder, Nudge.Reminder of len(Nudge.Cadence)
	Close NoticeKind = "close" // take the buttons off Copy
	// Refresh brings Copy up to date: other boxes of its check list are ticked now.
	Refresh NoticeKind = "refresh"
	Reply   NoticeKind = "reply" // tell the one who answered what became of it, in reply to the answer
	// Matched tells what a monitor found, and that it ended.
	Matched NoticeKind = "matched"
	// Outcome says how a queued instruction ended, or that the agent is still at work on it after its timeout.
	Outcome NoticeKind = "outcome"
	Wanted  NoticeKind = "wanted" // show a wish, with the buttons that send and drop it
	Clear   NoticeKind = "clear"  // take the whole message Copy back: a newer notice of the same idle agent takes its place
)

// Not from ToTell: what the bot sent by itself, and Told takes note of.
const (
	Consent NoticeKind = "consent" // a question for consent to what can't be seen; kept as a Copy with Unseen
	Reason  NoticeKind = "reason"  // a question for the reason of a denial; kept as a Copy with Reason
	Several NoticeKind = "several" // a message for several nudges, of which a fresh answer may mean any; Nudge is zero
	// Together is a message that tells of several nudges at once; kept as a Copy with Group of each. Nudge is zero.
	Together NoticeKind = "together"
	Aside    NoticeKind = "aside" // a message that asks something beside the nudges, such as a digest; Nudge is zero
	// Listed is a message of nod's own whose buttons are about nudges; kept as a Copy with Beside of each.
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
	Beside       Beside // Reply, Several, Listed: what its buttons are; empty: it has none
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
