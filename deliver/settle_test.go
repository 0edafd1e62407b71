package deliver

import (
	"testing"
	"time"

	"nod/detect/screen"
	"nod/internal/host/tmux"
)

// TestAPromptIsOldOnlyOnceItHasSettled: tmux reports the second in which a window last drew, and the drawing
// may have been at its end.
func TestAPromptIsOldOnlyOnceItHasSettled(t *testing.T) {
	drawn := time.Unix(1000, 0)
	for after, want := range map[time.Duration]bool{
		0: false, time.Second: false, time.Second + settle - 1: false, time.Second + settle: true, time.Hour: true, -time.Hour: false,
	} {
		s := look{Look: tmux.Look{Pane: tmux.Pane{Activity: drawn}}, taken: drawn.Add(after)}
		if s.old() != want {
			t.Errorf("%v after the second began in which it was drawn: %v", after, !want)
		}
	}
	if s := (look{taken: drawn}); s.old() {
		t.Error("a window whose last drawing is not known is old")
	}
}

// TestAColourMattersToTheKeyThatTakesTheHighlight, whether it answers or opens the next dialog.
func TestAColourMattersToTheKeyThatTakesTheHighlight(t *testing.T) {
	for name, c := range map[string]struct {
		step screen.Step
		want bool
	}{
		"it answers":           {screen.Step{Key: "Enter", Last: true}, true},
		"it opens a dialog":    {screen.Step{Key: "Enter", Opens: "kilo.reject"}, true},
		"it moves":             {screen.Step{Key: "Down"}, false},
		"Escape":               {screen.Step{Key: "Escape", Last: true}, false},
		"Escape, and a dialog": {screen.Step{Key: "Escape", Opens: "kilo.reject"}, false},
	} {
		for _, colour := range []bool{true, false} {
			at := stand{prompt: &screen.Prompt{OnScreen: screen.OnScreen{Colour: colour}}, steps: []screen.Step{c.step}}
			if at.byColour() != (c.want && colour) {
				t.Errorf("%s, colour %t: %t", name, colour, at.byColour())
			}
		}
	}
}
