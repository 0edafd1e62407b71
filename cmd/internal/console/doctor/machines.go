package doctor

import (
	"context"
	"errors"
	"fmt"

	"nod/cmd/internal/fleet/carrier"
	"nod/deploy"
	"nod/internal/rpc"
)

// serves is what a service runs on this machine.
func (e *examination) serves() string {
	if e.joined != nil {
		return deploy.Edge
	}
	return deploy.Bot
}

// asJoined tells whether the edge of a machine that has joined runs, and what it complains of.
func (e *examination) asJoined(context.Context) []Finding {
	const check = "joined"
	if e.unjoined != nil {
		return []Finding{{check, Broken, e.unjoined.Error(), "`nod doctor` again, when that is done"}}
	}
	found := []Finding{ok(check, "this machine is %s to the bot at %s", e.joined.Name, e.joined.Address)}
	if _, err := carrier.Program(); err != nil {
		found = append(found, Finding{check, Broken, err.Error(), "put both programs of a release into one folder: install.sh does"})
	}
	health := e.running.health
	switch {
	case e.wrong != nil:
		found = append(found, Finding{check, Broken, e.wrong.Error(), "mend it in nod.env"})
	case errors.Is(e.running.err, rpc.ErrNotRunning):
		found = append(found, Finding{check, Broken, "its edge does not run, so nobody is told of its agents", "`nod service install` keeps it running; `nod edge` tries it in this terminal"})
	case health.PID == 0:
		found = append(found, Finding{check, Broken, fmt.Sprintf("its edge does not answer: %v", e.running.err), "`nod service restart`"})
	case !health.Edge:
		found = append(found, Finding{check, Broken, "a bot of its own runs here too, so its edge can't", "end one of them: `nod run`, or the edge with `nod service uninstall`"})
	case len(health.Problems) == 0:
		found = append(found, ok(check, "its edge runs as process %d and has reached the bot", health.PID))
	}
	for _, problem := range health.Problems {
		found = append(found, Finding{check, Broken, "it says: " + problem, "`nod service logs` says since when"})
	}
	return found
}

// hub tells whether machines can join, where they are to.
func (e *examination) hub(context.Context) []Finding {
	const check = "machines"
	if e.wrong != nil || e.settings.Hub == "" && e.settings.Nats == "" {
		return nil
	}
	if _, err := carrier.Program(); err != nil {
		return []Finding{{check, Broken, err.Error(), "put both programs of a release into one folder: install.sh does"}}
	}
	if !e.running.up() {
		return []Finding{{Check: check, Level: Skipped, Says: "they are reached while nod runs"}}
	}
	return []Finding{ok(check, "they can join: `nod hub invite`; `nod machines` lists them")}
}
