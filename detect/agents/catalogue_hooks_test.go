package agents

import (
	"slices"
	"testing"
)

// TestEventsThatAreAskedForAreKnown: all but those that say nothing which nod needs.
func TestEventsThatAreAskedForAreKnown(t *testing.T) {
	for name := range eventKinds {
		if name != PlainName(name) {
			t.Errorf("%q is no plain name", name)
		}
	}
	for _, agent := range Hooked() {
		h := HooksOf(agent)
		asked, _ := h.Settings.EventsFor("999.0.0")
		for _, event := range asked {
			if known := h.Kind(event, "", "") != Unrelated; known == slices.Contains([]string{"notification", "subagentstop"}, PlainName(event)) {
				t.Errorf("%s: %s is known: %t", agent, event, known)
			}
		}
	}
	if any := HooksOf("an agent that nobody knows"); any.UntypedDialog != "" || any.AnnouncesAnswered || any.Message == "" || any.Kind("SessionStart", "", "") != Started {
		t.Errorf("what one agent does is taken for what all do: %+v", any)
	}
}
