package detect

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"nod/detect/agents"
	"nod/internal/reason"
)

// HookEvent is one event that an agent's hook sent: a reason to look at a pane, and the text of a call. It does not
// say what is on the screen.
type HookEvent struct {
	Agent   string
	Event   string // as the agent calls it: "PermissionRequest", "sessionStart", "agent-turn-complete"
	Kind    HookKind
	Session string
	Message string // of a notification; of Stopped, the agent's last words; of Blocked, why
	Error   string // of Stopped: with which the turn failed; empty: it did not
	Edits   []Edit // of Ran: what the tool has changed, if the event says so
	ToolCall
	Elicitation *Elicitation // of Elicits
	// Subagent says that a sub-agent of the session sent it. Part is the sub-agent's id.
	Subagent   bool
	Part       string
	Cwd        string
	Transcript string
	Version    string // of the agent; empty: unknown
	Mode       string // the agent's permission mode: "default", "bypassPermissions"; empty: unknown
	Origin
}

// ToolCall is the call of a tool that an event is about.
type ToolCall struct {
	Tool   string          // "Bash"; empty if the event is about no tool
	Call   string          // the id of one call of the tool; empty: unknown
	Input  json.RawMessage // the tool's input; nil: unknown
	Failed bool            // of Ran: the tool failed
	Took   time.Duration   // of Ran: how long the tool ran; 0: unknown
	// InputCut says that the input is too long to keep: Input holds its beginning and its hash instead, and the event
	// proves nothing.
	InputCut bool
}

// Elicitation is what an MCP server asks a human through the agent.
type Elicitation struct {
	Server  string
	Message string
	Form    json.RawMessage // its fields, as a JSON Schema; nil: there is no form, and it wants a page opened
	// Refused is why nobody may be asked for it in the chat; zero: somebody may be.
	Refused reason.Why
}

// Origin is where the hook of an event ran; empty outside tmux, but for Caller.
type Origin struct {
	Socket    string // of the tmux server
	ServerPID int
	Pane      string // "%12"
	// Caller is the process that sent the event, as the kernel reports it; 0: unknown. Its parents show whose event it
	// is. An event without it is only a reason to look.
	Caller int
}

// notifies reports whether the event is a notification: it comes seconds after the dialog that it is about, and maybe
// after the request for that dialog.
func (e *HookEvent) notifies() bool { return agents.PlainName(e.Event) == "notification" }

// isOnlyALook reports whether the event is only a reason to look.
func (e *HookEvent) isOnlyALook() bool {
	return len(e.Input) == 0 && (e.Kind == Asks && e.notifies() || e.Kind == Ran && e.Call == "")
}

// HookKind is what an event means, whatever the agent calls it.
type HookKind = agents.EventKind

// The kinds of events.
const (
	Asks      = agents.Asks
	Started   = agents.Started
	Submitted = agents.Submitted
	Stopped   = agents.Stopped
	Before    = agents.Before
	Ran       = agents.Ran
	Ended     = agents.Ended
	Denied    = agents.Denied
	Blocked   = agents.Blocked
	Elicits   = agents.Elicits
	Unrelated = agents.Unrelated
)

// How many bytes of one event are kept at most. An input may be a whole file.
const (
	maxInput     = 256 << 10
	maxBeginning = 4 << 10 // of an input that is longer
	maxName      = 4 << 10 // of an id, a name, a path: a longer one is ignored
	maxForm      = 64 << 10
)

