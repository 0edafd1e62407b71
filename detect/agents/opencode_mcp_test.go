package agents

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"nod/detect/screen"
	"nod/internal/reason"
)

// TestOpencodeAsksAboutOneOfTwoCalls: of two calls of one tool, the panel names neither; the colour of its row tells which is asked
// about, and where there are no colours nothing does.
func TestOpencodeAsksAboutOneOfTwoCalls(t *testing.T) {
	for file, asked := range map[string]string{"multi-mcp": "evil.ran", "multi-mcp+enter-only": "fine.ran"} {
		file = "opencode/1.18.33-" + file + "-100x40"
		p := prompt(t, "opencode", capture(t, file+".ansi"))
		if slices.Contains(p.Doubts, reason.Why{Kind: reason.TwoCalls}) || strings.Count(p.Subject, ".ran]") != 1 || !strings.Contains(p.Subject, asked) {
			t.Errorf("%s: doubts %+v, subject %q", file, p.Doubts, p.Subject)
		}
		if p := prompt(t, "opencode", capture(t, file+".txt")); !slices.Contains(p.Doubts, reason.Why{Kind: reason.TwoCalls}) {
			t.Errorf("%s without colours: subject %q", file, p.Subject)
		}
		bold := strings.ReplaceAll(capture(t, file+".ansi"), "\x1b[38;5;215m⚙", "\x1b[1;38;5;215m⚙")
		if p := prompt(t, "opencode", bold); !slices.Contains(p.Doubts, reason.Why{Kind: reason.ArgumentsUnseen}) {
			t.Errorf("%s in bold: subject %q", file, p.Subject)
		}
	}
}

// TestEveryArgumentIsSeenOrDoubted: every row that shows a part of an MCP call's arguments is in the subject, whatever they hold, and
// since the agent leaves some of them out without a mark, the prompt is partial all the same.
func TestEveryArgumentIsSeenOrDoubted(t *testing.T) {
	rng := random(t)
	for range draws {
		width, plain := 60+rng.IntN(80), rng.IntN(4) == 0
		rows := wrapCall("rig_touch "+randomArguments(rng), width-10)
		for _, agent := range []string{"opencode", "kilo"} {
			shown := mcpPanel(rows, width, rng.IntN(3))
			if plain {
				shown = strings.Join(screen.Parse(shown).Tail(400), "\n")
			}
			p := prompt(t, agent, shown)
			if !p.Partial {
				t.Fatalf("%s: no doubt\n%s", agent, shown)
			}
			said := strings.ReplaceAll(p.Subject, " ", "")
			for _, row := range rows {
				if part := strings.ReplaceAll(row, " ", ""); !strings.Contains(said, part) {
					t.Fatalf("%s: subject %q lacks %q\n%s", agent, p.Subject, part, shown)
				}
			}
		}
	}
}

// randomArguments are arguments of a call, as OpenCode writes those that it shows.
func randomArguments(rng *rand.Rand) string {
	pieces := []string{
		"ok", "rm -rf build", "]", "[", "\n", "\n", "\n\n\n", ", evil=1", "  ", "漢字", "é", "⚙ rig_touch [path=x]", "\n⚙ rig_touch [path=y]",
		"\n▣  Build · Rig Model", "\n┃ Allow once", "\n△ Permission required", "\n\n● done", "\n$ ls", "\n❯ 1. Yes", "a/very/long/path/that/wraps/somewhere/in/the/middle.txt", "\n─────────",
	}
	var args []string
	for range 1 + rng.IntN(4) {
		var value strings.Builder
		for range rng.IntN(6) {
			value.WriteString(pieces[rng.IntN(len(pieces))])
		}
		args = append(args, fmt.Sprintf("k%d=%s", rng.IntN(9), value.String()))
	}
	return "[" + strings.Join(args, ", ") + "]"
}

// wrapCall breaks a call into rows of that many columns, at blanks where there are any.
func wrapCall(text string, width int) []string {
	var rows []string
	for line := range strings.SplitSeq(text, "\n") {
		row := ""
		for _, word := range strings.SplitAfter(line, " ") {
			for cells(row+word) > width {
				if row == "" {
					cut := []rune(word)
					row, word = string(cut[:width/2]), string(cut[width/2:])
				}
				rows, row = append(rows, row), ""
			}
			row += word
		}
		rows = append(rows, strings.TrimRight(row, " "))
	}
	return rows
}

// mcpPanel is the screen on which OpenCode 1.18.33 asks about an MCP call, below so many other calls.
func mcpPanel(call []string, width, others int) string {
	var b strings.Builder
	for i := range others {
		fmt.Fprintf(&b, "\n     \x1b[9m\x1b[38;5;8m⚙\x1b[0m \x1b[9m\x1b[38;5;8mrig_touch [path=%d]\x1b[0m\n", i)
	}
	for i, row := range call {
		switch {
		case i == 0:
			b.WriteString("\n     \x1b[38;5;215m⚙\x1b[38;5;15m \x1b[38;5;215m" + row + "\x1b[38;5;15m\n")
		case row == "":
			b.WriteString("\n")
		default:
			b.WriteString("       \x1b[38;5;215m" + row + "\x1b[38;5;15m\n")
		}
	}
	b.WriteString("\n     \x1b[38;5;75m▣ \x1b[38;5;15m \x1b[38;5;255mBuild\x1b[38;5;8m · Rig Model\x1b[38;5;15m\n\n")
	bar := func(ground, text string) {
		b.WriteString("  \x1b[38;5;215m\x1b[48;5;" + ground + "m┃" + text + "\x1b[48;5;232m\n")
	}
	bar("233", "")
	bar("233", "  \x1b[38;5;215m△\x1b[38;5;15m \x1b[38;5;255mPermission required")
	bar("233", "    \x1b[38;5;8m⚙\x1b[38;5;15m \x1b[38;5;255mCall tool rig_touch")
	bar("233", "")
	bar("233", "  \x1b[38;5;8mTool: rig_touch")
	bar("233", "")
	bar("234", "")
	buttons := "  \x1b[48;5;215m \x1b[38;5;232mAllow once\x1b[38;5;15m \x1b[48;5;234m  \x1b[38;5;8mAllow always\x1b[38;5;15m   \x1b[38;5;8mReject"
	bar("234", buttons+strings.Repeat(" ", width-60)+"\x1b[38;5;15m\x1b[38;5;255m⇆ \x1b[38;5;8mselect  \x1b[38;5;255menter \x1b[38;5;8mconfirm")
	bar("234", "")
	return b.String()
}
