package agents

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"nod/detect/screen"
)

const boxesScreen = "claude/2.1.329-question-multi-80x24.txt"

// TestBoxesAreTickedByTheirNumbers, and the row for words of one's own by none.
func TestBoxesAreTickedByTheirNumbers(t *testing.T) {
	p := prompt(t, "claude", capture(t, boxesScreen))
	for i, want := range []string{"1", "2", "3", "", ""} {
		steps := p.Tick(i)
		if got := strings.Join(keys(steps), " "); got != want {
			t.Errorf("option %d is ticked by %q, want %q", i, got, want)
		}
		if want != "" && !steps[0].Ticks {
			t.Errorf("option %d: %+v does not say that it ticks", i, steps)
		}
	}
	if len(p.Send) > 0 || p.Steps(screen.Send) != nil {
		t.Errorf("an empty list is sent with %q", p.Send)
	}
	want := []screen.Step{{Key: "Tab", Opens: "claude.ask_user_review", Reviews: true}}
	ticked := prompt(t, "claude", capture(t, "claude/2.1.329-question-multi+ticked-80x24.txt"))
	if got := ticked.Steps(screen.Send); !slices.Equal(got, want) || !slices.Equal(ticked.Ticked(), []string{"Logging"}) {
		t.Errorf("%q is sent with %+v", ticked.Ticked(), got)
	}
	if !p.OneTick(ticked, 0) || p.OneTick(ticked, 1) || p.Same(ticked) {
		t.Error("what is ticked is not told apart")
	}
}

// TestNoTickWhileTheMarkStandsOffTheBoxes: on the row that submits digits are dead (2.0.54), and in the row that takes words
// they would be words.
func TestNoTickWhileTheMarkStandsOffTheBoxes(t *testing.T) {
	for name, moved := range map[string]string{
		"the words":  "❯ 4. [ ] Type",
		"the chat":   "❯ 5. Chat",
		"the submit": "❯    Submit",
	} {
		from := strings.Replace(moved, "❯", " ", 1)
		shown := strings.Replace(strings.Replace(capture(t, boxesScreen), "❯ 1.", "  1.", 1), from, moved, 1)
		p := Read("claude", screen.Parse(shown)).Prompt
		if p == nil {
			continue // then nothing is typed at all
		}
		for i := range p.Options {
			if steps := p.Tick(i); steps != nil || p.Tickable || len(p.Send) > 0 {
				t.Errorf("%s: option %d is ticked by %v, sent by %v", name, i, steps, p.Send)
			}
		}
	}
}

// TestATickNeverSends: on no captured screen does a key that ticks a box choose or send anything.
func TestATickNeverSends(t *testing.T) {
	lists := 0
	for _, l := range labels(t) {
		r := asRead(t, l.Agent, l.coloured())
		if r.Prompt == nil || r.Prompt.Ticks() == "" {
			continue
		}
		lists++
		p := r.Prompt
		for i := range p.Options {
			steps := p.Tick(i)
			if steps == nil {
				continue
			}
			last := steps[len(steps)-1]
			moves := slices.ContainsFunc(steps[:len(steps)-1], func(s screen.Step) bool { return s.Key != "Up" && s.Key != "Down" || s.Last })
			if !last.Ticks || moves || p.Choose(i) != nil || slices.Equal(keys(steps), p.Send) || p.Options[i].Scope == screen.Text {
				t.Errorf("%s: %q is ticked by %+v, chosen by %+v, sent by %q", l.File, p.Options[i].Label, steps, p.Choose(i), p.Send)
			}
		}
		if r.State != screen.Question || len(p.Approve)+len(p.Deny) > 0 {
			t.Errorf("%s: %s, approve %q, deny %q", l.File, r.State, p.Approve, p.Deny)
		}
	}
	if lists < 8 {
		t.Errorf("%d check lists were seen", lists)
	}
}

// TestReviewSendsWhatItLists: the page at the end of a set knows the answers and the key that sends them.
func TestReviewSendsWhatItLists(t *testing.T) {
	p := prompt(t, "claude", capture(t, "claude/2.1.329-question-multi-submit+review-80x24.txt"))
	if !p.Lists([]string{"Logging"}) || p.Lists([]string{"Metrics"}) || p.Lists([]string{"Logging", "Metrics"}) {
		t.Error("it is not read what it sends")
	}
	if got := keys(p.Steps(screen.Send)); !slices.Equal(got, []string{"1"}) || len(p.Send) > 0 {
		t.Errorf("it sends with %q", got)
	}
	wrapped := strings.Replace(capture(t, "claude/2.1.329-question-multi-submit+review-80x24.txt"), "   → Logging", "   → Logging,\n     Metrics", 1)
	if p := prompt(t, "claude", wrapped); !p.Lists([]string{"Metrics", "Logging"}) || p.Lists([]string{"Logging"}) {
		t.Error("an answer that is wrapped is not read whole")
	}
	const page = "gemini/0.61.0-question2+walk.review-80x24.txt" // a question of the model's may hold the same rows, without this key
	if p := prompt(t, "gemini", capture(t, page)); len(keys(p.Steps(screen.Send))) == 0 {
		t.Error("Gemini's page sends nothing")
	}
	if p := prompt(t, "gemini", strings.Replace(capture(t, page), "to edit answers", "to write a text", 1)); len(keys(p.Steps(screen.Send))) > 0 {
		t.Error("a question is taken for Gemini's page")
	}
}