// ParseHook reads one event of an agent, an event's JSON with $TMUX and $TMUX_PANE of the hook that sent
// it. The result shares no memory with event. The error is a sentence for the sender.
func ParseHook(agent string, event []byte, tmuxEnv, pane string) (HookEvent, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(event, &fields); err != nil {
		return HookEvent{}, fmt.Errorf("the event is no JSON object: %w", err)
	}
	e := HookEvent{Agent: agent}
	text := func(names ...string) string { return firstText(fields, maxName, names...) }
	hooks := agents.HooksOf(agent)
	if e.Event = text("hook_event_name", "hookEventName", "hookName", "event", "type"); e.Event == "" {
		e.Event = hooks.NameOf(func(field string) bool { return fields[field] != nil })
	}
	if e.Event == "" {
		return HookEvent{}, errors.New("the event does not say which it is: it has no hook_event_name")
	}
	e.Message = beginning(firstText(fields, math.MaxInt, "message", "last_assistant_message", "last-assistant-message", "lastAssistantMessage"), wordsLimit*utf8.UTFMax)
	e.Kind = hooks.Kind(e.Event, text("notification_type", "notificationType"), e.Message)
	switch e.Kind {
	case Blocked:
		e.Message = beginning(text("reason"), wordsLimit*utf8.UTFMax)
	case Elicits:
		e.Elicitation = elicitationOf(fields)
	}
	e.Session = text("session_id", "sessionId", "sessionID", "thread-id")
	e.Tool = text("tool_name", "toolName", "tool", "permission")
	e.Call = text("tool_use_id", "toolUseId", "toolCallId", "callID")
	e.Part = text("agent_id", "agentId")
	e.Subagent = slices.ContainsFunc([]string{"agent_id", "agentId"}, func(name string) bool {
		id := string(fields[name])
		return id != "" && id != "null" && id != `""` // one that can't be read is a part's too
	})
	e.Failed = strings.HasSuffix(agents.PlainName(e.Event), "failure")
	if e.Kind == Stopped && e.Failed {
		e.Error = cmp.Or(oneName(text("error")), "no reason given")
	}
	e.Took = took(fields["duration_ms"])
	e.Cwd = text("cwd")
	e.Transcript = text("transcript_path", "transcriptPath")
	e.Version = text("version")
	e.Mode = text("permission_mode")
	for _, name := range []string{"tool_input", "toolInput", "toolArgs", "details", "metadata"} {
		if input := fields[name]; len(input) > 0 && string(input) != "null" {
			if e.Input, e.InputCut = keptInput(input); e.Kind == Ran && !e.Failed {
				e.Edits = addEdits(nil, editsOf(input, fields["tool_response"], e.Cwd))
			}
			break
		}
	}
	var err error
	e.Origin, err = originOf(tmuxEnv, pane)
	return e, err
}

// elicitationOf reads what an MCP server asks. A form that is too long to be shown is left out.
func elicitationOf(fields map[string]json.RawMessage) *Elicitation {
	asked := Elicitation{Server: firstText(fields, maxName, "mcp_server_name"), Message: firstText(fields, maxName, "message")}
	if form := fields["requested_schema"]; firstText(fields, maxName, "mode") != "url" && len(form) <= maxForm {
		asked.Form = form
	}
	return &asked
}

// firstText is the text of the first of the fields that holds one of at most limit bytes; empty: none does. A field of another type is
// ignored, since agents change their payloads.
func firstText(fields map[string]json.RawMessage, limit int, names ...string) string {
	for _, name := range names {
		var text string
		if json.Unmarshal(fields[name], &text) == nil && text != "" && len(text) <= limit {
			return text
		}
	}
	return ""
}

// oneName is s if it is a name as programs write them; else empty.
func oneName(s string) string {
	if len(s) > 40 || strings.Trim(s, "abcdefghijklmnopqrstuvwxyz_") != "" {
		return ""
	}
	return s
}

// keptInput is what is kept of a tool's input: all of it or, if it is too long, its beginning and its hash, so that two
// long inputs are never taken for one.
func keptInput(input json.RawMessage) (kept json.RawMessage, cut bool) {
	if len(input) <= maxInput {
		return input, false
	}
	kept, _ = json.Marshal(struct { // strings and a number can't fail
		Beginning string `json:"beginning"`
		Bytes     int    `json:"bytes"`
		SHA256    string `json:"sha256"`
	}{beginning(string(input), maxBeginning), len(input), fmt.Sprintf("%x", sha256.Sum256(input))})
	return kept, true
}

// beginning is the first limit bytes of a text. It does not keep the others in memory.
func beginning(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.Clone(strings.ToValidUTF8(text[:limit], ""))
}

// took reads a duration in milliseconds; 0 if no tool could take so long.
func took(field json.RawMessage) time.Duration {
	var ms float64
	if json.Unmarshal(field, &ms) != nil || !(ms > 0 && ms < float64(longest/time.Millisecond)) {
		return 0
	}
	return time.Duration(ms * float64(time.Millisecond))
}

// longest is more than any tool runs.
const longest = 365 * 24 * time.Hour

// originOf reads $TMUX, "SOCKET,PID,SESSION", and $TMUX_PANE. Both are empty outside tmux.
func originOf(tmuxEnv, pane string) (Origin, error) {
	if tmuxEnv == "" || pane == "" {
		return Origin{}, nil
	}
	// A path may have commas, the numbers behind it can't.
	parts := strings.Split(tmuxEnv, ",")
	n := len(parts)
	pid, _ := strconv.Atoi(parts[max(n-2, 0)]) // of what is no number, 0
	if n < 3 || pid < 1 {
		return Origin{}, fmt.Errorf("$TMUX is %.200q, not SOCKET,PID,SESSION", tmuxEnv)
	}
	if id, ok := strings.CutPrefix(pane, "%"); !ok || id == "" || strings.Trim(id, "0123456789") != "" {
		return Origin{}, fmt.Errorf("$TMUX_PANE is %.200q, not a pane id such as %%12", pane)
	}
	return Origin{Socket: strings.Join(parts[:n-2], ","), ServerPID: pid, Pane: pane}, nil
}
