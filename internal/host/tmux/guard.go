package tmux

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Guard is what must still be true in the very server-side step that types: tmux compares and
// types in one go, so nothing can slip between the two.
//
// Besides what the fields say, the pane must take keys: it is not dead, not in copy mode or another
// mode, its input is on and its window not synchronised.
type Guard struct {
	Life    Life
	Pane    string // "%12"
	PanePID int
	Width   int
	Height  int
	// Rows are the dialog's rows as they were captured, by row number from 0. Each must still be there.
	Rows map[int]string
	// Screen is the whole capture that Rows come from, all rows as plain text. tmux finds only the first row with
	// a text, so a row's twin further up must be known: of a row with a twin only the twin is compared. If that
	// may decide, set Still.
	Screen []string
	// Still, if not zero, is the pane's window activity at the capture: any byte of output since then refuses.
	// It is for screens whose decisive part (a highlight) is a colour, which tmux can't compare.
	Still int64
}

// first is the number of the first row with that text; -1: none.
func (g Guard) first(text string) int {
	text = trimmed(text)
	if row := slices.IndexFunc(g.Screen, func(other string) bool { return trimmed(other) == text }); row >= 0 {
		return row
	}
	first := -1
	for row, other := range g.Rows {
		if trimmed(other) == text && (first < 0 || row < first) {
			first = row
		}
	}
	return first
}

// condition is the guard as a tmux format that expands to 1 if all of it holds, and deadline has not passed;
// else to 0.
//
// It is one comparison of two texts: what tmux finds, and what was seen. `#{C/r:ERE}` is the number,
// from 1, of the first row on the visible screen that matches, also while a mode covers the screen.
// A pane that is gone leaves its part empty, so it never compares equal.
func (g Guard) condition(deadline time.Time) string {
	var found, seen strings.Builder
	found.WriteString("#{pid} #{start_time} #{pane_id} #{pane_pid} #{pane_width}x#{pane_height} " + takesKeys)
	fmt.Fprintf(&seen, "%d %d %s %d %dx%d 0000", g.Life.PID, g.Life.Start, g.Pane, g.PanePID, g.Width, g.Height)

	if g.Still != 0 {
		found.WriteString(" " + activity)
		fmt.Fprintf(&seen, " %d", g.Still)
	}
	for _, row := range g.order() {
		found.WriteString(" #{C/r:^" + pattern.Replace(trimmed(g.Rows[row])) + "$}")
		fmt.Fprintf(&seen, " %d", g.first(g.Rows[row])+1)
	}
	return fmt.Sprintf("#{&&:%s,#{==:%s,%s}}", before(deadline), found.String(), seen.String())
}

// activity is when the window of a pane last had output; 0: there is no such pane. Asked for window_activity itself of no
// pane, tmux 3.2a ends with all its sessions.
const activity = "#{?pane_id,#{window_activity},0}"

// takesKeys expands to 0000 if a key reaches the program of the pane. Each flag is made 0 or 1, because some count
// (nested modes) and some are empty.
const takesKeys = "#{?pane_dead,1,0}#{?pane_in_mode,1,0}#{?pane_input_off,1,0}#{?pane_synchronized,1,0}"

// before is a tmux format that is true until deadline by the server's clock. A server that hung
// carries out what waits at its socket when it goes on, also the command of a client that was
// killed long ago; this keeps it from typing what nobody waits for any more.
func before(deadline time.Time) string {
	return fmt.Sprintf("#{e|<=:#{T;l:%%s},%d}", deadline.Unix())
}

// order is the rows that are compared, from the top, each text once.
func (g Guard) order() []int {
	var rows []int
	said := map[string]bool{}
	for _, row := range slices.Sorted(maps.Keys(g.Rows)) {
		if text := trimmed(g.Rows[row]); !said[text] {
			said[text] = true
			rows = append(rows, row)
		}
	}
	return rows
}

// trimmed is a row as tmux compares it: without the blanks at its end.
func trimmed(row string) string { return strings.TrimRight(row, " \t") }
