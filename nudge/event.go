package nudge

import (
	"strings"
	"time"

	"nod/detect/screen"
)

// The kinds of events. An idle or silent agent has a kind of its own, because it has no prompt.
const (
	PromptDetected = "prompt detected"
	AgentIdle      = "agent idle"
	AgentSilent    = "agent silent"
	NudgeSent      = "nudge sent"
	AnswerReceived = "answer received"
	KeyTyped       = "key typed"
	HandedOver     = "handed over" // the answer, to the agent's own hook or server; no key was typed
	AnswerRefused  = "refused"
	NudgeEnded     = "nudge ended"
	ToolEnded      = "tool ended"
	ClockSet       = "clock set" // by After; pending times moved with it

	MonitorMatched = "monitor matched"
	MonitorEnded   = "monitor ended"

	SessionStarted = "session started"
	SessionEnded   = "session ended"

	WishMade  = "wish made"
	WishEnded = "wish ended"

	CallBlocked = "call blocked" // by the agent's own guard, which asked nobody
	CallAllowed = "call allowed" // once, by a supervisor
	CallLeft    = "call left"
	CallLet     = "call let through" // the grant is taken and never given again
	// CallReviewed: the agent's own server was told, or may have been told, that a supervisor allows the
	// call.
	CallReviewed = "call to be reviewed again"
	CallStopped  = "call stopped" // a call that was left denied, tried again in the same turn
	CallsOver    = "blocked calls over"

	InstructionQueued = "instruction queued"
	InstructionSent   = "instruction sent"
	InstructionLate   = "instruction late" // still at work after its timeout
	InstructionEnded  = "instruction ended"
)

// Event is one line of the audit trail. Its JSON is flat, and the same in the database, on the socket, and in `nod log --json`.
type Event struct {
	At   time.Time `json:"at"`
	Kind string    `json:"kind"` // one of the constants above
	Involved
	Act
	State string `json:"state,omitempty"`
	After string `json:"after,omitempty"` // how long the nudge lived, the state of the screen afterwards, or by how much the clock was set
	SentTo
}

// Involved is the subject of an event.
type Involved struct {
	Nudge string `json:"nudge,omitempty"`
	// Monitor is the monitor of the event.
	Monitor string `json:"monitor,omitempty"`
	Count   int    `json:"count,omitempty"` // how many lines matched
	// Instruction is the queued instruction, the wish or the message of blocked calls of the event.
	Instruction string `json:"instruction,omitempty"`
	Pane        string `json:"pane,omitempty"`
	Server      string `json:"server,omitempty"`
	Agent       string `json:"agent,omitempty"`
	Shape       string `json:"shape,omitempty"`
	Subject     string `json:"subject,omitempty"`
}

// Act says who did the act, and how.
type Act struct {
	By       string   `json:"by,omitempty"` // poll, hook, or who answered
	Way      string   `json:"way,omitempty"`
	Decision string   `json:"decision,omitempty"`
	Text     string   `json:"text,omitempty"` // the words for an agent
	Keys     []string `json:"keys,omitempty"`
	Reason   string   `json:"reason,omitempty"`
}

// SentTo is the message of an event.
type SentTo struct {
	Chat     Place `json:"chat,omitempty"`
	Message  int   `json:"message,omitempty"`
	Reminder int   `json:"reminder,omitempty"`
}

// OpenedEvent returns the event with which n begins.
func (n *Nudge) OpenedEvent() Event {
	return n.Event(n.About.opened(), Event{Act: Act{By: n.By}})
}

func (Permission) opened() string { return PromptDetected }
func (Question) opened() string   { return PromptDetected }
func (TurnEnded) opened() string  { return AgentIdle }
func (Silence) opened() string    { return AgentSilent }

// maxNoted is how much of a subject an event has, in bytes: several events name the subject, and are kept for long.
const maxNoted = 16 << 10

// noted returns the subject for the audit trail. A program's question is noted without its file, which may be
// a whole diff.
func (n *Nudge) noted() string {
	subject := n.Prompt().Subject
	if p := n.Program(); p != nil && n.Kind() == screen.Question {
		subject = n.Prompt().Leading()
	}
	if len(subject) > maxNoted {
		subject = strings.ToValidUTF8(subject[:maxNoted], "") + "…"
	}
	return subject
}

// Event fills in the fields that all events about n have.
func (n *Nudge) Event(kind string, e Event) Event {
	e.Kind = kind
	e.Involved = Involved{Nudge: n.ID, Pane: n.Pane.ID, Server: n.Pane.Server.Socket, Agent: n.Agent, Shape: n.Prompt().Shape, Subject: n.noted()}
	return e
}

// EndedEvent returns the event of n's end.
func (n *Nudge) EndedEvent(now time.Time) Event {
	why := n.Reason
	if n.State != Refused { // it was that of a refusal after which it waited on
		why = ""
	}
	return n.Event(NudgeEnded, Event{Act: Act{Reason: string(why)}, State: string(n.State), After: n.Lives(now).Round(time.Second).String()})
}
