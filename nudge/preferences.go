package nudge

import (
	"maps"
	"strings"
	"time"

	"nod/detect"
)

// Preferences are the supervisors' settings while nod runs: how quiet to be.
type Preferences struct {
	Muted time.Time // messages make no sound until then
	// Names are the muted agents and projects, in lower case, and until when.
	Names map[string]time.Time `json:",omitempty"`
	Hours *Hours               // quiet hours; nil: use those of the settings
}

// Hours are quiet hours set by a supervisor. A nil Quiet turns them off.
type Hours struct{ Quiet *Quiet }

// QuietHours returns the current quiet hours; nil: none.
func (p Preferences) QuietHours(r Rules) *Quiet {
	if p.Hours != nil {
		return p.Hours.Quiet
	}
	return r.Quiet
}

// Silent reports whether all messages are silent now.
func (p Preferences) Silent(r Rules, now time.Time) bool {
	return p.Muted.After(now) || p.QuietHours(r).On(now)
}

// Mutes reports whether messages about an agent are silent now because it or its project is muted.
func (p Preferences) Mutes(w detect.Whereabouts, now time.Time) bool {
	for _, name := range []string{w.Agent, w.Name, w.Project} {
		if name != "" && p.Names[strings.ToLower(name)].After(now) {
			return true
		}
	}
	return false
}

// MuteName mutes an agent or project until then; a time in the past unmutes it.
func (p *Preferences) MuteName(name string, until, now time.Time) {
	names := maps.Clone(p.Names)
	if names == nil {
		names = map[string]time.Time{}
	}
	names[strings.ToLower(name)] = until.UTC()
	maps.DeleteFunc(names, func(_ string, until time.Time) bool { return !until.After(now) })
	p.Names = names
}
