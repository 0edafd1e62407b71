package nudge

import "time"

// Rules are the settings that nudges live by. Supervisors are Telegram user ids, which are also
// the ids of their private chats.
type Rules struct {
	Cadence     []time.Duration
	Expiry      time.Duration
	Presence    time.Duration // 0: off
	Grace       time.Duration
	Supervisors []int64
	Quiet       *Quiet // nil: no quiet hours
}

// Quiet is a daily span of hours in which messages come silently.
type Quiet struct {
	From, To time.Duration // since midnight; To may lie before From: over midnight
	Zone     *time.Location
}
