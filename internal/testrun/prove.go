package testrun

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Proof is a test with many rounds. `make proofs` runs all of them and resumes where it was stopped, `make
// test` runs a part of them, and a fast run a sixteenth of that part.
type Proof struct {
	seed   uint64
	rounds []int
	before int

	mu   sync.Mutex
	done *os.File // nil except in make proofs
}

// Prove chooses which of a test's n rounds to run: in make test one in every part. The variable PROOFS names
// the folder in which make proofs records the passed rounds. SEED draws the same part again.
func Prove(t testing.TB, n, part int) *Proof {
	t.Helper()
	p := &Proof{seed: rand.Uint64()}
	if said, err := strconv.ParseUint(os.Getenv("SEED"), 10, 64); err == nil {
		p.seed = said
	}
	t.Logf("SEED=%d", p.seed)
	if folder := os.Getenv("PROOFS"); folder != "" {
		p.rounds = p.left(t, filepath.Join(folder, t.Name()), n)
		return p
	}
	p.rounds = rand.New(rand.NewPCG(p.seed, 0)).Perm(n)[:max(1, Rounds(n/part/16, n/part))]
	return p
}

// left returns the rounds that no earlier run has passed.
func (p *Proof) left(t testing.TB, file string, n int) (rounds []int) {
	t.Helper()
	done, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = done.Close() })
	p.done = done
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	passed := strings.Fields(string(text))
	for i := range n {
		if !slices.Contains(passed, strconv.Itoa(i)) {
			rounds = append(rounds, i)
		}
	}
	p.before = n - len(rounds)
	t.Logf("%d of %d rounds passed before", p.before, n)
	return rounds
}

// Rounds returns the numbers of the rounds to run, from 0.
func (p *Proof) Rounds() []int { return p.rounds }

// Before returns how many rounds earlier runs of make proofs passed, which are not run again.
func (p *Proof) Before() int { return p.before }

// Random returns the random source of a round, the same for the same seed.
func (p *Proof) Random(round int) *rand.Rand { return rand.New(rand.NewPCG(p.seed, uint64(round))) }

// Passed records that a round, of which t is the test, need not be run again, unless it has failed.
func (p *Proof) Passed(t testing.TB, round int) {
	if t.Failed() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done != nil {
		fmt.Fprintln(p.done, round)
	}
}