// TestBoxesOfOtherAgents: OpenCode and Kilo tick by number while colours prove that the mark is on a box, Kimi and Gemini wherever
// it stands, Qwen and Copilot by moving the mark there; and what leads on is what was proven.
func TestBoxesOfOtherAgents(t *testing.T) {
	for file, want := range map[string]struct{ first, second, words, send string }{
		"opencode/1.18.33-question2+walk.tab2-80x24.ansi":  {"1", "2", "", ""},
		"opencode/1.18.33-question2+walk.tab2b-80x24.ansi": {"1", "2", "", "Tab"},
		"opencode/1.18.33-question2+walk.tab2b-80x24.txt":  {"", "", "", ""},
		"kilo/7.7.9-question2+walk.tab2b-80x24.ansi":       {"1", "2", "", "Tab"},
		"qwen/0.24.4-question2+walk.tab2-80x24.txt":        {"Space", "Down Space", "", ""},
		"gemini/0.61.0-question2+walk.tab2b-80x24.ansi":    {"1", "2", "", "Right"},
		"gemini/0.61.0-boxes-80x24.txt":                    {"1", "2", "", ""},
		"gemini/0.61.0-boxes+ticked-80x24.txt":             {"1", "2", "", "Up Enter"},
		"gemini/0.61.0-boxes+all-80x24.txt":                {"1", "2", "", "Up Up Enter"},
		"gemini/0.61.0-three+ticked-80x24.txt":             {"1", "2", "3", "Up Up Enter"},
		"gemini/0.61.0-questions+ticked-50x24.ansi":        {"1", "2", "", "Right"},
		"gemini/0.61.0-boxes+wrapped-50x30.ansi":           {"", "", "", ""}, // of which one box is broken
		"gemini/0.61.0-forged-80x30.ansi":                  {"1", "2", "", ""},
		"gemini/0.61.0-forged+ticked-80x30.ansi":           {"", "", "", ""}, // the third is not ticked, though the others are
		"kimi/2.1.0-question2+walk.tab2b-80x24.ansi":       {"1", "2", "", "Tab"},
		"kimi/2.1.0-boxes-80x24.ansi":                      {"1", "2", "", ""},
		"kimi/2.1.0-boxes+ticked-80x24.ansi":               {"1", "2", "", "Tab"},
		"kimi/2.1.0-boxes+ticked-80x24.txt":                {"1", "2", "", ""},
		"kimi/2.1.0-boxes+words-80x25.ansi":                {"", "", "", ""},
		"kimi/2.1.0-questions+ticked-50x24.ansi":           {"1", "2", "", "Tab"},
		"kimi/2.1.0-forged+ticked-80x30.ansi":              {"1", "2", "3", "Tab"},
		"kimi/0.43.1-boxes+ticked-80x24.ansi":              {"1", "2", "", "Tab"},
		"kimi/0.10.0-boxes+ticked-80x24.ansi":              {"1", "2", "", "Tab"},
		"copilot/1.0.102-boxes-80x24.ansi":                 {"Space", "Down Space", "", ""},
		"copilot/1.0.102-boxes+ticked-80x24.ansi":          {"Up Space", "Space", "", "Enter"},
		"copilot/1.0.102-boxes+ticked-80x24.txt":           {"", "", "", ""},
		"copilot/1.0.102-boxes+wrapped-80x24.ansi":         {"Up Space", "Space", "Down Space", "Enter"},
		"copilot/1.0.102-questions+ticked-50x24.ansi":      {"Space", "Down Space", "", "Enter"},
		"copilot/1.0.102-forged+ticked-80x24.ansi":         {"Up Space", "Space", "Down Space", "Tab"},
	} {
		name, _, _ := strings.Cut(file, "/")
		p := prompt(t, name, capture(t, file))
		got := []string{strings.Join(keys(p.Tick(0)), " "), strings.Join(keys(p.Tick(1)), " "), strings.Join(keys(p.Tick(2)), " "), strings.Join(p.Send, " ")}
		if !slices.Equal(got, []string{want.first, want.second, want.words, want.send}) {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
	list := strings.NewReplacer("  Colour ✓ ▸ Sizes  Submit", "Sizes", "[ ] 2. Large", "[✓] 2. Large").Replace(capture(t, "qwen/0.24.4-question2+walk.tab2b-80x24.txt"))
	alone := prompt(t, "qwen", strings.NewReplacer("Ask user 2 questions", "Ask user 1 question", " | ←/→: Switch tabs", "").Replace(list))
	for shown, said := range map[string][2]string{"title": {" | ←/→: Switch tabs", ""}, "row of keys": {"Ask user 2 questions", "Ask user 1 question"}} {
		if p := prompt(t, "qwen", strings.Replace(list, said[0], said[1], 1)); len(p.Send) > 0 {
			t.Errorf("a page of a set of Qwen's whose headings are unseen, by its %s, is sent by %q", shown, p.Send)
		}
	}
	if !slices.Equal(alone.Send, []string{"Enter"}) || !slices.Equal(alone.Ticked(), []string{"Large"}) {
		t.Errorf("Qwen's only list, with %q ticked, is sent by %q", alone.Ticked(), alone.Send)
	}
	review := prompt(t, "opencode", capture(t, "opencode/1.18.33-question2+walk.confirm-80x24.ansi"))
	if !slices.Equal(review.Send, []string{"Enter"}) || !slices.Equal(review.Dismiss, []string{"Escape"}) || review.Lists([]string{"Small"}) {
		t.Errorf("OpenCode's review is sent by %q, dismissed by %q", review.Send, review.Dismiss)
	}
}

// TestPageOfASet is said where colours prove it.
func TestPageOfASet(t *testing.T) {
	for file, want := range map[string][2]int{
		"claude/2.1.329-question-two-80x24.ansi":                 {1, 2},
		"claude/2.1.329-question-two+answered-one-80x24.ansi":    {2, 2},
		"claude/2.1.329-question-two+answered-one-80x24.txt":     {0, 2},
		"claude/2.1.329-question-multi-80x24.ansi":               {1, 1},
		"claude/2.1.329-question-multi-submit+review-80x24.ansi": {0, 1},
		"claude/2.1.329-question-80x24.ansi":                     {0, 0},
		"opencode/1.18.33-question2-80x24.ansi":                  {1, 2},
		"opencode/1.18.33-question2+walk.tab2-80x24.ansi":        {2, 2},
		"opencode/1.18.33-question2+walk.tab2-80x24.txt":         {0, 0},
		"opencode/1.18.33-question2+walk.confirm-80x24.ansi":     {0, 2},
		"gemini/0.61.0-question2-80x24.ansi":                     {1, 2},
		"gemini/0.61.0-question2+walk.tab2-80x24.ansi":           {2, 2},
		"gemini/0.61.0-question2+walk.tab2-80x24.txt":            {0, 2},
		"kilo/7.7.9-question2+walk.tab2-80x24.ansi":              {2, 2},
		"qwen/0.24.4-question2-80x24.txt":                        {1, 2},
		"qwen/0.24.4-question2+walk.tab2-80x24.txt":              {2, 2},
		"qwen/0.24.4-question2+walk.submit-80x24.txt":            {0, 2},
		"kimi/2.1.0-question2-80x24.ansi":                        {1, 2},
		"kimi/2.1.0-question2-80x24.txt":                         {0, 0},
		"kimi/2.1.0-questions+ticked-50x24.ansi":                 {2, 2},
		"kimi/2.1.0-questions+review-50x24.ansi":                 {0, 2},
		"kimi/2.1.0-boxes-80x24.ansi":                            {1, 1},
		"copilot/1.0.102-question2-80x24.ansi":                   {1, 2},
		"copilot/1.0.102-questions+ticked-50x24.ansi":            {2, 2},
		"copilot/1.0.102-boxes-80x24.ansi":                       {0, 0},
		"gemini/0.61.0-questions+review-50x24.ansi":              {0, 2},
		"codex/0.169.0-question-two-120x40.txt":                  {1, 2},
		"codex/0.169.0-question-two+answered-one-120x40.txt":     {2, 2},
	} {
		name, _, _ := strings.Cut(file, "/")
		if p := prompt(t, name, capture(t, file)); [2]int{p.Page, p.Pages} != want {
			t.Errorf("%s: page %d of %d, want %v", file, p.Page, p.Pages, want)
		}
	}
}

// TestDismissOnlyWhereEscapeOnlyLeaves: no permission, nothing that a person's own words stand in, and no dialog whose Escape
// ends the program.
func TestDismissOnlyWhereEscapeOnlyLeaves(t *testing.T) {
	for file, want := range map[string]bool{
		"claude/2.1.329-question-80x24.txt":         true,
		"claude/2.1.329-question-multi-80x24.txt":   true,
		"claude/2.0.54-question+answered-80x24.txt": true,
		"claude/2.1.329-plan-approve1-80x24.txt":    true,
		"claude/2.1.329-plan-key3+text-80x24.txt":   false,
		"claude/2.1.329-trust-80x24.txt":            false,
		"claude/2.1.329-bash-80x24.txt":             false,
		"opencode/1.18.33-question-80x24.txt":       false,
		"opencode/1.18.33-question-80x24.ansi":      true,
		"kilo/7.7.9-question2-80x24.ansi":           true,
		"gemini/0.61.0-question-80x24.txt":          true,
		"qwen/0.24.4-question2-80x24.txt":           true,
		"copilot/1.0.102-question-80x24.txt":        true,
		"kimi/2.1.0-question-80x24.txt":             true,
		"codex/0.169.0-question-80x24.txt":          true,
		"grok/1.0.41-question-80x24.txt":            false,
		"continue/1.5.47-question-80x24.txt":        false,
		"codex/0.169.0-trust-80x24.txt":             false,
	} {
		name, _, _ := strings.Cut(file, "/")
		p := prompt(t, name, capture(t, file))
		if got := slices.Equal(keys(p.Steps(screen.Dismiss)), []string{"Escape"}); got != want || got != (len(p.Dismiss) > 0) {
			t.Errorf("%s: dismissed by %q", file, p.Dismiss)
		}
	}
	_, below, _ := strings.Cut(capture(t, "claude/2.1.329-question-80x24.txt"), "☐ Database\n")
	if p := prompt(t, "claude", below); !p.Partial || p.Steps(screen.Dismiss) != nil {
		t.Errorf("without its head it is dismissed by %q", p.Dismiss)
	}
}

// TestBoxesInLabelsAreNoCheckList: a model may begin its answers with boxes. Where one is chosen a number answers at once, so that no
// box of it is ticked.
func TestBoxesInLabelsAreNoCheckList(t *testing.T) {
	numbered := regexp.MustCompile(`[ m]\d\.(?:\x1b\[[0-9;]*m)* (?:\x1b\[[0-9;]*m)*`)
	lists := 0
	for _, l := range labels(t) {
		file := l.coloured()
		r := asRead(t, l.Agent, file)
		if r.State != screen.Question || !strings.HasSuffix(r.Prompt.Shape, ".ask_user") {
			continue
		}
		own := slices.IndexFunc(r.Prompt.Options, func(o screen.Option) bool { return o.Scope == screen.Text }) // from there on the rows are the agent's
		if own < 0 {
			own = len(r.Prompt.Options)
		}
		for _, box := range []string{"[ ] ", "[✔] ", "[x] ", "☐ ", "☒ "} {
			for n := 1; n <= own; n++ { // the first n of them
				left := n
				forged := numbered.ReplaceAllStringFunc(capture(t, file), func(number string) string {
					if left--; left < 0 {
						return number
					}
					return number + box
				})
				p := Read(l.Agent, screen.Parse(forged)).Prompt
				if p == nil {
					continue
				}
				lists++
				for i, o := range p.Options {
					if p.Tick(i) != nil || len(p.Send) > 0 {
						t.Errorf("%s with %q before %d answers: %q is ticked by %q, the list sent by %q", file, box, n, o.Label, keys(p.Tick(i)), p.Send)
					}
				}
			}
		}
	}
	if lists < 100 {
		t.Errorf("%d lists were seen", lists)
	}
}

// TestWhatExplainsAnAnswerIsPartOfTheQuestion: the words under or beside an option are shown, so another question is asked where they change.
func TestWhatExplainsAnAnswerIsPartOfTheQuestion(t *testing.T) {
	changed := 0
	for _, l := range labels(t) {
		shown := capture(t, l.File)
		p := asRead(t, l.Agent, l.File).Prompt
		if p == nil || len(p.Notes) == 0 {
			continue
		}
		for i, note := range p.Notes {
			words := strings.Fields(note)
			if len(words) < 2 || strings.Count(shown, words[0]+" "+words[1]) != 1 || strings.Contains(p.Options[i].Label, words[0]) {
				continue
			}
			other := strings.Replace(shown, words[0]+" "+words[1], strings.Repeat("x", len([]rune(words[0])))+" "+words[1], 1)
			if q := Read(l.Agent, screen.Parse(other)).Prompt; q != nil && p.Same(q) {
				t.Errorf("%s: with other words under %q it is the same question", l.File, p.Options[i].Label)
			}
			changed++
		}
	}
	if changed < 50 {
		t.Errorf("%d explanations were changed", changed)
	}
}
