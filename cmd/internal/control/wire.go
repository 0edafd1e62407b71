package control

import (
	"fmt"
	"time"

	"nod/detect/screen"
	"nod/internal/settings"
	"nod/nudge"
	"nod/store"
)

// This file has the socket's types for the methods in methods.go and answers.go. Other files have the types
// of their own methods.

// Health is the result of health.
type Health struct {
	Status   string     `json:"status"` // ok or degraded
	Problems []string   `json:"problems"`
	Held     []Held     `json:"held"`
	Hooks    HookEvents `json:"hooks"`
	UptimeMS int64      `json:"uptime_ms"`
	Version  string     `json:"version"`
	PID      int        `json:"pid"`
	Tmux     []string   `json:"tmux"` // the sockets of the tmux servers that it watches
	// Telegram is off if only people at this machine are told.
	Telegram string `json:"telegram"`
	// Edge says that this is no bot but watches and types for another machine's bot.
	Edge bool `json:"edge,omitempty"`
}

// HookEvents counts the agents' events since the bot was started.
type HookEvents struct {
	Events  int64 `json:"events"`
	Refused int64 `json:"refused"` // invalid or too large
	// Last is the time of each agent's last event.
	Last map[string]time.Time `json:"last"`
}

// Held is a message that is held back because somebody is at the pane.
type Held struct {
	Nudge string    `json:"nudge"`
	Until time.Time `json:"until"`
	Why   string    `json:"why"`
}

// Pane is one pane in the result of pane.list.
type Pane struct {
	Machine string    `json:"machine,omitempty"` // empty for this machine
	Pane    string    `json:"pane"`
	Server  string    `json:"server"` // the socket's path
	Session string    `json:"session"`
	Where   string    `json:"where"` // session:window.pane
	Agent   string    `json:"agent"`
	Name    string    `json:"name"`
	Project string    `json:"project"`
	State   string    `json:"state"`
	Since   time.Time `json:"since"`
	Nudge   string    `json:"nudge"` // id of the nudge that waits there; may be empty
	// Unasked says, a sentence each, why some calls of the agent do not come as prompts.
	Unasked []string `json:"unasked"`
}

// Nudge is one nudge in the results of nudge.list and nudge.queue.
type Nudge struct {
	ID       string     `json:"id"`
	Machine  string     `json:"machine,omitempty"` // empty for this machine
	Pane     string     `json:"pane"`
	Server   string     `json:"server"`
	Where    string     `json:"where"`
	Agent    string     `json:"agent"`
	Project  string     `json:"project"`
	Kind     string     `json:"kind"` // permission, question, or denied for a call that the agent's own guard blocked
	Shape    string     `json:"shape"`
	Verb     string     `json:"verb"`               // what to do with the subject; empty for a command
	Question string     `json:"question,omitempty"` // the words of a question
	Subject  string     `json:"subject"`
	Lead     int        `json:"lead"`             // number of leading lines of the subject that are the command, file or address itself
	Failed   string     `json:"failed,omitempty"` // why an agent that asks nothing stopped, in a sentence
	Says     string     `json:"says,omitempty"`   // the last words of an agent that asks nothing
	State    string     `json:"state"`
	Stuck    bool       `json:"stuck"`
	Reason   string     `json:"reason"`
	Detected time.Time  `json:"detected"`
	Reminder int        `json:"reminder"`
	Of       int        `json:"of"`             // number of reminders
	Due      *time.Time `json:"due"`            // time of the next reminder; null for none
	By       string     `json:"by"`             // who answered; empty if nobody did yet
	Open     int        `json:"open"`           // number of its messages that still have buttons
	Held     bool       `json:"held,omitempty"` // its message waits, because somebody is at the machine

	Call        int    `json:"call,omitempty"`        // for a denied call: its index in that id
	Fingerprint string `json:"fingerprint,omitempty"` // identifies the question, for nudge.reply and denial.allow
}

// PaneParams are the parameters of pane.check and pane.unwatch.
type PaneParams struct {
	Pane string `json:"pane"`
}

// CaptureParams are the parameters of pane.capture.
type CaptureParams struct {
	Pane  string `json:"pane"`
	Lines int    `json:"lines"`
	Color bool   `json:"color"`
}

// Capture is the result of pane.capture.
type Capture struct {
	Content string `json:"content"`
}

// SendParams are the parameters of pane.send.
type SendParams struct {
	Pane string   `json:"pane"`
	Keys []string `json:"keys"`
}

// Sent is the result of pane.send.
type Sent struct {
	Typed []string `json:"typed"`
}

