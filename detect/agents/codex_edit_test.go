package agents

import (
	"slices"
	"strings"
	"testing"

	"nod/detect/screen"
)

// TestCodexEditsOfOneTurn: of the edits that one turn asks for, the one above the question is it where its file is named there once,
// and the turn's beginning is on the screen.
func TestCodexEditsOfOneTurn(t *testing.T) {
	again := strings.Split(capture(t, "codex/0.169.0-edits-again-100x40.ansi"), "\n")
	chain := strings.Split(capture(t, "codex/0.169.0-edits-chain-100x40.ansi"), "\n")
	row := func(rows []string, text string) int {
		return slices.IndexFunc(rows, func(r string) bool { return strings.Contains(rowText(canvasOf(r)[0]), text) })
	}
	first := row(again, "Edited main.py")
	second := first + 1 + row(again[first+1:], "Edited main.py")
	for _, tt := range []struct {
		name  string
		shown []string
		whole bool
	}{
		{"of another file", chain, true},
		{"of the same file", again, false},
		{"of the same file in an earlier turn", slices.Insert(slices.Clone(again), second, "\x1b[1;2m› \x1b[0mAnd now the other", ""), true},
		{"of the same file, above a sign in a colour", slices.Insert(slices.Clone(again), second, "\x1b[1;38;5;6m› \x1b[0mAnd now the other", ""), false},
		{"of the same file, above a sign in reverse", slices.Insert(slices.Clone(again), second, "\x1b[1;2;7m› \x1b[0mAnd now the other", ""), false},
		{"with one of its counts in no colour", strings.Split(strings.ReplaceAll(strings.Join(chain, "\n"), "\x1b[38;5;1m-", "-"), "\n"), false},
		{"with the other in no colour", strings.Split(strings.ReplaceAll(strings.Join(chain, "\n"), "\x1b[38;5;2m+", "+"), "\n"), false},
		{"of the same file, with a name that goes on", slices.Concat(again[:first], []string{
			"\x1b[2m• \x1b[0;1mEdited\x1b[0m a/very/long/name/of/a/file/", "    main.py (\x1b[38;5;2m+10\x1b[39m \x1b[38;5;1m-10\x1b[39m)",
		}, again[second-1:]), false},
		{"of several files, not all of them shown", slices.Concat(again[:first], []string{
			"\x1b[2m• \x1b[0;1mEdited\x1b[0m 9 files (\x1b[38;5;2m+10\x1b[39m \x1b[38;5;1m-10\x1b[39m)", "  └ one.txt (+1 -0)", "    1 +a",
		}, again[second-1:]), false},
		{"words of the model", slices.Concat(again[:first], []string{"\x1b[2m• \x1b[0mEdited it as you said.", ""}, again[second:]), true},
		{"in another thread", strings.Split(strings.ReplaceAll(strings.Join(chain, "\n"), " to cancel", " to cancel or o to open thread"), "\n"), false},
		{"above the screen", chain[row(chain, "SCENARIO")+1:], false},
	} {
		p := Read("codex", screen.Parse(strings.Join(tt.shown, "\n"))).Prompt
		if p == nil || len(p.Approve) == 0 || p.Partial == tt.whole {
			t.Errorf("%s: %+v\n%s", tt.name, p, canvasOf(strings.Join(tt.shown, "\n")).plain())
		}
	}
}
