package nudge

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestTheBudgetOfATurnIsSpentOnce, however many hooks wait one after another or at once, even if nobody ends
// them, and over a crash. The test keeps its own list of when any hook waited, second by second.
func TestTheBudgetOfATurnIsSpentOnce(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for round := range 500 {
		h, now, spent := Holds{}, noonToday, time.Duration(0)
		budget := time.Duration(r.IntN(200)) * time.Second
		held := map[time.Time]int{} // by their ends
		for range 60 {
			switch r.IntN(6) {
			case 0, 1:
				until := h.Hold(budget, now)
				if want := budget - spent; until.IsZero() != (want == 0) || !until.IsZero() && until.Sub(now) != want {
					t.Fatalf("round %d: it may be held until %v, and %v of %v are left at %v", round, until, want, budget, now)
				}
				if !until.IsZero() {
					held[until]++
				}
			case 2:
				for until := range held {
					if held[until]--; held[until] == 0 {
						delete(held, until)
					}
					h.End(until, now)
					break
				}
				h.End(now.Add(time.Hour), now) // nobody knows this hook
			case 3:
				if r.IntN(4) == 0 { // a crash
					h.Lose(now)
					clear(held)
				}
				text, err := json.Marshal(h)
				h = Holds{}
				if err := errors.Join(err, json.Unmarshal(text, &h)); err != nil {
					t.Fatal(err)
				}
			case 4:
				if r.IntN(4) == 0 {
					h.Begin(now)
					spent = 0
				}
			case 5:
				for range r.IntN(40) {
					if len(held) > 0 {
						spent = min(spent+time.Second, budget)
					}
					now = now.Add(time.Second)
					for until := range held {
						if !now.Before(until) {
							delete(held, until)
						}
					}
				}
			}
			if by := time.Duration(r.IntN(5)-2) * time.Hour; r.IntN(10) == 0 { // the clock is set
				h.Shift(by)
				now = now.Add(by)
				moved := map[time.Time]int{}
				for until, n := range held {
					moved[until.Add(by)] = n
				}
				held = moved
			}
			if slices.ContainsFunc(h.Held, func(until time.Time) bool { return until.Sub(now) > budget }) {
				t.Fatalf("round %d: %+v at %v", round, h, now)
			}
		}
	}
}
