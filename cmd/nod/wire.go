package main

import (
	"time"

	"nod/internal/settings"
	"nod/store"
)

// What follows crosses the socket: parameters and results of the methods, for both ends.

type healthResult struct {
	Status   string       `json:"status"` // ok or degraded
	Problems []string     `json:"problems"`
	Held     []heldResult `json:"held"`
	Hooks    hooksResult  `json:"hooks"`
	UptimeMS int64        `json:"uptime_ms"`
	Version  string       `json:"version"`
}

// hooksResult is how many events of agents came in since the bot was started.
type hooksResult struct {
	Events  int64 `json:"events"`
	Refused int64 `json:"refused"` // no event, or too large
}

// heldResult is a message that waits because somebody is there already.
type heldResult struct {
	Nudge string    `json:"nudge"`
	Until time.Time `json:"until"`
	Why   string    `json:"why"`
}

type paneResult struct {
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
}

type nudgeResult struct {
	ID       string     `json:"id"`
	Pane     string     `json:"pane"`
	Server   string     `json:"server"`
	Where    string     `json:"where"`
	Agent    string     `json:"agent"`
	Project  string     `json:"project"`
	Kind     string     `json:"kind"` // permission or question
	Shape    string     `json:"shape"`
	Verb     string     `json:"verb"` // what the subject is asked for; empty for a command
	Subject  string     `json:"subject"`
	State    string     `json:"state"`
	Stuck    bool       `json:"stuck"`
	Reason   string     `json:"reason"`
	Detected time.Time  `json:"detected"`
	Reminder int        `json:"reminder"`
	Of       int        `json:"of"`  // how many reminders there are
	Due      *time.Time `json:"due"` // when the next reminder is; null: never
	By       string     `json:"by"`  // who answered; empty: nobody yet
}

type paneParams struct {
	Pane string `json:"pane"`
}

type captureParams struct {
	Pane  string `json:"pane"`
	Lines int    `json:"lines"`
	Color bool   `json:"color"`
}

type captureResult struct {
	Content string `json:"content"`
}

type sendParams struct {
	Pane string   `json:"pane"`
	Keys []string `json:"keys"`
}

type sendResult struct {
	Typed []string `json:"typed"`
}

type tellParams struct {
	Pane string `json:"pane"`
	Text string `json:"text"`
}

type outcomeResult struct {
	Outcome string `json:"outcome"`
	Detail  string `json:"detail,omitempty"` // a sentence for the human
}

type watchParams struct {
	Pane  string `json:"pane"`
	Agent string `json:"agent"`
}

type listParams struct {
	All bool `json:"all"`
}

type replyParams struct {
	ID     string `json:"id"`
	Answer string `json:"answer"`
	Unseen bool   `json:"unseen"`
}

type replyResult struct {
	Outcome string   `json:"outcome"`
	Keys    []string `json:"keys"`
	Detail  string   `json:"detail,omitempty"` // a sentence for the human
}

type idParams struct {
	ID string `json:"id"`
}

type logParams struct {
	After uint64 `json:"after"` // events after this one; 0: the newest
	Limit int    `json:"limit"`
}

type logResult struct {
	Events []store.Line `json:"events"`
}

type backupParams struct {
	File string `json:"file"` // an absolute path; nothing is overwritten
}

type backupResult struct {
	Bytes int64 `json:"bytes"`
}

type settingsResult struct {
	Settings []settings.Row `json:"settings"`
}

// none is what a method without parameters takes and one without a result gives.
type none struct{}
