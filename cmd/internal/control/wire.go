package control

import (
	"fmt"
	"time"

	"nod/internal/settings"
	"nod/nudge"
	"nod/store"
)

// This file has what crosses the socket for the methods of methods.go and answers.go. The others' stands with them.

// Health is the result of health.
type Health struct {
	Status   string     `json:"status"` // ok or degraded
	Problems []string   `json:"problems"`
	Held     []Held     `json:"held"`
	Hooks    HookEvents `json:"hooks"`
	UptimeMS int64      `json:"uptime_ms"`
	Version  string     `json:"version"`
	PID      int        `json:"pid"`
	// Telegram is off where nobody is told but who looks at this machine.
	Telegram string `json:"telegram"`
	// Edge says that it is no bot, and watches and types for the one of another machine.
	Edge bool `json:"edge,omitempty"`
}

// HookEvents is how many events of agents came in since the bot was started.
type HookEvents struct {
	Events  int64 `json:"events"`
	Refused int64 `json:"refused"` // no event, or too large
	// Last is when each agent's last event came.
	Last map[string]time.Time `json:"last"`
}

// Held is a message that waits because somebody is there already.
type Held struct {
	Nudge string    `json:"nudge"`
	Until time.Time `json:"until"`
	Why   string    `json:"why"`
}

// Pane is one pane in the result of pane.list.
type Pane struct {
	Machine string    `json:"machine,omitempty"` // empty: this one
	Pane    string    `json:"pane"`
	Server  string    `json:"server"` // the socket's path
	Session string    `json:"session"`
	Where   string    `json:"where"` // session:window.pane
	Agent   string    `json:"agent"`
	Name    string    `json:"name"`
	Project string    `json:"project"`
	State   string    `json:"state"`
	Since   time.Time `json:"since"`
	Nudge   string    `json:"nudge"` // what waits there; empty: nothing
	// Unasked says, a sentence each, why calls of the agent do not come as prompts.
	Unasked []string `json:"unasked"`
}

// Nudge is one nudge in the results of nudge.list and nudge.queue.
type Nudge struct {
	ID       string     `json:"id"`
	Pane     string     `json:"pane"`
	Server   string     `json:"server"`
	Where    string     `json:"where"`
	Agent    string     `json:"agent"`
	Project  string     `json:"project"`
	Kind     string     `json:"kind"` // permission, question or denied: a call that the agent's own guard blocked
	Shape    string     `json:"shape"`
	Verb     string     `json:"verb"` // what the subject is asked for; empty for a command
	Subject  string     `json:"subject"`
	Lead     int        `json:"lead"`             // how many lines of the subject, from its first, are the command, file or address itself
	Failed   string     `json:"failed,omitempty"` // of an agent that asks nothing: a sentence, why it stopped
	Says     string     `json:"says,omitempty"`   // of such an agent: its last words
	State    string     `json:"state"`
	Stuck    bool       `json:"stuck"`
	Reason   string     `json:"reason"`
	Detected time.Time  `json:"detected"`
	Reminder int        `json:"reminder"`
	Of       int        `json:"of"`   // how many reminders there are
	Due      *time.Time `json:"due"`  // when the next reminder is; null: never
	By       string     `json:"by"`   // who answered; empty: nobody yet
	Open     int        `json:"open"` // how many messages of it still have buttons

	Call        int    `json:"call,omitempty"`        // of a denied call: which of those of that id
	Fingerprint string `json:"fingerprint,omitempty"` // names what is asked, for nudge.reply and denial.allow
}

// PaneParams are those of pane.check and pane.unwatch.
type PaneParams struct {
	Pane string `json:"pane"`
}

// CaptureParams are those of pane.capture.
type CaptureParams struct {
	Pane  string `json:"pane"`
	Lines int    `json:"lines"`
	Color bool   `json:"color"`
}

// Capture is the result of pane.capture.
type Capture struct {
	Content string `json:"content"`
}

// SendParams are those of pane.send.
type SendParams struct {
	Pane string   `json:"pane"`
	Keys []string `json:"keys"`
}

// Sent is the result of pane.send.
type Sent struct {
	Typed []string `json:"typed"`
}

