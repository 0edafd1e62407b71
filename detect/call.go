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
	id        string // empty where the agent does not tell it
	tool      string // empty where the agent does not tell it
	key       [sha256.Size]byte
	exact     string // all that the event tells which asked, or announced it
	input     toolInput
	cut       bool // not all of its input is known
	subagent  bool // of a part of the session that works on its own
	began     time.Time
	asked     time.Time // when it asked for permission; zero: it did not
	ambiguous bool      // another call was just like it, so that an event may be of either

	promptLeft  time.Time // when the prompt about it left the screen; zero: it did not, as far as is known
	fingerprint string    // that prompt's

	ran    time.Time // when its end was told
	failed bool
	denied time.Time // when it was told that it was denied at the terminal
	took   time.Duration
}

func newCall(e HookEvent, now time.Time) *call {
	return &call{
		session: e.Session, id: e.Call, tool: e.Tool, key: keyOf(e.Input), exact: ExactCall(e), input: parseToolInput(e.Input), cut: e.InputCut, subagent: e.Subagent, began: now,
	}
}

// unfinished reports whether a prompt about the call may still come or stand.
func (c *call) unfinished() bool { return c.ran.IsZero() && c.promptLeft.IsZero() }

// drawnAs reports whether a prompt renders the call.
func (c *call) drawnAs(p *screen.Prompt) bool {
	how, _ := c.input.compare(&p.Content)
	return how == rendered
}

// provable reports whether an event can be told to be of this very call.
func (c *call) provable() bool { return c != nil && !c.ambiguous && !c.cut }

// name is what a screen.Prompt about the call calls it.
func (c *call) name() string { return hex.EncodeToString(c.key[:]) }

// doesAs reports whether c does what o does, as far as their inputs tell.
func (c *call) doesAs(o *call) bool {
	return c.key == o.key && c.session == o.session && (c.tool == o.tool || c.tool == "" || o.tool == "")
}

// ExactCall names the very call that an event is about, as Prompt.Exact does. Agents tell the same of it before it is made and when it asks
// (Claude Code 2.0.54 and 2.1.329).
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
