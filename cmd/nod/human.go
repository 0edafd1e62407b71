package main

import (
	"context"
	"errors"
	"os"

	"nod/cmd/internal/control/caller"
	"nod/internal/host/tmux"
)

// onlyHumans refuses a command that would let an answer in by another way, such as teaching a dialog, unless a human runs
// it. What goes over the socket is refused there; this is for what does not.
func (p *program) onlyHumans(ctx context.Context) error {
	s, _ := p.settings() // wrong ones name no server, and others are found
	place := caller.Find(ctx, os.Getpid(), nil, tmux.Servers(s.TmuxSocket))
	if place.Kind == caller.Human {
		return nil
	}
	return &failure{code: exitFailed, err: errors.New(place.Refusal())}
}
