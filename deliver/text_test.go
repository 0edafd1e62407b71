package deliver

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"unicode"

	"nod/detect/screen"
	"nod/internal/testrun"
)

// What words may begin with, and what may precede that: agents interpret the first character of their input
// box.
var (
	commands = []string{"!", "/", "#", "@", "&", "$", "?", ":", "！", "／", "＃", "＠", "﹗", "⁄", "ǃ", "¡", ">", "\\", "`", "exit", "quit", "bash ", "؟", "߹"}
	hidden   = []string{
		" ", "\t", "\n", "\r", "\r\n", "\v", "\f", "\u0085", "\u00a0", "\u1680", "\u2028", "\u2029", "\u3000", "\x1c", "\x1e", "\x1f", "\u200b", "\u200d",
		"\ufeff", "\u202e", "\u2066", "\u200f", "\u0301", "\u20e3", "\ufe0f", "\U000e0021", "\x00", "\x01", "\x03", "\x08", "\x15", "\x1b", "\x1b[201~", "\x7f", "\u009b", "\u00ad", "\xff",
	}
)

// hostile returns words that would be a command, on their first line or on a later one.
func hostile(random *rand.Rand) string {
	var b strings.Builder
	some := func(from []string, most int) {
		for range random.IntN(most + 1) {
			b.WriteString(from[random.IntN(len(from))])
		}
	}
	for range 1 + random.IntN(3) {
		some(hidden, 3)
		some(commands, 2)
		b.WriteString("rm -rf build")
		some(hidden, 3)
	}
	return b.String()
}

// asRead returns the lines of a pasted text as the most lenient agent may read them: split at every kind of
// line break, without anything before the first visible character.
func asRead(pasted string) (lines []string) {
	breaks := func(r rune) bool { return strings.ContainsRune("\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029", r) }
	for _, l := range strings.FieldsFunc(pasted, breaks) {
		lines = append(lines, strings.TrimLeftFunc(l, func(r rune) bool {
			return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.In(r, unicode.M, unicode.Cf, unicode.Z) || r == unicode.ReplacementChar
		}))
	}
	return lines
}

// TestWordsNeverBeginAnInputBox: an idle agent gets the reason of a denial in one line, after nod's own word.
func TestWordsNeverBeginAnInputBox(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testrun.Rounds(40, 300)) {
		random := rand.New(rand.NewPCG(seed, 6))
		agent := []string{"claude", "opencode", "gemini"}[random.IntN(3)]
		said := hostile(random)
		synctest.Test(t, func(t *testing.T) {
			p := newPane(t, agent, agent+"-idle")
			var began begins
			res := p.typist().Type(t.Context(), Request{Pane: ref, Process: processes[agent].ID, Agent: agent, Because: Say(said)}, began.begin)
			if len(p.pasted) != 1 {
				t.Fatalf("pasted %q: %+v", p.pasted, res)
			}
			lines := asRead(p.pasted[0])
			if len(lines) != 1 || !strings.HasPrefix(lines[0], "Denied: ") || !strings.Contains(lines[0], "rm -rf build") {
				t.Errorf("of %q it reads %q", said, lines)
			}
			if strings.ContainsFunc(p.pasted[0], unicode.IsControl) {
				t.Errorf("of %q it is given %q", said, p.pasted[0])
			}
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// TestAnAnswerHasNoLineButItsField: if a program takes a line break for Enter, the text after it would begin
// an input box.
func TestAnAnswerHasNoLineButItsField(t *testing.T) {
	for seed := range uint64(300) {
		said := hostile(rand.New(rand.NewPCG(seed, 7)))
		synctest.Test(t, func(t *testing.T) {
			p := newPane(t, "codex", "codex-form")
			r := Request{Pane: ref, Process: processes["codex"].ID, Agent: "codex", Answer: Say(said)}
			r.decides(promptOn(t, "codex", "codex-form"))
			var began begins
			p.typist().Type(t.Context(), r, began.begin)
			if len(p.pasted) != 1 || len(asRead(p.pasted[0])) != 1 || !strings.Contains(p.pasted[0], "rm -rf build") {
				t.Errorf("seed %d: of %q it is given %q", seed, said, p.pasted)
			}
		})
	}
}

// TestAnAnswerOnlyToItsQuestion: never in an input box, and never without a question.
func TestAnAnswerOnlyToItsQuestion(t *testing.T) {
	for name, r := range map[string]Request{
		"that has gone": {Fingerprint: promptOn(t, "claude", "claude-question").Fingerprint, Answer: Say("blue")},
		"that is none":  {Answer: Say("blue")},
		"and more":      {Answer: Say("blue"), Instruction: "run the tests"},
		"and a reason":  {Answer: Say("blue"), Because: Say("no")},
		"approved":      {Decision: screen.Approve, Fingerprint: "f", Because: Say("no")},
		"and two kinds": {Instruction: "run the tests", Because: Say("no")},
		"blank":         {Because: Say(" \u0085\x00")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPane(t, "claude", "claude-idle")
				r.Pane, r.Process, r.Agent = ref, processes["claude"].ID, "claude"
				var began begins
				if res := p.typist().Type(t.Context(), r, began.begin); res.Outcome != Refused || began != 0 || len(p.pasted)+len(p.typed) > 0 {
					t.Errorf("%+v, pasted %q, typed %q", res, p.pasted, p.typed)
				}
			})
		})
	}
}

// TestWordsAreStoredAsTheyWereSaid: a record of words without a kind is read as words.
func TestWordsAreStoredAsTheyWereSaid(t *testing.T) {
	var r struct {
		Because Words `json:",omitzero"`
	}
	for _, c := range []struct{ stored, said string }{{`{"Because":"! make"}`, "! make"}, {`{}`, ""}, {`{"Because":"a\nb"}`, "a\nb"}} {
		r.Because = Words{}
		if err := json.Unmarshal([]byte(c.stored), &r); err != nil || r.Because.Said() != c.said {
			t.Errorf("%s is read as %q, %v", c.stored, r.Because.Said(), err)
		}
		if stored, err := json.Marshal(r); err != nil || string(stored) != c.stored {
			t.Errorf("%q is stored as %s, %v", c.said, stored, err)
		}
	}
}
