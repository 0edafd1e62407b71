package main

import (
	"fmt"
	"time"

	"nod/internal/host/ansi"
	"nod/internal/text/plural"
)

// A poll of a hanging server takes seconds; one that takes this long never ends.
const pollsStall = time.Minute + 30*time.Second

// report reports nod's status to systemd after the records were read and written. If a poll loop is stuck, it
// reports nothing, and the watchdog acts.
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

// says returns nod's status on one line, problems first.
func (all *parts) says() string {
	if problems := all.health(); len(problems) > 0 {
		return ansi.OneLine(problems[0])
	}
	waiting, err := all.keeper.Queue()
	if err != nil {
		return ansi.OneLine(err.Error())
	}
	return fmt.Sprintf("%s, %s", plural.Of(all.watcher.Count(), "agent", "agents"), plural.Of(len(waiting), "waits", "wait"))
}
