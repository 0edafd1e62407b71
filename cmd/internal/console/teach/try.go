package teach

import (
	"nod/detect/agents"
	"nod/detect/screen"
	"nod/detect/taught"
)

// Use says whether a taught dialog is useful.
type Use string

// The kinds of Use.
const (
	Good     Use = "good"     // the dialog is read by the lesson
	Untried  Use = "untried"  // the screen on which it was taught is gone
	Unneeded Use = "unneeded" // nod can now read the dialog without the lesson
	Useless  Use = "useless"  // the lesson does not find the dialog
)

// Try reads the screen on which a dialog was taught, and returns the dialog's use and reading.
func Try(folder taught.Folder, lesson agents.Taught) (Use, *screen.Prompt) {
	text := folder.Screen(lesson.Name)
	prompt := agents.ReadTaught([]agents.Taught{lesson}, lesson.Agent, screen.Parse(text)).Prompt
	switch {
	case text == "":
		return Untried, nil
	case prompt == nil || prompt.Taught == "" && len(prompt.Approve) == 0:
		return Useless, prompt
	case prompt.Taught == "":
		return Unneeded, prompt
	}
	return Good, prompt
}
