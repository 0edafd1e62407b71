package tmux_test

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"nod/internal/host/tmux/tmuxtest"
)

// TestAServerThatHangsGetsNoMoreClients: nobody ends those that wait for its looks, so that each poll would leave one behind.
func TestAServerThatHangsGetsNoMoreClients(t *testing.T) {
	t.Parallel()
	real := tmuxtest.New(t)
	w := newWatched(t, real, 200*time.Millisecond, show(t, real, "still", 40, 6))
	for range 2 {
		if err := w.inTurn(); err != nil {
			t.Fatal(err)
		}
	}
	thaw := real.Freeze()
	defer thaw()
	for failed := 0; failed < 3; {
		ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
		w.ctx, w.last.Every = ctx, w.every
		if err := w.poll(); err != nil {
			failed++
		}
		stop()
		time.Sleep(w.every)
	}
	list, _ := exec.Command("pgrep", "-f", "^tmux -N -u -S "+real.Socket+" source-file").Output() // none: it fails
	if clients := len(strings.Fields(string(list))); clients > 1 {
		t.Errorf("%d clients wait for a server that hangs", clients)
	}
}
