package keeper

import (
	"fmt"

	"nod/nudge"
)

// Report stores news of a monitor for all places.
func (k *Keeper) Report(r nudge.MonitorReport) error {
	err := k.update(func(tx *tx) error {
		for _, place := range k.cfg.Rules().Places() {
			n := tx.NewsOf(r.Monitor, place)
			if n == nil {
				n = &nudge.MonitorNews{Place: place}
			}
			n.Add(r)
			tx.putNews(n)
		}
		if r.Count > 0 {
			tx.Note(nudge.Event{Kind: nudge.MonitorMatched, Involved: nudge.Involved{Monitor: r.Monitor, Count: r.Count}})
		}
		if r.Ended != "" {
			tx.Note(nudge.Event{Kind: nudge.MonitorEnded, Involved: nudge.Involved{Monitor: r.Monitor}, State: r.Ended})
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("store news of monitor %s: %w", r.Monitor, err)
	}
	return nil
}

// toldNews records that a place got news of a monitor.
func (k *Keeper) toldNews(was nudge.MonitorNews) error {
	err := k.update(func(tx *tx) error {
		n := tx.NewsOf(was.Monitor, was.Place)
		switch {
		case n == nil:
		case n.Told(was):
			tx.DropNews(n)
		default:
			tx.putNews(n)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("record a message about monitor %s: %w", was.Monitor, err)
	}
	return nil
}
