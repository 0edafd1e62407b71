package detect

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/ordinary"
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
func (p *agentPane) turnStopped(e HookEvent, at time.Time) {
	t, words := &p.turn, cutWords(e.Message)
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

const (
	// transcriptTail is how many bytes of a transcript are read, from its end.
	transcriptTail = 256 << 10
	// wordsLimit is the greatest number of runes of an agent's last words.
	wordsLimit = 4000
)

// cutWords cuts an agent's last words to wordsLimit.
func cutWords(words string) string {
	words = strings.TrimSpace(words)
	if runes := []rune(words); len(runes) > wordsLimit {
		return string(runes[:wordsLimit-1]) + "…"
	}
	return words
}

// tailOf is the end of a file, from the beginning of a line. An event may name any path, so only a regular
// file of this user is read.
func tailOf(path string) []byte {
	if !filepath.IsAbs(path) {
		return nil
	}
	file, info, err := ordinary.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	// Files that the kernel makes up while they are read have no size, and some of them block, or can be read only once.
	if info.Size() == 0 || !ordinary.OwnedBy(info, os.Getuid()) {
		return nil
	}
	from := max(info.Size()-transcriptTail, 0)
	tail, err := io.ReadAll(io.NewSectionReader(file, from, transcriptTail))
	if err != nil {
		return nil
	}
	if from > 0 {
		_, tail, _ = bytes.Cut(tail, []byte("\n"))
	}
	return tail
}

// inTranscript is what read finds in a transcript; ok is false if it could not be read soon enough. The asker is whose transcript it is said
// to be. Kind names what read looks for.
func inTranscript[T any](f *fileQuestions, kind, asker, path string, read func(lines agents.Lines) T) (found T, ok bool) {
	return answerTo(f, question{kind, path}, asker, func() T { return read(newestFirst(f.tail(path))) })
}

// lastWords is the last text that the agent wrote after the last thing that a human did, where each line of the
// transcript holds a message in that field.
func lastWords(field string) func(lines agents.Lines) string {
	return func(lines agents.Lines) string {
		for line := range lines {
			var message struct { // in the form of the model's API
				Role    string          `json:"role"`
				Content json.RawMessage `json:"content"`
			}
			if json.Unmarshal(line[field], &message) != nil || string(line["isSidechain"]) == "true" { // of a sub-agent
				continue
			}
			text := textOf(message.Content)
			switch {
			case text == "":
			case message.Role == "assistant":
				return cutWords(text)
			case message.Role == "user":
				return "" // the turn ended without a word
			}
		}
		return ""
	}
}

// version is an agent's: the one that its event named, else that in the newest line of its transcript that has one, since every agent that
// goes on with a session writes its own.
func (f *fileQuestions) version(agent, asker, named, transcript string) string {
	field := agents.HooksOf(agent).Version
	if named != "" || field == "" || transcript == "" {
		return named
	}
	found, _ := inTranscript(f, "version", asker, transcript, lastVersion(field))
	return found
}

func lastVersion(field string) func(lines agents.Lines) string {
	return func(lines agents.Lines) string {
		for line := range lines {
			if version := firstText(line, maxName, field); version != "" {
				return version
			}
		}
		return ""
	}
}

// escaped is when a person last stopped an agent, by its transcript; zero: the transcript does not say so, or can't be read. A time
// later than now does not count.
func (f *fileQuestions) escaped(agent, asker, path string, now time.Time) time.Time {
	at, _ := inTranscript(f, "escape", asker, path, func(lines agents.Lines) (at time.Time) {
		line := agents.HooksOf(agent).Escaped(lines)
		if json.Unmarshal(line["timestamp"], &at) != nil || at.After(now) {
			return time.Time{}
		}
		return at
	})
	return at
}

// newestFirst are the lines of a transcript, the last one first. Lines that can't be read are left out.
func newestFirst(tail []byte) agents.Lines {
	return func(yield func(map[string]json.RawMessage) bool) {
		for _, text := range slices.Backward(bytes.Split(tail, []byte("\n"))) {
			var line map[string]json.RawMessage
			if json.Unmarshal(text, &line) == nil && !yield(line) {
				return
			}
		}
	}
}

// textOf is the text of a message, which is a string or a list of parts.
func textOf(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return strings.TrimSpace(text)
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &parts) != nil {
		return ""
	}
	var texts []string
	for _, p := range parts {
		if strings.HasSuffix(p.Type, "text") && strings.TrimSpace(p.Text) != "" {
			texts = append(texts, strings.TrimSpace(p.Text))
		}
	}
	return strings.Join(texts, "\n")
}
