package agents

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"nod/detect/screen"
)

// TestAModelsAnswerIsNoField: an answer of the model's own that reads as the row for words does, with or without the mark, opens no
// field, so that words are neither typed nor choose anything.
func TestAModelsAnswerIsNoField(t *testing.T) {
	recorded, err := os.ReadFile("testdata/claude/2.1.329-question-80x24.txt")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"SQLite", "Postgres", "None"}
	seed := rand.Uint64()
	for round := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, round))
		text, forged := string(recorded), r.IntN(len(names))
		for i, name := range names {
			if i == forged || r.IntN(3) == 0 {
				label := []string{claudeOwnWords, claudeOwnWords, "Type something", "Other", "Chat about this"}[r.IntN(5)]
				if i == forged {
					label = claudeOwnWords
				}
				text = strings.Replace(text, name, label, 1)
			}
		}
		if lit := 1 + r.IntN(5); lit != 1 && lit != 4 {
			text = strings.Replace(text, "❯ 1.", "  1.", 1)
			text = strings.Replace(text, fmt.Sprintf("  %d. ", lit), fmt.Sprintf("❯ %d. ", lit), 1)
		}
		if r.IntN(2) == 0 {
			text = strings.Replace(text, "  4. Type something.", "  4. Something else", 1)
		}
		if p := Read("claude", screen.Parse(text)).Prompt; p != nil && (p.TextField || p.Writes > 0) {
			t.Fatalf("seed %d, round %d: row %d takes words (a field is open: %v) in\n%s", seed, round, p.Writes, p.TextField, text)
		}
	}
}
