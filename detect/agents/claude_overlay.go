package agents

import (
	"strings"

	"nod/detect/screen"
)

// claudePicks reports whether the keys of a picker, which Escape leaves, stand below its heavy line. A plan has that too.
var claudePicks = all(shows(sign{drawn: true, left: 1, glyphs: "▔"}), shows(sign{within: 1, holds: []string{"Esc to "}}), func(l *screen.Layout) bool {
	return claudeDialog(l) == nil
})

// claudeOpened reports whether what is at the bottom was opened by a slash command: the command is the last
// thing said, no input box is there, and none of the dialogs that ask is below it.
func claudeOpened(l *screen.Layout) bool {
	command := []string{"> /", "❯ /"}
	i := l.LineBefore(len(l.Lines), func(i int) bool {
		line := &l.Lines[i]
		return line.Kind == screen.Words && line.Col == 0 && (strings.ContainsRune("●⏺⎿✻✽", line.First()) || screen.Starts(line.Text, command...))
	})
	if i < 0 || !screen.Starts(l.Lines[i].Text, command...) || claudeInput.In(l) != nil || !l.HasWords(i+1, len(l.Lines)-1) {
		return false
	}
	d := claudeDialog(l)
	return d == nil || d.Name == "setup"
}
