package tmux_test

import (
	"strings"
	"testing"

	"nod/internal/host/tmux"
	"nod/internal/host/tmux/tmuxtest"
)

func TestHistoryReachesAboveTheScreen(t *testing.T) {
	server := tmuxtest.New(t)
	pane := server.Pane("seq 1 100; exec cat", 40, 10)
	server.UntilShows(pane, "100")
	for _, c := range []struct {
		lines int
		first string
	}{{0, "92"}, {5, "87"}, {500, "1"}} {
		look, err := tmux.New(server.Socket).History(t.Context(), pane, c.lines)
		if err != nil {
			t.Fatal(err)
		}
		if first, _, _ := strings.Cut(look.Capture, "\n"); first != c.first {
			t.Errorf("%d lines above the screen: begins with %q, want %q", c.lines, first, c.first)
		}
	}
}
