package detect

import "time"

// Effect is the outcome of a tool call that a prompt asked about, as the agent's own events prove it. Without such an
// event there is none.
type Effect struct {
	Pane        PaneRef
	Fingerprint string // of the prompt
	Call        string // as screen.Prompt has it
	Failed      bool
	Took        time.Duration // 0: unknown
	At          time.Time
}
