package control

import (
	"context"
	"strings"

	"github.com/creachadair/jrpc2"

	"nod/cmd/internal/jobs/launch"
	"nod/deliver"
	"nod/internal/rpc"
)

// This file has the methods for agents that are started in a session of their own.

// SessionParams are those of session.new.
type SessionParams struct {
	Name  string   `json:"name"`
	Agent string   `json:"agent"`
	Cwd   string   `json:"cwd"` // absolute
	Args  []string `json:"args"`
}

// EndParams are those of session.end and session.restart.
type EndParams struct {
	Name string `json:"name"`
	// Sure is consent to lose what ends with the session; without it the answer says what that is.
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
	State string `json:"state"` // as in pane.list; "ended" where the pane is gone, "unknown" where nod can't see it
}

func (c *Control) listSessions(ctx context.Context, _ none) ([]SessionRow, error) {
	list, states, err := c.cfg.Sessions.List(ctx)
	if err != nil {
		return nil, err
	}
	rows := []SessionRow{}
	for i, s := range list {
		rows = append(rows, SessionRow{Name: s.Name, Pane: s.Pane.ID, Agent: s.Agent, Cwd: s.Cwd, State: states[i]})
	}
	return rows, nil
}

func (c *Control) newSession(ctx context.Context, p SessionParams) (Session, error) {
	if err := c.onlyHumans(ctx); err != nil {
		return Session{}, err
	}
	return sessionOf(c.cfg.Sessions.Start(ctx, launch.Spec{Name: p.Name, Agent: p.Agent, Cwd: p.Cwd, Args: p.Args}, person(ctx).Name))
}

func (c *Control) endSession(ctx context.Context, p EndParams) (Session, error) {
	if err := c.mayEnd(ctx, p, false); err != nil {
		return Session{}, err
	}
	return sessionOf(c.cfg.Sessions.End(ctx, p.Name, person(ctx).Name))
}

func (c *Control) restartSession(ctx context.Context, p EndParams) (Session, error) {
	if err := c.mayEnd(ctx, p, true); err != nil {
		return Session{}, err
	}
	return sessionOf(c.cfg.Sessions.Restart(ctx, p.Name, person(ctx).Name))
}

func sessionOf(s launch.Session, err error) (Session, error) {
	if err != nil {
		return Session{}, jrpc2.Errorf(jrpc2.InvalidParams, "%v", err)
	}
	return Session{Name: s.Name, Pane: s.Pane.ID}, nil
}

// mayEnd refuses agents, and whoever is not sure although something would be lost. again: it is restarted, so one that
// has ended already loses nothing.
func (c *Control) mayEnd(ctx context.Context, p EndParams, again bool) error {
	if err := c.onlyHumans(ctx); err != nil {
		return err
	}
	_, lost, err := c.cfg.Sessions.Find(ctx, p.Name)
	switch {
	case err != nil && again && launch.Gone(err):
	case err != nil:
		return jrpc2.Errorf(jrpc2.InvalidParams, "%v", err)
	case len(lost) > 0 && !p.Sure:
		return rpc.Refuse(string(deliver.NeedsConfirmation), strings.Join(lost, " "))
	}
	return nil
}
