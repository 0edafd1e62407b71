package grant

import (
	"testing"
	"time"
)

var states = []State{"", Open, Taken, Used, Asked, Own, Unknown, Expired, Void}

// TestEveryStateTakesItsOwnEventsAlone: all pairs of a grant's states and its events.
func TestEveryStateTakesItsOwnEventsAlone(t *testing.T) {
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	for event, does := range map[string]struct {
		do   func(*Grant) bool
		from map[State]State
	}{
		"take":   {func(g *Grant) bool { return g.Take(now) }, map[State]State{Open: Taken}},
		"say":    {(*Grant).Say, map[State]State{Taken: Used}},
		"ask":    {(*Grant).Ask, map[State]State{Taken: Asked}},
		"answer": {func(g *Grant) bool { return g.Answer(now) }, map[State]State{Asked: Used}},
		"end":    {func(g *Grant) bool { return g.End(Void) }, map[State]State{Open: Void, Taken: Unknown, Asked: Own}},
		"pass":   {func(g *Grant) bool { return g.Pass(now) }, nil},
	} {
		for _, from := range states {
			g := Grant{State: from, Until: now.Add(1), Taken: now.Add(-1)}
			to, may := does.from[from]
			if !may {
				to = from
			}
			if did := does.do(&g); did != may || g.State != to {
				t.Errorf("%s of one that is %q: %t, and it is %q, want %q", event, from, did, g.State, to)
			}
		}
	}
}

// TestAGrantEndsAtItsTime, to the nanosecond, even if the clock was set meanwhile.
func TestAGrantEndsAtItsTime(t *testing.T) {
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	for state, c := range map[State]struct {
		lasts time.Duration
		ends  State
	}{Open: {Lasts, Expired}, Taken: {handingOver, Unknown}, Asked: {asking, Own}} {
		for _, set := range []time.Duration{0, time.Hour, -time.Hour} {
			g := New(now)
			if g.State = state; state != Open {
				g.Taken = now
			}
			g.Shift(set)
			end := now.Add(set + c.lasts)
			if early := g; early.Pass(end.Add(-1)) || early.State != state {
				t.Errorf("%s, set by %s: it ends too early", state, set)
			}
			late := g
			if state == Open && late.Take(end) || state == Asked && late.Answer(end) {
				t.Errorf("%s, set by %s: it is given when it is over", state, set)
			}
			if !g.Pass(end) || g.State != c.ends {
				t.Errorf("%s, set by %s: then it is %s", state, set, g.State)
			}
		}
	}
	for _, state := range states {
		if g := (Grant{State: state, Taken: now}); state != Taken && state != Asked {
			if g.Shift(time.Hour); !g.Taken.Equal(now) {
				t.Errorf("%q: when it was taken moves with the clock", state)
			}
		}
	}
}
