package keeper

import (
	"errors"
	"time"

	"nod/detect"
	"nod/detect/screen"
)

// Lost ends what waits in panes that nobody watches any more, because they went away while nod did not run,
// or with their server: nudges that wait, instructions, wishes and denied calls. became returns the state of one
// pane, Gone or Shell, which counts as a look at it; empty: the pane is watched or its state is unknown, and
// nothing changes.
func (k *Keeper) Lost(became func(detect.PaneRef) screen.State, now time.Time) error {
	open, err := k.Open(now)
	queued, err2 := k.Instructions(nil) // also those that are in flight
	err = errors.Join(err, err2)
	var waited []detect.Whereabouts
	for _, n := range open.Nudges {
		waited = append(waited, n.Whereabouts)
	}
	for _, i := range queued {
		waited = append(waited, i.Whereabouts)
	}
	for _, w := range open.Wishes {
		waited = append(waited, w.Whereabouts)
	}
	for _, d := range open.Denials {
		waited = append(waited, d.Whereabouts)
	}
	for _, to := range waited {
		if state := became(to.Pane); state != "" {
			err = errors.Join(err, k.See(detect.Sighting{Whereabouts: to, State: state, Since: now, At: now, By: "poll"}))
		}
	}
	return err
}
