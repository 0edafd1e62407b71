package agents

import (
	"fmt"
	"strings"
	"testing"

	"nod/detect/screen"
)

// TestARowThatBreaksTheFrameAroundItsSubjectIsTold: Gemini and Copilot draw a frame inside of the dialog's, around what is asked about. A
// row without its sides ends that frame, and is a row of the dialog all the same.
func TestARowThatBreaksTheFrameAroundItsSubjectIsTold(t *testing.T) {
	type broken struct {
		label
		rows []string
		at   int
	}
	var all []broken
	for _, l := range labels(t) {
		rows := strings.Split(capture(t, l.File), "\n")
		for i, row := range rows {
			if l.State == screen.Permission && strings.HasPrefix(row, "│ │ ") && strings.HasSuffix(row, " │ │") {
				all = append(all, broken{l, rows, i})
			}
		}
	}
	rng, told := random(t), 0
	for range draws {
		b := all[rng.IntN(len(all))]
		word := fmt.Sprintf("rm%06x", rng.IntN(1<<24))
		rows := append([]string{}, b.rows...)
		rows[b.at] = "│   " + word + strings.Repeat(" ", cells(rows[b.at])-len(word)-len("|    |")) + " │"
		shown := strings.Join(rows, "\n")
		r := Read(b.Agent, screen.Parse(shown))
		if r.State != screen.Permission {
			continue
		}
		if told++; !strings.Contains(r.Prompt.Subject, word) && !strings.Contains(r.Prompt.Question, word) {
			t.Fatalf("%s without %q:\n%s\n%s", b.File, word, r.Prompt.Subject, shown)
		}
	}
	if told < draws/2 {
		t.Errorf("%d of %d were told", told, draws)
	}
}
