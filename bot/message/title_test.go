package message

import (
	"testing"
	"time"
)

// TestNoAgentIsTitledNod: a pane can be given any name, by the agent in it too.
func TestNoAgentIsTitledNod(t *testing.T) {
	style := NewStyle("", false, time.UTC, func(s string) string { return s })
	for name, want := range map[string]string{"": "claude in api", "web": "web in api", "nod": "claude (nod) in api", " nOD\n": "claude (nOD) in api"} {
		if got := style.Title("claude", name, "api"); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
}
