package agents

import (
	"slices"
	"strings"
	"testing"

	"nod/detect/screen"
)

// TestWhatExplainsAnAnswerIsNone, though it begins as one: with a number, a mark or a box.
func TestWhatExplainsAnAnswerIsNone(t *testing.T) {
	labelled := func(p *screen.Prompt) (labels []string) {
		for _, o := range p.Options {
			labels = append(labels, o.Label)
		}
		return labels
	}
	changed := 0
	for _, l := range labels(t) {
		file := strings.TrimSuffix(l.File, ".txt") + ".ansi"
		drawn := canvasOf(capture(t, file))
		p := Read(l.Agent, screen.Parse(drawn.String())).Prompt
		if l.State != screen.Question || p == nil {
			continue
		}
		for i := p.First; i <= min(p.Last, len(drawn)-1); i++ {
			row := strings.Trim(rowText(drawn[i]), " │┃")
			if len(row) < 3 || !slices.Contains(p.Notes, row) || slices.ContainsFunc(p.Options, func(o screen.Option) bool { return strings.Contains(o.Label, row) }) {
				continue
			}
			for _, forged := range []string{"1. ", "2. ", "3. ", "[ ]", "[2]", "[x]"} {
				c := drawn.clone()
				before, _, _ := strings.Cut(rowText(c[i]), row)
				c.write(i, len([]rune(before)), forged)
				shown := c.String()
				r := Read(l.Agent, screen.Parse(shown))
				q := r.Prompt
				if strings.HasPrefix(l.File, "claude/2.1.231-") && byOneTap(r) == "" {
					continue // it drew them below the numbers, where nothing tells them apart
				}
				if q == nil || !slices.Equal(labelled(p), labelled(q)) {
					t.Errorf("%s with %q in row %d: %v", file, forged, i, q)
				}
				changed++
			}
		}
	}
	if changed < 100 {
		t.Errorf("%d explanations were changed", changed)
	}
}

// TestAFileThatAsksForTrustIsNoTrustDialog of Gemini's, which has answers that one tap may choose.
func TestAFileThatAsksForTrustIsNoTrustDialog(t *testing.T) {
	shown := capture(t, "gemini/0.61.0-write-80x24.txt")
	for _, said := range []string{"Do you trust the files in this folder?", "Confirm folder trust"} {
		room := strings.Repeat(" ", len(said)-len("hello"))
		r := Read("gemini", screen.Parse(strings.Replace(shown, "hello"+room, said, 1)))
		if !strings.Contains(r.Text, said) || r.State != screen.Permission || r.Prompt.Shape != "gemini.tool_confirmation" {
			t.Errorf("with %q in it: %s %v", said, r.State, r.Prompt)
		}
	}
}
