package agents

import (
	"math/rand/v2"
	"os"
	"runtime/debug"
	"testing"

	"nod/internal/testrun"
)

// TestMain has garbage collected less often: these tests keep little, and throw away a screen in each round.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// tries is how many of a random test's rounds are made: all in make proofs, a fourth in make test, else a twentieth.
func tries(all int) int {
	if testrun.Proving() {
		return all
	}
	return testrun.Rounds((all+19)/20, (all+3)/4)
}

// someOf are the members of a list that a random test tries, drawn by seed.
func someOf[T any](seed uint64, list []T) []T {
	n := tries(len(list))
	if n == len(list) {
		return list
	}
	rng := rand.New(rand.NewPCG(seed, 10))
	some := make([]T, 0, n)
	for _, i := range rng.Perm(len(list))[:n] {
		some = append(some, list[i])
	}
	return some
}
