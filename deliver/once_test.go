package deliver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/tmux"
	"nod/internal/words"
)

func TestTypesAtMostOnce(t *testing.T) {
	unsure := fmt.Errorf("press: %w", tmux.ErrUnsure)
	for name, c := range map[string]struct {
		arrange func(p *pane)
		want    want
	}{
		"the key has no effect": {func(*pane) {}, want{Unknown, Unsure, "1", 1, "claude.tool_confirmation"}},
		"the same question comes again": {func(p *pane) {
			p.onKey = func(p *pane, _ string) { p.show("claude-bash") }
		}, want{Unknown, Unsure, "1", 1, "claude.tool_confirmation"}},
		"tmux does not say whether it typed": {func(p *pane) { p.sent = unsure }, want{Unknown, Unsure, "1", 1, ""}},
		"it doesn't say, as its server ends": {func(p *pane) {
			p.sent, p.lost = fmt.Errorf("%w: %w", tmux.ErrUnsure, tmux.ErrNoServer), true
		}, want{Unknown, Unsure, "", 1, ""}},
		"tmux hangs, and the key is lost": {func(p *pane) { p.sent, p.lost = tmux.ErrHung, true }, want{Unknown, Unsure, "", 1, ""}},
		"tmux fails in a way unheard of":  {func(p *pane) { p.sent, p.lost = errors.New("boom"), true }, want{Unknown, Unsure, "", 1, ""}},
		"the server ends": {func(p *pane) {
			p.onKey = func(p *pane, _ string) { p.lookErr = tmux.ErrNoServer }
		}, want{Unknown, Unsure, "1", 1, ""}},
		"the pane goes": {func(p *pane) {
			p.onKey = func(p *pane, _ string) { p.look.Pane.ID = "%9" }
		}, want{Unknown, Unsure, "1", 1, ""}},
		"the program ends": {func(p *pane) {
			p.onKey = func(p *pane, _ string) { p.look.Pane.Dead = true }
		}, want{Unknown, Unsure, "1", 1, ""}},
		"the screen can't be read afterwards": {func(p *pane) {
			p.onKey = func(p *pane, _ string) { p.lookErr = tmux.ErrHung }
		}, want{Unknown, Unsure, "1", 1, ""}},
		"an overlay covers it": {func(p *pane) {
			p.onKey = func(p *pane, _ string) { p.show("claude-simple-transcript") }
		}, want{Unknown, Unsure, "1", 1, ""}},
		"another prompt follows": {func(p *pane) {
			p.onKey = func(p *pane, _ string) { p.show("claude-edit") }
		}, want{Delivered, "", "1", 1, promptOn(t, "claude", "claude-edit").Shape}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPane(t, "claude", "claude-bash")
				c.arrange(p)
				var began begins
				start := time.Now()
				res := p.typist().Type(t.Context(), request(t, "claude", "claude-bash", screen.Approve), began.begin)
				check(t, p, res, began, c.want)
				if len(p.typed) > 1 {
					t.Errorf("typed %q", p.typed)
				}
				if took := time.Since(start); took > effectTime+time.Second {
					t.Errorf("took %v", took)
				}
			})
		})
	}
}

// TestOneLookProvesNothing hides the prompt during a single look.
func TestOneLookProvesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPane(t, "claude", "claude-bash")
		p.onLook = func(p *pane) {
			if len(p.typed) > 0 {
				p.show([]string{"claude-working", "claude-bash"}[p.looks%2])
			}
		}
		res := p.typist().Type(t.Context(), request(t, "claude", "claude-bash", screen.Approve), func() error { return nil })
		if res.Outcome != Unknown || len(p.typed) != 1 {
			t.Errorf("%s, typed %q: %s", res.Outcome, p.typed, words.Why(res.Detail))
		}
	})
}

