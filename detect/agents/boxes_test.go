package agents

import (
	"slices"
	"strings"
	"testing"

	"nod/detect/screen"
)

// TestKimisReviewSendsWhatItLists, however the answer is wrapped, and whatever is in it.
func TestKimisReviewSendsWhatItLists(t *testing.T) {
	for file, answer := range map[string]string{
		"kimi/2.1.0-boxes+review-80x24.txt":  "Small",
		"kimi/0.43.1-boxes+review-80x24.txt": "Large",
		"kimi/0.10.0-boxes+review-80x24.txt": "Large",
	} {
		p := prompt(t, "kimi", capture(t, strings.TrimSuffix(file, ".txt")+".ansi"))
		if !p.Lists([]string{answer}) || p.Lists([]string{"Small", "Large"}) || !slices.Equal(keys(p.Steps(screen.Send)), []string{"1"}) {
			t.Errorf("%s: it is not read that 1 sends %q: %+v", file, answer, p)
		}
		shown := capture(t, file)
		for what, other := range map[string]string{
			"wrapped":             strings.Replace(shown, answer+"\n", "Tall,\n        "+answer+"\n", 1),
			"an arrow in it":      strings.Replace(shown, answer+"\n", "Tall,\n        → "+answer+"\n", 1),
			"below a question":    strings.Replace(shown, "want?", "want?\n        →  "+answer, 1),
			"of another question": strings.Replace(shown, answer+"\n", "Huge\n", 1),
		} {
			p := prompt(t, "kimi", other)
			want := what == "wrapped" || what == "below a question"
			names := []string{answer}
			if what == "wrapped" {
				names = append(names, "Tall")
			}
			if p.Lists(names) != want {
				t.Errorf("%s, %s: that it lists %q is read as %t\n%s", file, what, names, !want, other)
			}
		}
	}
}

// TestAReviewThatListsNothingIsNotSent: what it would send is not on the screen.
func TestAReviewThatListsNothingIsNotSent(t *testing.T) {
	lines := strings.Split(capture(t, "kimi/2.1.0-boxes+review-80x24.txt"), "\n")
	lines = slices.DeleteFunc(lines, func(s string) bool { return strings.Contains(s, "Q  ") || strings.Contains(s, "→  Small") })
	if p := prompt(t, "kimi", strings.Join(lines, "\n")); p.Shape != "kimi.ask_user_review" || p.Steps(screen.Send) != nil {
		t.Errorf("a %s without an answer is sent by %q", p.Shape, keys(p.Steps(screen.Send)))
	}
}

// TestNoKeyWhileWordsAreTyped into the row for them: a number would be one of them.
func TestNoKeyWhileWordsAreTyped(t *testing.T) {
	typed := capture(t, "kimi/2.1.0-boxes+words-80x25.txt")
	for name, shown := range map[string]string{
		"a check list": typed,
		"one answer":   strings.NewReplacer("[ ] Small", "  [1] Small", "[ ] Large", "  [2] Large", "[ ] Other", "→ [3] Other").Replace(typed),
	} {
		p := prompt(t, "kimi", shown)
		for i, o := range p.Options {
			if p.Tick(i) != nil || p.Choose(i) != nil || o.Key != "" {
				t.Errorf("%s: %q is ticked by %q, chosen by %q", name, o.Label, keys(p.Tick(i)), keys(p.Choose(i)))
			}
		}
		if len(p.Send)+len(p.Dismiss) > 0 {
			t.Errorf("%s: it is sent by %q, left by %q", name, p.Send, p.Dismiss)
		}
	}
}

// TestAListOfWhichRowsAreMissingIsNotSent: the row of keys says how many rows it has.
func TestAListOfWhichRowsAreMissingIsNotSent(t *testing.T) {
	whole := capture(t, "kimi/2.1.0-boxes+ticked-80x24.ansi")
	for shown, sent := range map[string]bool{whole: true, strings.Replace(whole, "1-3", "1-4", 1): false} {
		if p := prompt(t, "kimi", shown); len(p.Send) > 0 != sent {
			t.Errorf("it is sent by %q:\n%s", p.Send, shown)
		}
	}
}

// geminiEnd is the end of Gemini's check list, to which Up leads from its first row: the answers, two of them, are not seen (0.61.0).
const geminiEnd = `
╭──────────────────────────────────────────────────────────────────────────────╮
│ Answer Questions                                                             │
│                                                                              │
│ Which sizes do you want?                                                     │
│ (Select all that apply)                                                      │
│                                                                              │
│ ▲                                                                            │
│   3. [x] All of the above                                                    │
│          Select all options                                                  │
│   4. [ ] Enter a custom value                                                │
│ ●  Done                                                                      │
│    Finish selection                                                          │
│ ▼                                                                            │
│                                                                              │
│ Enter to select · ↑/↓ to navigate · Esc to cancel                            │
╰──────────────────────────────────────────────────────────────────────────────╯
`

