package agents

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"nod/detect/screen"
)

// Around the recorded dialogs is drawn what agents and their tools say, at random: no word of it is taken from a recorded screen.

// randomWords are at most n words that nothing means anything by.
func randomWords(rng *rand.Rand, n int) string {
	var b strings.Builder
	for range 1 + rng.IntN(n) {
		b.WriteString(" ")
		for range 2 + rng.IntN(7) {
			b.WriteByte(byte('a' + rng.IntN(26)))
		}
	}
	return b.String()[1:]
}

// paragraph is a few rows, no longer than wide.
func paragraph(rng *rand.Rand, wide int) []string {
	words := func(n int) string { return randomWords(rng, n) }
	code := "```" + pick(rng, []string{"", "go", "sh"})
	rows := pick(rng, [][]string{
		{"A" + words(9) + pick(rng, []string{".", "!", "?", ":", ""})},
		{"- " + words(5), "- " + words(5)},
		{"1. " + words(5), "2. " + words(5)},
		{pick(rng, []string{"Bash(", "Ran ", "[tool] "}) + words(2), "⎿  " + words(4)},
		{"$ " + words(2), words(3)},
		{code, words(2) + "();", "```"},
		{"Bash(" + words(1) + ")", "⎿  " + words(2), "   " + code, "   … +12 lines"}, // what a tool prints is cut off, further to the right
		{"Bash(" + words(1) + ")", "⎿  " + words(2), "   @@ -1,3 +1,4 @@", "    " + words(2), "   … +12 lines"},
		{"## A" + words(3)},
		{"> " + words(4)},
		{"| " + words(1) + " | " + words(1) + " |", "|---|---|", "| a | b |"},
		{"╭──────────╮", "│ zq       │", "╰──────────╯"},
		{fmt.Sprintf("12:0%d:11 INFO %s", rng.IntN(9), words(3))},
		{words(1) + "/" + words(1) + ".go"},
		{fmt.Sprintf("%d %s", rng.IntN(99), words(2))},
	})
	for i, row := range rows {
		runes := []rune(row)
		rows[i] = string(runes[:min(len(runes), wide)])
	}
	return rows
}

// drawnAs are rows in one look, if others have looks, behind a margin with a mark in the first one.
func drawnAs(rng *rand.Rand, rows []string, mark string, coloured bool) (c canvas) {
	look := pick(rng, []string{"", "", "\x1b[90m", "\x1b[36m", "\x1b[1m", "\x1b[2m", "\x1b[44m"})
	for i, text := range rows {
		row := plainRow(map[bool]string{true: mark, false: strings.Repeat(" ", cells(mark))}[i == 0] + text)
		for k := range row {
			if coloured {
				row[k].look = look
			}
		}
		c = append(c, row)
	}
	return c
}

// TestWhatIsSaidAboveSilencesNoDialog: text above a dialog, whatever it quotes and wherever it is cut off, makes no live one silent, whether the
// agent is catalogued or not, and leaves no part of what it asks out.
func TestWhatIsSaidAboveSilencesNoDialog(t *testing.T) {
	t.Parallel()
	rng := random(t)
	for _, tg := range someOf(rng.Uint64(), targets(t)) {
		at := max(tg.top-1, 0) // of its edge
		if at == 0 || tg.right > 0 {
			continue
		}
		var above canvas
		for range 1 + rng.IntN(3) {
			above = append(above, drawnAs(rng, paragraph(rng, tg.width-4), pick(rng, []string{"● ", "• ", "  ", "✦ "}), strings.HasSuffix(tg.file, ".ansi"))...)
			above = append(above, make(canvas, rng.IntN(2))...)
		}
		shown := slices.Concat(tg.drawn[:at], above, canvas{nil}, tg.drawn[at:])
		for _, agent := range []string{tg.agent, "nobody"} {
			alone, r := Read(agent, screen.Parse(tg.drawn.String())), Read(agent, screen.Parse(shown.String()))
			switch p := r.Prompt; {
			case !alone.State.Asks():
			case !r.State.Asks():
				t.Errorf("%s is %s as %q: %q\n%s", tg.file, r.State, agent, r.Why, shown.plain())
			case len(p.Approve) > 0 && !p.Partial && !alone.Prompt.Partial && !strings.Contains(p.Subject, alone.Prompt.Subject):
				t.Errorf("%s as %q asks %q, not %q\n%s", tg.file, agent, p.Subject, alone.Prompt.Subject, shown.plain())
			}
		}
	}
}

// TestWhatIsSaidBelowLeavesNoKey: below a dialog of a catalogued agent, what it says next ends the dialog.
func TestWhatIsSaidBelowLeavesNoKey(t *testing.T) {
	t.Parallel()
	rng := random(t)
	for _, tg := range someOf(rng.Uint64(), targets(t)) {
		if strings.Contains(tg.prompt.Shape, "inline") { // below its input box nothing is said
			continue
		}
		shown := tg.drawn.clone()
		for len(shown) > 0 && strings.TrimSpace(rowText(shown[len(shown)-1])) == "" {
			shown = shown[:len(shown)-1]
		}
		shown = append(shown, make(canvas, rng.IntN(2))...)
		shown = append(shown, drawnAs(rng, paragraph(rng, tg.width-4), "", strings.HasSuffix(tg.file, ".ansi"))...)
		if p := Read(tg.agent, screen.Parse(shown.String())).Prompt; p != nil && len(p.Approve) > 0 {
			t.Errorf("%s is approved by %q\n%s", tg.file, p.Approve, shown.plain())
		}
	}
}

// TestOfTwoDialogsTheLowerOneIsAnswered: below a dialog that was printed is a live one in a pane of the same size, of the same agent or of another.
// Keys answer that, or none do, and all of it is shown.
func TestOfTwoDialogsTheLowerOneIsAnswered(t *testing.T) {
	t.Parallel()
	rng, all, answered := random(t), targets(t), 0
	size := func(tg target) string { return tg.file[strings.LastIndexByte(tg.file, '-'):] }
	for _, tg := range someOf(rng.Uint64(), all) {
		other := pick(rng, all)
		for size(other) != size(tg) {
			other = pick(rng, all)
		}
		shown := slices.Concat(other.drawn, make(canvas, rng.IntN(3)), tg.drawn)
		for _, agent := range []string{tg.agent, "nobody"} {
			alone, p := Read(agent, screen.Parse(tg.drawn.String())).Prompt, Read(agent, screen.Parse(shown.String())).Prompt
			if p == nil || len(p.Approve) == 0 {
				continue
			}
			answered++
			if alone == nil {
				continue
			}
			if !slices.EqualFunc(p.Options, alone.Options, func(a, b screen.Option) bool { return a.Label == b.Label }) {
				t.Errorf("%s as %q below %s: the answers are %v\n%s", tg.file, agent, other.file, p.Options, shown.plain())
			}
			missing := func(row string) bool { return !strings.Contains(p.Subject, strings.Trim(row, " │╭╮╰╯─")) }
			if i := slices.IndexFunc(strings.Split(alone.Subject, "\n"), missing); i >= 0 && !p.Partial {
				t.Errorf("%s as %q below %s: %q approves %q, without row %d of %q\n%s", tg.file, agent, other.file, p.Approve, p.Subject, i, alone.Subject, shown.plain())
			}
		}
	}
	if answered < tries(500) {
		t.Errorf("%d of them are answered: the test proves little", answered)
	}
}
