package agents

import (
	"slices"
	"strings"
	"testing"
)

// An event of an agent that is not catalogued is read by the names of all the others.
func TestNoTwoAgentsUseOneNameForDifferentEvents(t *testing.T) {
	kinds := []EventKind{Asks, Started, Submitted, Stopped, Before, Ran, Ended, Blocked, Elicits}
	any := HooksOf("an agent that nobody knows")
	for _, agent := range Hooked() {
		h := HooksOf(agent)
		for name, kind := range h.Events {
			if any.Events[name] != kind || !slices.Contains(kinds, kind) || name != strings.ToLower(name) {
				t.Errorf("%s: %s is %q, and elsewhere %q", agent, name, kind, any.Events[name])
			}
		}
	}
	if any.UntypedDialog != "" || any.AnnouncesAnswered || any.Message == "" {
		t.Errorf("what one agent does is taken for what all do: %+v", any)
	}
}
