package keeper

import (
	"errors"
	"slices"
	"time"

	"nod/detect"
	"nod/detect/screen"
	"nod/nudge"
)

// Lost takes in what became of panes that have an open nudge or instruction and that nobody watches any more, since they went
// while nod did not run or with their server. became tells it of one pane, Gone or Shell, which then counts as
// a look at it; empty, which changes nothing, where the pane is watched or nothing is known.
func (k *Keeper) Lost(became func(detect.PaneRef) screen.State, now time.Time) error {
	open, err := k.List(false)
	queued, err2 := k.Instructions(nil)
	err = errors.Join(err, err2)
	for _, i := range queued {
		if !slices.ContainsFunc(open, func(n nudge.Nudge) bool { return n.Pane == i.Pane }) {
			open = append(open, nudge.Nudge{
				Pane: i.Pane, Process: i.Process, Agent: i.Agent, Name: i.Name, Project: i.Project, Where: i.Where,
			})
		}
	}
	for _, n := range open {
		if state := became(n.Pane); state != "" {
			err = errors.Join(err, k.See(detect.Sighting{
				Pane: n.Pane, Process: n.Process, Agent: n.Agent, Name: n.Name, Project: n.Project, Where: n.Where,
				State: state, Since: now, At: now, By: "poll",
			}))
		}
	}
	return err
}
