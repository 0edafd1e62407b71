package agents

import (
	"math/rand/v2"
	"os"
)

// fullTests says that random tests try as often as they can, as in `make test`. Else they try a tenth of that, so that
// `go test ./...` answers while its author still looks at it.
var fullTests = os.Getenv("FULL_TESTS") != ""

// tries is how many of full rounds a random test makes.
func tries(full int) int {
	if fullTests {
		return full
	}
	return (full + 9) / 10
}

// someOf are the members of a list that a random test tries: one in ten, drawn by seed, or all of them.
func someOf[T any](seed uint64, list []T) []T {
	if fullTests {
		return list
	}
	rng := rand.New(rand.NewPCG(seed, 10))
	some := make([]T, 0, tries(len(list)))
	for _, i := range rng.Perm(len(list))[:tries(len(list))] {
		some = append(some, list[i])
	}
	return some
}
