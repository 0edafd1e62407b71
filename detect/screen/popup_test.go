package screen

import (
	"strings"
	"testing"

	"nod/internal/reason"
)

// onText draws boxes over ten rows of words, each from its row on, and then the rows below.
func onText(below []string, boxes map[int][]string) string {
	var rows []string
	for i := range 10 {
		rows = append(rows, strings.Repeat("words of row "+string(rune('a'+i))+" ", 6)[:60])
	}
	for at, box := range boxes {
		for i, row := range box {
			rows[at+i] = rows[at+i][:20] + row + rows[at+i][20+width(row):]
		}
	}
	return strings.Join(append(rows, below...), "\n")
}

// TestABoxOverWordsIsRead: what a program draws over its own text is the dialog. Of two neither is, and one above an input box or above
// another list may take no keys.
func TestABoxOverWordsIsRead(t *testing.T) {
	asks := []string{"╭────────────────╮", "│ Run rm -rf a?  │", "│ ❯ Yes          │", "│   No           │", "╰────────────────╯"}
	input := []string{"╭──────────────────────────────────────────────────────────╮", "│ > Ask anything                                           │", "╰──────────────────────────────────────────────────────────╯"}
	for name, c := range map[string]struct {
		screen string
		y      string
		why    reason.Kind
		none   bool
	}{
		"alone":              {screen: onText(nil, map[int][]string{5: asks}), y: "Down Up Enter"},
		"above words":        {screen: onText(nil, map[int][]string{3: asks}), why: reason.NewerBelow},
		"two":                {screen: onText(nil, map[int][]string{0: asks, 5: asks}), none: true},
		"above an input box": {screen: onText(input, map[int][]string{3: asks}), why: reason.KeysInBox},
		"above a list":       {screen: onText([]string{"", "Which one?", "❯ 1. Yes", "  2. No", "", "Enter to select"}, map[int][]string{3: asks}), why: reason.NewerBelow},
		"above a shell":      {screen: onText([]string{"", "$ "}, map[int][]string{3: asks}), none: true},
	} {
		d := Lay(Parse(c.screen)).AnyDialog()
		if d == nil || c.none {
			if (d == nil) != c.none {
				t.Errorf("%s: dialog %v\n%s", name, d != nil, c.screen)
			}
			continue
		}
		p := d.Prompt("")
		if got := strings.Join(p.Approve, " "); got != c.y || p.Why.Kind != c.why {
			t.Errorf("%s: y presses %q, as %q; want %q, %q\n%s", name, got, p.Why.Kind, c.y, c.why, c.screen)
		}
	}
}
