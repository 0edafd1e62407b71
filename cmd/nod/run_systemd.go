package main

import (
	"fmt"
	"time"

	"nod/internal/host/ansi"
	"nod/internal/text/plural"
)

// A poll of a server that hangs takes seconds; one that took this long never ends.
const pollsStall = time.Minute + 30*time.Second

// report tells the manager that runs nod as a service how it is, after the records were read and written. A poll loop that
// stands still is left to its watchdog.
func (all *parts) report(now time.Time) {
	if !all.manager.Present() {
		return
	}
	if polled := now.Sub(all.watcher.Polled()); polled >= pollsStall || !all.chat.alive(now) {
		all.log.Error("a poll loop is stuck, so nod stops reporting to systemd's watchdog", "tmux", polled.Round(time.Second), "telegram", all.chat.alive(now))
		return
	}
	all.manager.Alive(all.says())
}

// says is how nod is, on one line: what is wrong first.
func (all *parts) says() string {
	if problems := all.health(); len(problems) > 0 {
		return ansi.OneLine(problems[0])
	}
	waiting, err := all.keeper.Queue()
	if err != nil {
		return ansi.OneLine(err.Error())
	}
	return fmt.Sprintf("%s, %s", plural.Of(len(all.watcher.Panes()), "agent", "agents"), plural.Of(len(waiting), "waits", "wait"))
}
