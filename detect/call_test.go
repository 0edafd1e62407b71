package detect

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"testing"
	"time"
)

// payload is what Claude Code tells of a call, with changes in the event and in the tool's input.
func payload(t *testing.T, name string, event, input map[string]any) HookEvent {
	t.Helper()
	given := map[string]any{"command": "git push --force", "description": "Push it", "timeout": 1000}
	maps.Copy(given, input)
	fields := map[string]any{"session_id": "s", "cwd": "/p", "permission_mode": "auto", "tool_name": "Bash", "tool_input": given}
	maps.Copy(fields, event)
	fields["hook_event_name"] = name
	text, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	e, err := ParseHook("claude", text, "/tmp/s,1,0", "%1")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestOnlyTheVeryCallHasItsExactName: before it is made and when it asks it has the same one, and whatever else is told of a call, its command
// being the same, has another.
func TestOnlyTheVeryCallHasItsExactName(t *testing.T) {
	t.Parallel()
	before, asks := payload(t, "PreToolUse", nil, nil), payload(t, "PermissionRequest", nil, nil)
	if ExactCall(before) == "" || ExactCall(before) != ExactCall(asks) {
		t.Error("one call has two names")
	}
	values := []any{"other", 7, true, nil, []string{"x"}, map[string]any{"a": 1}}
	for range 2000 {
		event, input := map[string]any{}, map[string]any{}
		in := event
		names := []string{"session_id", "cwd", "permission_mode", "tool_name", "agent_id"}
		if rand.IntN(2) == 0 {
			in, names = input, []string{"timeout", "run_in_background", "dangerouslyDisableSandbox", "description", "\u00e9", ""}
		}
		name := names[rand.IntN(len(names))]
		in[name] = values[rand.IntN(len(values))]
		if name == "agent_id" && in[name] == nil {
			continue // it says nothing
		}
		e := payload(t, "PermissionRequest", event, input)
		if ExactCall(e) == ExactCall(asks) {
			t.Fatalf("%s %v: another call has the same name", name, in[name])
		}
		if name == "agent_id" && !e.Subagent {
			t.Fatalf("agent_id %v: a part's call counts for the session's own", in[name])
		}
	}
}

// TestAPromptIsOfTheCallThatAsks, though one with the same command was announced before.
func TestAPromptIsOfTheCallThatAsks(t *testing.T) {
	t.Parallel()
	s := &session{}
	announced, asks := payload(t, "PreToolUse", nil, nil), payload(t, "PermissionRequest", nil, map[string]any{"timeout": 2000})
	now := time.Now()
	s.hear(announced, now)
	s.hear(asks, now)
	if c := s.request(now); c == nil || c.exact != ExactCall(asks) || c.exact == ExactCall(announced) {
		t.Errorf("the prompt is of %+v", c)
	}
}
