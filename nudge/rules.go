package nudge

import (
	"slices"
	"time"
)

// Rules are the settings that nudges live by. Supervisors are Telegram user ids, which are also
// the ids of their private chats.
type Rules struct {
	Cadence     []time.Duration
	Expiry      time.Duration
	Presence    time.Duration // 0: off
	Grace       time.Duration
	Supervisors []int64
	Quiet       *Quiet // nil: no quiet hours
	// Idle is whether idle agents are told of, and Loud whether with a sound. What may be stuck is always told.
	Idle, Loud bool
}

// supervises reports whether the private chat, or the user, of that id is a supervisor's.
func (r Rules) supervises(id int64) bool { return slices.Contains(r.Supervisors, id) }
