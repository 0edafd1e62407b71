package keeper

import (
	"fmt"
	"strings"

	"nod/nudge"
)

// maxNews is of how many monitors on one machine news may wait to be told: all news is read for each message, and a machine that lies has as
// many monitors as it likes.
const maxNews = 50

// crowded reports whether news of too many other monitors of the same machine waits.
func crowded(news []*nudge.MonitorNews, monitor string) bool {
	machineOf := func(monitor string) string {
		machine, _, there := strings.Cut(monitor, ":")
		if !there {
			return ""
		}
		return machine
	}
	others := map[string]bool{}
	for _, n := range news {
		if n.Monitor == monitor {
			return false
		}
		if machineOf(n.Monitor) == machineOf(monitor) {
			others[n.Monitor] = true
		}
	}
	return len(others) >= maxNews
}

// Report stores news of a monitor for all places. An error means that the news has to come again.
func (k *Keeper) Report(r nudge.MonitorReport) error {
	err := k.update(func(tx *tx) error {
		if crowded(tx.MonitorNews(), r.Monitor) {
			return fmt.Errorf("news of %d monitors there waits to be told", maxNews)
		}
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
