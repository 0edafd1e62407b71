package deliver

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"nod/detect/screen"
	"nod/internal/host/tmux"
)

// TestTheEffectIsSeenTwiceInARow: a look that fails neither proves an effect nor ends the watch.
func TestTheEffectIsSeenTwiceInARow(t *testing.T) {
	type kind struct {
		screen string
		r      Request
		effect func(p *pane)
		after  string
	}
	for name, k := range map[string]kind{
		"an answer": {"claude-bash", plainRequest(t, "claude", "claude-bash", screen.Approve), func(p *pane) { p.plain("claude-working") }, ""},
		"a box":     {"claude-boxes", tick(t, "claude-boxes", 1), func(p *pane) { p.edit("[ ] Metrics", "[✔] Metrics") }, multi},
	} {
		for when, c := range map[string]struct {
			fails func(look int) error
			want  Outcome
		}{
			"each second look fails": {func(look int) error {
				if look%2 == 0 {
					return errors.New("boom")
				}
				return nil
			}, Unknown},
			"one look fails": {func(look int) error {
				if look == 1 {
					return errors.New("boom")
				}
				return nil
			}, Delivered},
			"the server ends": {func(int) error { return tmux.ErrNoServer }, Unknown},
		} {
			t.Run(name+", "+when, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := plainPane(t, "claude", k.screen)
					p.onKey = func(p *pane, _ string) { k.effect(p) }
					lookAfter(p, func() bool { return len(p.typed) > 0 }, func(look int) { p.lookErr = c.fails(look) })
					if res := p.typist().Type(t.Context(), k.r, func() error { return nil }); res.Outcome != c.want || len(p.typed) != 1 {
						t.Errorf("%s, typed %q", res.Outcome, p.typed)
					}
				})
			})
		}
	}
}

// TestALookThatHangsDoubtsItsServer, as a key does, and one that fails otherwise does not.
func TestALookThatHangsDoubtsItsServer(t *testing.T) {
	for err, doubts := range map[error]int{tmux.ErrHung: 1, tmux.ErrDenied: 0} {
		synctest.Test(t, func(t *testing.T) {
			p := newPane(t, "claude", "claude-bash")
			typist, looks := p.typist(), 0
			r := request(t, "claude", "claude-bash", screen.Approve)
			begin := func() error { // meanwhile another pane of the server is looked at
				other := r
				other.Pane.ID, p.lookErr = "%8", err
				res := typist.Type(t.Context(), other, func() error { return nil })
				p.lookErr, looks = nil, p.looks
				if res.Outcome != Refused || typist.doubted(life.Socket) != doubts {
					t.Errorf("%v: %s, doubted %d times", err, res.Outcome, typist.doubted(life.Socket))
				}
				return nil
			}
			p.onKey = func(p *pane, _ string) {
				if fresh := p.looks > looks; fresh != (doubts > 0) {
					t.Errorf("%v: a fresh look before the key: %t", err, fresh)
				}
				p.show("claude-bash-approved")
			}
			if res := typist.Type(t.Context(), r, begin); res.Outcome != Delivered || len(p.typed) != 1 {
				t.Errorf("%v: %s, typed %q", err, res.Outcome, p.typed)
			}
		})
	}
}

// TestTheGuardHoldsTheDialogAndNothingElse: a row of it that changes in the last moment forbids the key, and one beside it does not.
func TestTheGuardHoldsTheDialogAndNothingElse(t *testing.T) {
	dialog := promptOn(t, "copilot", "copilot-bash")
	last := len(rowsOf(t, "copilot-bash")) - 1
	for row := dialog.First - 1; row <= last; row++ {
		synctest.Test(t, func(t *testing.T) {
			p := plainPane(t, "copilot", "copilot-bash")
			p.onGuard = func(p *pane) { // within the second of the last look, so that no activity shows it
				drawn, rows := p.look.Pane.Activity, slices.Clone(p.rows)
				rows[row] += "x"
				p.draw(strings.Join(rows, "\n"), rows)
				p.look.Pane.Activity = drawn
			}
			p.onKey = func(p *pane, _ string) { p.show("copilot-denied") }
			res := p.typist().Type(t.Context(), plainRequest(t, "copilot", "copilot-bash", screen.Approve), func() error { return nil })
			if within := row >= dialog.First && row <= dialog.Last; within != (len(p.typed) == 0) {
				t.Errorf("row %d of %d to %d changed: %s, typed %q", row, dialog.First, dialog.Last, res.Outcome, p.typed)
			}
		})
	}
}

