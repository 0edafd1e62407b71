package monitor

import "time"

const (
	// burst is how long the first match waits for those that come with it.
	burst = time.Second
	// kept is how many of the last matches are told and shown.
	kept = 10
	// longestTold bounds one line that is told.
	longestTold = 500
)

// gather collects matches between two messages: one message a debounce at most, and the first match after a quiet time is
// told at once.
type gather struct {
	debounce time.Duration
	told     time.Time // when the last message was made
	from     time.Time // of the first match that waits
	count    int
	lines    []string // the last of them
}

// add takes in a match.
func (g *gather) add(line string, now time.Time) {
	if g.count == 0 {
		g.from = now
	}
	g.count++
	g.lines = keepLast(g.lines, line)
}

// due is when what waits is to be told; zero: nothing waits.
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

// take gives what waits, which is told now.
func (g *gather) take(now time.Time) (count int, lines []string) {
	count, lines = g.count, g.lines
	g.count, g.lines, g.told = 0, nil, now
	return count, lines
}

// putBack has what was taken and could not be stored told with the next.
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
