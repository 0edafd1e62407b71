package agents

import (
	"strings"

	"nod/detect/screen"
)

// claudePicks reports whether the keys of a picker, which Escape leaves, stand below its heavy line. A plan has that too.
func claudePicks(l *screen.Layout) bool {
	return claudePicker(l) && claudeDialog(l) == nil
}

var claudePicker = all(shows(sign{drawn: true, left: 1, glyphs: "▔"}), shows(sign{within: 1, holds: []string{"Esc to "}}))

// claudeOpened reports whether what is at the bottom was opened by a slash command: the command is the last
// thing said, no input box is there, and none of the dialogs that ask is below it.
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
