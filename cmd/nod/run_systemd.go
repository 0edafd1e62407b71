package main

import (
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"

	"nod/internal/ansi"
	"nod/internal/plural"
)

// A poll of a server that hangs takes seconds; one that took this long never ends.
const pollsStall = time.Minute + 30*time.Second

// systemd tells the manager that runs nod as a service how it is. Elsewhere it does nothing.
type systemd struct {
	log  *slog.Logger
	said string // the last status
}

func (s *systemd) notify(state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		s.log.Warn("systemd could not be told", "state", state, "error", err)
	}
}

// report keeps the watchdog from starting nod anew, and says how nod is, as `systemctl --user status nod` shows it.
// Nobody may call it but a loop that has just read and written the records.
func (s *systemd) report(all *parts, now time.Time) {
	if os.Getenv("NOTIFY_SOCKET") == "" {
		return
	}
	if polled := now.Sub(all.watcher.Polled()); polled >= pollsStall || !all.bot.Alive(now) {
		all.log.Error("a poll loop stands still, so systemd is not told that nod is well", "tmux", polled.Round(time.Second), "telegram", all.bot.Alive(now))
		return
	}
	s.notify(daemon.SdNotifyWatchdog)
	if says := all.says(); says != s.said {
		s.said = says
		s.notify("STATUS=" + says)
	}
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

// count is a number with the word for one or for many.
