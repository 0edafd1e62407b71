// Package systemd talks to systemd, which runs nod as a service: it reports nod's status, and writes the log
// in the journal's format.
package systemd

import (
	"log/slog"
	"os"

	"github.com/coreos/go-systemd/v22/daemon"
)

// Manager is the service manager that runs nod. Without one, its methods do nothing.
type Manager struct {
	Log  *slog.Logger
	said string // the last status
}

// Present reports whether a service manager expects notifications from this process.
func (*Manager) Present() bool { return os.Getenv("NOTIFY_SOCKET") != "" }

// Ready reports that nod has started its work.
func (m *Manager) Ready() { m.notify(daemon.SdNotifyReady) }

// Stopping reports that nod has begun to stop.
func (m *Manager) Stopping() { m.notify(daemon.SdNotifyStopping) }

// Alive resets the watchdog, which would restart nod, and sets the status line of `systemctl --user status
// nod`. Only a loop that has just done nod's work may call it.
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
