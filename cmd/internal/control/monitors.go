package control

import (
	"context"
	"errors"
	"maps"
	"strings"
	"time"

	"github.com/creachadair/jrpc2"

	"nod/cmd/internal/jobs/monitor"
	"nod/deliver"
	"nod/detect"
	"nod/internal/rpc"
	"nod/nudge"
)

// This file has the methods for monitors, and their types on the socket.

// MonitorParams are the parameters of monitor.start.
type MonitorParams struct {
	Name     string   `json:"name"`
	Match    string   `json:"match"`    // RE2
	Debounce string   `json:"debounce"` // such as 60s; empty for a minute
	Argv     []string `json:"argv"`
	Cwd      string   `json:"cwd"` // absolute
	Env      []string `json:"env"` // NAME=VALUE
	Pane     string   `json:"pane"`
}

// MonitorStarted is the result of monitor.start and monitor.restart.
type MonitorStarted struct {
	Name string `json:"name"`
	PID  int    `json:"pid"` // 0 if it reads a pane
}

// MonitorsParams are the parameters of monitor.list.
type MonitorsParams struct {
	All bool `json:"all"` // include monitors that have ended
}

// NameParams are the parameters of monitor.show, monitor.stop and monitor.restart.
type NameParams struct {
	Name string `json:"name"`
}

// Monitor is one monitor in the results of monitor.list and monitor.show.
type Monitor struct {
	Name       string     `json:"name"`
	Status     string     `json:"status"` // running or stopped
	PID        int        `json:"pid"`
	Match      string     `json:"match"`
	Debounce   string     `json:"debounce"`
	Argv       []string   `json:"argv"`
	Cwd        string     `json:"cwd"`
	Env        []string   `json:"env"` // with redacted values
	Pane       string     `json:"pane"`
	Started    time.Time  `json:"started"`
	Ended      *time.Time `json:"ended"` // null while it runs
	Exit       string     `json:"exit"`
	MatchCount int64      `json:"match_count"`
	Recent     []string   `json:"recent_matches"`
}

// LogsParams are the parameters of monitor.logs.
type LogsParams struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"` // at most; 0 for all that is kept
	After int64  `json:"after"` // End of an earlier call, to get newer output only
}

// Logs is the result of monitor.logs.
type Logs struct {
	Logs string `json:"logs"`
	End  int64  `json:"end"` // the offset after the last byte
}

// monitorMethods are the methods about monitors, on the socket of a bot or of an edge.
type monitorMethods struct {
	*monitor.Monitors
	onlyHumans func(context.Context) error
	// pane finds the pane of a name, and its place.
	pane func(ctx context.Context, name string) (ref detect.PaneRef, where string, err error)
}

func (c monitorMethods) into(all rpc.Methods) rpc.Methods {
	maps.Copy(all, rpc.Methods{
		"monitor.start": rpc.Method(c.start), "monitor.list": rpc.Method(c.list), "monitor.show": rpc.Method(c.show),
		"monitor.stop": rpc.Method(c.stop), "monitor.restart": rpc.Method(c.restart), "monitor.logs": rpc.Method(c.logs),
	})
	return all
}

func (c monitorMethods) start(ctx context.Context, p MonitorParams) (MonitorStarted, error) {
	if err := c.onlyHumans(ctx); err != nil {
		return MonitorStarted{}, err
	}
	s := monitor.Spec{Name: p.Name, Match: p.Match, Argv: p.Argv, Cwd: p.Cwd, Env: p.Env}
	if p.Debounce != "" {
		d, err := time.ParseDuration(p.Debounce)
		if err != nil {
			return MonitorStarted{}, jrpc2.Errorf(jrpc2.InvalidParams, "the debounce must be a time such as 60s")
		}
		s.Debounce = d
	}
	if p.Pane != "" {
		ref, where, err := c.pane(ctx, p.Pane)
		if err != nil {
			return MonitorStarted{}, err
		}
		s.Pane, s.Where = &ref, where
	}
	return started(c.Monitors.Start(s))
}

