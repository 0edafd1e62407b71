package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"nod/cmd/internal/control"
	"nod/cmd/internal/fleet"
	"nod/cmd/internal/fleet/dial"
	"nod/cmd/internal/fleet/pipe"
	"nod/cmd/internal/jobs/launch"
	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/rpc"
	"nod/internal/settings"
	"nod/internal/words"
	"nod/nudge/keeper"
)

// others are the other machines.
type others struct {
	hub    *fleet.Hub // nil: there are none
	joined *joined    // those that join over the network; nil: none can
}

// This file joins the panes of other machines to those of this one. Without such machines there is no hub, and every part is asked here alone.

// hubOf makes the hub of the machines that the settings name; nil: they name none.
func (all *parts) hubOf(s settings.Settings) *fleet.Hub {
	if len(s.Machines) == 0 && s.Hub == "" && s.Nats == "" {
		return nil
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(fleet.HubMemory)
	}
	hub := fleet.NewHub(fleet.HubConfig{
		See:     all.seeThere,
		Ran:     all.ran,
		Here:    all.typist,
		Learned: func(machine, nudge string, r deliver.Result) error { return all.keeper.Learned(machine, nudge, r) },
		Away:    all.away,
		Called: func(ctx context.Context, machine, method string, params json.RawMessage) (any, error) {
			return all.control.There(ctx, machine, method, params)
		},
		Decided: func(machine string) []string { return all.keeper.Decided(machine) },
		Mask:    maskIf(all.holder),
		Version: version(),
		Log:     all.log,
	})
	for _, m := range s.Machines {
		hub.Add(m.Name)
	}
	return hub
}

// runMachines keeps a link to each machine until ctx ends.
func (all *parts) runMachines(ctx context.Context, g *errgroup.Group) {
	if all.hub == nil {
		return
	}
	g.Go(func() error { return all.hub.Run(ctx) })
	if all.joined != nil {
		g.Go(func() error { return all.joined.run(ctx) })
	}
	s := all.holder.Current()
	for _, m := range s.Machines {
		d := dial.Dialer{
			Machine: m, Folder: filepath.Join(filepath.Dir(string(s.Socket)), "nod-ssh"), Trouble: all.hub.Trouble,
			Attach: func(ctx context.Context, name string, link *pipe.Link) error { return all.hub.Attach(ctx, name, link) },
		}
		g.Go(func() error { return d.Run(ctx) })
	}
}

// anyTypist types on all machines.
func (all *parts) anyTypist() keeper.Typist {
	if all.hub == nil {
		return all.typist
	}
	return all.hub
}

// seeThere takes in a look at a pane of another machine.
func (all *parts) seeThere(s detect.Sighting) {
	all.chat.unasked(s)
	if err := all.keeper.See(s); err != nil {
		all.log.Error("a look at a pane could not be stored; another one follows", "pane", s.Pane, "error", err)
	}
	all.feed.Saw()
}

func (all *parts) away(machine string, since time.Time) {
	if err := all.keeper.Away(machine, since); err != nil {
		all.log.Error("not noted that a machine is away or back", "machine", machine, "error", err)
	}
}

// panes are those of all machines as they were last seen.
func (all *parts) panes() []detect.Sighting {
	panes := all.watcher.Panes()
	if all.hub != nil {
		panes = append(panes, all.hub.Panes()...)
	}
	return panes
}

func (all *parts) stateOf(pane detect.PaneRef) screen.State {
	switch {
	case pane.Here():
		return all.watcher.StateOf(pane)
	case all.hub == nil:
		return "" // its machine may be named again
	}
	return all.hub.StateOf(pane)
}

func (all *parts) viewUntil(pane detect.PaneRef, until time.Time) {
	if pane.Here() {
		all.watcher.ViewUntil(pane, until)
	} else if all.hub != nil {
		all.hub.ViewUntil(pane, until)
	}
}

// history gives the last lines of a pane of any machine.
func (all *parts) history(ctx context.Context, pane detect.PaneRef, lines int) ([]string, error) {
	if pane.Here() || all.hub == nil {
		return all.watcher.History(ctx, pane, lines)
	}
	return all.hub.Screen(ctx, pane, lines)
}

// screenRows is how many lines of a pane of another machine a screen shows at most.
const screenRows = 60

// screen reads what a pane of any machine shows now. Colours do not cross.
func (all *parts) screen(ctx context.Context, pane detect.PaneRef) (detect.Capture, error) {
	if pane.Here() || all.hub == nil {
		return all.watcher.Screen(ctx, pane)
	}
	rows, err := all.hub.Screen(ctx, pane, screenRows)
	if err != nil {
		return detect.Capture{}, err
	}
	columns := 80
	for _, row := range rows {
		columns = max(columns, len([]rune(row)))
	}
	return detect.Capture{Rows: screen.Parse(strings.Join(rows, "\n")).Rows, Columns: min(columns, 300)}, nil
}

// errand has another machine do something about its sessions.
func (all *parts) errand(ctx context.Context, machine string, e launch.Errand) (launch.Outcome, error) {
	o, res := all.hub.Errand(ctx, machine, e)
	switch {
	case o != nil:
		return *o, nil
	case res.Reason == deliver.Away:
		return launch.Outcome{}, rpc.Refuse(string(res.Reason), machine+" is away, and nothing was done there: try again when `nod machines` calls it here.")
	case res.Outcome == deliver.Refused:
		return launch.Outcome{}, rpc.Refuse(string(res.Reason), words.Why(res.Detail))
	}
	return launch.Outcome{}, rpc.Refuse(string(deliver.Unsure), machine+" has not said what became of it: `nod session list` shows what runs there.")
}

// machines tells how the other machines are.
func (all *parts) machines() (list []control.Machine) {
	if all.hub == nil {
		return nil
	}
	for _, m := range all.hub.Machines() {
		row := control.Machine{Name: m.Name, State: "connecting", Version: m.Version, SkewMS: m.Skew.Milliseconds(), Agents: m.Agents, Takes: m.Takes, Troubles: append([]string{}, m.Troubles...)}
		if !m.Heard.IsZero() {
			row.State, row.Heard = "here", &m.Heard
		}
		if !m.Away.IsZero() {
			row.State, row.Away = "away", &m.Away
		}
		all.joined.recall(&row)
		list = append(list, row)
	}
	return list
}
