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
	s, _ := p.settings() // if they are wrong, the default servers are used
	place := caller.Find(ctx, os.Getpid(), nil, tmux.Servers(s.TmuxSocket))
	if place.Kind == caller.Human {
		return nil
	}
	return &failure{code: exitFailed, err: errors.New(place.Refusal())}
}
