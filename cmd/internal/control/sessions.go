package control

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/creachadair/jrpc2"

	"nod/cmd/internal/jobs/launch"
	"nod/deliver"
	"nod/internal/rpc"
	"nod/nudge"
)

// This file has the methods for agents in sessions of their own.

// SessionParams are the parameters of session.new.
type SessionParams struct {
	Name  string   `json:"name"`
	Agent string   `json:"agent"`
	Cwd   string   `json:"cwd"` // absolute
	Args  []string `json:"args"`
}

// EndParams are the parameters of session.end and session.restart.
type EndParams struct {
	Name string `json:"name"`
	// Sure is consent to lose what ends with the session. Without it the error describes the loss.
	Sure bool `json:"sure"`
}

// Session is the result of session.new, session.end and session.restart.
type Session struct {
	Name string `json:"name"`
	Pane string `json:"pane"`
}

// SessionRow is one session in the result of session.list.
type SessionRow struct {
	Name  string `json:"name"`
	Pane  string `json:"pane"`
	Agent string `json:"agent"`
	Cwd   string `json:"cwd"`
	State string `json:"state"` // as in pane.list; "ended" if the pane is gone, "unknown" if nod can't see it
}

// sessionMethods are the methods about sessions, on the socket of a bot or of an edge.
type sessionMethods struct {
	do         func(context.Context, launch.Errand) (launch.Done, error)
	onlyHumans func(context.Context) error
}

func (c sessionMethods) into(all rpc.Methods) rpc.Methods {
	maps.Copy(all, rpc.Methods{
		"session.list": rpc.Method(c.list), "session.new": rpc.Method(c.start), "session.end": rpc.Method(c.end), "session.restart": rpc.Method(c.restart),
	})
	return all
}

func (c sessionMethods) list(ctx context.Context, _ none) ([]SessionRow, error) {
	o, err := c.do(ctx, launch.Errand{Do: launch.DoList})
	rows := []SessionRow{}
	for _, s := range o.Sessions {
		rows = append(rows, SessionRow{Name: s.Name, Pane: s.Pane.ID, Agent: s.Agent, Cwd: s.Cwd, State: s.State})
	}
	return rows, err
}

func (c sessionMethods) start(ctx context.Context, p SessionParams) (Session, error) {
	return c.change(ctx, launch.Errand{Do: launch.DoNew, Spec: launch.Spec{Name: p.Name, Agent: p.Agent, Cwd: p.Cwd, Args: p.Args}})
}

func (c sessionMethods) end(ctx context.Context, p EndParams) (Session, error) {
	return c.change(ctx, launch.Errand{Do: launch.DoEnd, Spec: launch.Spec{Name: p.Name}, Sure: p.Sure})
}

func (c sessionMethods) restart(ctx context.Context, p EndParams) (Session, error) {
	return c.change(ctx, launch.Errand{Do: launch.DoRestart, Spec: launch.Spec{Name: p.Name}, Sure: p.Sure})
}

func (c sessionMethods) change(ctx context.Context, e launch.Errand) (made Session, err error) {
	if err := c.onlyHumans(ctx); err != nil {
		return made, err
	}
	e.By = person(ctx).Name
	o, err := c.do(ctx, e)
	switch {
	case err != nil:
		return made, err
	case o.Error != "":
		return made, jrpc2.Errorf(jrpc2.InvalidParams, "%s", o.Error)
	case len(o.Lost) > 0:
		return made, rpc.Refuse(string(deliver.NeedsConfirmation), strings.Join(o.Lost, " "))
	case len(o.Sessions) != 1:
		return made, rpc.Refuse(string(deliver.Unsure), "nod there has not said what became of it: `nod session list` shows it.")
	}
	return Session{Name: o.Sessions[0].Name, Pane: o.Sessions[0].Pane.ID}, nil
}

// doSessions does an errand on this machine, or on another one if the session's name begins with the
// machine's, as in gpu1:api. A list covers all machines.
func (c *Control) doSessions(ctx context.Context, e launch.Errand) (o launch.Done, err error) {
	if e.Do == launch.DoList {
		return c.allSessions(ctx, e), nil
	}
	machine, rest, _ := strings.Cut(e.Name, ":")
	if !slices.ContainsFunc(c.cfg.Machines(), func(m Machine) bool { return m.Name == machine }) || rest == "" {
		return c.cfg.Sessions.Do(ctx, e), nil
	}
	e.Name = rest
	if o, err = c.cfg.Errand(ctx, machine, e); err != nil || o.Error != "" || len(o.Lost) > 0 {
		return o, err
	}
	kind := nudge.SessionStarted
	if e.Do == launch.DoEnd {
		kind = nudge.SessionEnded
	}
	for i := range o.Sessions {
		s := &o.Sessions[i]
		s.Name = machine + ":" + rest
		err = errors.Join(err, c.cfg.Keeper.Note(launch.Event(kind, s.Session, e.By)))
	}
	return o, err
}

// Launch does the errand of somebody in the chat: it starts an agent, or without consent returns its folder.
func (c *Control) Launch(ctx context.Context, e launch.Errand) (folder string, err error) {
	o, err := c.doSessions(ctx, e)
	if err == nil && o.Error != "" {
		err = errors.New(o.Error)
	}
	return strings.Join(o.Lost, ""), withoutCode(err)
}

// allSessions lists the sessions of all machines. A machine that does not answer has one row.
func (c *Control) allSessions(ctx context.Context, e launch.Errand) launch.Done {
	all := c.cfg.Sessions.Do(ctx, e)
	machines := c.cfg.Machines()
	told := make([][]launch.Row, len(machines))
	var asking sync.WaitGroup
	for i, m := range machines {
		asking.Go(func() {
			o, err := c.cfg.Errand(ctx, m.Name, e)
			for _, row := range o.Sessions {
				row.Name = m.Name + ":" + row.Name
				told[i] = append(told[i], row)
			}
			if err != nil || o.Error != "" {
				silent := launch.Row{State: m.State}
				silent.Name = m.Name + ":"
				told[i] = []launch.Row{silent}
			}
		})
	}
	asking.Wait()
	all.Sessions = append(all.Sessions, slices.Concat(told...)...)
	return all
}
