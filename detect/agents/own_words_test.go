package agents

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"nod/detect/screen"
)

// ownWordsRow is a recorded question of an agent with a row for words of one's own, and what an answer of the model's may be called to be
// taken for that.
type ownWordsRow struct {
	agent, file string
	answers     []string // of the model's
	hint        string
	last        int // the number of the agent's row for words
	forged      []string
	mark        string // is before the marked row, as two blanks do before others; empty: the mark is a colour
}

var ownWordsRows = []ownWordsRow{
	{"claude", "2.1.329-question-80x24.txt", []string{"SQLite", "Postgres", "None"}, claudeOwnWords, 4, []string{"Type something", "Other", "Chat about this"}, "❯ "},
	{"gemini", "0.61.0-question-80x24.txt", []string{"Red", "Blue"}, geminiOwnWords.Hint, 3, []string{"Enter a custom value.", "Other", "Type something."}, "● "},
	{"qwen", "0.24.4-question-80x24.txt", []string{"Red", "Blue"}, qwenOwnWords.Hint, 3, []string{"> Type something...", "> rm -rf build", "Other"}, "❯ "},
	{"opencode", "1.18.33-question-80x24.ansi", []string{"Red", "Blue"}, panelOwnWords.Hint, 3, []string{"Type your own answer.", "Other"}, ""},
	{"kilo", "7.7.9-question2-80x24.ansi", []string{"Red", "Blue"}, panelOwnWords.Hint, 3, []string{"Type your own answer:", "Other"}, ""},
}

// TestAModelsAnswerIsNoField: an answer of the model's own that reads as the row for words does, with or without the mark, opens no
// field, so that words are neither typed nor choose anything.
func TestAModelsAnswerIsNoField(t *testing.T) {
	seed := rand.Uint64()
	for _, row := range ownWordsRows {
		recorded, err := os.ReadFile("testdata/" + row.agent + "/" + row.file)
		if err != nil {
			t.Fatal(err)
		}
		if p := Read(row.agent, screen.Parse(string(recorded))).Prompt; p.Writes != row.last {
			t.Errorf("%s: row %d of %s takes words, want %d", row.agent, p.Writes, row.file, row.last)
		}
		for round := range uint64(300) {
			r := rand.New(rand.NewPCG(seed, round))
			text := row.forge(string(recorded), r)
			p := Read(row.agent, screen.Parse(text)).Prompt
			if p != nil && (p.TextField || p.Writes > 0) {
				t.Fatalf("%s: seed %d, round %d: row %d takes words (a field is open: %v) in\n%s", row.agent, seed, round, p.Writes, p.TextField, text)
			}
		}
	}
}

// TestOwnWordsAreLeftToTheTerminal where the row is not proven to be the agent's, or not what its field does: Gemini shows a part of a long
// list, whose last row may be the model's; words change the headings of a set of its, and Qwen leaves the next question of a set without an
// answer.
func TestOwnWordsAreLeftToTheTerminal(t *testing.T) {
	for _, file := range []string{
		"gemini/0.61.0-forged-80x24", "gemini/0.61.0-forged+marked-80x24", "gemini/0.61.0-question2-80x24", "gemini/0.61.0-question2+words-80x24",
		"gemini/0.61.0-boxes-80x24", "qwen/0.24.4-question2-80x24", "qwen/0.24.4-question2+words-80x24", "qwen/0.24.4-question2+field-80x24", "gemini/0.61.0-question2+field-80x24", "opencode/1.18.33-question2+walk.tab2-80x24",
		"copilot/1.0.102-question-80x24", "kimi/2.1.0-question-80x24", "cline/3.0.65-question-80x24", "grok/1.0.41-question-80x24",
	} {
		agent, _, _ := strings.Cut(file, "/")
		for _, ext := range []string{".txt", ".ansi"} {
			shown, err := os.ReadFile("testdata/" + file + ext)
			if err != nil {
				t.Fatal(err)
			}
			if p := Read(agent, screen.Parse(string(shown))).Prompt; p == nil || p.TextField || p.Writes > 0 || p.Write() != nil {
				t.Errorf("%s%s takes words: %+v", file, ext, p)
			}
		}
	}
}

// forge calls one answer of the model's as the agent calls its row for words, and moves the mark to any row but that one.
func (row ownWordsRow) forge(text string, r *rand.Rand) string {
	forged := r.IntN(len(row.answers))
	for i, answer := range row.answers {
		label := row.hint
		if i != forged && r.IntN(2) == 0 {
			label = row.forged[r.IntN(len(row.forged))]
		}
		if i == forged || r.IntN(3) == 0 {
			if padded := answer + strings.Repeat(" ", max(len(label)-len(answer), 0)); strings.Contains(text, padded) {
				answer = padded // what is beside it stays where it is
			}
			text = strings.Replace(text, answer, label, 1)
		}
	}
	if lit := 1 + r.IntN(row.last+1); row.mark != "" && lit != 1 && lit != row.last {
		text = strings.Replace(text, row.mark+"1.", "  1.", 1)
		text = strings.Replace(text, fmt.Sprintf("  %d. ", lit), fmt.Sprintf("%s%d. ", row.mark, lit), 1)
	}
	if at := strings.LastIndex(text, row.hint); r.IntN(2) == 0 {
		text = text[:at] + strings.Replace(text[at:], row.hint, "Something else", 1)
	}
	return text
}
