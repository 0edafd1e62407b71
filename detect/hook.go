package detect

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// HookEvent is one event that an agent's hook sent: a reason to look at a pane, and a fuller text of
// what is asked. It proves nothing about the screen.
type HookEvent struct {
	Agent   string
	Event   string // as the agent calls it: "PermissionRequest", "sessionStart", "agent-turn-complete"
	Kind    HookKind
	Session string
	Tool    string          // "Bash"; empty where the event is of no tool
	Call    string          // the id of one call of the tool, where the agent tells it
	Input   json.RawMessage // the tool's input, whole; nil where there is none
	Message string          // of a notification; of Stopped, the agent's last words
	Failed  bool            // of Ran: the tool failed
	Took    time.Duration   // of Ran: how long the tool ran; 0 where it is not told
	// Subagent says that a part of the session sent it that works on its own.
	Subagent   bool
	Cwd        string
	Transcript string

	// Where the hook ran; empty outside tmux.
	Socket    string // of the tmux server
	ServerPID int
	Pane      string // "%12"
	// Caller is the process that sent the event, as the kernel tells it; 0 where it is not known. Its parents
	// tell whose event it is: without it an event is a reason to look and nothing more.
	Caller int
}

// HookKind is what an event means, whatever the agent calls it.
type HookKind string

// The kinds of events.
const (
	Asks      HookKind = "asks"      // a dialog is about to be drawn, or stands there
	Started   HookKind = "started"   // a session began
	Submitted HookKind = "submitted" // somebody gave the agent its next instruction
	Stopped   HookKind = "stopped"   // the agent's turn is over
	Before    HookKind = "before"    // a tool is about to be called, after a question or without one
	Ran       HookKind = "ran"       // a tool has run or failed
	Ended     HookKind = "ended"     // the session is over
	Unrelated HookKind = "unrelated" // anything else
)

// kinds are the events of all agents, each as it was seen on the wire; names are compared in lower case
// and without what separates words, since agents differ in that alone.
var kinds = map[string]HookKind{
	"permissionrequest": Asks, "permissionasked": Asks, "questionasked": Asks,
	"sessionstart": Started, "sessioncreated": Started,
	"userpromptsubmit": Submitted, "userpromptsubmitted": Submitted, "beforeagent": Submitted,
	"stop": Stopped, "agentstop": Stopped, "afteragent": Stopped, "agentturncomplete": Stopped, "sessionidle": Stopped,
	"pretooluse": Before, "beforetool": Before, "toolexecutebefore": Before,
	"posttooluse": Ran, "posttoolusefailure": Ran, "aftertool": Ran, "toolexecuteafter": Ran, "permissionreplied": Ran,
	"sessionend": Ended, "sessiondeleted": Ended,
}

// notifications are the notification types that announce a dialog.
var notifications = map[string]bool{"permissionprompt": true, "toolpermission": true, "elicitationdialog": true}

// permissionWords begin the notification of Claude Code 1.0 about a permission dialog. It tells no type, and
// no other event of it announces one (1.0.128: six seconds after the dialog was drawn).
const permissionWords = "Claude needs your permission"

// ParseHook reads one event of an agent, an event's JSON with $TMUX and $TMUX_PANE of the hook that sent
// it. Its error is a sentence for the sender.
func ParseHook(agent string, event []byte, tmuxEnv, pane string) (HookEvent, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(event, &fields); err != nil {
		return HookEvent{}, fmt.Errorf("the event is no JSON object: %w", err)
	}
	e := HookEvent{Agent: agent}
	text := func(names ...string) string {
		for _, name := range names {
			var s string
			// A field of another type is as good as none: agents change their payloads.
			if json.Unmarshal(fields[name], &s) == nil && s != "" {
				return s
			}
		}
		return ""
	}
	e.Event = text("hook_event_name", "hookEventName", "event", "type")
	if e.Event == "" {
		return HookEvent{}, errors.New("the event does not say which it is: it has no hook_event_name")
	}
	e.Kind = kindOf(e.Event, text("notification_type", "notificationType"), text("message"))
	e.Session = text("session_id", "sessionId", "sessionID", "thread-id")
	e.Tool = text("tool_name", "toolName", "tool", "permission")
	e.Call = text("tool_use_id", "toolUseId", "toolCallId", "callID")
	e.Message = text("message", "last_assistant_message", "last-assistant-message", "lastAssistantMessage")
	e.Subagent = text("agent_id", "agentId") != ""
	e.Failed = bare(e.Event) == "posttoolusefailure"
	e.Took = took(fields["duration_ms"])
	e.Cwd = text("cwd")
	e.Transcript = text("transcript_path", "transcriptPath")
	for _, name := range []string{"tool_input", "toolInput", "toolArgs", "details", "metadata"} {
		if input := fields[name]; len(input) > 0 && string(input) != "null" {
			e.Input = input
			break
		}
	}
	return e, e.locate(tmuxEnv, pane)
}

// took reads a duration in milliseconds; 0 where it is none that a tool could take.
func took(field json.RawMessage) time.Duration {
	var ms float64
	if json.Unmarshal(field, &ms) != nil || !(ms > 0 && ms < float64(longest/time.Millisecond)) {
		return 0
	}
	return time.Duration(ms * float64(time.Millisecond))
}

// longest is more than any tool runs.
const longest = 365 * 24 * time.Hour

func kindOf(event, notification, message string) HookKind {
	name := bare(event)
	untyped := notification == "" && strings.HasPrefix(message, permissionWords)
	if name == "notification" && (notifications[bare(notification)] || untyped) {
		return Asks
	}
	if kind, ok := kinds[name]; ok {
		return kind
	}
	return Unrelated
}

// bare is a name in lower case without what separates words.
func bare(name string) string {
	return strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(strings.ToLower(name))
}

// locate reads $TMUX, "SOCKET,PID,SESSION", and $TMUX_PANE. Both are empty outside tmux.
func (e *HookEvent) locate(tmuxEnv, pane string) error {
	if tmuxEnv == "" || pane == "" {
		return nil
	}
	// A path may have commas, the numbers behind it can't.
	parts := strings.Split(tmuxEnv, ",")
	n := len(parts)
	if n < 3 {
		return fmt.Errorf("$TMUX is %.200q, not SOCKET,PID,SESSION", tmuxEnv)
	}
	pid, err := strconv.Atoi(parts[n-2])
	if err != nil || pid < 1 {
		return fmt.Errorf("$TMUX is %.200q, not SOCKET,PID,SESSION", tmuxEnv)
	}
	if id, ok := strings.CutPrefix(pane, "%"); !ok || id == "" || strings.Trim(id, "0123456789") != "" {
		return fmt.Errorf("$TMUX_PANE is %.200q, not a pane id such as %%12", pane)
	}
	e.Socket, e.ServerPID, e.Pane = strings.Join(parts[:n-2], ","), pid, pane
	return nil
}
