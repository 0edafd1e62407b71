package deliver

import (
	"testing"
	"time"

	"nod/internal/host/tmux"
)

// TestAPromptIsOldOnlyOnceItHasSettled: tmux tells the second in which a window drew last, which may have been at its end.
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
