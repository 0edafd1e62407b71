package deliver

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/internal/words"
)

// TestACancelledContextStopsNothingThatHasBegun: once it is recorded that nod types, a key that is cut off
// half-way may or may not have been typed. So a shutdown lets it finish.
func TestACancelledContextStopsNothingThatHasBegun(t *testing.T) {
	for _, a := range answers {
		if len(strings.Fields(a.keys)) != 1 {
			continue // a later key needs a look, which is stopped
		}
		t.Run(a.agent+" "+string(a.decision), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPane(t, a.agent, a.screen)
				p.onKey = func(p *pane, key string) {
					p.later(20*time.Millisecond, func() { p.show(a.leads[key]) })
				}
				ctx, shutDown := context.WithCancel(t.Context())
				res := p.typist().Type(ctx, request(t, a.agent, a.screen, a.decision), func() error { shutDown(); return nil })
				if !slices.Equal(p.typed, strings.Fields(a.keys)) || res.Outcome == Refused {
					t.Errorf("typed %q: %s, %s", p.typed, res.Outcome, words.Why(res.Detail))
				}
			})
		})
	}
}

// TestACancelledContextLeavesNoWordsInTheirField: the first step of the answer types words, not a key.
func TestACancelledContextLeavesNoWordsInTheirField(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newOwnPane(t, "claude")
		p.at, p.open = p.row.number, true
		p.redraw()
		ctx, shutDown := context.WithCancel(t.Context())
		res := p.typist().Type(ctx, p.answersOwn("use MariaDB"), func() error { shutDown(); return nil })
		if len(p.pasted) != 1 || !slices.Equal(p.typed, []string{"Enter"}) || res.Outcome != Delivered {
			t.Errorf("pasted %q, typed %q: %s, %s", p.pasted, p.typed, res.Outcome, words.Why(res.Detail))
		}
	})
}
