package agents

import (
	"strings"

	"nod/detect/screen"
)

// The transcript, the help and the pickers lie over the screen and say so in fixed places.

// claudeHelp reports whether the help stands below the input box.
var claudeHelp = all(
	nearInput(claudeInput.In, sign{below: true, begins: []string{"! for shell mode", "! for bash mode"}}),
	nearInput(claudeInput.In, sign{below: true, begins: []string{"/ for commands"}}),
)

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
