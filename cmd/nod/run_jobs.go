package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/robfig/cron/v3"

	"nod/internal/host/memory"
)

// tick is the interval at which nod looks for due work and changed settings. It limits the precision of
// reminders; new questions are sent at once.
const tick = "@every 2s"

// rest is the interval at which nod gives memory back: a start, or a storm of questions, needs more than the
// hours after it.
const rest = "@every 1m"

// job is work that recurs.
type job struct {
	when string
	do   func()
}

// jobs returns the recurring jobs. The digest may have the times of another one.
func (all *parts) jobs(ctx context.Context) []job {
	list := []job{{tick, all.tick}, {rest, all.giveBack}}
	if when := string(all.holder.Current().Digest); when != "" {
		list = append(list, job{when, func() {
			if err := all.chat.digest(ctx); err != nil {
				all.log.Error("can't send the digest", "error", err)
			}
		}})
	}
	return list
}

// runJobs runs the recurring jobs until ctx ends. cron has neither Recover nor SkipIfStillRunning by default.
func (all *parts) runJobs(ctx context.Context) error {
	log := cronLog{all.log}
	c := cron.New(cron.WithLogger(log), cron.WithChain(cron.Recover(log), cron.SkipIfStillRunning(log)))
	for _, j := range all.jobs(ctx) {
		if _, err := c.AddFunc(j.when, j.do); err != nil {
			return fmt.Errorf("plan %q: %w", j.when, err)
		}
	}
	c.Start()
	<-ctx.Done()
	<-c.Stop().Done()
	return nil
}

// tick looks for due work and for outside changes.
func (all *parts) tick() {
	now := time.Now()
	all.holder.Refresh()
	all.taught.Refresh()
	doors := func(id string) bool {
		return all.doors.Has(id, now) || all.control.Attends(id) || all.joined.attends(id)
	}
	// Tick compares its time with the uptime. It gets the current time, because the calls before it may have
	// waited for a slow disk, and an older time would look like a clock that was set.
	if err := errors.Join(all.keeper.Lost(all.stateOf, now), all.keeper.EndDoors(doors, now), all.control.EndUnattended(now), all.keeper.Tick(time.Now())); err != nil {
		all.log.Error("can't look for due work; the next tick tries again", "error", err)
		return
	}
	all.report(now)
}

// garbage is how much of what nod keeps may be garbage, in percent, before it is collected. nod keeps some 5 MB
// and makes little garbage: less than half of Go's own 100 costs no processor time that could be measured.
const garbage = 40

// processors is how many of nod's goroutines run at once. Each poll is a burst of a few milliseconds, for which Go would wake a second
// thread that finds nothing to do: a sixth of what nod takes of a core while nothing draws.
const processors = 1

// frugal makes a process that runs for months take little, where its environment doesn't say otherwise.
func frugal() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(processors)
	}
}

// giveBack gives unneeded memory back: Go's free pages, and those of the program and the database, which the system can read again.
func (all *parts) giveBack() {
	debug.FreeOSMemory()
	if err := all.records.Mapped(func(path string) error { return memory.GiveBack(path) }); err != nil {
		all.log.Debug("can't give memory back", "error", err)
	}
}

// cronLog passes cron's messages to slog, except those about every job that ran.
type cronLog struct{ log *slog.Logger }

func (cronLog) Info(string, ...any) {}

func (l cronLog) Error(err error, msg string, args ...any) {
	l.log.Error("a recurring job failed: "+msg, append(args, "error", err)...)
}
