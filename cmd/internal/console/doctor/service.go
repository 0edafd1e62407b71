package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"nod/deploy"
)

// managerLimit is how long the service manager may take to answer.
const managerLimit = time.Second

// service reports whether something keeps nod running, and whether it will after a logout and a reboot.
func (e *examination) service(ctx context.Context) []Finding {
	const check = "service"
	ctx, cancel := context.WithTimeout(ctx, managerLimit)
	defer cancel()
	service, err := deploy.NewService(e.Program, e.serves(), e.ServiceEnv)
	if err != nil {
		return []Finding{{check, Note, err.Error(), "keep `nod " + e.serves() + "` in a tmux window"}}
	}
	status, err := service.Status(ctx)
	unmanaged := (*deploy.Unmanaged)(nil)
	switch {
	case errors.As(err, &unmanaged):
		return []Finding{{check, Note, fmt.Sprintf("systemd is not available for %s, so nod ends with its terminal (%v)", unmanaged.User, unmanaged.Why),
			"keep `nod " + e.serves() + "` in a tmux window; " + unmanaged.Remedy()}}
	case err != nil:
		return []Finding{{check, Note, err.Error(), "`nod service status` says more"}}
	}
	return judgeService(status)
}

func judgeService(s deploy.ServiceStatus) []Finding {
	const check = "service"
	if !s.Installed {
		return []Finding{{check, Note, "it is not installed, so nod ends with its terminal", "`nod service install`"}}
	}
	var found []Finding
	note := func(says, next string) { found = append(found, Finding{check, Note, says, next}) }
	switch {
	case s.Exit == 78 && !s.Runs():
		found = append(found, Finding{check, Broken, "it does not start, for the settings are wrong", "mend them: `nod config` names what is wrong; then `nod service install`"})
	case s.State == "failed":
		found = append(found, Finding{check, Broken, fmt.Sprintf("it has failed with exit code %d, and is not started again", s.Exit), "`nod service logs` says why; `nod service restart` starts it"})
	case s.State == "activating":
		note("it is being started", "if that lasts: `nod service logs`")
	case !s.Runs():
		found = append(found, Finding{check, Broken, "it is installed, and stopped", "`nod service start`"})
	}
	if !s.Current {
		note(s.Path+" is not what this nod would write: nod was moved, or another version wrote it", "`nod service install`")
	}
	if !s.Enabled {
		note("it does not start by itself", "`nod service install`")
	}
	if s.Restarts > 3 {
		note(fmt.Sprintf("it was restarted %d times", s.Restarts), "`nod service logs` says why")
	}
	if found == nil {
		found = []Finding{ok(check, "%s runs it", s.Manager)}
	}
	if s.Manager == "systemd" && !s.Lingering {
		return append(found, Finding{"lingering", Note, "off: nod stops ten seconds after your last logout, and the agents go on without it", "`loginctl enable-linger`"})
	}
	return append(found, ok("lingering", "nod goes on when you log out"))
}