// TellParams are the parameters of pane.tell.
type TellParams struct {
	Pane string `json:"pane"`
	Text string `json:"text"`
}

// TellResult is the result of pane.tell.
type TellResult struct {
	Outcome string `json:"outcome"`
	Detail  string `json:"detail,omitempty"` // a sentence for the human
	Agent   string `json:"agent,omitempty"`
	Project string `json:"project,omitempty"`
	Where   string `json:"where,omitempty"`
}

// WatchParams are the parameters of pane.watch.
type WatchParams struct {
	Pane  string `json:"pane"`
	Agent string `json:"agent"`
}

// ListParams are the parameters of nudge.list.
type ListParams struct {
	All bool `json:"all"`
}

// ReplyParams are the parameters of nudge.reply.
type ReplyParams struct {
	ID     string `json:"id"`
	Answer string `json:"answer,omitempty"` // y, n, an option's number or whole label, "tick N", "send", "leave", or words if the nudge takes words
	Words  string `json:"words,omitempty"`  // the reason of a denial; without Answer, words for a nudge that takes words, whatever they are
	// Fingerprint is that of the question as it was shown here or by pane.check; if it has changed, the
	// answer is refused. Empty if nothing was shown.
	Fingerprint string `json:"fingerprint,omitempty"`
	Unseen      bool   `json:"unseen,omitempty"`     // consents to parts that can't be seen
	Sure        bool   `json:"sure,omitempty"`       // confirms an option that lasts longer than this once
	LeaveMode   bool   `json:"leave_mode,omitempty"` // leave copy mode first
	Way         Way    `json:"way,omitempty"`
}

// Way says where on this machine an answer was given: inbox, page, or empty for the command line. It implies
// what its human was shown.
type Way string

// The ways. Any other value is refused.
const (
	ByInbox Way = "inbox"
	ByPage  Way = "page"

	commandLine = Way(nudge.ByCommand)
)

// UnmarshalText accepts only the names of ways; other kinds of answers come from the chat, which does not use
// the socket.
func (w *Way) UnmarshalText(text []byte) error {
	if *w = Way(text); *w != ByInbox && *w != ByPage && *w != "" {
		return fmt.Errorf("%q is no way: it is inbox or page", text)
	}
	return nil
}

// Further parameters that an answer may need. The refusal of an answer without one names it
// (rpc.Fault.Needs).
const (
	needsUnseen = "unseen"
	needsSure   = "sure"
)

// DeferParams are the parameters of nudge.snooze, nudge.skip and nudge.again.
type DeferParams struct {
	ID          string `json:"id"`
	Fingerprint string `json:"fingerprint,omitempty"` // as in ReplyParams
	ForMS       int64  `json:"for_ms,omitempty"`      // for nudge.snooze: how long; 0 means until the morning
}

// State is the result of a method that decides about a nudge: its new state.
type State struct {
	State string `json:"state"`
}

// The outcomes of a reply to an edge. It answers nothing: the detail says what was shown or recorded, and
// what to do next.
const (
	Shown = "shown"
	Noted = "noted"
)

// ReplyResult is the result of nudge.reply.
type ReplyResult struct {
	Outcome  string          `json:"outcome"`
	Keys     []string        `json:"keys"`
	Way      string          `json:"way"`              // keys or door; empty if a program asked
	Detail   string          `json:"detail,omitempty"` // a sentence for the human
	Agent    string          `json:"agent,omitempty"`
	Project  string          `json:"project,omitempty"`
	Asked    string          `json:"asked,omitempty"`    // the answered question
	Decision screen.Decision `json:"decision,omitempty"` // the answer: approve, deny, or neither
	Ticked   []string        `json:"ticked,omitempty"`   // for a list that still waits (outcome pending): the labels that are ticked now
	where    string
}

// IDParams are the parameters of ask.wait and instruction.cancel.
type IDParams struct {
	ID string `json:"id"`
}

// LogParams are the parameters of log.list.
type LogParams struct {
	After uint64 `json:"after"` // events after this one; 0 for the newest
	Limit int    `json:"limit"`
}

// Log is the result of log.list.
type Log struct {
	Events []store.Line `json:"events"`
}

// TryParams are the parameters of server.try.
type TryParams struct {
	Socket string `json:"socket"` // an absolute path
}

// Settings is the result of settings.list.
type Settings struct {
	Settings []settings.Row `json:"settings"`
}

// none is the parameter of a method without parameters, and the result of one without a result.
type none struct{}
