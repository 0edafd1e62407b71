package agents

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// TestAnAgentsMarkIsFound among any other variables, and nothing else is one: not an empty variable, not a longer name, not
// another value where the value counts.
func TestAnAgentsMarkIsFound(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	marks := []string{"AI_AGENT=claude-code_2-1-329_agent"}
	for _, a := range catalogue {
		for _, mark := range a.environ {
			if !strings.Contains(mark, "=") {
				mark += "=" + strings.Repeat("1", 1+r.IntN(3))
			}
			marks = append(marks, mark)
		}
	}
	for range 300 {
		mark := marks[r.IntN(len(marks))]
		name, value, _ := strings.Cut(mark, "=")
		person := []string{"HOME=/home/ann", "", "=", "TERM=xterm", name + "=", name, name + "X=" + value, "X" + name + "=" + value, "OTHER=" + mark}
		for range r.IntN(5) {
			person = append(person, fmt.Sprintf("V%d=%d", r.IntN(100), r.IntN(100)))
		}
		r.Shuffle(len(person), func(i, j int) { person[i], person[j] = person[j], person[i] })
		if got := MarkIn(person); got != "" {
			t.Fatalf("%q has the mark %s", person, got)
		}
		at := r.IntN(len(person) + 1)
		if got := MarkIn(append(person[:at:at], append([]string{mark}, person[at:]...)...)); got != name {
			t.Fatalf("%s: the mark is %q", mark, got)
		}
	}
	if MarkIn([]string{"GROK_AGENT=/home/ann/profile"}) != "" {
		t.Error("a person's profile is a mark")
	}
}
