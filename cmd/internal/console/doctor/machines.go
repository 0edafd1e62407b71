package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"nod/cmd/internal/control"
	"nod/cmd/internal/fleet/carrier"
	"nod/deploy"
	"nod/internal/host/ansi"
	"nod/internal/rpc"
	"nod/internal/text/elapsed"
	"nod/internal/text/plural"
)

// serves returns what a service runs on this machine.
func (e *examination) serves() string {
	if e.joined != nil {
		return deploy.Edge
	}
	return deploy.Bot
}

// asJoined reports whether the edge of a machine that has joined is running, and its problems.
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
		found = append(found, Finding{check, Broken, "its edge is not running, so nobody hears of its agents", "`nod edge` starts it in this terminal; the line service below says how to keep it running"})
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

// hub reports whether machines can join, at which address, and the state of the connected ones. nod itself
// reports their problems.
func (e *examination) hub(ctx context.Context) []Finding {
	const check = "machines"
	joins := e.settings.Hub != "" || e.settings.Nats != ""
	if e.wrong != nil || !joins && len(e.settings.Machines) == 0 {
		return nil
	}
	if _, err := carrier.Program(); joins && err != nil {
		return []Finding{{check, Broken, err.Error(), "put both programs of a release into one folder: install.sh does"}}
	}
	if !e.running.up() {
		return []Finding{{Check: check, Level: Skipped, Says: "they are reached while nod runs"}}
	}
	var found []Finding
	if joins {
		found = append(found, ok(check, "they can join: `nod hub invite`; `nod machines` lists them"))
	}
	client := rpc.Dial(string(e.settings.Socket))
	defer client.Close()
	var list []control.Machine
	if err := client.Call(ctx, "machine.list", nil, &list); err != nil {
		return append(found, Finding{check, Broken, err.Error(), "`nod service restart`"})
	}
	for _, m := range list {
		if m.State == "here" {
			found = append(found, judgeMachine(check, m, e.Version))
		}
	}
	return found
}

// judgeMachine reports the state of a connected machine.
func judgeMachine(check string, m control.Machine, version string) Finding {
	skew := time.Duration(m.SkewMS) * time.Millisecond
	switch {
	case skew.Abs() >= noticeableSkew:
		return Finding{check, Note, fmt.Sprintf("the clock of %s is %s off", m.Name, elapsed.Short(skew.Abs())), "set it there; what nod does at a time goes by the clock here"}
	case m.Version != version:
		return Finding{check, Note, fmt.Sprintf("nod on %s is %s, and this is %s", m.Name, ansi.OneLine(m.Version), version), "update one of them: two releases that are one apart understand each other"}
	}
	return ok(check, "%s is here, with %s", m.Name, plural.Of(m.Agents, "agent", "agents"))
}
