package actor

import (
	"fmt"
	"slices"
	"strings"
)

// openCodeScreens are the screens of OpenCode 1.18.33.
var openCodeScreens = screens{
	head: func(view) []string { return nil },
	turn: func(v view) []string {
		return []string{
			"",
			panel(toldBar, ""),
			panel(toldBar, "  \x1b[38;5;255m"+v.instruction),
			panel(toldBar, ""),
			"",
		}
	},
	ran: func(v view) []string {
		return []string{
			panel(toolBar, ""),
			panel(toolBar, "  \x1b[38;5;255m$ "+v.command),
			panel(toolBar, ""),
			panel(toolBar, "  \x1b[38;5;255m(no output)"),
			panel(toolBar, ""),
			"",
			"     \x1b[38;5;255m" + v.done,
			"",
			fmt.Sprintf("%s · %d.2s", openCodeBuild, v.seconds),
		}
	},
	denied: func(v view) []string {
		return []string{
			"     \x1b[38;5;215m$ " + v.command,
			"",
			openCodeBuild,
		}
	},
	ask: func(v view) []string {
		body := openCodeRequest
		if v.confirming {
			body = openCodeAlways
		}
		return slices.Concat([]string{
			"     \x1b[38;5;215m$ " + v.command,
			"",
			openCodeBuild,
			"⟪stretch 1⟫",
			panel(askBar, ""),
		}, body(v), []string{
			panel(buttonBar, ""),
			"",
		})
	},
	idle: func(v view) []string {
		return slices.Concat([]string{
			"⟪stretch 1⟫",
		}, openCodeComposer(v), []string{
			"   \x1b[38;5;8m" + v.dir + "⟪fill⟫\x1b[38;5;8m110 (0%)  \x1b[38;5;255mctrl+p \x1b[38;5;8mcommands  ",
			"",
		})
	},
	working: func(v view) []string {
		var rows []string
		if v.running {
			rows = []string{
				panel(toolBar, ""),
				panel(toolBar, "  \x1b[38;5;255m"+v.spinner+" "+v.command),
				panel(toolBar, ""),
				"",
			}
		}
		return slices.Concat(rows, []string{
			openCodeBuild,
			"⟪stretch 1⟫",
		}, openCodeComposer(v), []string{
			"   \x1b[38;5;236m⬝⬝⬝⬝⬝⬝⬝⬝  \x1b[38;5;255mesc \x1b[38;5;8minterrupt⟪fill⟫\x1b[38;5;255mtab \x1b[38;5;8magents  \x1b[38;5;255mctrl+p \x1b[38;5;8mcommands  ",
			"",
		})
	},
}

const openCodeBuild = "     \x1b[38;5;75m▣  \x1b[38;5;255mBuild\x1b[38;5;8m · Rig Model"

// The left edges of OpenCode's panels, each with the following background colour.
const (
	toldBar   = "  \x1b[38;5;75m┃\x1b[48;5;233m"
	toolBar   = "  \x1b[38;5;232;48;5;233m┃"
	askBar    = "  \x1b[38;5;215;48;5;233m┃"
	buttonBar = askBar + "\x1b[48;5;234m"
	draftBar  = "  \x1b[38;5;75m┃\x1b[48;5;234m"
)

// panel returns one row of a panel, up to its right edge.
func panel(bar, text string) string { return bar + text + "⟪fill⟫\x1b[48;5;232m  " }

// openCodeRequest is the panel that asks about a command.
func openCodeRequest(v view) []string {
	rows := []string{
		panel(askBar, "  △ \x1b[38;5;255mPermission required"),
		panel(askBar, "    \x1b[38;5;8m#\x1b[38;5;15m \x1b[38;5;255mShell command"),
		panel(askBar, ""),
	}
	for _, row := range v.sevenRows() {
		rows = append(rows, panel(askBar, "  \x1b[38;5;255m"+row))
	}
	rows = append(rows,
		panel(askBar, ""),
		panel(buttonBar, ""),
	)
	buttons, hints := " "+openCodeButtons(v)+" ", "\x1b[38;5;255mctrl+f \x1b[38;5;8mfullscreen  \x1b[38;5;255m⇆ \x1b[38;5;8mselect  \x1b[38;5;255menter \x1b[38;5;8mconfirm"
	if v.narrow() {
		return append(rows, panel(buttonBar, buttons), panel(buttonBar, "  "+hints))
	}
	return append(rows, buttonBar+buttons+"⟪fill⟫"+hints)
}

// openCodeAlways is the second panel, after "Allow always".
func openCodeAlways(v view) []string {
	rows := []string{
		panel(askBar, "  △ \x1b[38;5;255mAlways allow"),
		panel(askBar, ""),
		panel(askBar, "  \x1b[38;5;8mThis will allow the following patterns until OpenCode is restarted"),
		panel(askBar, ""),
	}
	for _, pattern := range v.patterns() {
		rows = append(rows, panel(askBar, "  \x1b[38;5;255m- "+pattern))
	}
	return append(rows,
		panel(askBar, ""),
		panel(buttonBar, ""),
		buttonBar+" "+openCodeButtons(v)+"⟪fill⟫\x1b[38;5;255m⇆ \x1b[38;5;8mselect  \x1b[38;5;255menter \x1b[38;5;8mconfirm   \x1b[48;5;232m  ",
	)
}

func openCodeButtons(v view) string {
	var row strings.Builder
	for i, button := range v.rows {
		if i == v.highlight {
			row.WriteString(" \x1b[48;5;215m \x1b[38;5;232m" + button + " \x1b[48;5;234m")
		} else {
			row.WriteString("  \x1b[38;5;8m" + button + " ")
		}
	}
	return row.String()
}

func openCodeComposer(v view) []string {
	rows := []string{panel(draftBar, "")}
	for line := range strings.SplitSeq(v.draft, "\n") {
		rows = append(rows, panel(draftBar, "  \x1b[38;5;255m"+line))
	}
	return append(rows,
		panel(draftBar, ""),
		panel(draftBar, "  Build\x1b[38;5;15m \x1b[38;5;8m·\x1b[38;5;15m \x1b[38;5;255mRig Model\x1b[38;5;15m \x1b[38;5;8mRig"),
		"  \x1b[38;5;75m╹\x1b[38;5;234m⟪rule ▀⟫\x1b[0m  ",
	)
}
