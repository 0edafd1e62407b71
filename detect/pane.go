package detect

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/reason"
)

// silentAfter is how long a pane without anything known on it must be unchanged to count as silent.
const silentAfter = 2 * time.Minute

// aboveTail is how many rows above a pane's tail are kept: a private key of 4096 bits has some fifty.
const aboveTail = 60

// agentPane is one pane in which an agent runs, and the results of the looks at it.
type agentPane struct {
	files   *fileQuestions
	info    tmux.Pane // as it was listed or captured last
	project project
	place   place
	foreground
	lastLook

	text        steady[[sha256.Size]byte] // of the reading's text
	fingerprint steady[string]            // of the prompt on the screen; empty: none
	reported    string                    // the fingerprint of the prompt that See was called with

	state    screen.State
	since    time.Time
	standing *standingPrompt // the last prompt that was reported, and what events say about it
	policy   policy          // which calls the agent asks about
	turn     turn
	review   review
	escape   escape
}

// place is the name of a pane's last place, made only when the pane has moved and not at each look.
type place struct {
	at   tmux.Position
	name string
}

func (p *place) of(at tmux.Position) string {
	if p.name == "" || p.at != at {
		p.at, p.name = at, at.Where()
	}
	return p.name
}

// foreground is the processes in the terminal of a pane.
type foreground struct {
	agent   string
	process proc.ID
	exited  bool           // the agent has ended and a shell owns the pane
	covered bool           // another program has the foreground while the agent lives, such as an editor
	others  []proc.Process // processes in the foreground of its terminal other than the agent
	reread  bool           // an equal screen is read again: they, or the taught dialogs, have changed, or its dialog counts down
}

// lastLook is the result of the last look at a pane.
type lastLook struct {
	capture tmux.Capture
	reading screen.Reading
	drawn   []screen.Drawn // the screen with the roles of the reading
	program string         // the other program in the foreground that may have drawn the dialog; empty: the agent did
	tail    []string
	mode    agents.Mode // what tail says about the agent's mode
	above   []string    // the rows of the screen above tail
	deadEnd reason.Why  // the dead end that the screen shows
	said    string      // the part of the agent's last words that the screen shows
	readAt  time.Time   // when the screen was last known to be like this
}

// steady is a value that the last looks in a row agree on.
type steady[T comparable] struct {
	is    T
	looks int       // the number of these looks
	from  time.Time // the time of the first of them
}

// take handles the value of a look at that time.
func (s *steady[T]) take(found T, at time.Time) {
	if s.looks == 0 || found != s.is {
		*s = steady[T]{is: found, from: at}
	}
	s.looks++
}

func newAgentPane(files *fileQuestions, listed tmux.Pane, agent string, process proc.ID, now time.Time) *agentPane {
	return &agentPane{files: files, info: listed, foreground: foreground{agent: agent, process: process}, state: screen.Working, since: now}
}

// asker names the agent's run, on whose behalf files are read.
func (p *agentPane) asker() string { return fmt.Sprint(p.info.ID, p.process) }

// takeCapture handles a fresh capture. It reads with read what does not mean the same as the capture before.
func (p *agentPane) takeCapture(capture tmux.Capture, read func(string, screen.Screen) screen.Reading) {
	if p.ticked(capture) {
		return
	}
	parsed := screen.Parse(capture.Text)
	parsed.Columns = capture.Pane.Width
	rows := parsed.Tail(agents.TailRows + aboveTail)
	above := max(len(rows)-agents.TailRows, 0)
	p.info, p.capture, p.above, p.tail = capture.Pane, capture, rows[:above], rows[above:]
	was := p.reading.Prompt
	p.reading, p.program = readAmong(read, p.agent, p.others, parsed)
	// A dialog that counts down is one question. It is read again at each poll: one that has stopped counting is another question.
	if p.reread = was.TicksTo(p.reading.Prompt, capture.Taken.Sub(p.fingerprint.from)); p.reread {
		p.reading.Prompt = was // a key is typed after a look of its own, which takes every row as it is
	}
	if drawn := parsed.Drawn(p.reading.Rows); !slices.Equal(drawn, p.drawn) {
		p.drawn = drawn
	}
	p.readMode()
	p.readAt, p.deadEnd = capture.Taken, agents.DeadEnd(p.agent, parsed, p.reading)
	p.said = cutWords(agents.LastWords(p.agent, parsed, p.reading))

	p.review.take(agents.DeniedOn(p.agent, parsed, p.reading), capture.Taken)

	p.text.take(sha256.Sum256([]byte(p.reading.Text)), capture.Taken)
	p.reading.Text = "" // its hash is kept
	fingerprint := ""
	if p.reading.Prompt != nil && p.reading.State.Asks() {
		fingerprint = p.reading.Prompt.Fingerprint
	}
	p.fingerprint.take(fingerprint, capture.Taken)
	p.goesOn(capture.Taken)
}

// goesOn takes in that a capture at that time may show the agent in its turn.
func (p *agentPane) goesOn(at time.Time) {
	if p.reading.State == screen.Working || p.fingerprint.is != "" {
		p.turn.goesOn(at)
	}
}

