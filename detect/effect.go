package detect

import "time"

// Effect is what became of a tool call that a prompt had asked about, as the agent's own events prove
// it. Without such an event nobody claims anything.
type Effect struct {
	Pane        PaneRef
	Fingerprint string // of the prompt
	Call        string // as screen.Prompt has it
	Failed      bool
	Took        time.Duration // 0: not told
	At          time.Time
}
