package teach

import (
	"nod/detect/agents"
	"nod/detect/screen"
	"nod/detect/taught"
)

// Use is what a dialog that was taught is good for.
type Use string

// All uses.
const (
	Good     Use = "good"     // it is read by what was taught
	Untried  Use = "untried"  // the screen that it was taught on is gone
	Unneeded Use = "unneeded" // nod reads it by itself by now
	Useless  Use = "useless"  // it is not found again
)

// Try tells what a dialog is good for on the screen that it was taught on, and how it is read there.
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
