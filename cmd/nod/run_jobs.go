package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/robfig/cron/v3"
)

// tick is how often nod looks for work whose time has come. It decides how exact reminders are, and how soon a
// changed settings file is noticed; what is new is told at once.
const tick = "@every 2s"

// runJobs does what recurs until ctx ends. cron's default has neither Recover nor SkipIfStillRunning.
func (all *parts) runJobs(ctx context.Context) error {
	log := cronLog{all.log}
	c := cron.New(cron.WithLogger(log), cron.WithChain(cron.Recover(log), cron.SkipIfStillRunning(log)))
	jobs := map[string]func(){tick: all.tick}
	if when := string(all.holder.Current().Digest); when != "" {
		jobs[when] = func() {
			if err := all.chat.digest(ctx); err != nil {
				all.log.Error("no digest was sent", "error", err)
			}
		}
	}
	for when, job := range jobs {
		if _, err := c.AddFunc(when, job); err != nil {
			return fmt.Errorf("plan %q: %w", when, err)
		}
	}
	c.Start()
	<-ctx.Done()
	<-c.Stop().Done()
	return nil
}

// tick looks for work whose time has come, and for changes outside.
func (all *parts) tick() {
	now := time.Now()
	all.holder.Refresh()
	all.taught.Refresh()
	doors := func(id string) bool {
		return all.doors.Has(id, now) || all.control.Attends(id) || all.joined.attends(id)
	}
	// Tick holds its time against the uptime: where what is before it waited for a slow disk, a time from before would look like a
	// clock that was set.
	if err := errors.Join(all.keeper.Lost(all.stateOf, now), all.keeper.EndDoors(doors, now), all.keeper.Tick(time.Now())); err != nil {
		all.log.Error("could not look for work; the next tick tries again", "error", err)
		return
	}
	all.report(now)
}

// cronLog lets cron speak through slog. Its notes on every job that ran are left out.
type cronLog struct{ log *slog.Logger }

func (cronLog) Info(string, ...any) {}

func (l cronLog) Error(err error, msg string, args ...any) {
	l.log.Error("a recurring job failed: "+msg, append(args, "error", err)...)
}
