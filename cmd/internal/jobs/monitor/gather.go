package monitor

import "time"

const (
	// burst is how long the first match waits for simultaneous ones.
	burst = time.Second
	// kept is how many of the last matches are shown.
	kept = 10
	// longestTold is the longest line in a message.
	longestTold = 500
)

// gather collects matches between two messages. There is at most one message per debounce, and the first
// match after a quiet time is reported at once.
type gather struct {
	debounce time.Duration
	told     time.Time // when the last message was made
	from     time.Time // time of the first waiting match
	count    int
	lines    []string // the last of the waiting matches
}

// add adds a match.
func (g *gather) add(line string, now time.Time) {
	if g.count == 0 {
		g.from = now
	}
	g.count++
	g.lines = keepLast(g.lines, line)
}

// due returns when the waiting matches are to be reported; zero if there are none.
func (g *gather) due() time.Time {
	if g.count == 0 {
		return time.Time{}
	}
	at := g.from.Add(burst)
	if next := g.told.Add(g.debounce); !g.told.IsZero() && next.After(at) {
		return next
	}
	return at
}

// take returns the waiting matches, to be reported now.
func (g *gather) take(now time.Time) (count int, lines []string) {
	count, lines = g.count, g.lines
	g.count, g.lines, g.told = 0, nil, now
	return count, lines
}

// putBack returns matches that could not be stored, to be reported with the next ones.
func (g *gather) putBack(count int, lines []string, now time.Time) {
	if g.count == 0 {
		g.from = now
	}
	g.count += count
	g.lines = append(lines, g.lines...)
	g.lines = g.lines[max(0, len(g.lines)-kept):]
}

func keepLast(lines []string, line string) []string {
	lines = append(lines, line)
	if len(lines) > kept {
		lines = append(lines[:0], lines[1:]...)
	}
	return lines
}
