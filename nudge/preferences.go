package nudge

import (
	"maps"
	"strings"
	"time"
)

// Preferences are what supervisors set while nod runs: how quiet to be.
type Preferences struct {
	Muted time.Time // until when messages come silently
	// Names are the agents and projects whose messages come silently, in lower case, and until when.
	Names map[string]time.Time `json:",omitempty"`
	Hours *Hours               // quiet hours; nil: those of the settings hold
}

// Hours are quiet hours that a supervisor set. A nil Quiet turns them off.
type Hours struct{ Quiet *Quiet }

// QuietHours gives the quiet hours that hold; nil: none.
func (p Preferences) QuietHours(r Rules) *Quiet {
	if p.Hours != nil {
		return p.Hours.Quiet
	}
	return r.Quiet
}

// Silent reports whether messages come silently now.
func (p Preferences) Silent(r Rules, now time.Time) bool {
	return p.Muted.After(now) || p.QuietHours(r).On(now)
}

// Mutes reports whether the messages of n come silently now because its agent or project is muted.
func (p Preferences) Mutes(n *Nudge, now time.Time) bool {
	for _, name := range []string{n.Agent, n.Name, n.Project} {
		if name != "" && p.Names[strings.ToLower(name)].After(now) {
			return true
		}
	}
	return false
}

// MuteName makes the messages of an agent or project silent until then; a time that has passed ends it.
func (p *Preferences) MuteName(name string, until, now time.Time) {
	names := maps.Clone(p.Names)
	if names == nil {
		names = map[string]time.Time{}
	}
	names[strings.ToLower(name)] = until.UTC()
	maps.DeleteFunc(names, func(_ string, until time.Time) bool { return !until.After(now) })
	p.Names = names
}
