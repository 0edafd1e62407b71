package words

import (
	"strconv"
	"strings"
)

// Waits says how much is waiting: asking counts questions, done counts agents that are done, stuck counts
// agents that may be stuck.
func Waits(asking, done, stuck int) string {
	var parts []string
	for _, part := range []struct {
		n                int
		one, many, after string
	}{{asking, "waits", "wait", " for your answer"}, {done, "is done", "are done", ""}, {stuck, "may be stuck", "may be stuck", ""}} {
		switch {
		case part.n == 1:
			parts = append(parts, "1 "+part.one+part.after)
		case part.n > 1:
			parts = append(parts, strconv.Itoa(part.n)+" "+part.many+part.after)
		}
	}
	if len(parts) == 0 {
		return "nothing waits"
	}
	return strings.Join(parts, ", ")
}
