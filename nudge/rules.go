package nudge

import (
	"slices"
	"time"
)

// Rules are the settings that nudges live by.
type Rules struct {
	Cadence     []time.Duration
	Expiry      time.Duration
	Presence    time.Duration // 0: off
	Grace       time.Duration
	Supervisors []Place // who is told and may answer, by where they are told
	Watchers    []Place // who is told and can't answer
	Chat        Place   // where all of them are told together; empty: each where they are
	Quiet       *Quiet  // nil: no quiet hours
	// Idle is whether idle agents are told of, and Loud whether with a sound. What may be stuck is always told.
	Idle, Loud bool
	Pin        bool // what waits is pinned where it is told
}

// Supervises reports whether p is a supervisor's.
func (r Rules) Supervises(p Place) bool { return slices.Contains(r.Supervisors, p) }

// Places are those in which the supervisors are told.
func (r Rules) Places() []Place {
	if r.Chat != "" {
		return []Place{r.Chat}
	}
	return r.Supervisors
}

// Reaches reports whether a supervisor may answer in p.
func (r Rules) Reaches(p Place) bool { return r.Supervises(p) || r.Chat != "" && p == r.Chat }

// Watches reports whether p is that of somebody who is told and can't answer. Who supervises as well may answer.
func (r Rules) Watches(p Place) bool { return slices.Contains(r.Watchers, p) && !r.Supervises(p) }

// audience is where nudges are told, to everybody who is told.
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

// Lacked reports whether somebody still has to be sent the reminder that n is at.
func (r Rules) Lacked(n *Nudge) bool { return slices.ContainsFunc(r.audience(), n.Lacks) }
