package detect

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"nod/detect/agents"
	"nod/internal/host/ordinary"
)

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
	if !ownFile(info) {
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

// ownFile reports whether info is of a file of this user. Files that the kernel makes up while they are read have no size, and
// some of them block, or can be read only once.
func ownFile(info fs.FileInfo) bool {
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Size() > 0 && int(owner.Uid) == os.Getuid()
}

// transcriptMessage is a message in a transcript, in the form of the model's API.
type transcriptMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
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
			var message transcriptMessage
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

// lastVersion is the agent's, in the newest line of a transcript that has one in that field: every agent that goes on with a session writes
// its own.
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