// TellParams are those of pane.tell.
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

// WatchParams are those of pane.watch.
type WatchParams struct {
	Pane  string `json:"pane"`
	Agent string `json:"agent"`
}

// ListParams are those of nudge.list.
type ListParams struct {
	All bool `json:"all"`
}

// ReplyParams are those of nudge.reply.
type ReplyParams struct {
	ID     string `json:"id"`
	Answer string `json:"answer,omitempty"` // y, n, an option's number or whole label, "tick N", "send", "leave", or words for what takes words
	Words  string `json:"words,omitempty"`  // why it is denied; without an answer the words for what takes words, whatever they are
	// Fingerprint is that of what was drawn, here or by pane.check: another one now is refused. Empty: nothing was drawn.
	Fingerprint string `json:"fingerprint,omitempty"`
	Unseen      bool   `json:"unseen,omitempty"`     // it consents to what can't be seen
	Sure        bool   `json:"sure,omitempty"`       // it confirms an option that lasts longer than this once
	LeaveMode   bool   `json:"leave_mode,omitempty"` // copy mode is to be left first
	Way         Way    `json:"way,omitempty"`
}

// Way is what an answer at the machine is given by: inbox or page; empty: the command line. It tells what its human was shown.
type Way string

// The ways. Another one is no parameter.
const (
	ByInbox Way = "inbox"
	ByPage  Way = "page"

	commandLine = Way(nudge.ByCommand)
)

// UnmarshalText takes the names of ways alone: any other answer comes from the chat, which does not use the socket.
func (w *Way) UnmarshalText(text []byte) error {
	if *w = Way(text); *w != ByInbox && *w != ByPage && *w != "" {
		return fmt.Errorf("%q is no way: it is inbox or page", text)
	}
	return nil
}

// What an answer may need besides, as the refusal of one says that lacks it (rpc.Fault.Needs): the parameters of those names.
const (
	needsUnseen = "unseen"
	needsSure   = "sure"
)

// DeferParams are those of nudge.snooze, nudge.skip and nudge.again.
type DeferParams struct {
	ID          string `json:"id"`
	Fingerprint string `json:"fingerprint,omitempty"` // as of ReplyParams
	ForMS       int64  `json:"for_ms,omitempty"`      // nudge.snooze: for how long; 0: until the morning
}

// State is the result of a method that decides about what waits: how that stands now.
type State struct {
	State string `json:"state"`
}

// The outcomes of what was said to an edge. Nothing is answered by it: the detail says what was shown or noted, and what now.
const (
	Shown = "shown"
	Noted = "noted"
)

// ReplyResult is the result of nudge.reply.
type ReplyResult struct {
	Outcome string   `json:"outcome"`
	Keys    []string `json:"keys"`
	Way     string   `json:"way"`              // keys or door; empty: neither, a program asked
	Detail  string   `json:"detail,omitempty"` // a sentence for the human
	Agent   string   `json:"agent,omitempty"`
	Project string   `json:"project,omitempty"`
	Asked   string   `json:"asked,omitempty"`  // what was answered
	Ticked  []string `json:"ticked,omitempty"` // of a list that waits on, as its outcome pending says: the names of what is ticked now
	where   string
}

// IDParams are those of ask.wait, ask.cancel and instruction.cancel.
type IDParams struct {
	ID string `json:"id"`
}

// LogParams are those of log.list.
type LogParams struct {
	After uint64 `json:"after"` // events after this one; 0: the newest
	Limit int    `json:"limit"`
}

// Log is the result of log.list.
type Log struct {
	Events []store.Line `json:"events"`
}

// TryParams are those of server.try.
type TryParams struct {
	Socket string `json:"socket"` // an absolute path
}

// BackupParams are those of store.backup.
type BackupParams struct {
	File string `json:"file"` // an absolute path; nothing is overwritten
}

// Backup is the result of store.backup.
type Backup struct {
	Bytes int64 `json:"bytes"`
}

// Settings is the result of settings.list.
type Settings struct {
	Settings []settings.Row `json:"settings"`
}

// none is what a method without parameters takes and one without a result gives.
type none struct{}
