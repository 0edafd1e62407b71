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
	printed time.Time         // when the first of them was
	seen    time.Time         // when the screen was last known to be like this
	dead    string            // the dead end that the screen names

	state    State
	since    time.Time
	shown    string    // fingerprint of the prompt that stands there as far as was told
	standing *standing // the last prompt that was told, and what events told of it

	worked  bool      // the agent was seen to work, or to ask, since it was idle last
	turned  bool      // of an idle agent: a turn is over
	stopped time.Time // when its event told the end of a turn
	words   string    // its last words of that turn
	unread  string    // the transcript that may still tell them; empty: none
	cut     string    // of an agent that has exited: that it was in the middle of its work
}

func newWatched(p tmux.Pane, agent string, process proc.ID, now time.Time) *watched {
	return &watched{info: p, agent: agent, process: process, state: Working, since: now, changed: now}
}

// read takes in a fresh capture.
func (w *watched) read(shot tmux.Shot) {
	screen := ParseScreen(shot.Capture)
	w.info, w.shot, w.reading, w.tail = shot.Pane, shot, Read(w.agent, screen), screen.Tail(tailRows)
	w.seen, w.dead = shot.Taken, blockedBy(w.agent, screen, w.reading)

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
		w.print, w.drawn, w.printed = print, 0, shot.Taken
	}
	w.drawn++
	if w.reading.State == Working || print != "" {
		w.work()
	}
}

// work takes in that the agent was seen in the middle of a turn. The screen may say so a moment longer than
// the event that ended the turn.
func (w *watched) work() {
	if w.seen.Sub(w.stopped) > eventLag {
		w.worked, w.stopped, w.words, w.unread = true, time.Time{}, "", ""
	}
}

// stop takes in that an event told the end of a turn, and the agent's last words, or the transcript in which
// they will stand.
func (w *watched) stop(words, transcript string, at time.Time) {
	w.worked, w.stopped, w.words, w.unread = true, at, words, ""
	if words == "" {
		w.unread = transcript
	}
	if w.state == Idle {
		w.turned = true
	}
}

// catchUp reads the last words where the event came before they were written down: Claude Code 1.0 may write
// its transcript a moment after the hook has run.
func (w *watched) catchUp(s *Sighting) {
	if w.unread == "" || s.State != Idle || !w.turned {
		return
	}
	w.words = lastWords(HookEvent{Transcript: w.unread})
	if s.Words = w.words; w.words != "" || s.At.Sub(w.stopped) > patience {
		w.unread = ""
	}
}

// exit takes in that the agent has ended. It was in the middle of its work if it was seen at work last and
// its session, nil where nothing is known of it, did not say goodbye.
func (w *watched) exit(s *session) {
	w.shell, w.cut = true, ""
	if w.state == Working && w.reading.State == Working && (s == nil || !s.ended && s.stopped.IsZero()) {
		w.cut = "The agent has ended in the middle of its work."
	}
}

// again takes in that the screen is as it was at the look before, as a poll found that began at that time.
func (w *watched) again(began time.Time) {
	w.same++
	w.drawn++
	w.seen = began
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
		if state == Idle {
			w.turned, w.worked = w.worked, false
		}
	}
	s := Sighting{
		Process: w.process, Agent: w.agent, Name: w.info.Name, Project: w.project.of(w.info.Path), Where: w.info.Where(),
		State: state, Since: w.since, Tail: w.tail, At: w.seen,
	}
	switch state {
	case Idle:
		s.Worked = w.turned
		if w.turned {
			s.Words = w.words
		}
		fallthrough
	case Working, Silent:
		if w.same >= 2 {
			s.Blocked = w.dead
		}
	case Shell:
		s.Blocked = w.cut
	}
	if state == Shell || state == Gone {
		s.At = now // no screen was looked at
	}
	return s
}
