package detect

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const (
	// transcriptTail is how much of a transcript is read, from its end.
	transcriptTail = 256 << 10
	// wordsLimit is how many runes of an agent's last words are kept.
	wordsLimit = 4000
)

// lastWords are what the agent said last in the turn that an event ended: as the event tells, else from the
// end of the transcript that it names. Empty where neither tells.
func lastWords(e HookEvent) string {
	words := strings.TrimSpace(e.Message)
	if words == "" && e.Transcript != "" {
		words = lastAssistant(tailOf(e.Transcript))
	}
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
	// Without O_NONBLOCK a pipe would hold up all looks.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); !ok || int(owner.Uid) != os.Getuid() {
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

// transcriptLine is one line of a transcript: Claude Code writes {"type":"assistant","message":…}, Codex
// {"type":"response_item","payload":…}, with the message of the model's interface inside.
type transcriptLine struct {
	Sidechain bool `json:"isSidechain"` // of a part that works on its own
	Message   struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"message"`
	Payload struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"payload"`
}

// lastAssistant is the last text that the agent wrote after the last thing that a human did. A line that
// can't be read says nothing.
func lastAssistant(tail []byte) string {
	lines := bytes.Split(tail, []byte("\n"))
	for i := len(lines) - 1; i >= 0; i-- {
		var line transcriptLine
		if json.Unmarshal(lines[i], &line) != nil || line.Sidechain {
			continue
		}
		message := line.Message
		if message.Role == "" {
			message = line.Payload
		}
		text := textOf(message.Content)
		switch {
		case text == "":
		case message.Role == "assistant":
			return text
		case message.Role == "user":
			return "" // the turn ended without a word
		}
	}
	return ""
}

// textOf is the text of a message: a string, or the texts among its parts.
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
