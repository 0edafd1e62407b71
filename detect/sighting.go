// Package detect watches the panes in which coding agents run, and receives the events of their hooks. It types nothing.
//
//	Watcher              the tmux servers of the settings
//	└─ serverWatcher     one of them: when which pane is looked at, and whether this nod owns it; run is the way of one poll
//	   ├─ agentPane      a pane with an agent: what looks have shown, the agent's turn, the calls that were denied in it
//	   ├─ session        what the agent's hooks said: its calls, from their announcement to their end
//	   └─ standingPrompt the prompt on the pane's screen, with the call that events prove it to be about
//
// Each look at a pane gives a Sighting. Package agents knows what an agent draws and how it names its events.
package detect

import (
	"fmt"
	"time"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/reason"
)

// PaneRef names one pane for as long as its server lives. An agent that runs in no pane has one without an ID.
type PaneRef struct {
	// Machine is the one that the pane is on; empty: this one. Sockets and process ids of another mean nothing here.
	Machine string `json:",omitempty"`
	Server  tmux.Life
	ID      string // "%12"
}

func (p PaneRef) String() string {
	if p.Machine != "" {
		return p.Machine + ":" + p.ID + "@" + p.Server.String()
	}
	return p.ID + "@" + p.Server.String()
}

// Outside reports whether w names no pane: the agent runs outside tmux, or nothing was named.
func (p PaneRef) Outside() bool { return p.ID == "" }

// Here reports whether the pane is on this machine.
func (p PaneRef) Here() bool { return p.Machine == "" }

// Address is the socket of the pane's server. On another machine it begins with that machine's name, so that it is no socket here.
func (p PaneRef) Address() string {
	if p.Here() {
		return p.Server.Socket
	}
	return p.Machine + ":" + p.Server.Socket
}

// Runs reports whether a process of this machine is the agent of w: that of another may have the same pid.
func (w Whereabouts) Runs(process proc.ID) bool {
	return w.Pane.Here() && w.Process.PID != 0 && w.Process == process
}

// Whereabouts name an agent, and the pane in which it runs.
type Whereabouts struct {
	Pane    PaneRef
	Process proc.ID // the agent's own process
	Agent   string
	Name    string // @nod-name; empty: the agent's name is used
	Project string // base name of the git top level of the pane's path
	Where   string // "main:2.0"
}

// Life identifies the agent among all that run in its pane, one after another.
func (w Whereabouts) Life() string {
	return fmt.Sprintf("%s %d %d", w.Agent, w.Process.PID, w.Process.Start)
}

// Alive reports whether the agent's process runs on this machine.
func (w Whereabouts) Alive() bool { return proc.Alive(w.Process) }

// Sighting is the result of one look at one pane. It is plain data, so that it can cross a network.
type Sighting struct {
	Whereabouts
	Session string // the agent's own session; empty: its events did not name one

	State  screen.State
	Since  time.Time      // when State began, as far as the watcher saw
	Prompt *screen.Prompt // set when a prompt is stable on the screen; a half-drawn one is not reported
	Tail   []string       // the last 15 lines above trailing blanks, plain text
	Above  []string       // the screen's rows above Tail. They are for masking alone: a secret may be wrapped into its first row.
	Screen []screen.Drawn // all that the pane shows, above trailing blanks, with the roles of a dialog's rows; another slice only where that has changed
	At     time.Time
	By     string // "poll" or "hook"
	Unseen bool   // the look before showed a prompt, and this look does not
	// Settling: State is working only until enough looks agree that the agent is idle. No look saw it at work, as after a start of nod.
	Settling bool

	LastTurn
	Blocked reason.Why   // the known dead end that the agent is at, such as a usage limit; zero: none
	Unasked []reason.Why // why the agent makes calls without a prompt; empty: nothing says that it does
	Proof   string       // what an event proved about the prompt before: "approved", "denied" or "answered" at the terminal; empty: nothing

	Presence
}

// LastTurn is what an agent was seen to do and say before State began.
type LastTurn struct {
	Worked  bool               // it was seen to work, or its hook reported the end of a turn: of an idle agent, that a turn is over
	Words   string             // its last words of that turn: those in an event, else Said; empty: unknown
	Edits   []Edit             // what it has changed in that turn, by its events
	Denied  agents.DeniedCalls // the calls of its current turn that its own guard denied, by its screen or its transcript
	Escaped time.Time          // when a person at the terminal stopped it; zero: nobody did. It is known only after a call was denied or asked about.
	Said    string             // what an idle agent said last, after the last words of a human, as its screen shows it; empty: that proves nothing
}

// Presence is when people last pressed a key near a pane: Here in a client that has this very pane active, Near in any client
// on its server. Zero: not at all.
type Presence struct{ Here, Near time.Time }
