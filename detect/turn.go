package detect

import (
	"time"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/reason"
)

// turn is what is known of the agent's current turn, or of its last one.
type turn struct {
	worked     bool      // the agent was seen to work, or to ask, since it was idle last
	over       bool      // of an idle agent: a turn is over
	ended      time.Time // when an event reported the end of the turn; zero: none did
	words      string    // the agent's last words of that turn
	transcript string    // the file in which they may still come; empty: none
	cutOff     bool      // the agent exited in the middle of it
	// failed is the error with which the turn ended, by an event; zero: none.
	failed reason.Why
	edits  []Edit // by its events
	done   bool   // the edits are of a turn that is over
}

// goesOn handles a look that sees the agent at work. The screen may say so a moment longer than
// the event that ended the turn.
func (t *turn) goesOn(seen time.Time) {
	if seen.Sub(t.ended) > eventLag {
		t.edit(nil)
		t.worked, t.ended, t.words, t.transcript, t.failed = true, time.Time{}, "", "", reason.Why{}
	}
}

// edit adds edits of the turn that goes on.
func (t *turn) edit(edits []Edit) {
	if t.done {
		t.edits, t.done = nil, false
	}
	t.edits = addEdits(t.edits, edits)
}

// idle handles a look at which the agent has become idle.
func (t *turn) idle() { t.over, t.worked, t.done = t.worked, false, true }

// lastWords are those in an event, else those on the screen, unless they may still be written to the transcript.
func (t *turn) lastWords(shown string) string {
	if t.words != "" || t.transcript != "" {
		return t.words
	}
	return shown
}

// turnStopped handles the event that a turn has ended. The event has the agent's last words, or names the transcript that
// will have them.
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

// readTranscript reads the last words if the event came before they were written: an agent may write its transcript a
// moment after the hook has run.
func (p *agentPane) readTranscript(seen *Sighting) {
	t := &p.turn
	if t.transcript == "" || seen.State != screen.Idle || !t.over {
		return
	}
	if words, ok := inTranscript(p.files, "words", p.asker(), t.transcript, lastWords(agents.HooksOf(p.agent).Message)); ok {
		t.words = words
	}
	if seen.Words = t.words; t.words != "" || seen.At.Sub(t.ended) > urgentFor {
		t.transcript = ""
	}
}
