package control

import (
	"context"
	"errors"
	"time"

	"github.com/creachadair/jrpc2"

	"nod/cmd/internal/jobs/monitor"
	"nod/deliver"
	"nod/internal/rpc"
)

// This file has the methods for monitors, and what crosses the socket for them.

// MonitorParams are those of monitor.start.
type MonitorParams struct {
	Name     string   `json:"name"`
	Match    string   `json:"match"`    // RE2
	Debounce string   `json:"debounce"` // such as 60s; empty: a minute
	Argv     []string `json:"argv"`
	Cwd      string   `json:"cwd"` // absolute
	Env      []string `json:"env"` // NAME=VALUE
	Pane     string   `json:"pane"`
}

// MonitorStarted is the result of monitor.start and monitor.restart.
type MonitorStarted struct {
	Name string `json:"name"`
	PID  int    `json:"pid"` // 0: it reads a pane
}

// MonitorsParams are those of monitor.list.
type MonitorsParams struct {
	All bool `json:"all"` // also those that have ended
}

// NameParams are those of monitor.show, monitor.stop and monitor.restart.
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
	Env        []string   `json:"env"` // values redacted
	Pane       string     `json:"pane"`
	Started    time.Time  `json:"started"`
	Ended      *time.Time `json:"ended"` // null: it runs
	Exit       string     `json:"exit"`
	MatchCount int64      `json:"match_count"`
	Recent     []string   `json:"recent_matches"`
}

// LogsParams are those of monitor.logs.
type LogsParams struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"` // at most; 0: all that is kept
	After int64  `json:"after"` // the end of an earlier call: what came since
}

// Logs is the result of monitor.logs.
type Logs struct {
	Logs string `json:"logs"`
	End  int64  `json:"end"` // the offset behind the last byte
}

func (c *Control) startMonitor(ctx context.Context, p MonitorParams) (MonitorStarted, error) {
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
		server, ref, err := c.find(ctx, p.Pane)
		if err != nil {
			return MonitorStarted{}, err
		}
		s.Pane, s.Where = &ref, ref.ID
		if look, err := server.Look(ctx, ref.ID); err == nil {
			s.Where = look.Pane.Where()
		}
	}
	return started(c.cfg.Monitors.Start(s))
}

func started(s monitor.Status, err error) (MonitorStarted, error) {
	if err != nil {
		return MonitorStarted{}, jrpc2.Errorf(jrpc2.InvalidParams, "no monitor was started: %v", err)
	}
	return MonitorStarted{Name: s.Name, PID: s.PID}, nil
}

func (c *Control) listMonitors(_ context.Context, p MonitorsParams) ([]Monitor, error) {
	list := []Monitor{}
	for _, s := range c.cfg.Monitors.List(p.All) {
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

func (c *Control) showMonitor(_ context.Context, p NameParams) (Monitor, error) {
	s, err := c.cfg.Monitors.Show(p.Name)
	if err != nil {
		return Monitor{}, jrpc2.Errorf(jrpc2.InvalidParams, "%v", err)
	}
	return monitorOf(s), nil
}

func (c *Control) stopMonitor(ctx context.Context, p NameParams) (none, error) {
	if err := c.onlyHumans(ctx); err != nil {
		return none{}, err
	}
	err := c.cfg.Monitors.Stop(p.Name)
	if left := (*monitor.LeftError)(nil); errors.As(err, &left) {
		return none{}, rpc.Refuse(string(deliver.Unknown), left.Error())
	}
	if err != nil {
		return none{}, jrpc2.Errorf(jrpc2.InvalidParams, "%v", err)
	}
	return none{}, nil
}

func (c *Control) restartMonitor(ctx context.Context, p NameParams) (MonitorStarted, error) {
	if err := c.onlyHumans(ctx); err != nil {
		return MonitorStarted{}, err
	}
	return started(c.cfg.Monitors.Restart(p.Name))
}

func (c *Control) monitorLogs(_ context.Context, p LogsParams) (Logs, error) {
	text, end, err := c.cfg.Monitors.Logs(p.Name, p.Bytes, p.After)
	if err != nil {
		return Logs{}, jrpc2.Errorf(jrpc2.InvalidParams, "%v", err)
	}
	return Logs{Logs: text, End: end}, nil
}
