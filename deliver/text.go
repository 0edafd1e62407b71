package deliver

import (
	"context"
	"strings"
	"unicode"

	"nod/internal/host/tmux"
)

// This file is the one place that gives text to a keyboard, and decides how each kind of it begins. Agents read the first
// character of their input box: behind "!" stands a command for the shell (Claude Code, Codex, Gemini, Qwen, Cline, Kimi),
// behind "/" one for the agent. What a person meant to be read as words must not be read as that.

// Instruction is its author's next line for an agent. It may be a command of the agent: /clear, ! make.
type Instruction string

// Words are what a person says of something that an agent asks: the reason of a denial, or the answer to a question. They
// never begin an input box. No conversion makes an Instruction of them.
type Words struct{ said string }

// Say makes words of what a person wrote.
func Say(said string) Words { return Words{said} }

// Said is what the person wrote.
func (w Words) Said() string { return w.said }

// IsZero reports whether there are none.
func (w Words) IsZero() bool { return w.said == "" }

// MarshalText and UnmarshalText store words as what was said.
func (w Words) MarshalText() ([]byte, error) { return []byte(w.said), nil }

// UnmarshalText is the way back of MarshalText.
func (w *Words) UnmarshalText(said []byte) error { w.said = string(said); return nil }

// oneLine is words without line breaks and control characters: where a program takes a line break for Enter, what follows it
// begins an input box too, and a control character may delete what is before it.
func (w Words) oneLine() string {
	blanks := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	return strings.Join(strings.FieldsFunc(w.said, blanks), " ")
}

// longestField is how long words may be, in runes, to be told by what a field shows.
const longestField = 300

// proven are words as they are typed into a field that shows them, so that they can be compared: in one line, since fields join the
// lines of what is pasted. Empty where there are none, or a screen may draw them as something else than they are: then they are
// not typed.
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

// columns is how many columns words take on a screen at most.
func columns(words string) int {
	n := 0
	for _, c := range words {
		if n++; c > unicode.MaxLatin1 {
			n++
		}
	}
	return n
}

// Denied is how the reason of a denial is in an input box: behind words of nod's own.
func Denied(because Words) string { return "Denied: " + because.oneLine() }

// line is a text as a keyboard takes it.
type line struct{ pasted string }

// asInstruction is how an instruction begins an input box: as its author wrote it.
func (i Instruction) asInstruction() line { return line{string(i)} }

// asReason is how the reason of a denial begins an input box.
func (w Words) asReason() line { return line{Denied(w)} }

// inField is how words are in a field of their own, which is no input box.
func (w Words) inField() line { return line{w.oneLine()} }

// text is what r gives to the agent that waits for it.
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

// put pastes a text where s was seen, if g still holds, at most once.
func (j *job) put(ctx context.Context, s *look, g tmux.Guard, l line) error {
	return j.typeOnce(ctx, s, func(ctx context.Context) error { return j.keyboard.Paste(ctx, g, l.pasted) })
}
