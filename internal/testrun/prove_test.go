package testrun_test

import (
	"slices"
	"testing"

	"nod/internal/testrun"
)

// TestAPartOfAProofIsDrawnBySeed: the same seed draws the same rounds, with the same random numbers.
func TestAPartOfAProofIsDrawnBySeed(t *testing.T) {
	t.Setenv("PROOFS", "")
	t.Setenv("SEED", "7")
	one, same := testrun.Prove(t, 1000, 20), testrun.Prove(t, 1000, 20)
	if len(one.Rounds()) != testrun.Rounds(3, 50) || !slices.Equal(one.Rounds(), same.Rounds()) || one.Random(3).Uint64() != same.Random(3).Uint64() {
		t.Errorf("%v, and then %v", one.Rounds(), same.Rounds())
	}
	t.Setenv("SEED", "8")
	if other := testrun.Prove(t, 1000, 20); slices.Equal(one.Rounds(), other.Rounds()) {
		t.Error("another seed draws the same")
	}
}

// failed is a test that has failed.
type failed struct{ testing.TB }

func (failed) Failed() bool { return true }

// TestAProofGoesOnWhereItWasStopped: all rounds run except those that have passed.
func TestAProofGoesOnWhereItWasStopped(t *testing.T) {
	t.Setenv("PROOFS", t.TempDir())
	first := testrun.Prove(t, 4, 20)
	if len(first.Rounds()) != 4 {
		t.Errorf("%v", first.Rounds())
	}
	first.Passed(t, 2)
	first.Passed(t, 0)
	first.Passed(failed{t}, 1)
	if again := testrun.Prove(t, 4, 20); !slices.Equal(again.Rounds(), []int{1, 3}) || again.Before() != 2 {
		t.Errorf("then %v", again.Rounds())
	}
}
