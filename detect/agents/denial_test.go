package agents

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"nod/detect/screen"
)

// TestWordsOfADenialHaveAField: the dialog that takes them says what is in its field, or the end of it, and has no key of
// its own: any would be a letter there.
func TestWordsOfADenialHaveAField(t *testing.T) {
	const said = "use another file name please because this one is taken by somebody else and so on"
	for file, c := range map[string]struct{ shape, typed string }{
		"kilo/7.7.9-bash+deny-80x24":             {"kilo.reject", ""},
		"kilo/7.7.9-run+words-80x30":             {"kilo.reject_words", said},
		"kilo/7.7.9-run+words3-80x30":            {"kilo.reject_words", said + " and one more line second line"},
		"kilo/7.7.2-run+words-50x30":             {"kilo.reject_words", "1" + said},
		"kimi/2.1.0-bash+deny-4.feedback-80x24":  {"kimi.reject", ""},
		"kimi/2.1.0-run+word-80x30":              {"kimi.reject_words", "1"},
		"kimi/2.1.0-run+words-80x30":             {"kimi.reject_words", "use this one is taken by somebody else and so on"},
		"kimi/0.10.0-run+words-50x30":            {"kimi.reject_words", "ody else and so on"},
		"copilot/1.0.102-bash+deny-3.tell-80x24": {"copilot.reject", ""},
		"copilot/1.0.102-edit+deny-3.tell-80x24": {"copilot.reject", ""},
		"copilot/1.0.102-run+words-80x30":        {"copilot.reject_words", "1" + said},
		"copilot/1.0.102-run+words-50x30":        {"copilot.reject_words", "1" + said},
		"copilot/1.0.60-run+words-80x30":         {"copilot.reject_words", "1" + said},
		"copilot/1.0.12-run+words-50x30":         {"copilot.reject_words", "1" + said},
	} {
		agent, _, _ := strings.Cut(file, "/")
		for _, ext := range []string{".ansi", ".txt"} {
			r := Read(agent, screen.Parse(capture(t, file+ext)))
			p := r.Prompt
			if r.State != screen.Overlay || p == nil {
				t.Errorf("%s%s: %s %+v", file, ext, r.State, p)
				continue
			}
			if typed := strings.Join(strings.Fields(p.Typed), " "); p.Shape != c.shape || typed != c.typed {
				t.Errorf("%s%s: %s with %q, want %s with %q", file, ext, p.Shape, typed, c.shape, c.typed)
			}
			if len(p.Approve)+len(p.Deny) > 0 || p.Tell() != nil {
				t.Errorf("%s%s: approve %q, deny %q, tell %v", file, ext, p.Approve, p.Deny, p.Tell())
			}
		}
	}
}

// TestNoOtherRowIsAFieldForWords: where the row that takes the words of a denial is another one, its view takes no keys, as any view does,
// and is no dialog to type into.
func TestNoOtherRowIsAFieldForWords(t *testing.T) {
	for file, row := range map[string]string{
		"kilo/7.7.9-bash+deny-80x24": "Tell Kilo what to do differently", "kimi/2.1.0-bash+deny-4.feedback-80x24": "Reject with feedback",
	} {
		agent, _, _ := strings.Cut(file, "/")
		shown := capture(t, file+".txt")
		other := strings.Replace(shown, row, strings.Repeat("x", len(row)), 1)
		if r := Read(agent, screen.Parse(other)); other == shown || r.State != screen.Overlay || r.Prompt != nil {
			t.Errorf("%s: %s %+v", file, r.State, r.Prompt)
		}
	}
}

