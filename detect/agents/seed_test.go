package agents

import (
	"flag"
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

var seed = flag.Uint64("seed", 0, "of the tests that draw their inputs at random; 0: another one each time")

// draws is how many inputs such a test draws.
const draws = 300

// random draws the inputs of a test. What it drew is drawn again with the seed that it logs.
func random(t *testing.T) *rand.Rand {
	t.Helper()
	n := *seed
	if n == 0 {
		n = rand.Uint64()
	}
	t.Logf("-seed %d", n)
	return rand.New(rand.NewPCG(n, n))
}

// cells is how many cells a text takes on a terminal.
func cells(s string) int {
	if len(s) == utf8.RuneCountInString(s) {
		return len(s)
	}
	return new(runewidth.Condition).StringWidth(s)
}
