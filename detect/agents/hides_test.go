package agents

import (
	"slices"
	"strings"
	"testing"

	"nod/detect/screen"
	"nod/internal/reason"
)

// opencodeInline is a capture in which OpenCode 1.0 asks about the first of two calls.
const opencodeInline = "opencode/1.0.152-parallel-100x40.txt"

// TestWhatADialogHidesIsDoubted: where an agent draws less than the call, as its captures show it, the prompt says so and takes consent.
func TestWhatADialogHidesIsDoubted(t *testing.T) {
	const command = "  ┃  $ rm -rf build && echo ran >> first.ran                                                     ┃\n"
	const head = "  ┃  # Scripted step first                                                                       ┃\n"
	empty := "  ┃" + strings.Repeat(" ", 94) + "┃\n"
	row := func(words string) string {
		return "  ┃  " + words + strings.Repeat(" ", 92-len([]rune(words))) + "┃\n"
	}
	for name, c := range map[string]struct {
		agent, file string
		change      []string // what is there, and what instead
		want        reason.Why
	}{
		"a full box of Crush's": {"crush", "crush/main-37f36e93-edit-80x24.txt", []string{
			"   Reque│                                                              │\n        │                                                              │\n",
			"   Reque│  4  4   line four                                            │\n        │  5  5   line five                                            │\n",
		}, reason.Why{Kind: reason.CutsChange, Agent: "Crush"}},
		"the arguments of a tool, in OpenCode 1.0": {"opencode", opencodeInline, []string{head, row("⚙ rig_touch"), command, empty}, reason.Why{Kind: reason.ArgumentsLacked}},
		"one row of a call, in OpenCode 1.0":       {"opencode", opencodeInline, []string{head, row("← Edit notes.md"), command, empty}, reason.Why{Kind: reason.OneRowOfCall}},
		"a call without a head, in OpenCode 1.0":   {"opencode", opencodeInline, []string{head, empty}, reason.Why{Kind: reason.BoxTopUnseen}},
		"a box without a call, in OpenCode 1.0":    {"opencode", opencodeInline, []string{head, empty, command, empty}, reason.Why{Kind: reason.BoxHidesCall}},
		"the arguments of a tool, in Continue":     {"continue", "continue/1.5.47-mcp-100x40.txt", nil, reason.Why{Kind: reason.OnlyBeginning, Agent: "Continue"}},
	} {
		t.Run(name, func(t *testing.T) {
			shown := capture(t, c.file)
			for i := 0; i < len(c.change); i += 2 {
				if !strings.Contains(shown, c.change[i]) {
					t.Fatalf("no %q", c.change[i])
				}
				shown = strings.Replace(shown, c.change[i], c.change[i+1], 1)
			}
			if p := prompt(t, c.agent, shown); !slices.Contains(p.Doubts, c.want) || !p.Partial {
				t.Errorf("doubts %+v", p.Doubts)
			}
		})
	}
}

// TestOpencodesRowOfKeysActsOnce: it acts while the status row says that a permission is asked for, and where one row alone has a bar at
// its right: a command may print the other.
func TestOpencodesRowOfKeysActsOnce(t *testing.T) {
	shown := capture(t, opencodeInline)
	const keys = "  ┃  enter accept  a accept always  d deny                                                       ┃\n"
	for name, changed := range map[string]string{
		"nothing is asked for": strings.Replace(shown, "◉ 2 Permissions", "               ", 1),
		"a second row of keys": strings.Replace(shown, "  ┃  unknown\n", keys, 1),
	} {
		if r := Read("opencode", screen.Parse(changed)); changed == shown || r.State == screen.Permission {
			t.Errorf("%s: read as %s: %q", name, r.State, r.Why)
		}
	}
}

// TestARowThatTellsOfMoreIsADoubt: of an agent that nobody has seen, a row above the answers by which it may say that a part of the command
// is not shown leaves a doubt, in whatever way it says so.
func TestARowThatTellsOfMoreIsADoubt(t *testing.T) {
	doubted := func(row, keys string) bool {
		shown := "● I will do it now.\n\n╭" + strings.Repeat("─", 40) + "╮\n"
		for _, r := range []string{"Tool call", "", "  rm -rf build", "  " + row, "", "Run it?", "", "❯ Yes", "  No", "", "↑/↓ select" + keys} {
			shown += "│ " + r + strings.Repeat(" ", 39-len([]rune(r))) + "│\n"
		}
		r := Read("nobody", screen.Parse(shown+"╰"+strings.Repeat("─", 40)+"╯\n"))
		if r.State != screen.Permission || len(r.Prompt.Approve) == 0 {
			t.Fatalf("%q: %s %q", row, r.State, r.Why)
		}
		return r.Prompt.Partial
	}
	for _, row := range []string{
		"▼", "⋮", "～", "↓ 12 more", "more ↓", "───── ↓ ─────", "rm -rf b›", "rm -rf […]", "1-10 of 24", "Lines 1-10 of 24", "(1/3)", "42%", "12 hidden",
		"and 12 more files", "[truncated]", "(scroll for more)", "-- more --", "Show more", "view full command",
		"rm -rf build … && make", "/home/…/build", strings.Repeat("rm build/", 4), // which fills the box
	} {
		if !doubted(row, "") {
			t.Errorf("%q: no doubt", row)
		}
	}
	for _, row := range []string{"", "}", "&& make all", "cat more.txt", "sleep 5 10", "echo a > b", "head -n 10 ./x/1", "Page 1 of 1", "* all", "tar -xf a.tgz --exclude b",
		strings.Repeat("rm build/", 4)[1:], strings.Repeat("a word ", 5) + "."} {
		if doubted(row, "") {
			t.Errorf("%q: a doubt", row)
		}
	}
	for _, keys := range []string{" · d show diff", " · f full", " · i inspect it"} {
		if !doubted("rm -rf another/build/of/it", keys) {
			t.Errorf("%q: no doubt", keys)
		}
	}
}