// TestTheEndOfGeminisListProvesHowManyAnswersItHas: what opens it is the end that it leads to, and no other one.
func TestTheEndOfGeminisListProvesHowManyAnswersItHas(t *testing.T) {
	opened := func(replace ...string) string {
		r := Read("gemini", screen.Parse(strings.NewReplacer(replace...).Replace(geminiEnd)))
		if r.State != screen.Overlay {
			t.Fatalf("with %q: %s, %q", replace, r.State, r.Why)
		}
		if r.Prompt == nil {
			return ""
		}
		return r.Prompt.Shape
	}
	three := []string{" 4.", " 5.", " 3.", " 4.", "[x]", "[ ]"}
	for list, shown := range map[string][]string{"boxes+all": nil, "three+ticked": three} {
		steps := prompt(t, "gemini", capture(t, "gemini/0.61.0-"+list+"-80x24.ansi")).Steps(screen.Send)
		if got := opened(shown...); len(steps) < 2 || got != steps[len(steps)-2].Opens {
			t.Errorf("%s leads to %q, want one of %+v", list, got, steps)
		}
		if got := opened(three...); list == "boxes+all" && got == steps[len(steps)-2].Opens {
			t.Errorf("the end of a list of three is taken for %s", got)
		}
	}
	for what, shown := range map[string][]string{
		"words that are sent":       {"[ ] Enter a custom value", "[x] Enter a custom value"},
		"words":                     {"Enter a custom value", "Something of my own "},
		"the mark on the words":     {"●  Done", "   Done", "  4.", "● 4.", "to select", "to submit"},
		"no row that ticks all":     {"All of the above", "Everything else "},
		"an answer that looks like": {"Select all options", "Select no options "},
	} {
		if got := opened(shown...); got != "" {
			t.Errorf("with %s it is taken for %s", what, got)
		}
	}
}

// TestWhatExplainsAnAnswerIsNone, though it begins as one: with a number, a mark or a box.
func TestWhatExplainsAnAnswerIsNone(t *testing.T) {
	t.Parallel()
	labelled := func(p *screen.Prompt) (labels []string) {
		for _, o := range p.Options {
			labels = append(labels, o.Label)
		}
		return labels
	}
	changed := 0
	for _, l := range labels(t) {
		file := l.coloured()
		if l.State != screen.Question {
			continue
		}
		drawn := canvasOf(capture(t, file))
		p := Read(l.Agent, screen.Parse(drawn.String())).Prompt
		if p == nil {
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

// TestAModelsOwnBoxIsPartOfItsAnswer: where the agent draws one before it, only that tells what is ticked.
func TestAModelsOwnBoxIsPartOfItsAnswer(t *testing.T) {
	for file, boxed := range map[string]string{
		"opencode/1.18.33-question2+walk.tab2b-80x24.ansi": "Large",
		"kilo/7.7.9-question2+walk.tab2b-80x24.ansi":       "Large",
		"qwen/0.24.4-question2+walk.tab2b-80x24.ansi":      "Large",
		"kimi/2.1.0-boxes+ticked-80x24.ansi":               "Large",
		"copilot/1.0.102-boxes+ticked-80x24.ansi":          "Large",
		"gemini/0.61.0-boxes+ticked-80x24.ansi":            "Large",
		"claude/2.1.329-question-multi+ticked-80x24.ansi":  "Metrics",
	} {
		agent, _, _ := strings.Cut(file, "/")
		shown := capture(t, file)
		before := prompt(t, agent, shown)
		for _, label := range []string{"[ ] Bo", "[x] Bo", "[✓] Bo"} {
			room := len([]rune(label)) - len([]rune(boxed))
			if room > 0 {
				shown = strings.ReplaceAll(capture(t, file), boxed+strings.Repeat(" ", room), boxed)
			}
			p := prompt(t, agent, strings.ReplaceAll(shown, boxed, label))
			if i := slices.IndexFunc(p.Options, func(o screen.Option) bool { return o.Name() == label }); i < 0 || p.Ticks() != before.Ticks() {
				t.Errorf("%s: of the answers %+v none is %q, or others are ticked", file, p.Options, label)
			}
		}
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
