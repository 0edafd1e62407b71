package agents

import (
	"math/rand/v2"
	"strings"
	"testing"

	"nod/detect/screen"
	"nod/internal/testrun"
)

// over are the ways in which a dialog on the screen is over, or another program shows it.
var over = map[string]func(rng *rand.Rand, shown string) string{
	"above an idle input box": func(rng *rand.Rand, shown string) string {
		rule := strings.Repeat("─", 80)
		box := pick(rng, []string{
			rule + "\n❯ \n" + rule + "\n", "╭" + rule + "╮\n│ > " + strings.Repeat(" ", 77) + "│\n╰" + rule + "╯\n", rule + "\n> Type your message\n" + rule + "\n",
		})
		return shown + "\n● It is done.\n\n" + box + pick(rng, []string{"", "  ? for shortcuts\n", kitStatus(rng) + "\n"})
	},
	"in a diff": func(rng *rand.Rand, shown string) string {
		sign := pick(rng, []string{" ", "+"})
		return "diff --git a/kit.txt b/kit.txt\n@@ -1,9 +1,9 @@\n-old\n" + sign + strings.ReplaceAll(strings.TrimRight(shown, "\n"), "\n", "\n"+sign) + "\n\n$ "
	},
	"in a pager": func(rng *rand.Rand, shown string) string {
		return shown + pick(rng, []string{":", "\x1b[7m(END)\x1b[0m", "\x1b[7mkit.txt (END)\x1b[0m"})
	},
	"above a shell's prompt": func(rng *rand.Rand, shown string) string {
		return shown + "\n" + pick(rng, []string{"$ ", "user@host:~/src$ ", "~/src ❯ ", "# "})
	},
}

// TestAnUnknownDialogThatIsOverHasNoKey: a dialog of an agent that nobody has seen, which was scrolled up, quoted or printed, takes no key.
func TestAnUnknownDialogThatIsOverHasNoKey(t *testing.T) {
	t.Parallel()
	rng := random(t)
	for range testrun.Rounds(draws/3, 3*draws) {
		shown := inventKit(rng).String()
		for how, make := range over {
			text := make(rng, shown)
			r := Read("nobody", screen.Parse(text))
			if p := r.Prompt; p != nil && len(p.Approve)+len(p.Deny) > 0 {
				t.Fatalf("%s it is answered by %q and %q\n%s", how, p.Approve, p.Deny, text)
			}
		}
	}
}

// TestARowForTheAnswerLeavesNoKey: an answer is typed into a row below the options, whatever its words and whatever is below it, and a key
// without Enter stays there.
func TestARowForTheAnswerLeavesNoKey(t *testing.T) {
	t.Parallel()
	rng := random(t)
	words := func(n int) string { return randomWords(rng, n) }
	keyed := 0
	for range testrun.Rounds(draws/3, 3*draws) {
		list := pick(rng, []string{"  [y] Yes\n  [a] Always\n  [n] No\n", "  1) Yes\n  2) Always\n  3) No\n", "  1. Yes\n  2. No\n", "❯ Yes\n  Always\n  No\n"})
		around := []string{"", pick(rng, kitCounts), kitSpinner(rng), pick(rng, kitCounts) + pick(rng, kitSigns) + pick(rng, kitPlaces), ""}
		row := pick(rng, []string{words(3), words(3), "Enter", "Type", "Press", "or", "Use"}) + pick(rng, []string{"", " [y/a/n]", " (1-3)", " y/a/n"}) + pick(rng, []string{":", "?"})
		if rng.IntN(4) == 0 {
			row = pick(rng, []string{"[y/a/n]", "(1-3)", "[y/a/n]:", "1-3?", "Type y or n", "Enter 1-3", "Type y or n and press Enter", "Enter [1-3] :", "y, a, n", "Choose [1-3]", "Your choice [y/a/n]"})
		}
		head, status := "I will do it now.\n\ncommand: rm -rf build\n\nRun it?\n"+list, pick(rng, around)+"\n"+pick(rng, around)+"\n"
		if p := Read("nobody", screen.Parse(head+status)).Prompt; p != nil && len(p.Approve) > 0 {
			keyed++
		}
		text := head + pick(rng, []string{"", "", pick(rng, around) + "\n"}) + row + "\n" + status
		if p := Read("nobody", screen.Parse(text)).Prompt; p != nil && len(p.Approve)+len(p.Deny) > 0 {
			t.Fatalf("it is answered by %q and %q\n%s", p.Approve, p.Deny, text)
		}
	}
	if keyed == 0 {
		t.Error("no list has a key without the row")
	}
}

// TestASecondMarkLeavesNoYes: of two marks before a label either may show what Enter takes, even where a list of boxes draws the second.
func TestASecondMarkLeavesNoYes(t *testing.T) {
	t.Parallel()
	rng := random(t)
	marks := []rune("❯›→▶▸➤●◉⏵➜▷○◯◌")
	for range testrun.Rounds(draws, 10*draws) {
		mark, cursor := string(pick(rng, marks)), pick(rng, []string{"❯", "›", ">", "▶", "→", "➤"})
		var text strings.Builder
		text.WriteString("? Run rm -rf build?\n")
		labels := []string{"Yes", "Always", "No"}
		at := rng.IntN(len(labels))
		for i, label := range labels {
			text.WriteString(map[bool]string{true: cursor, false: " "}[i == at])
			if i == 0 || rng.IntN(3) == 0 {
				label = mark + " " + label
			}
			text.WriteString(" " + label + "\n")
		}
		text.WriteString(pick(rng, []string{"", "\n↑↓ navigate • ⏎ submit\n", "\nUse arrows to move, enter to choose\n"}))
		if p := Read("nobody", screen.Parse(text.String())).Prompt; p != nil && len(p.Approve) > 0 {
			t.Fatalf("it is approved by %q\n%s", p.Approve, text.String())
		}
	}
}

