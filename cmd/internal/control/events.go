package control

import (
	"context"

	"nod/internal/rpc"
)

// EventsParams are the parameters of events.
type EventsParams struct {
	After uint64 `json:"after"` // events after this one; 0 for new events only
}

// eventsPage is how many events are read at a time.
const eventsPage = 500

// events streams each event of the audit trail, in order, once it is on disk.
func (c *Control) events(_ context.Context, p EventsParams) (rpc.Stream, error) {
	last := p.After
	if last == 0 {
		newest, err := c.cfg.Store.Tail(1)
		if err != nil {
			return nil, err
		}
		for _, line := range newest {
			last = line.Seq
		}
	}
	return func(ctx context.Context, emit func(any) error) error {
		for {
			changed := c.cfg.Keeper.Changes()
			page, err := c.cfg.Store.After(last, eventsPage)
			if err != nil {
				return err
			}
			for _, line := range page {
				if err := emit(line); err != nil {
					return nil // the caller hung up
				}
				last = line.Seq
			}
			if len(page) == eventsPage {
				continue
			}
			select {
			case <-ctx.Done():
				return nil
			case <-changed:
			}
		}
	}, nil
}
