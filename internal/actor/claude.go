package actor

import (
	"fmt"
	"slices"
	"strings"
)

// claudeScreens are the screens of Claude Code 2.1.329.
var claudeScreens = screens{
	head: func(v view) []string {
		return []string{
			"",
			"\x1b[38;5;174m ▐\x1b[48;5;16m▛███▛█\x1b[39;49m   \x1b[1mClaude Code\x1b[0m \x1b[38;5;246mv2.1.329",
			"\x1b[38;5;174m▝▜\x1b[48;5;16m█████\x1b[49m█▀\x1b[39m  \x1b[38;5;246mOpus 5.5 · API Usage Billing",
			"\x1b[38;5;174m ▝▝   ▝▝ \x1b[39m  \x1b[38;5;246m" + v.dir,
			"",
		}
	},
	turn: func(v view) []string {
		return []string{
			"",
			"\x1b[38;5;246;48;5;237m❯ \x1b[38;5;231m" + v.instruction,
			"",
		}
	},
	ran: func(v view) []string {
		return []string{
			"  \x1b[38;5;246mRan \x1b[1m1\x1b[22m shell command",
			"",
			"\x1b[38;5;231m●\x1b[0m " + v.done,
			"",
			fmt.Sprintf("\x1b[38;5;246m✻ Cooked for %ds · done 10:24 PM", v.seconds),
		}
	},
	denied: func(v view) []string {
		return []string{
			"  \x1b[38;5;246mDid not run \x1b[1m1\x1b[22m call",
			"\x1b[38;5;246m  ⎿ \u00a0$ " + v.command,
			"\x1b[38;5;246m  ⎿ \u00a0Interrupted · What should Claude do instead?",
		}
	},
	ask: func(v view) []string {
		return slices.Concat([]string{
			"  \x1b[38;5;246m" + v.doing,
			"\x1b[38;5;246m  ⎿  $ " + v.command,
			"",
			"\x1b[38;5;153m⟪rule ─⟫",
			" \x1b[1;38;5;153mBash command",
			" \x1b[1mTip: auto mode handles these prompts for you — choose \"switch to auto mode\" below",
			" \x1b[38;5;246m" + v.why,
			"\x1b[38;5;239m⟪rule ╌⟫",
		}, prefixed(" ", " ", strings.Split(v.command, "\n")), []string{
			"\x1b[38;5;239m⟪rule ╌⟫",
			" Do you want to proceed?",
		}, claudeMenu(v), []string{
			"",
			" \x1b[38;5;246mEsc to cancel · Tab to amend",
			"⟪stretch 0⟫",
		})
	},
	idle: func(v view) []string {
		rows := []string{"⟪stretch 1⟫"}
		if v.turns == 0 {
			rows = append(rows, "⟪fill⟫\x1b[38;5;246m◐ medium · /effort  ")
		}
		foot := "  \x1b[38;5;246m⏸ manual mode on"
		if v.draft == "" {
			foot += " · ? for shortcuts"
		}
		if v.draft == "" && !v.denied {
			foot += " · ← for agents"
		}
		return append(append(rows, claudeComposer(v)...), foot)
	},
	working: func(v view) []string {
		var rows []string
		if v.running {
			rows = []string{
				"  \x1b[38;5;246mRunning 1 shell command…",
				"\x1b[38;5;246m  ⎿  $ " + v.command,
			}
		}
		rows = append(rows,
			"⟪stretch 1⟫",
			"\x1b[38;5;174m"+v.spinner+" Cascading…",
		)
		return append(append(rows, claudeComposer(v)...), "  \x1b[38;5;246m⏸ manual mode on · esc to interrupt · ← for agents")
	},
	questions: func(v view) []string {
		return append(v.sheet, "⟪stretch 0⟫")
	},
	answered: func(v view) []string {
		return slices.Concat([]string{
			"\x1b[38;5;246m●\x1b[39m Answered Claude's questions:",
		}, claudeAnswers(v), []string{
			"",
			"\x1b[38;5;231m●\x1b[0m " + v.done,
			"",
			fmt.Sprintf("\x1b[38;5;246m✻ Baked for %ds · done 10:24 PM", v.seconds),
		})
	},
	declined: func(v view) []string {
		return append([]string{
			"\x1b[38;5;246m●\x1b[39m Declined to answer Claude's questions:",
		}, claudeAnswers(v)...)
	},
}

func claudeMenu(v view) (rows []string) {
	for i, option := range v.rows {
		pointer, colour := " ", ""
		if i == v.highlight {
			pointer, colour = "\x1b[38;5;153m❯\x1b[39m", "\x1b[38;5;153m"
		}
		rows = append(rows, fmt.Sprintf("⟪hang 6⟫ %s \x1b[38;5;246m%d. \x1b[39m%s%s", pointer, i+1, colour, option))
	}
	return rows
}

func claudeComposer(v view) []string {
	return slices.Concat([]string{
		"\x1b[38;5;244m⟪rule ─⟫",
	}, prefixed("❯\u00a0", "  ", strings.Split(v.draft+"\x1b[7m \x1b[0m", "\n")), []string{
		"\x1b[38;5;244m⟪rule ─⟫",
	})
}

func claudeAnswers(v view) []string {
	return prefixed("\x1b[38;5;246m  ⎿  · ", "\x1b[38;5;246m     · ", v.answers)
}
