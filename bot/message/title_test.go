package message

import (
	"strings"
	"testing"
	"time"

	"nod/detect/screen"
	"nod/nudge"
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

// TestTheHeadIsNotRepeated: what the first line of a message shows whole is not shown once more right below it, unless it is a command.
func TestTheHeadIsNotRepeated(t *testing.T) {
	long := strings.Repeat("word ", 60)
	for _, tt := range []struct{ text, first, rest string }{{"Ready to code?\nRig plan\n  1. Build", "Ready to code?", "Rig plan\n  1. Build"}, {long + "\nmore", long, "more"}} {
		asked := nudge.Nudge{ID: "k3f", About: nudge.Question{Prompt: &screen.Prompt{Content: screen.Content{Subject: tt.text, Question: tt.first}}}}
		done := nudge.Nudge{ID: "k3f", About: nudge.TurnEnded{Words: tt.text}}
		for name, n := range map[string]nudge.Nudge{"a question": asked, "last words": done} {
			said := Of(n, goldenStyle()).Message(goldenChat, goldenSeal, noon, false).Page.Plain
			if got := strings.Count(said, strings.TrimSpace(tt.first)); got != 1 || !strings.Contains(said, tt.rest) { // a cut one follows whole
				t.Errorf("%s: its first line stands %d times:\n%s", name, got, said)
			}
		}
	}
}
