package detect

import (
	"crypto/sha256"
	"slices"
	"time"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/reason"
)

// silentAfter is how long a pane on which nothing known is seen must be unchanged to count as silent.
const silentAfter = 2 * time.Minute

// aboveTail is how many rows above a pane's tail are kept: a private key of 4096 bits has some fifty.
const aboveTail = 60

// agentPane is one pane in which an agent runs, and what the looks at it have told so far.
type agentPane struct {
	files   *fileQuestions
	info    tmux.Pane // as it was listed or captured last
	project project
	place   place
	foreground
	lastLook

	text        steady[[sha256.Size]byte] // of the reading's text
	fingerprint steady[string]            // of the prompt on the screen; empty: there is none
	reported    string                    // the fingerprint of the prompt that is there, as far as See has heard of it

	state    screen.State
	since    time.Time
	standing *standingPrompt // the last prompt that was told, and what events told of it
	policy   policy          // which calls the agent asks about
	turn     turn
	review   review
	escape   escape
}

// place is the name of where a pane was last: it is written only where the pane has moved, not at each look.
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

// foreground is what runs in the terminal of a pane.
type foreground struct {
	agent   string
	process proc.ID
	exited  bool           // the agent has ended and a shell owns the pane
	covered bool           // another program has the foreground while the agent lives, such as an editor
	others  []proc.Process // that are in the foreground of its terminal, beside the agent or in its place
	reread  bool           // they have changed since the screen was read
}

// lastLook is what the last look at a pane found.
type lastLook struct {
	capture tmux.Capture
	reading screen.Reading
	drawn   []screen.Drawn // the screen with the roles that the reading tells
	program string         // the one of the others in the foreground that the reading is told as; empty: it is the agent's
	tail    []string
	above   []string   // the rows of the screen above tail
	deadEnd reason.Why // the one that the screen names
	said    string     // what the screen shows of the agent's last words
	readAt  time.Time  // when the screen was last known to be like this
}

// steady is what the last looks in a row agree on.
type steady[T comparable] struct {
	is    T
	looks int       // how many they are
	from  time.Time // when the first of them was
}

// take takes in what a look at that time found.
func (s *steady[T]) take(found T, at time.Time) {
	if s.looks == 0 || found != s.is {
		*s = steady[T]{is: found, from: at}
	}
	s.looks++
}

func newAgentPane(files *fileQuestions, listed tmux.Pane, agent string, process proc.ID, now time.Time) *agentPane {
	p := &agentPane{files: files, info: listed, foreground: foreground{agent: agent, process: process}, state: screen.Working, since: now}
	p.text.from = now
	return p
}

// takeCapture takes in a fresh capture, which read tells the meaning of.
func (p *agentPane) takeCapture(capture tmux.Capture, read func(string, screen.Screen) screen.Reading) {
	if p.ticked(capture) {
		return
	}
	parsed := screen.Parse(capture.Text)
	parsed.Columns = capture.Pane.Width
	p.info, p.capture, p.tail = capture.Pane, capture, parsed.Tail(agents.TailRows)
	p.reading, p.program = readAmong(read, p.agent, p.others, parsed)
	p.reread = false
	if drawn := parsed.Drawn(p.reading.Rows); !slices.Equal(drawn, p.drawn) {
		p.drawn = drawn
	}
	p.above = parsed.Tail(agents.TailRows + aboveTail)
	p.above = p.above[:len(p.above)-len(p.tail)]
	p.readAt, p.deadEnd = capture.Taken, agents.DeadEnd(p.agent, parsed, p.reading)
	p.said = cutWords(agents.LastWords(p.agent, parsed, p.reading))

	p.review.take(agents.DeniedOn(p.agent, parsed, p.reading), capture.Taken)

	p.text.take(sha256.Sum256([]byte(p.reading.Text)), capture.Taken)
	fingerprint := ""
	if p.reading.Prompt != nil && p.reading.State.Asks() {
		fingerprint = p.reading.Prompt.Fingerprint
	}
	p.fingerprint.take(fingerprint, capture.Taken)
	if p.reading.State == screen.Working || fingerprint != "" {
		p.turn.goesOn(capture.Taken)
	}
}

// ticked takes in a capture of an agent at work on whose screen only rows have changed that tick, such as its spinner: it says what the one
// before said, and is not read once more. It reports false, and does nothing, where that may not be so. What another program in the
// foreground asks may change without its screen.
func (p *agentPane) ticked(capture tmux.Capture) bool {
	was := p.capture.Pane
	if p.reread || len(p.others) > 0 || p.reading.State != screen.Working || was.Width != capture.Pane.Width || was.Height != capture.Pane.Height {
		return false
	}
	rows, ok := screen.Ticked(p.capture.Text, capture.Text, p.reading.Ticking)
	if !ok {
		return false
	}
	// Those who were told of the rows before still have them.
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
	}
	p.unchanged(capture.Taken)
	p.info, p.capture = capture.Pane, capture
	p.turn.goesOn(capture.Taken)
	return true
}

// unchanged takes in that the screen is as it was at the look before, as a poll found that began at that time.
func (p *agentPane) unchanged(began time.Time) {
	p.text.looks++
	p.fingerprint.looks++
	p.review.again(began)
	p.readAt, p.capture.Taken = began, began
}

// unconfirmed reports whether a prompt is on the screen that was not told yet.
func (p *agentPane) unconfirmed() bool {
	return p.fingerprint.is != "" && p.fingerprint.is != p.reported && !p.hidden() && !p.exited && p.reading.State != screen.Overlay
}

// hidden reports whether another program has the foreground that asks nothing.
func (p *agentPane) hidden() bool { return p.covered && p.program == "" }

// agentExited takes in that the agent has ended. It was in the middle of its work if it was seen at work last and
// its session, nil where nothing is known of it, did not say goodbye.
func (p *agentPane) agentExited(known *session) {
	p.exited = true
	p.turn.cutOff = p.state == screen.Working && p.reading.State == screen.Working &&
		(known == nil || !known.ended && known.stopped.IsZero())
}

// judge tells what the last look says, where enough looks in a row that agree make a screen stable.
func (p *agentPane) judge(enough int, now time.Time) Sighting {
	switch {
	case p.exited:
		p.reported = ""
		return p.sighting(screen.Shell, now)
	case p.hidden(), p.reading.State == screen.Overlay:
		// What lies over the agent says nothing of it: it stays in its state, and takes no keys.
		return p.sighting(p.state, now)
	case p.fingerprint.is != "" && (p.fingerprint.is == p.reported || p.fingerprint.looks >= enough || p.text.looks >= enough):
		p.reported = p.fingerprint.is
		seen := p.sighting(p.reading.State, now)
		seen.Prompt = p.reading.Prompt
		return seen
	case p.fingerprint.is != "", p.reported != "":
		// The prompt is half drawn or was seen too seldom yet; or it is not there, which one look may say of a
		// screen that is being drawn again.
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
		// While somebody types into the input box the screen changes, and the agent is idle still.
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

// sighting puts the pane into a state and tells of it.
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
	}
	switch state {
	case screen.Idle:
		seen.Worked, seen.Said = p.turn.over, p.said
		if p.turn.over {
			seen.Words, seen.Edits = p.turn.lastWords(p.said), p.turn.edits
		}
		fallthrough
	case screen.Working, screen.Silent:
		// The screen says more than an event, such as when a limit ends.
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
		seen.At = now // no screen was looked at
	}
	return seen
}
