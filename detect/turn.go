package detect

import (
	"fmt"
	"time"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/reason"
)

// turn is what is known of the agent's current turn, or of its last one.
type turn struct {
	worked     bool      // the agent was seen to work, or to ask, since it was idle last
	over       bool      // of an idle agent: a turn is over
	ended      time.Time // when an event told the end of the turn; zero: none did
	words      string    // the agent's last words of that turn
	transcript string    // the file that may still tell them; empty: none
	cutOff     bool      // the agent exited in the middle of it
	// failed is the error with which an event told that it ended; zero: none did.
	failed reason.Why
	edits  []Edit // that its events told
	done   bool   // what they told is of a turn that is over
}

// goesOn takes in that the agent was seen at work at that time. The screen may say so a moment longer than
// the event that ended the turn.
func (t *turn) goesOn(seen time.Time) {
	if seen.Sub(t.ended) > eventLag {
		t.edit(nil)
		t.worked, t.ended, t.words, t.transcript, t.failed = true, time.Time{}, "", "", reason.Why{}
	}
}

// edit takes in what was edited in the turn that goes on.
func (t *turn) edit(edits []Edit) {
	if t.done {
		t.edits, t.done = nil, false
	}
	t.edits = addEdits(t.edits, edits)
}

// idle takes in that the agent has become idle.
func (t *turn) idle() { t.over, t.worked, t.done = t.worked, false, true }

// lastWords are those that an event told, else what the screen shows of them, unless they may still be written down.
func (t *turn) lastWords(shown string) string {
	if t.words != "" || t.transcript != "" {
		return t.words
	}
	return shown
}

// turnStopped takes in that an event told the end of a turn, and the agent's last words, or the transcript in which
// they will stand.
func (p *agentPane) turnStopped(words string, e HookEvent, at time.Time) {
	t := &p.turn
	t.worked, t.ended, t.words, t.transcript, t.failed, t.done = true, at, words, "", reason.Why{}, true
	if words == "" {
		t.transcript = e.Transcript
	}
	if e.Error != "" {
		t.failed = agents.HooksOf(p.agent).Failure(e.Error)
	}
	if p.state == screen.Idle {
		t.over = true
	}
}

// readTranscript reads the last words where the event came before they were written down: an agent may write its
// transcript a moment after the hook has run.
func (p *agentPane) readTranscript(seen *Sighting) {
	t := &p.turn
	if t.transcript == "" || seen.State != screen.Idle || !t.over {
		return
	}
	if words, ok := p.files.lastWords(fmt.Sprint(p.info.ID, p.process), t.transcript, agents.HooksOf(p.agent).Message); ok {
		t.words = words
	}
	if seen.Words = t.words; t.words != "" || seen.At.Sub(t.ended) > urgentFor {
		t.transcript = ""
	}
}
