package detect

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"nod/detect/screen"
)

// call is one call of a tool, from its announcement to its end.
type call struct {
	session   string
	id        string // empty: unknown
	tool      string // empty: unknown
	key       [sha256.Size]byte
	exact     string // names the very call, by the event that asked or announced it
	input     toolInput
	cut       bool // not all of its input is known
	subagent  bool // of a sub-agent of the session
	began     time.Time
	asked     time.Time // when it asked for permission; zero: never
	ambiguous bool      // another call was just like it, so that an event may be about either

	promptLeft  time.Time // when the prompt about it left the screen; zero: it was not seen to leave
	fingerprint string    // that prompt's

	ran    time.Time // when an event reported its end
	failed bool
	denied time.Time // when an event reported that it was denied at the terminal
	took   time.Duration
}

func newCall(e HookEvent, now time.Time) *call {
	return &call{
		session: e.Session, id: e.Call, tool: e.Tool, key: keyOf(e.Input), exact: ExactCall(e), input: parseToolInput(e.Input), cut: e.InputCut, subagent: e.Subagent, began: now,
	}
}

// unfinished reports whether a prompt about the call may still come or stand. A session forgets a call that has run.
func (c *call) unfinished() bool { return c.promptLeft.IsZero() }

// drawnAs reports whether a prompt renders the call.
func (c *call) drawnAs(p *screen.Prompt) bool {
	how, _ := c.input.compare(&p.Content)
	return how == rendered
}

// provable reports whether it is certain which events are about this very call.
func (c *call) provable() bool { return c != nil && !c.ambiguous && !c.cut }

// name is what a screen.Prompt about the call calls it.
func (c *call) name() string { return hex.EncodeToString(c.key[:]) }

// doesAs reports whether c does the same as o, by their inputs.
func (c *call) doesAs(o *call) bool {
	return c.key == o.key && c.session == o.session && (c.tool == o.tool || c.tool == "" || o.tool == "")
}

// ExactCall names the very call that an event is about, as Prompt.Exact does. Agents send the same data of a call before it is made and
// when it asks (Claude Code 2.0.54 and 2.1.329).
func ExactCall(e HookEvent) string {
	text, err := json.Marshal([]any{e.Session, e.Subagent, e.Part, e.Cwd, e.Mode, e.Tool, e.Input})
	if err != nil || e.InputCut {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// CallName names the call that an event is about, as screen.Prompt.Call does.
func CallName(e HookEvent) string { return newCall(e, time.Time{}).name() }
