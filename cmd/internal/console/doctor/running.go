package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"nod/cmd/internal/control"
	"nod/internal/rpc"
	"nod/internal/settings"
	"nod/internal/text/elapsed"
)

// running is the state of the nod on this machine, as it reports it.
type running struct {
	err      error // why it could not be asked; rpc.ErrNotRunning if none is running
	health   control.Health
	panes    []control.Pane
	settings []settings.Row
}

func (r running) up() bool { return r.err == nil }

// askRunning asks the nod at the socket in the settings.
func askRunning(ctx context.Context, s settings.Settings, wrong error) running {
	var r running
	if wrong != nil {
		r.err = rpc.ErrNotRunning
		return r
	}
	client := rpc.Dial(string(s.Socket))
	defer client.Close()
	var list control.Settings
	for _, part := range []struct {
		method string
		into   any
	}{{"health", &r.health}, {"pane.list", &r.panes}, {"settings.list", &list}} {
		if r.err = client.Call(ctx, part.method, nil, part.into); r.err != nil {
			return r
		}
	}
	r.settings = list.Settings
	return r
}

// nod reports whether nod is running, and its problems.
func (e *examination) nod(context.Context) []Finding {
	const check = "nod"
	r := e.running
	switch {
	case e.wrong != nil:
		return []Finding{{Check: check, Level: Skipped, Says: "where it listens is not known while the settings are wrong"}}
	case e.unheard() != nil:
		return []Finding{{check, Broken, fmt.Sprintf("it could not listen: %s", e.unheard()), "then `nod run`; NOD_SOCKET may name a path in any folder of your own"}}
	case errors.Is(r.err, rpc.ErrNotRunning) && !e.ready():
		return []Finding{{check, Note, "it is not running, so nobody would be told", "first the line settings above"}}
	case errors.Is(r.err, rpc.ErrNotRunning):
		return []Finding{{check, Note, "it is not running, so nobody would be told", "`nod run` starts it in this terminal; the line service below says how to keep it running"}}
	case errors.Is(r.err, context.DeadlineExceeded):
		return []Finding{{check, Broken, fmt.Sprintf("it listens at %s and does not answer", e.settings.Socket), "start it again: `nod service restart`, or end it and `nod run`; `nod service logs` may say why"}}
	case r.err != nil:
		return []Finding{{check, Broken, r.err.Error(), "set NOD_SOCKET to a path of your own, or start the running nod again"}}
	}
	var found []Finding
	for _, problem := range r.health.Problems {
		found = append(found, Finding{check, Broken, "it says: " + problem, "`nod status` shows whether that is over; `nod log` what became of messages"})
	}
	if found == nil {
		found = []Finding{ok(check, "process %d has run for %s", r.health.PID, elapsed.Short(time.Duration(r.health.UptimeMS)*time.Millisecond))}
	}
	if r.health.Version != e.Version {
		found = append(found, Finding{check, Note, fmt.Sprintf("version %s runs, and this is %s", r.health.Version, e.Version), "end it and start it again; a service: `nod service restart`"})
	}
	return found
}

// unheard says why a nod could not listen if it was started; nil if it could, or if one is running.
func (e *examination) unheard() error {
	if e.running.up() {
		return nil
	}
	return rpc.CanListen(string(e.settings.Socket))
}
