package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/errgroup"

	"nod/internal/settings"
)

// TestStopTakesUnderFiveSeconds: whatever is still being done.
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

// TestJournalHasOneLineAnEventWithItsLevel: and no time of nod's own.
func TestJournalHasOneLineAnEventWithItsLevel(t *testing.T) {
	for format, want := range map[settings.LogFormat]string{
		settings.LogText: "<7>msg=look part=tmux pane=%1\n<6>msg=\"two\\nlines\" part=tmux pane=%1\n<4>msg=look part=tmux pane=%1 g.level=x\n<3>msg=look part=tmux\n",
		settings.LogJSON: `<7>{"msg":"look","part":"tmux","pane":"%1"}
<6>{"msg":"two\nlines","part":"tmux","pane":"%1"}
<4>{"msg":"look","part":"tmux","pane":"%1","g":{"level":"x"}}
<3>{"msg":"look","part":"tmux"}
`,
	} {
		var out bytes.Buffer
		log := slog.New(newJournalHandler(&out, format, slog.LevelDebug)).With("part", "tmux")
		log.Debug("look", "pane", "%1")
		log.Info("two\nlines", "pane", "%1")
		log.With("pane", "%1").WithGroup("g").Warn("look", "level", "x")
		log.Error("look")
		if out.String() != want {
			t.Errorf("%s:\n%s\nwant\n%s", format, out.String(), want)
		}
	}
	var out bytes.Buffer
	slog.New(newJournalHandler(&out, settings.LogText, slog.LevelWarn)).Info("left out")
	if strings.TrimSpace(out.String()) != "" {
		t.Errorf("%q", out.String())
	}
}
