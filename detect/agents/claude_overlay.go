package agents

import (
	"strings"

	"nod/detect/screen"
)

// claudeOverlay: the transcript, the help and the pickers lie over the screen and say so in fixed places.
func claudeOverlay(l *screen.Layout) string {
	if l.Says(screen.FooterRows, "Showing detailed transcript") {
		return "transcript viewer"
	}
	if c := claudeInput.In(l); c != nil && claudeShortcuts(l, c.Row) {
		return "help"
	}
	switch {
	case claudeMenuOpen(l):
		return "menu"
	case claudeSlash(l):
		return "slash menu"
	case claudeOpened(l):
		return "a dialog that a command of the person opened"
	}
	return ""
}

// claudeMenuOpen reports whether the lowest rows are the keys of a picker, which Escape leaves.
func claudeMenuOpen(l *screen.Layout) bool {
	i, line := l.LowestRow()
	if i < 0 {
		return false
	}
	for _, footer := range []string{l.Paragraph(l.ParagraphBegin(i), i), line.Text} {
		if screen.IsFooter(footer) && screen.Holds(footer, "Esc to go back", "Esc to close") {
			return true
		}
	}
	return screen.Holds(line.Text, "Esc to ") && claudeHeavyLine(l, i)
}

// claudeOpened reports whether what stands at the bottom was opened by a slash command: the command is the last
// thing said, no input box is there, and none of the dialogs that ask stands below it.
func claudeOpened(l *screen.Layout) bool {
	for i := len(l.Lines) - 1; i >= 0; i-- {
		line := &l.Lines[i]
		if line.Kind != screen.Words || line.Col > 0 {
			continue
		}
		if strings.ContainsRune("●⏺⎿✻✽", line.First()) {
			return false
		}
		if screen.Starts(line.Text, "> /", "❯ /") {
			if claudeInput.In(l) != nil || !l.HasWords(i+1, len(l.Lines)-1) {
				return false
			}
			d := claudeDialog(l)
			return d == nil || d.Name == "setup"
		}
	}
	return false
}

// claudeShortcuts reports whether the help stands below the input box in row at.
func claudeShortcuts(l *screen.Layout, at int) bool {
	shell, commands := false, false
	for i := at + 1; i < len(l.Lines); i++ {
		shell = shell || screen.Starts(l.Lines[i].Text, "! for shell mode", "! for bash mode")
		commands = commands || screen.Starts(l.Lines[i].Text, "/ for commands")
	}
	return shell && commands
}

// claudeHeavyLine reports whether a picker's line stands above line i, from the left edge on, and no plan, which has it too.
func claudeHeavyLine(l *screen.Layout, i int) bool {
	for j := i - 1; j >= 0; j-- {
		line := &l.Lines[j]
		if l.RuleAtEdge(j) && line.First() == '▔' {
			return true
		}
		if line.Kind == screen.Rule && line.First() == '─' || screen.Holds(line.Text, "Would you like to proceed?") {
			return false
		}
	}
	return false
}

// claudeSlash: a list of commands stands below the input box while its draft begins with a slash.
func claudeSlash(l *screen.Layout) bool {
	c := claudeInput.In(l)
	if c == nil || !strings.HasPrefix(c.Draft, "/") {
		return false
	}
	for i := c.Row + 1; i < len(l.Lines); i++ {
		if line := &l.Lines[i]; line.Kind == screen.Words && screen.Starts(line.Text, "/") {
			return true
		}
	}
	return false
}
