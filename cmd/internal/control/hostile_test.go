package control

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"nod/detect/agents"
	"nod/internal/rpc"
	"nod/internal/testrun"
)

// hostile makes events of any shape: with agents' field names, and values of the right or any other type.
type hostile struct{ *rand.Rand }

func (h hostile) of(from ...string) string { return from[h.IntN(len(from))] }

func (h hostile) text() string {
	return h.of("", "a", "s", "/p", "auto", "Bash", "\x00", "\u202e", "\U0010ffff", "%0", "string", "object", strings.Repeat("x", h.IntN(5000)), "a\nb", "password", "2026-01-01", "-1", "[]")
}

// value is any JSON value.
func (h hostile) value(deep int) any {
	switch kind := h.IntN(9); {
	case kind == 0:
		return nil
	case kind == 1:
		return h.IntN(2) == 0
	case kind == 2:
		return []float64{0, -1, 1, 0.5, 1e308, -1e308, 1e-320}[h.IntN(7)]
	case kind < 6 || deep > 4:
		return h.text()
	case kind == 6:
		list := make([]any, h.IntN(4))
		for i := range list {
			list[i] = h.value(deep + 1)
		}
		return list
	default:
		return h.object(deep + 1)
	}
}

var (
	eventNames = []string{"PermissionRequest", "PermissionDenied", "PreToolUse", "PostToolUse", "Elicitation", "UserPromptSubmit", "Stop", "StopFailure",
		"SessionStart", "SessionEnd", "Notification", "agent-turn-complete", "permission.asked", "BeforeTool", "sessionStart", "postToolUse"}
	texts = []string{"session_id", "cwd", "permission_mode", "tool_name", "tool", "tool_use_id", "agent_id", "reason", "message", "transcript_path",
		"version", "mcp_server_name", "mode", "error", "notification_type", "last_assistant_message"}
	values = []string{"tool_input", "toolArgs", "metadata", "tool_response", "requested_schema", "duration_ms", "details"}
	inside = []string{"command", "description", "file_path", "old_string", "new_string", "edits", "plan", "questions", "options", "label", "multiSelect",
		"structuredPatch", "lines", "content", "url", "prompt", "patch", "input", "type", "properties", "required", "a", "enum", "enumNames", "oneOf", "const", "title",
		"default", "minimum", "maximum", "minLength", "maxLength", "format", "oldStart", "newStart", "header", "question", "path", "filePath", "changes"}
)

func (h hostile) object(deep int) map[string]any {
	o := map[string]any{}
	for range h.IntN(6) {
		o[h.of(inside...)] = h.value(deep)
	}
	return o
}

// form is a schema that is nearly right.
func (h hostile) form() any {
	fields := map[string]any{}
	for _, name := range []string{"a", "b", "token"}[:1+h.IntN(3)] {
		kind := h.of("string", "string", "integer", "number", "boolean")
		field := map[string]any{"type": kind}
		some := func(keyword string, value any) {
			if h.IntN(3) == 0 {
				field[keyword] = value
			}
		}
		some("default", map[string]any{"string": h.of("x", "2026-01-01"), "integer": 1, "number": 0.5, "boolean": true}[kind])
		some("title", h.text())
		if kind == "string" {
			some("format", h.of("password", "email", "uri", "date", "date-time"))
			some("enum", []string{"x", h.text()})
			some("maxLength", h.IntN(30))
		}
		if h.IntN(8) == 0 {
			field[h.of("title", "description", "default", "enum", "enumNames", "oneOf", "minLength", "maxLength", "format", "minimum", "maximum")] = h.value(2)
		}
		fields[name] = field
	}
	return map[string]any{"type": "object", "properties": fields, "required": []any{"a"}}
}

func (h hostile) event() []byte {
	e := map[string]any{"hook_event_name": h.of(eventNames...), "session_id": "s", "cwd": "/p", "tool_name": h.of("Bash", "Edit", "AskUserQuestion", "ExitPlanMode", "apply_patch", "Write", "x")}
	for range h.IntN(6) {
		e[h.of(texts...)] = h.text()
	}
	for range h.IntN(4) {
		e[h.of(values...)] = h.value(0)
	}
	if h.IntN(2) == 0 {
		e["hook_event_name"], e["mcp_server_name"], e["message"], e["requested_schema"] = "Elicitation", "deploy", h.text(), h.form()
	}
	for range h.IntN(6) / 3 {
		e[h.of(append(texts, values...)...)] = h.value(0)
	}
	text, _ := json.Marshal(e)
	if h.IntN(20) == 0 {
		text = text[:h.IntN(len(text)+1)]
	}
	if h.IntN(10) == 0 {
		text = []byte(strings.ReplaceAll(string(text), "a", string([]byte{0xff, byte(h.IntN(256))})))
	}
	return text
}

// TestNoEventEndsItsReader: an event on which the reader fails is ignored, and the reader goes on.
func TestNoEventEndsItsReader(t *testing.T) {
	w := guarded(t, self(t))
	w.set(func() { w.settings.GuardWait = time.Millisecond })
	h := hostile{rand.New(rand.NewPCG(3, 4))}
	names := append(agents.Names(), "another")
	for range testrun.Rounds(2000, 20000) {
		in := rpc.Hook{Agent: h.of(names...), Version: h.of("", "2.1.330", "0.169.0", "1.18.33", "0.24.4"), Event: h.event(), Ended: h.IntN(5) == 0, PID: os.Getpid()}
		if h.IntN(2) == 0 {
			in.Agent = "claude"
		}
		if h.IntN(4) > 0 {
			in.Tmux, in.Pane = fmt.Sprintf("%s,%d,0", w.own.Server.Socket, w.own.Server.PID), w.own.ID
		}
		func() {
			defer func() {
				if r := recover(); r != nil {
					t.Fatalf("%v: %s", r, in.Event)
				}
			}()
			_, _ = w.hook(t.Context(), in)
		}()
	}
}
