package actor

import (
	"fmt"
	"slices"
	"strings"
)

// codexScreens are the screens of Codex 0.169.0.
var codexScreens = screens{
	head: func(v view) []string {
		return []string{
			"",
			"  \x1b[38;5;75m>_ \x1b[0;1mOpenAI Codex\x1b[0;2m (v0.169.0)",
			"     \x1b[2m" + v.dir,
		}
	},
	turn: func(v view) []string {
		return []string{
			"",
			"\x1b[48;5;238m⟪fill⟫",
			"\x1b[48;5;238;1;2m› \x1b[0;38;5;255;48;5;238m" + v.instruction + "⟪fill⟫",
			"\x1b[48;5;238m⟪fill⟫",
			"",
		}
	},
	ran: func(v view) []string {
		often := "this time"
		if v.always {
			often = "every time"
		}
		return []string{
			"\x1b[38;5;2m✔ \x1b[39mYou \x1b[1mapproved\x1b[0m codex to run \x1b[2m" + v.command + "\x1b[0;1m " + often,
			"",
			"\x1b[1;38;5;2m•\x1b[0m \x1b[1mRan\x1b[0m \x1b[38;2;137;180;250m" + v.command,
			"\x1b[2m  └ (no output)",
			"",
			"\x1b[2m• \x1b[0m" + v.done,
			"",
			fmt.Sprintf("\x1b[2m  Worked for %ds • 23:25", v.seconds),
		}
	},
	denied: func(v view) []string {
		return []string{
			"\x1b[38;5;1m✗ \x1b[39mYou \x1b[1mcanceled\x1b[0m the request to run \x1b[2m" + v.command,
			"",
			"\x1b[1m• Exited (status 1)\x1b[0m \x1b[38;2;137;180;250m" + v.command,
			"\x1b[2m  └ (no output)",
			"",
			"■ Conversation interrupted - use /feedback if something went wrong",
		}
	},
	ask: func(v view) []string {
		return slices.Concat([]string{
			"• \x1b[1mRunning\x1b[0m \x1b[38;2;137;180;250m" + v.command,
			"⟪stretch 2⟫",
			"  \x1b[1mWould you like to run the following command?",
			"",
			"  Environment: \x1b[1mlocal",
			"",
			"  Reason: \x1b[3m" + v.why,
			"",
		}, prefixed("  $ \x1b[38;2;137;180;250m", "  \x1b[38;2;137;180;250m", strings.Split(v.command, "\n")), []string{
			"",
			"",
		}, codexMenu(v), []string{
			"",
			"  \x1b[2mPress \x1b[0;1menter\x1b[0;2m to confirm or \x1b[0;1mesc\x1b[0;2m to cancel",
		})
	},
	idle: func(v view) []string {
		return append([]string{"⟪stretch 2⟫"}, codexComposer(v)...)
	},
	working: func(v view) []string {
		var rows []string
		if v.running {
			rows = []string{"• \x1b[1mRunning\x1b[0m \x1b[38;2;137;180;250m" + v.command}
		}
		rows = append(rows,
			"⟪stretch 1⟫",
			fmt.Sprintf("• \x1b[2mWorking\x1b[0m \x1b[2m(%ds • \x1b[0;1mesc\x1b[0;2m to interrupt)", v.elapsed),
			"",
			"",
		)
		return append(rows, codexComposer(v)...)
	},
}

func codexMenu(v view) (rows []string) {
	for i, option := range v.rows {
		pointer := "  "
		if i == v.highlight {
			pointer = "\x1b[1;7m› "
		}
		rows = append(rows, fmt.Sprintf("⟪hang 5⟫%s%d. %s", pointer, i+1, option))
	}
	return rows
}

func codexComposer(v view) []string {
	rows := []string{"\x1b[1m›\x1b[0m \x1b[2mAsk Codex to do anything"}
	hints := "\x1b[1m←\x1b[0m for agents · \x1b[1m?\x1b[0m for shortcuts"
	if v.draft != "" {
		rows = prefixed("\x1b[1m›\x1b[0m ", "  ", strings.Split(v.draft, "\n"))
		hints = ""
	}
	title := ""
	if v.turns > 0 {
		title = "\x1b[39m · \x1b[38;5;183m" + v.title
	}
	return append(rows,
		"",
		"  \x1b[38;5;223mgpt-5.4 default\x1b[39m · \x1b[38;5;151m"+v.dir+title,
		"  "+hints+"⟪fill⟫⚠ \x1b[38;5;179m4 warnings\x1b[39m · \x1b[1mf2\x1b[0m to view ",
	)
}
