package nudge

import (
	"math/rand/v2"
	"testing"
	"time"

	"nod/detect/screen"
	"nod/internal/reason"
)

// TestADeliveryNeverBeginsUnderANewerClaim: between a delivery's claim and its first key, the answer may have
// been given back and another one accepted. The old delivery must not type the new answer.
func TestADeliveryNeverBeginsUnderANewerClaim(t *testing.T) {
	for range 300 {
		n := in(Pending)
		first := noon.Add(time.Duration(rand.Int64N(int64(time.Hour))))
		n.claim(Claim{Said: Said{Decision: screen.Approve}, At: first})
		n.askAgain(reason.Why{Said: "because"})
		second := first.Add(1 + time.Duration(rand.Int64N(int64(time.Minute))))
		n.claim(Claim{Said: Said{Decision: screen.Deny}, At: second})
		if err := n.Begin(first); err == nil || n.State != Claimed {
			t.Fatalf("the answer of %s began under that of %s: %v, %s", first, second, err, n.State)
		}
		if err := n.Begin(second); err != nil || n.State != Typing {
			t.Fatalf("the newest answer did not begin: %v, %s", err, n.State)
		}
	}
}

// TestOnlyWhatIsPendingIsClaimed: one of two answers is accepted.
func TestOnlyWhatIsPendingIsClaimed(t *testing.T) {
	for _, state := range states {
		n := in(state)
		before := n.Claim
		if taken := n.claim(Claim{Said: Said{Decision: screen.Deny}}); taken != (state == Pending) || !taken && n.Claim != before {
			t.Errorf("%s: taken %t", state, taken)
		}
	}
}

// TestAStepOfTheClockMovesAllThatWaits: consents keep their age, and waits keep their length.
func TestAStepOfTheClockMovesAllThatWaits(t *testing.T) {
	n := in(Claimed)
	n.Due, n.Snoozed, n.Raised, n.Asked, n.Away = noon.Add(1), noon.Add(2), noon.Add(3), noon.Add(4), noon.Add(6)
	n.About = Program{About: n.About, Left: noon.Add(5)}
	before, left := *n, n.Program().Left
	claimed := n.Claim.At
	n.Shift(time.Hour)
	for name, moved := range map[string][2]time.Time{
		"Detected": {before.Detected, n.Detected}, "Due": {before.Due, n.Due}, "Snoozed": {before.Snoozed, n.Snoozed},
		"Raised": {before.Raised, n.Raised}, "Expires": {before.Expires, n.Expires}, "Asked": {before.Asked, n.Asked},
		"Away": {before.Away, n.Away}, "Program.Left": {left, n.Program().Left}, "Claim.At": {claimed, n.Claim.At},
	} {
		if got := moved[1].Sub(moved[0]); got != time.Hour {
			t.Errorf("%s moved by %s", name, got)
		}
	}
}