// TestOnlyProvenFieldsTakeWords: of all captures, those of three agents open a field for the words of a denial, with a key that
// says neither yes nor more than no.
func TestOnlyProvenFieldsTakeWords(t *testing.T) {
	keys := map[string][]string{"kilo": {"Escape"}, "kimi": {"4"}, "copilot": {"3"}}
	seen := map[string]int{}
	files, err := filepath.Glob("testdata/*/*.ansi")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		agent := filepath.Base(filepath.Dir(file))
		r := Read(agent, screen.Parse(capture(t, strings.TrimPrefix(file, "testdata/"))))
		if r.Prompt == nil || r.Prompt.Tell() == nil {
			continue
		}
		seen[agent]++
		steps := r.Prompt.Tell()
		if r.State != screen.Permission || len(steps) != 2 || !slices.Contains(keys[agent], steps[0].Key) || steps[0].Opens != agent+".reject" ||
			steps[1].Key != "Enter" || steps[1].Words != agent+".reject_words" || !steps[1].Last {
			t.Errorf("%s: %s %+v", file, r.State, steps)
		}
		for _, o := range r.Prompt.Options {
			if o.Key == steps[0].Key {
				t.Errorf("%s: %s chooses %q", file, o.Key, o.Label)
			}
		}
	}
	for agent := range keys {
		if seen[agent] < 10 {
			t.Errorf("%s: only %d prompts take words", agent, seen[agent])
		}
	}
}

// TestCopilotsWordsMaySayTheWayToStop: what is typed may end as the label behind it does, and break where it likes.
func TestCopilotsWordsMaySayTheWayToStop(t *testing.T) {
	const words = `use trash-put instead: 1. y /help, 2. @notes.md, and "nothing" else`
	for name, c := range map[string]struct {
		rows  [][2]string // at the left, and from column 86 on, or 85 in the second
		typed string
	}{
		"whole beside them":   {[][2]string{{"❯3.  " + words, "(Esc to stop)"}, {"     now", ""}}, words + " now"},
		"parted beside them":  {[][2]string{{"❯3. " + words + " (Esc to", "(Esc to"}, {"    stop)", "stop)"}}, words + " (Esc to stop)"},
		"in a longer column":  {[][2]string{{"❯3. " + words, "(Esc"}, {"    or", "to"}, {"    Escape", "stop)"}}, words + " or Escape"},
		"behind them":         {[][2]string{{"❯3. " + words + " (Esc to", ""}, {"  stop) (Esc to stop)", ""}}, words + " (Esc to stop)"},
		"broken behind them":  {[][2]string{{"❯ 3. " + words + " (Esc to stop)  (Esc to", ""}, {"  stop)", ""}}, words + " (Esc to stop)"},
		"beside wide letters": {[][2]string{{"❯3. 使用回收站 rather than rm", "(Esc to"}, {"    漢字", "stop)"}}, "使用回收站 rather than rm 漢字"},
	} {
		t.Run(name, func(t *testing.T) {
			line := strings.Repeat("─", 98)
			shown := "╭" + line + "╮\n" + boxed("Do you want to run this command?") + boxed("") + boxed("  1. Yes") + boxed("  2. Yes, and don't ask again")
			for i, row := range c.rows {
				if row[1] != "" {
					row[0] += strings.Repeat(" ", 82-min(i, 1)-columns(row[0])) + row[1]
				}
				shown += boxed(row[0])
			}
			shown += boxed("") + boxed("↑/↓ to navigate · enter to select · esc to cancel") + "╰" + line + "╯\n"
			r := Read("copilot", screen.Parse(shown))
			if r.State != screen.Overlay || r.Prompt == nil || r.Prompt.Shape != "copilot.reject_words" || r.Prompt.Typed != c.typed {
				t.Errorf("%s %+v\n%s", r.State, r.Prompt, shown)
			}
		})
	}
}

// boxed is a row of a frame of 100 columns.
func boxed(text string) string {
	return "│ " + text + strings.Repeat(" ", 97-columns(text)) + "│\n"
}

// columns is how many a terminal takes for text, where han takes two.
func columns(text string) (n int) {
	for _, c := range text {
		if n++; unicode.Is(unicode.Han, c) {
			n++
		}
	}
	return n
}