// TestAStillWindowMustStayStill: where tmux can tell that nothing was drawn since the look, the first tries need it, as tmux
// compares only the first of equal rows. Where it can't, the rows must do.
func TestAStillWindowMustStayStill(t *testing.T) {
	for name, c := range map[string]struct {
		drawn  time.Duration
		guards int
	}{"still for a minute": {time.Minute, 2}, "drawn in this second": {0, 1}} {
		synctest.Test(t, func(t *testing.T) {
			p := newPane(t, "claude", "claude-bash")
			p.look.Pane.Activity = time.Now().Add(-c.drawn).Truncate(time.Second)
			guards := 0
			p.onGuard = func(p *pane) {
				if guards++; guards == 1 {
					p.look.Pane.Activity = p.look.Pane.Activity.Add(time.Second)
				}
			}
			p.onKey = func(p *pane, _ string) { p.show("claude-bash-approved") }
			res := p.typist().Type(t.Context(), request(t, "claude", "claude-bash", screen.Approve), func() error { return nil })
			if res.Outcome != Delivered || guards != c.guards || len(p.typed) != 1 {
				t.Errorf("%s: %s, tried %d times, typed %q", name, res.Outcome, guards, p.typed)
			}
		})
	}
}

// TestWhoWaitsForAPaneMayGiveUp, and whoever comes then still waits for the one that types.
func TestWhoWaitsForAPaneMayGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPane(t, "claude", "claude-bash")
		p.onKey = func(p *pane, _ string) { p.later(2*time.Second, func() { p.show("claude-bash-approved") }) }
		typist, r := p.typist(), request(t, "claude", "claude-bash", screen.Approve)
		short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		results, began := make([]Result, 3), make([]begins, 3)
		var group sync.WaitGroup
		for i, ctx := range []context.Context{t.Context(), short, t.Context()} {
			group.Go(func() {
				time.Sleep(time.Duration(i) * 75 * time.Millisecond)
				results[i] = typist.Type(ctx, r, began[i].begin)
			})
		}
		group.Wait()
		if results[0].Outcome != Delivered || results[1].Reason != Unreadable || results[2].Reason != Changed || len(p.typed) != 1 || began[1]+began[2] > 0 {
			t.Errorf("%+v, begun %v, typed %q", results, began, p.typed)
		}
		if len(typist.panes) != 0 {
			t.Errorf("%d pane locks are left", len(typist.panes))
		}
	})
}

// TestAStopDuringALookTypesNothing, whether or not a second look is needed.
func TestAStopDuringALookTypesNothing(t *testing.T) {
	for _, drawn := range []time.Duration{0, time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			p := newPane(t, "claude", "claude-bash")
			p.look.Pane.Activity = time.Now().Add(-drawn).Truncate(time.Second)
			ctx, cancel := context.WithCancel(t.Context())
			p.onLook = func(*pane) { cancel() }
			var began begins
			res := p.typist().Type(ctx, request(t, "claude", "claude-bash", screen.Approve), began.begin)
			check(t, p, res, began, want{outcome: Refused, reason: Unreadable})
		})
	}
}

// TestAKeyThatShouldOpenADialogMayHaveAnswered: without that dialog nothing proves what it did.
func TestAKeyThatShouldOpenADialogMayHaveAnswered(t *testing.T) {
	for name, c := range map[string]struct {
		agent  string
		effect func(p *pane)
		covers bool
		typed  string
	}{
		"the question goes":      {"kimi", func(p *pane) { p.plain("kimi-denied") }, false, "4"},
		"no look succeeds":       {"kilo", func(p *pane) { p.lookErr = errors.New("boom") }, false, "Escape"},
		"something covers it":    {"kilo", func(*pane) {}, true, "Escape"},
		"the pane can't be read": {"copilot", func(p *pane) { p.lookErr = errors.New("boom") }, false, "3"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := fieldPane(t, c.agent)
				p.onKey = func(p *pane, _ string) { c.effect(p) }
				typist := p.reading(func(r *screen.Reading) {
					if c.covers && len(p.typed) > 0 {
						*r = screen.Reading{State: screen.Overlay}
					}
				})
				var began begins
				res := typist.Type(t.Context(), denies(t, c.agent, because), began.begin)
				check(t, p, res, began, want{Unknown, Unsure, c.typed, 1, ""})
				if len(p.pasted) > 0 {
					t.Errorf("pasted %q", p.pasted)
				}
			})
		})
	}
}

// TestWordsWhoseFieldIsNotSeenAgain may stand there: no Enter follows.
func TestWordsWhoseFieldIsNotSeenAgain(t *testing.T) {
	for _, agent := range []string{"kimi", "copilot"} {
		synctest.Test(t, func(t *testing.T) {
			p := fieldPane(t, agent)
			p.onPaste = func(p *pane, _ string) { p.lookErr = errors.New("boom") }
			var began begins
			res := p.typist().Type(t.Context(), denies(t, agent, because), began.begin)
			check(t, p, res, began, want{Unknown, Unsure, fields[agent], 1, ""})
		})
	}
}
