package main

import (
	"context"
	"errors"
	"os"

	"nod/cmd/internal/control/caller"
	"nod/internal/host/tmux"
)

// onlyHumans refuses a command that indirectly lets answers in, such as teaching a dialog, unless a human
// runs it. The bot refuses calls over the socket itself; this is for commands that make none.
func (p *program) onlyHumans(ctx context.Context) error {
	place := p.place(ctx)
	if place.Kind == caller.Human {
		return nil
	}
	return &failure{code: exitFailed, err: errors.New(place.Refusal())}
}

// noAgents refuses a command that an agent runs. What installs programs may run it without a terminal.
func (p *program) noAgents(ctx context.Context) error {
	if place := p.place(ctx); place.Kind == caller.Agent {
		return &failure{code: exitFailed, err: errors.New(place.Refusal())}
	}
	return nil
}

func (p *program) place(ctx context.Context) caller.Place {
	s, _ := p.settings() // if they are wrong, the default servers are used
	return caller.Find(ctx, os.Getpid(), nil, tmux.Servers(s.TmuxSocket))
}
