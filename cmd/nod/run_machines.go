package main

import (
	"context"
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
	hub    *fleet.Hub // nil if there are none
	joined *joined    // machines that join over the network; nil if none can
}

// This file combines the panes of other machines with those of this one. Without other machines there is no
// hub, and only this machine is asked.

// hubOf makes the hub of the machines in the settings; nil if there are none.
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
		Called: func(ctx context.Context, machine, method string, read func(into any) error) (any, error) {
			return all.control.There(ctx, machine, method, read)
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

// anyTypist returns the typist for all machines.
func (all *parts) anyTypist() keeper.Typist {
	if all.hub == nil {
		return all.typist
	}
	return all.hub
}

// seeThere handles a look at a pane of another machine.
func (all *parts) seeThere(s detect.Sighting) {
	all.chat.unasked(s)
	if err := all.keeper.See(s); err != nil {
		all.log.Error("can't store a look at a pane; the next look tries again", "pane", s.Pane, "error", err)
	}
	all.feed.Saw()
}

func (all *parts) away(machine string, since time.Time) {
	if err := all.keeper.Away(machine, since); err != nil {
		all.log.Error("can't record that a machine is away or back", "machine", machine, "error", err)
	}
}

// panes returns the panes of all machines, as last seen.
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
		return "" // its machine may come back
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

// history returns the last lines of a pane on any machine.
func (all *parts) history(ctx context.Context, pane detect.PaneRef, lines int) ([]string, error) {
	if pane.Here() || all.hub == nil {
		return all.watcher.History(ctx, pane, lines)
	}
	return all.hub.Screen(ctx, pane, lines)
}

// screenRows is the largest number of lines in a screen of another machine's pane.
const screenRows = 60

// screen reads the current screen of a pane on any machine. Other machines don't send colours.
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

// errand asks another machine to start, end or restart a session.
func (all *parts) errand(ctx context.Context, machine string, e launch.Errand) (launch.Done, error) {
	o, res := all.hub.Errand(ctx, machine, e)
	switch {
	case o != nil:
		return *o, nil
	case res.Reason == deliver.Away:
		return launch.Done{}, rpc.Refuse(string(res.Reason), machine+" is away, and nothing was done there: try again when `nod machines` calls it here.")
	case res.Outcome == deliver.Refused:
		return launch.Done{}, rpc.Refuse(string(res.Reason), words.Why(res.Detail))
	}
	return launch.Done{}, rpc.Refuse(string(deliver.Unsure), machine+" has not said what became of it: `nod session list` shows what runs there.")
}

// machines returns the state of the other machines.
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
