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
	paneLines = 500 // the most lines of a pane that are read
	// paneMisses is how many failed reads in a row mean that the pane is gone.
	paneMisses = 5
)

// readPane reads the new lines of a pane until ctx ends or the pane is gone, and returns the reason.
func (r *monitor) readPane(ctx context.Context, screen func(context.Context, detect.PaneRef, int) ([]string, error)) string {
	var rows paneRows
	for misses := 0; ; {
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
			for _, line := range rows.look(now) {
				r.take([]byte(line + "\n"))
			}
			misses = 0
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

// paneRows are the rows of a pane, according to the looks at it.
type paneRows struct {
	begun  bool
	before []string // of the last look, without the last row, which may be incomplete
	// stood is the last row of the first look, until it grows. If it turns out to be complete, it is not new.
	stood string
}

// look returns the rows written since the previous look; none at the first look.
func (p *paneRows) look(screen []string) (fresh []string) {
	last, now := "", screen
	if n := len(screen); n > 0 {
		last, now = screen[n-1], slices.Clone(screen[:n-1])
	}
	if !p.begun {
		p.begun, p.before, p.stood = true, now, last
		return nil
	}
	fresh = newLines(p.before, now)
	p.before = now
	if i := slices.Index(fresh, p.stood); i >= 0 && p.stood != "" {
		fresh, p.stood = slices.Delete(slices.Clone(fresh), i, i+1), ""
	} else if last != p.stood {
		p.stood = ""
	}
	return fresh
}

// newLines returns the lines of a screen that the previous one did not have. A screen that scrolled still
// contains the end of the previous one. If the screen was redrawn, every line counts that was not in the
// previous one.
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

// solid reports whether lines contain text: blank lines alone prove nothing.
func solid(lines []string) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return strings.TrimSpace(line) != "" })
}
