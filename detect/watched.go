package detect

import (
	"crypto/sha256"
	"time"

	"nod/internal/proc"
	"nod/internal/tmux"
)

// silentAfter is how long a pane on which nothing known is seen must be unchanged to count as silent.
const silentAfter = 2 * time.Minute

// watched is one pane in which an agent runs, and what the looks at it have told so far.
type watched struct {
	info    tmux.Pane
	agent   string
	process proc.ID
	project project
	shell   bool // the agent has exited and a shell owns the pane
	away    bool // another program has the foreground while the agent lives, such as an editor

	shot    tmux.Shot
	reading Reading
	tail    []string

	sum     [sha256.Size]byte // of the last reading's text
	same    int               // how many looks in a row had it
	changed time.Time         // when it was another last
	print   string            // fingerprint of the prompt on the screen; empty: there is none
	drawn   int               // how many looks in a row had it

	state State
	since time.Time
	shown string // fingerprint of the prompt that stands there as far as was told
}

func newWatched(p tmux.Pane, agent string, process proc.ID, now time.Time) *watched {
	return &watched{info: p, agent: agent, process: process, state: Working, since: now, changed: now}
}

// read takes in a fresh capture.
func (w *watched) read(shot tmux.Shot) {
	screen := ParseScreen(shot.Capture)
	w.info, w.shot, w.reading, w.tail = shot.Pane, shot, Read(w.agent, screen), screen.Tail(tailRows)

	if sum := sha256.Sum256([]byte(w.reading.Text)); w.same > 0 && sum == w.sum {
		w.same++
	} else {
		w.sum, w.same, w.changed = sum, 1, shot.Taken
	}
	print := ""
	if w.reading.Prompt != nil && w.reading.State.Asks() {
		print = w.reading.Prompt.Fingerprint
	}
	if print != w.print {
		w.print, w.drawn = print, 0
	}
	w.drawn++
}

// again takes in that the screen is as it was at the look before.
func (w *watched) again() {
	w.same++
	w.drawn++
}

// judge tells what the last look says, where enough looks in a row that agree make a screen stable.
func (w *watched) judge(enough int, now time.Time) Sighting {
	switch {
	case w.shell:
		w.shown = ""
		return w.sighting(Shell, now)
	case w.away, w.reading.State == Overlay:
		// What lies over the agent says nothing of it: it stays in its state, and takes no keys.
		return w.sighting(w.state, now)
	case w.print != "" && (w.print == w.shown || w.drawn >= enough || w.same >= enough):
		w.shown = w.print
		s := w.sighting(w.reading.State, now)
		s.Prompt = w.reading.Prompt
		return s
	case w.print != "":
		// Half drawn, or seen too seldom yet.
		s := w.sighting(w.state, now)
		s.Unseen = w.shown != ""
		w.shown = ""
		return s
	case w.shown != "":
		// One look without the prompt may have met a redraw.
		w.shown = ""
		s := w.sighting(w.state, now)
		s.Unseen = true
		return s
	}
	return w.sighting(w.calm(enough, now), now)
}

// calm is the state of an agent that asks nothing.
func (w *watched) calm(enough int, now time.Time) State {
	switch w.reading.State {
	case Idle:
		// While somebody types into the input box the screen changes, and the agent is idle still.
		if w.state == Idle || w.same >= enough {
			return Idle
		}
	case Silent:
		if now.Sub(w.changed) >= silentAfter {
			return Silent
		}
	}
	return Working
}

// sighting puts the pane into a state and tells of it.
func (w *watched) sighting(state State, now time.Time) Sighting {
	if state != w.state {
		w.state, w.since = state, now
	}
	return Sighting{
		Process: w.process, Agent: w.agent, Name: w.info.Name, Project: w.project.of(w.info.Path), Where: w.info.Where(),
		State: state, Since: w.since, Tail: w.tail, At: now,
	}
}