func started(s monitor.Status, err error) (MonitorStarted, error) {
	if err != nil {
		return MonitorStarted{}, jrpc2.Errorf(jrpc2.InvalidParams, "no monitor was started: %v", err)
	}
	return MonitorStarted{Name: s.Name, PID: s.PID}, nil
}

func (c monitorMethods) list(_ context.Context, p MonitorsParams) ([]Monitor, error) {
	list := []Monitor{}
	for _, s := range c.Monitors.List(p.All) {
		list = append(list, monitorOf(s))
	}
	return list, nil
}

func monitorOf(s monitor.Status) Monitor {
	m := Monitor{
		Name: s.Name, Status: "stopped", PID: s.PID, Match: s.Match, Debounce: s.Debounce.String(), Argv: append([]string{}, s.Argv...), Cwd: s.Cwd,
		Env: append([]string{}, s.Env...), Pane: s.Where, Started: s.Started.UTC(), Exit: s.Exit, MatchCount: s.Matches, Recent: append([]string{}, s.Recent...),
	}
	if s.Running {
		m.Status = "running"
	} else {
		ended := s.Ended.UTC()
		m.Ended = &ended
	}
	return m
}

func (c monitorMethods) show(_ context.Context, p NameParams) (Monitor, error) {
	s, err := c.Monitors.Show(p.Name)
	if err != nil {
		return Monitor{}, jrpc2.Errorf(jrpc2.InvalidParams, "%v", err)
	}
	return monitorOf(s), nil
}

func (c monitorMethods) stop(ctx context.Context, p NameParams) (none, error) {
	if err := c.onlyHumans(ctx); err != nil {
		return none{}, err
	}
	err := c.Monitors.Stop(p.Name)
	if left := (*monitor.LeftError)(nil); errors.As(err, &left) {
		return none{}, rpc.Refuse(string(deliver.Unknown), left.Error())
	}
	if err != nil {
		return none{}, jrpc2.Errorf(jrpc2.InvalidParams, "%v", err)
	}
	return none{}, nil
}

func (c monitorMethods) restart(ctx context.Context, p NameParams) (MonitorStarted, error) {
	if err := c.onlyHumans(ctx); err != nil {
		return MonitorStarted{}, err
	}
	return started(c.Monitors.Restart(p.Name))
}

func (c monitorMethods) logs(_ context.Context, p LogsParams) (Logs, error) {
	text, end, err := c.Monitors.Logs(p.Name, p.Bytes, p.After)
	if err != nil {
		return Logs{}, jrpc2.Errorf(jrpc2.InvalidParams, "%v", err)
	}
	return Logs{Logs: text, End: end}, nil
}

// monitorPane returns the pane that a monitor on this machine shall read.
func (c *Control) monitorPane(ctx context.Context, name string) (ref detect.PaneRef, where string, err error) {
	server, ref, err := c.find(ctx, name)
	if err != nil {
		return ref, "", err
	}
	if look, err := server.Look(ctx, ref.ID); err == nil {
		return ref, look.Pane.Where(), nil
	}
	return ref, ref.ID, nil
}

// monitorPane is the same for an edge: it finds panes in which an agent runs.
func (e *Edge) monitorPane(_ context.Context, name string) (ref detect.PaneRef, where string, err error) {
	for _, s := range e.cfg.Panes() {
		if s.Pane.ID == name || s.Where == name {
			return s.Pane, s.Where, nil
		}
	}
	return ref, "", rpc.Refuse(string(deliver.NotFound), "Here a monitor reads the pane of an agent alone, named as in main:1.0: nod watches no agent in "+name+".")
}

// reportThere reports the lines of a monitor on another machine, under a name that contains the machine's.
func (c *Control) reportThere(_ context.Context, machine string, r nudge.MonitorReport) (none, error) {
	r.Monitor = machine + ":" + strings.ReplaceAll(r.Monitor, "\x00", "")
	r.Count = min(max(r.Count, 0), mostMatches)
	r.Lines = r.Lines[max(0, len(r.Lines)-mostLines):]
	return none{}, c.cfg.Keeper.Report(r)
}

// Limits of one report from another machine's monitor.
const (
	mostMatches = 1 << 20
	mostLines   = 100
)