// ticked handles a capture like the one before, or one of a working agent in which only rows that tick have changed, such as its spinner.
// The capture means the same as the one before and is not read again. It reports false, and does nothing, if it may mean something else.
// A question of another program in the foreground may change without its screen.
func (p *agentPane) ticked(capture tmux.Capture) bool {
	was := p.capture.Pane
	if p.reread || len(p.others) > 0 || was.Width != capture.Pane.Width || was.Height != capture.Pane.Height ||
		p.reading.State != screen.Working && p.capture.Text != capture.Text {
		return false
	}
	rows, ok := screen.Ticked(p.capture.Text, capture.Text, p.reading.Ticking)
	if !ok {
		return false
	}
	// Callers may still hold the earlier rows.
	drawn, tail := slices.Clone(p.drawn), slices.Clone(p.tail)
	for i, text := range rows {
		inTail := i - len(drawn) + len(tail)
		if inTail < 0 || inTail >= len(tail) {
			return false
		}
		drawn[i].Text, tail[inTail] = text, text
	}
	if len(rows) > 0 {
		p.drawn, p.tail = drawn, tail
		p.readMode()
	}
	p.unchanged(capture.Taken)
	p.info, p.capture = capture.Pane, capture
	p.goesOn(capture.Taken)
	return true
}

// unchanged handles a poll, begun at that time, which found the screen as it was at the look before.
func (p *agentPane) unchanged(began time.Time) {
	p.text.looks++
	p.fingerprint.looks++
	p.review.again(began)
	p.readAt, p.capture.Taken = began, began
}

// unconfirmed reports whether there is a prompt on the screen that was not reported yet.
func (p *agentPane) unconfirmed() bool {
	return p.fingerprint.is != "" && p.fingerprint.is != p.reported && !p.hidden() && !p.exited
}

// hidden reports whether another program, which asks nothing, is in the foreground.
func (p *agentPane) hidden() bool { return p.covered && p.program == "" }

// agentExited handles the end of the agent. It was interrupted in its work if it was last seen working and its session (nil: unknown)
// did not say goodbye.
func (p *agentPane) agentExited(known *session) {
	p.exited = true
	p.turn.cutOff = p.state == screen.Working && p.reading.State == screen.Working &&
		(known == nil || !known.ended && known.stopped.IsZero())
}

// judge returns the sighting of the last look. A screen counts as stable once enough looks in a row agree.
func (p *agentPane) judge(enough int, now time.Time) Sighting {
	switch {
	case p.exited:
		p.reported = ""
		return p.sighting(screen.Shell, now)
	case p.hidden(), p.reading.State == screen.Overlay:
		// An overlay says nothing about the agent: the agent stays in its state, and takes no keys.
		return p.sighting(p.state, now)
	case p.fingerprint.is != "" && (p.fingerprint.is == p.reported || p.fingerprint.looks >= enough || p.text.looks >= enough):
		p.reported = p.fingerprint.is
		seen := p.sighting(p.reading.State, now)
		seen.Prompt = p.reading.Prompt
		return seen
	case p.fingerprint.is != "", p.reported != "":
		// The prompt is half drawn, or too few looks saw it; or it is missing because the screen is just being redrawn.
		seen := p.sighting(p.state, now)
		seen.Unseen = p.reported != ""
		p.reported = ""
		return seen
	}
	return p.sighting(p.stateWithoutPrompt(enough, now), now)
}

// stateWithoutPrompt is the state of an agent that asks nothing.
func (p *agentPane) stateWithoutPrompt(enough int, now time.Time) screen.State {
	switch p.reading.State {
	case screen.Idle:
		// While a person types into the input box the screen changes, but the agent is still idle.
		if p.state == screen.Idle || p.text.looks >= enough {
			return screen.Idle
		}
	case screen.Silent:
		if now.Sub(p.text.from) >= silentAfter {
			return screen.Silent
		}
	}
	return screen.Working
}

// sighting sets the state of the pane and returns its sighting.
func (p *agentPane) sighting(state screen.State, now time.Time) Sighting {
	if state != p.state {
		p.state, p.since = state, now
		if state == screen.Idle {
			p.turn.idle()
		}
	}
	seen := Sighting{
		Whereabouts: Whereabouts{Process: p.process, Agent: p.agent, Name: p.info.Name, Project: p.project.of(p.info.Path, p.files), Where: p.place.of(p.info.Position)},
		State:       state, Since: p.since, Tail: p.tail, Above: p.above, Screen: p.drawn, At: p.readAt,
		Settling: state == screen.Working && p.reading.State == screen.Idle && !p.turn.worked,
	}
	switch state {
	case screen.Idle:
		seen.Worked, seen.Said = p.turn.over, p.said
		if p.turn.over {
			seen.Words, seen.Edits = p.turn.lastWords(p.said), p.turn.edits
		}
		fallthrough
	case screen.Working, screen.Silent:
		// The screen says more than an event does, such as the end of a limit.
		if p.text.looks >= 2 || !p.turn.failed.IsZero() {
			seen.Blocked = p.deadEnd
		}
		if state == screen.Idle && seen.Blocked.IsZero() {
			seen.Blocked = p.turn.failed
		}
	case screen.Shell:
		if p.turn.cutOff {
			seen.Blocked = reason.Why{Kind: reason.EndedAtWork}
		}
	}
	if state == screen.Shell || state == screen.Gone {
		seen.At = now // there was no look at a screen
	}
	return seen
}