func TestOneAtATimePerPane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPane(t, "claude", "claude-bash")
		p.onKey = func(p *pane, _ string) { p.later(50*time.Millisecond, func() { p.show("claude-bash-approved") }) }
		typist := p.typist()
		var group sync.WaitGroup
		outcomes := make([]Outcome, 2)
		for i := range outcomes {
			group.Go(func() {
				outcomes[i] = typist.Type(t.Context(), request(t, "claude", "claude-bash", screen.Approve), func() error { return nil }).Outcome
			})
		}
		group.Wait()
		slices.Sort(outcomes)
		if !slices.Equal(outcomes, []Outcome{Delivered, Refused}) || len(p.typed) != 1 {
			t.Errorf("%q, typed %q", outcomes, p.typed)
		}
		if len(typist.panes) != 0 {
			t.Errorf("%d pane locks are left", len(typist.panes))
		}
	})
}

// TestNoKeyAfterAHangUntilAFreshLook: another pane finds the server hung between look and key.
func TestNoKeyAfterAHangUntilAFreshLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPane(t, "claude", "claude-bash")
		typist := p.typist()
		looks := 0
		begin := func() error {
			looks = p.looks
			typist.doubt(life.Socket)
			return nil
		}
		p.onKey = func(p *pane, _ string) {
			if p.looks == looks {
				t.Error("a key was typed on a look from before the hang")
			}
			p.show("claude-bash-approved")
		}
		res := typist.Type(t.Context(), request(t, "claude", "claude-bash", screen.Approve), begin)
		if res.Outcome != Delivered || len(p.typed) != 1 {
			t.Errorf("%s, typed %q: %s", res.Outcome, p.typed, words.Why(res.Detail))
		}
	})
}

// TestAKeyOfUnknownFateDoubtsItsServer: earlier looks at the server's other panes then justify no key.
func TestAKeyOfUnknownFateDoubtsItsServer(t *testing.T) {
	for name, c := range map[string]struct {
		sent error
		lost bool
		want int
	}{
		"it fails in a way unheard of":     {errors.New("boom"), true, 1},
		"it is said to have typed nothing": {tmux.ErrStale, true, 0},
		"it is typed":                      {nil, false, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newPane(t, "claude", "claude-bash")
			p.sent, p.lost = c.sent, c.lost
			p.onKey = func(p *pane, _ string) { p.show("claude-bash-approved") }
			typist := p.typist()
			typist.Type(t.Context(), request(t, "claude", "claude-bash", screen.Approve), func() error { return nil })
			if got := typist.doubted(life.Socket); got != c.want {
				t.Errorf("%s: the server is doubted %d times", name, got)
			}
		})
	}
}

func TestACancelledRequestTypesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPane(t, "claude", "claude-bash")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var began begins
		res := p.typist().Type(ctx, request(t, "claude", "claude-bash", screen.Approve), began.begin)
		check(t, p, res, began, want{outcome: Refused, reason: Unreadable})
	})
}

// TestWhatBeganIsSeenThrough cancels ctx during a decision of two keys.
func TestWhatBeganIsSeenThrough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPane(t, "kilo", "kilo-bash")
		ctx, cancel := context.WithCancel(t.Context())
		p.onKey = func(p *pane, key string) {
			cancel()
			p.show(map[string]string{"Escape": "kilo-reject", "Enter": "kilo-denied"}[key])
		}
		var began begins
		res := p.typist().Type(ctx, request(t, "kilo", "kilo-bash", screen.Deny), began.begin)
		check(t, p, res, began, want{Delivered, "", "Escape Enter", 1, ""})
	})
}

// TestTypedHearsOfWhatWasTyped, and of nothing that was refused.
func TestTypedHearsOfWhatWasTyped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPane(t, "claude", "claude-bash")
		typist := p.typist()
		var panes []detect.PaneRef
		typist.cfg.Typed = func(pane detect.PaneRef) { panes = append(panes, pane) }
		var began begins
		r := request(t, "claude", "claude-bash", screen.Approve)
		other := r
		other.Fingerprint = "another"
		if res := typist.Type(t.Context(), other, began.begin); res.Outcome != Refused || len(panes) != 0 {
			t.Errorf("%s, and heard of %v", res.Outcome, panes)
		}
		if res := typist.Type(t.Context(), r, began.begin); res.Outcome == Refused || !slices.Equal(panes, []detect.PaneRef{r.Pane}) {
			t.Errorf("%s, and heard of %v", res.Outcome, panes)
		}
	})
}
