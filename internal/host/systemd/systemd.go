// Package systemd speaks with the manager that runs nod as a service: it tells how nod is, and writes the log as the journal
// reads it.
package systemd

import (
	"log/slog"
	"os"

	"github.com/coreos/go-systemd/v22/daemon"
)

// Manager is who runs nod. Where nobody does, nothing is told.
type Manager struct {
	Log  *slog.Logger
	said string // the last status
}

// Present reports whether a manager wants to hear of this process.
func (*Manager) Present() bool { return os.Getenv("NOTIFY_SOCKET") != "" }

// Ready tells that nod has begun its work.
func (m *Manager) Ready() { m.notify(daemon.SdNotifyReady) }

// Stopping tells that nod has begun to end.
func (m *Manager) Stopping() { m.notify(daemon.SdNotifyStopping) }

// Alive keeps the watchdog from starting nod again, and tells in a line how it is, as `systemctl --user status nod` shows
// it. Nobody may call it but a loop that has just done what nod is for.
func (m *Manager) Alive(says string) {
	m.notify(daemon.SdNotifyWatchdog)
	if says != m.said {
		m.said = says
		m.notify("STATUS=" + says)
	}
}

func (m *Manager) notify(state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		m.Log.Warn("can't report to systemd", "state", state, "error", err)
	}
}
