package nudge

import (
	"slices"
	"time"
)

// Rules are the settings for nudges.
type Rules struct {
	Cadence     []time.Duration
	Expiry      time.Duration
	Presence    time.Duration // 0: off
	Grace       time.Duration
	Supervisors []Place // people who get messages and may answer
	Watchers    []Place // people who get messages and can't answer
	Chat        Place   // the common chat of all of them; empty: each has their own
	Quiet       *Quiet  // nil: no quiet hours
	// Idle: report idle agents. Loud: with a sound. Agents that may be stuck are always reported.
	Idle, Loud bool
	Pin        bool // pin the messages that wait
}

// Supervises reports whether p is a supervisor's place.
func (r Rules) Supervises(p Place) bool { return slices.Contains(r.Supervisors, p) }

// Places returns the places where supervisors get messages.
func (r Rules) Places() []Place {
	if r.Chat != "" {
		return []Place{r.Chat}
	}
	return r.Supervisors
}

// Reaches reports whether a supervisor may answer in p.
func (r Rules) Reaches(p Place) bool { return r.Supervises(p) || r.Chat != "" && p == r.Chat }

// Watches reports whether p belongs to somebody who only watches. A supervisor who watches too may answer.
func (r Rules) Watches(p Place) bool { return slices.Contains(r.Watchers, p) && !r.Supervises(p) }

// audience returns all places that nudges are sent to.
func (r Rules) audience() []Place {
	if r.Chat != "" {
		return r.Places()
	}
	all := slices.Clone(r.Supervisors)
	for _, p := range r.Watchers {
		if !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}

// Lacked reports whether the current reminder of n still has to be sent somewhere.
func (r Rules) Lacked(n *Nudge) bool { return slices.ContainsFunc(r.audience(), n.Lacks) }
