package main

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/errgroup"
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