// TestADialogThatItsBarHoldsOpenIsTold, without a key, until a row ends it or something is below it.
func TestADialogThatItsBarHoldsOpenIsTold(t *testing.T) {
	t.Parallel()
	rng := random(t)
	for range testrun.Rounds(draws/3, 3*draws) {
		bar := pick(rng, []string{"│└", "┃┗", "┃╹", "│╰"})
		bar, corner := string([]rune(bar)[0]), string([]rune(bar)[1])
		shown := "I will do it now.\n\n" + pick(rng, []string{"◆", "■", "?", "▲", "✦"}) + "  " + pick(rng, kitModes) + "\n"
		for range 1 + rng.IntN(8) {
			shown += bar + "  " + pick(rng, []string{"", "◻ ", " a  ", "│ ◻ ", "+ "}) + pick(rng, kitPlaces) + "\n"
		}
		live := shown + corner + "\n"
		r := Read("nobody", screen.Parse(live))
		if p := r.Prompt; corner != "╹" && p == nil {
			t.Fatalf("it is %s\n%s", r.State, live)
		} else if p != nil && len(p.Approve)+len(p.Deny) > 0 {
			t.Fatalf("it is answered by %q and %q\n%s", p.Approve, p.Deny, live)
		}
		for how, make := range over {
			if r := Read("nobody", screen.Parse(make(rng, live))); r.Prompt != nil {
				t.Fatalf("%s it is told\n%s", how, make(rng, live))
			}
		}
		if r := Read("nobody", screen.Parse(shown+corner+"  It is done.\n")); r.Prompt != nil {
			t.Fatalf("it is told after its end\n%s", shown)
		}
	}
}

// TestWordsBelowTheOptionsLeaveNoKey: what an agent says next, in a few words without the sign of a status row, ends a dialog.
func TestWordsBelowTheOptionsLeaveNoKey(t *testing.T) {
	t.Parallel()
	rng := random(t)
	for range testrun.Rounds(draws/3, 3*draws) {
		list := pick(rng, []string{"❯ 1. Yes\n  2. Always\n  3. No\n", "  Yes\n❯ Always\n  No\n", "> [y] Yes\n  [a] Always\n  [n] No\n", "❯ Allow once\n  Deny\n"})
		text := "I will do it now.\n\nRun rm -rf build?\n" + list + pick(rng, []string{"", "\n", "Esc to cancel\n", "\n  ↑↓ move · enter select\n"})
		for range 1 + rng.IntN(3) {
			text += pick(rng, []string{"Deleted", "The", "Done", "Es", "It"}) + " " + pick(rng, []string{"the file", "was removed", "tests pass now", "ist fertig"}) + "\n"
		}
		if p := Read("nobody", screen.Parse(text)).Prompt; p != nil && len(p.Approve)+len(p.Deny) > 0 {
			t.Fatalf("it is answered by %q and %q\n%s", p.Approve, p.Deny, text)
		}
	}
}

// TestPrintedKeysAboveAnotherListArePressedNowhere: below a dialog that was printed another one waits, in a language that nod does not read.
// A key that the printed one names would go there; a mark proves itself as it moves.
func TestPrintedKeysAboveAnotherListArePressedNowhere(t *testing.T) {
	t.Parallel()
	rng := random(t)
	lists := []string{
		" Scope ‹ Immer ›\n", " ▲ nie ▼\n", " \x1b[7m Toujours \x1b[0m   Jamais \n", "▌ Toujours\n  Jamais\n  2/2 ─────\n>\n", " Antwort: █\n", " 常に許可  許可しない\n", "? Immer › j/N\n",
		"  \x1b[44m Immer \x1b[0m\n  \x1b[40m Nie \x1b[0m\n", " (a) immer (n) nie\n", " 1 immer\n 2 nie\n", " ● immer\n ○ nie\n", "   immer\n ▲ nie ▼\n",
		"┌──────┬─────┐\n│\x1b[7mimmer \x1b[0m│ ja  │\n├──────┼─────┤\n│nie   │ nein│\n└──────┴─────┘\n",
	}
	keyed := 0
	for range testrun.Rounds(draws, 10*draws) {
		d := inventKit(rng)
		d.beneath, d.mark, d.marked = nil, "ground", -1
		printed := pick(rng, []string{"", " agent v1.2\n\n"}) + d.String() + pick(rng, []string{"", "\n"})
		if p := Read("nobody", screen.Parse(printed)).Prompt; p != nil && p.Highlighted < 0 && len(p.Approve) > 0 {
			keyed++
		}
		text := printed + pick(rng, lists)
		if p := Read("nobody", screen.Parse(text)).Prompt; p != nil && p.Highlighted < 0 && len(p.Approve)+len(p.Deny) > 0 {
			t.Fatalf("it is answered by %q and %q\n%s", p.Approve, p.Deny, text)
		}
	}
	if keyed < draws/4 {
		t.Errorf("%d printed dialogs have a key: the test proves little", keyed)
	}
}
