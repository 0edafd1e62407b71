package detect

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/host/tmux/tmuxtest"
)

// What a pane shows is the rows of the pane, and what has left its screen is told apart from them, whatever is blank.
func TestShownIsThePaneWithWhatStandsAbove(t *testing.T) {
	server := tmuxtest.New(t)
	w, _ := live(t, server.Socket)
	for _, c := range []struct {
		command, until      string
		last                int
		rows, above         int
		first, firstOfAbove string
	}{
		{"seq 1 100; exec cat", "100", 60, 9, 60, "92", "32"},
		{"seq 1 100; exec cat", "100", 4, 4, 65, "97", "32"},
		{"printf 'one\\ntwo\\n'; exec cat", "two", 60, 2, 0, "one", ""},
		{"exec cat", "", 60, 0, 0, "", ""},
	} {
		pane := server.Pane(c.command, 40, 10)
		server.UntilShows(pane, c.until)
		shown := shownBy(t, w, server.Socket, pane)
		rows, above := shown.Last(c.last)
		if len(rows) != c.rows || len(above) != c.above || c.rows > 0 && rows[0].Text != c.first || c.above > 0 && above[0] != c.firstOfAbove {
			t.Errorf("%q: %d rows %v, above them %d: %q", c.command, len(rows), rows, len(above), above)
		}
		if shown.Columns != 40 {
			t.Errorf("%q: %d columns", c.command, shown.Columns)
		}
	}
}

func shownBy(t *testing.T, w *Watcher, socket, pane string) Capture {
	t.Helper()
	for end := time.Now().Add(tmuxtest.Patience); ; time.Sleep(10 * time.Millisecond) {
		listing, err := tmux.New(socket).List(context.Background())
		if err == nil {
			var shown Capture
			if shown, err = w.Screen(t.Context(), PaneRef{Server: listing.Life, ID: pane}); err == nil {
				return shown
			}
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// A sighting has the rows above its tail, for a secret may be wrapped from one into the other.
func TestASightingHasTheRowsAboveItsTail(t *testing.T) {
	p := newAgentPane(nil, tmux.Pane{ID: "%1"}, "claude", proc.ID{PID: 1}, time.Now())
	var lines []string
	for i := range 20 {
		lines = append(lines, strings.Repeat("x", i+1))
	}
	p.takeCapture(tmux.Capture{Text: strings.Join(lines, "\n") + "\n\n\n", Taken: time.Now()}, func(string, screen.Screen) screen.Reading { return screen.Reading{} })
	if !slices.Equal(p.above, lines[:5]) || !slices.Equal(p.tail, lines[5:]) {
		t.Errorf("above is %q, the tail %q", p.above, p.tail)
	}
}
