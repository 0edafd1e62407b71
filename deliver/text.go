package deliver

import (
	"context"
	"strings"
	"unicode"

	"nod/internal/host/tmux"
)

// All text for a keyboard goes through this file, which decides how each kind begins. Agents interpret the
// first character of their input box: "!" begins a shell command (Claude Code, Codex, Gemini, Qwen, Cline,
// Kimi), "/" an agent's command. Words of a person must not be read as either.

// Instruction is its author's next line for an agent. It may be a command of the agent: /clear, ! make.
type Instruction string

// Words are a person's words about an agent's question: the reason of a denial, or an answer. They never
// begin an input box. No conversion makes an Instruction of them.
type Words struct{ said string }

// Say makes Words of a person's text.
func Say(said string) Words { return Words{said} }

// Said returns the person's text.
func (w Words) Said() string { return w.said }

// IsZero reports whether there are no words.
func (w Words) IsZero() bool { return w.said == "" }

// MarshalText stores the person's text.
func (w Words) MarshalText() ([]byte, error) { return []byte(w.said), nil }

// UnmarshalText is the inverse of MarshalText.
func (w *Words) UnmarshalText(said []byte) error { w.said = string(said); return nil }

// oneLine returns the words without line breaks and control characters. If a program takes a line break for
// Enter, the text after it begins an input box, and a control character may delete the text before it.
func (w Words) oneLine() string {
	blanks := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	return strings.Join(strings.FieldsFunc(w.said, blanks), " ")
}

// longestField is the maximum length of words, in runes, that can be recognised in a field.
const longestField = 300

// proven returns the words as they are typed into a field that shows them, so that they can be compared: in
// one line, because fields join pasted lines. Empty: there are none, or a screen may draw them as something
// else; then they are not typed.
func (w Words) proven() string {
	words := w.oneLine()
	odd := strings.ContainsFunc(w.said, func(c rune) bool {
		return !unicode.IsSpace(c) && (!unicode.IsPrint(c) || unicode.In(c, unicode.M) || c > 0xffff)
	})
	if odd || len([]rune(words)) > longestField {
		return ""
	}
	return words
}

// columns returns the maximum number of columns that words take on a screen.
func columns(words string) int {
	n := 0
	for _, c := range words {
		if n++; c > unicode.MaxLatin1 {
			n++
		}
	}
	return n
}

// Denied returns the reason of a denial as it goes into an input box, behind nod's own word.
func Denied(because Words) string { return "Denied: " + because.oneLine() }

// line is a text for the keyboard.
type line struct{ pasted string }

// asInstruction returns the line for the input box, as its author wrote it.
func (i Instruction) asInstruction() line { return line{string(i)} }

// asReason returns the line for the input box with the reason of a denial.
func (w Words) asReason() line { return line{Denied(w)} }

// inField returns the line for a field of its own, which is no input box.
func (w Words) inField() line { return line{w.oneLine()} }

// text returns the line for the agent that waits for it.
func (r Request) text() line {
	switch {
	case r.Instruction != "":
		return r.Instruction.asInstruction()
	case !r.Answer.IsZero():
		return r.Answer.inField()
	}
	return r.Because.asReason()
}

// tells reports whether r gives text to an agent that waits for some, and no decision.
func (r Request) tells() bool {
	return r.Instruction != "" || !r.Answer.IsZero() && r.Choice == nil || !r.Because.IsZero() && r.Decision == ""
}

// put pastes a text into the pane of s, if g still holds, at most once.
func (j *job) put(ctx context.Context, s *look, g tmux.Guard, l line) error {
	return j.typeOnce(ctx, s, func(ctx context.Context) error { return j.keyboard.Paste(ctx, g, l.pasted) })
}
