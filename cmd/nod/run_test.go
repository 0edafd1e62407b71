package main

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/errgroup"

	"nod/internal/settings"
)

// TestStopTakesUnderFiveSeconds, whatever work is in progress.
func TestStopTakesUnderFiveSeconds(t *testing.T) {
	failed := errors.New("failed")
	for name, c := range map[string]struct {
		hangs bool
		fails error
		takes time.Duration
	}{
		"everything ends":             {takes: 0},
		"a part hangs":                {hangs: true, takes: stopLimit},
		"a part fails":                {fails: failed, takes: 0},
		"one fails and another hangs": {hangs: true, fails: failed, takes: stopLimit},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				ctx, stop := context.WithCancel(t.Context())
				g, ctx := errgroup.WithContext(ctx)
				g.Go(func() error { <-ctx.Done(); return nil })
				if c.hangs {
					g.Go(func() error { <-release; return nil })
				}
				begin := time.Now()
				if g.Go(func() error { return c.fails }); c.fails == nil {
					stop()
				}
				err := untilStopped(ctx, g, slog.New(slog.DiscardHandler))
				if took := time.Since(begin); took != c.takes || !errors.Is(err, c.fails) {
					t.Errorf("took %s and gave %v", took, err)
				}
				close(release)
				stop()
			})
		})
	}
}

// TestADigestTakesNoOtherJobsPlace, however often it is sent: reminders and the watchdog's reports hang on the tick.
func TestADigestTakesNoOtherJobsPlace(t *testing.T) {
	for _, when := range []settings.Schedule{"", "@daily", tick, rest} {
		log := slog.New(slog.DiscardHandler)
		all := &parts{log: log, chat: noChat(), holder: settings.NewHolder(settings.Environment{}, settings.Settings{Digest: when}, log, nil)}
		planned := map[string]int{}
		for _, j := range all.jobs(t.Context()) {
			planned[j.when]++
		}
		want := map[string]int{tick: 1, rest: 1}
		if when != "" {
			want[string(when)]++
		}
		if !maps.Equal(planned, want) {
			t.Errorf("NOD_DIGEST=%s: %v, want %v", when, planned, want)
		}
	}
}
