package control

import (
	"context"

	"nod/cmd/internal/desk"
	"nod/internal/rpc"
)

// This file has the methods for programs that show everything that waits.

// watchInbox streams a snapshot of all cards and then every change.
func (c *Control) watchInbox(context.Context, none) (rpc.Stream, error) {
	return func(ctx context.Context, emit func(any) error) error {
		return c.cfg.Desk.Watch(ctx, func(change desk.Change) error { return emit(change) })
	}, nil
}

// ViewParams are the parameters of inbox.view.
type ViewParams struct {
	Card string `json:"card"` // its id
}

// viewCard records that somebody looks at a card: its pane is read at each poll for the next 15 seconds.
func (c *Control) viewCard(_ context.Context, p ViewParams) (none, error) {
	c.cfg.Desk.View(p.Card)
	return none{}, nil
}
