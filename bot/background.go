package bot

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// What must hold up neither the poll loop nor a chat: so much at once, and so much that waits.
const (
	backgroundAtOnce = 16
	backgroundWait   = 100
)

// inBackground has something done beside the poll loop and the chats. It reports false when too much waits for that.
func (b *Bot) inBackground(do func(context.Context)) bool {
	select {
	case b.background <- do:
		return true
	default:
		return false
	}
}

// runBackground does what inBackground was given until ctx ends.
func (b *Bot) runBackground(ctx context.Context) error {
	var g errgroup.Group
	g.SetLimit(backgroundAtOnce)
	for {
		select {
		case <-ctx.Done():
			return g.Wait()
		case do := <-b.background:
			g.Go(func() error { do(ctx); return nil })
		}
	}
}
