package doctor

import (
	"context"
	"strings"
)

// unasked tells which agents that run do not ask about all that they do: what nod can't tell anybody of.
func (e *examination) unasked(context.Context) (found []Finding) {
	for _, pane := range e.running.panes {
		for _, why := range pane.Unasked {
			found = append(found, Finding{"modes", Note, pane.Agent + " in " + pane.Where + ", " + strings.TrimSuffix(why, "."), "if that is not what you want: another mode of " + pane.Agent})
		}
	}
	return found
}
