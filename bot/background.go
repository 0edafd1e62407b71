package bot

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// The limits of work outside the poll loop and the chats: how much runs at once, and how much may wait.
const (
	backgroundAtOnce = 16
	backgroundWait   = 100
)

// inBackground runs do outside the poll loop and the chats. It reports false if too much waits already.
func (b *Bot) inBackground(do func(context.Context)) bool {
	select {
	case b.background <- do:
		return true
	default:
		return false
	}
}

// runBackground runs the work of inBackground until ctx ends.
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
