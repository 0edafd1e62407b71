package monitor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"nod/detect"
)

const (
	paneEvery = 2 * time.Second
	paneLines = 500 // of a pane that are read at most
	// paneMisses is how often in a row a pane may not be readable until it counts as gone.
	paneMisses = 5
)

// readPane reads the new lines of a pane until ctx ends or the pane is gone, and says why.
func (r *monitor) readPane(ctx context.Context, screen func(context.Context, detect.PaneRef, int) ([]string, error)) string {
	var before []string
	for first, misses := true, 0; ; {
		looking, cancel := context.WithTimeout(ctx, 10*time.Second)
		now, err := screen(looking, *r.Pane, paneLines)
		cancel()
		switch {
		case ctx.Err() != nil:
			return "stopped"
		case err != nil:
			if misses++; misses >= paneMisses {
				return fmt.Sprintf("the pane can't be read: %v", err)
			}
		default:
			now = finished(now)
			if !first {
				for _, line := range newLines(before, now) {
					r.take([]byte(line + "\n"))
				}
			}
			before, first, misses = now, false, 0
			r.mu.Lock()
			r.looked = true
			r.mu.Unlock()
		}
		select {
		case <-ctx.Done():
			return "stopped"
		case <-time.After(paneEvery):
		}
	}
}

// finished leaves out the last line of a screen, which may still be written.
func finished(screen []string) []string {
	if len(screen) == 0 {
		return nil
	}
	return screen[:len(screen)-1]
}

// newLines gives the lines of a screen that were not on the one before. A screen that has scrolled still holds the end of
// the one before; of one that was drawn anew, every line counts that did not stand there.
func newLines(before, now []string) []string {
	for from := range before {
		rest := before[from:]
		if len(rest) <= len(now) && slices.Equal(rest, now[:len(rest)]) && solid(rest) {
			return now[len(rest):]
		}
	}
	count := map[string]int{}
	for _, line := range before {
		count[line]++
	}
	var fresh []string
	for _, line := range now {
		if count[line]--; count[line] < 0 {
			fresh = append(fresh, line)
		}
	}
	return fresh
}

// solid reports whether lines hold text: blank ones alone prove nothing.
func solid(lines []string) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return strings.TrimSpace(line) != "" })
}
