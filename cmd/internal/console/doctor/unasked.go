package doctor

import (
	"context"
	"strings"
)

// unasked names the running agents that do not ask before all of their calls: nod can't report those calls.
func (e *examination) unasked(context.Context) (found []Finding) {
	for _, pane := range e.running.panes {
		for _, why := range pane.Unasked {
			found = append(found, Finding{"modes", Note, pane.Agent + " in " + pane.Where + ", " + strings.TrimSuffix(why, "."), "if that is not what you want, change it in " + pane.Agent})
		}
	}
	return found
}
