package nudge

import "time"

// Notice is one thing that a chat should show and does not yet. It is derived from stored
// records, so an outage or a crash loses none.
type Notice struct {
	Kind    NoticeKind
	Chat    int64
	Nudge   Nudge
	ReplyTo int  // Send: the first message of this nudge in that chat; 0: none
	Silent  bool // Send: quiet hours or mute
	Copy    Copy // Close: the message to edit
	Newest  bool // Close: this copy says how the nudge ended; older ones only lose their buttons
}

// NoticeKind tells a message from an edit.
type NoticeKind string

// The notices.
const (
	Send  NoticeKind = "send"  // a reminder, Nudge.Reminder of len(Nudge.Cadence)
	Close NoticeKind = "close" // take the buttons off Copy
	Reply NoticeKind = "reply" // tell the one who answered what became of it, in reply to the answer
	Clear NoticeKind = "clear" // take the whole message Copy back: a newer notice of the same idle agent takes its place
)

// Not from ToTell: what the bot sent by itself, and Told takes note of.
const (
	Consent NoticeKind = "consent" // a question for consent to what can't be seen; kept as a Copy with Unseen
	Several NoticeKind = "several" // a message for several nudges, of which a fresh answer may mean any; Nudge is zero
	Aside   NoticeKind = "aside"   // a message that asks something beside the nudges, such as a digest; Nudge is zero
)

// Receipt is what became of a notice.
type Receipt struct {
	Notice  Notice
	Message int       // Send, Consent: the new message's id
	Sent    time.Time // Send, Consent: Telegram's date of it
	// Hidden says that a part of the subject stands nowhere in the message (masked secrets, a preview kept short): an
	// approval from that chat is met as one of what was seen only in part. A later receipt for the same message may lift it.
	Hidden bool
}

// The kinds of events. An agent that became idle or fell silent has one of its own, since it has no prompt.
const (
	promptDetected = "prompt detected"
	agentIdle      = "agent idle"
	agentSilent    = "agent silent"
	nudgeSent      = "nudge sent"
	answerReceived = "answer received"
	keyTyped       = "key typed"
	refusedAnswer  = "refused"
	nudgeEnded     = "nudge ended"
	toolEnded      = "tool ended"
)

// Event is one line of the audit trail.
type Event struct {
	At       time.Time `json:"at"`
	Kind     string    `json:"kind"` // one of the constants above
	Nudge    string    `json:"nudge,omitempty"`
	Pane     string    `json:"pane,omitempty"`
	Server   string    `json:"server,omitempty"`
	Agent    string    `json:"agent,omitempty"`
	Shape    string    `json:"shape,omitempty"`
	Subject  string    `json:"subject,omitempty"`
	By       string    `json:"by,omitempty"` // poll, hook, or who answered
	Way      string    `json:"way,omitempty"`
	Decision string    `json:"decision,omitempty"`
	Text     string    `json:"text,omitempty"` // the words for an agent
	Keys     []string  `json:"keys,omitempty"`
	Reason   string    `json:"reason,omitempty"`
	State    string    `json:"state,omitempty"`
	After    string    `json:"after,omitempty"` // how long the nudge lived, or what stood there afterwards
	Chat     int64     `json:"chat,omitempty"`
	Message  int       `json:"message,omitempty"`
	Reminder int       `json:"reminder,omitempty"`
}
