package detect

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recorded is one line of testdata/hooks: an event as a real agent's hook got it.
type recorded struct {
	Agent string          `json:"agent"`
	Tmux  string          `json:"tmux"`
	Pane  string          `json:"pane"`
	In    json.RawMessage `json:"in"`
	Kind  HookKind        `json:"kind"`
}

func recordedHooks(t testing.TB) []recorded {
	t.Helper()
	files, err := filepath.Glob("testdata/hooks/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal("no recorded events", err)
	}
	var all []recorded
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var r recorded
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			all = append(all, r)
		}
	}
	return all
}

func TestRecordedHooks(t *testing.T) {
	for _, r := range recordedHooks(t) {
		e, err := ParseHook(r.Agent, r.In, r.Tmux, r.Pane)
		if err != nil {
			t.Errorf("%s: %v", r.In, err)
			continue
		}
		if e.Kind != r.Kind {
			t.Errorf("%s %s is %q, want %q", r.Agent, e.Event, e.Kind, r.Kind)
		}
		if e.Session == "" || e.Pane != r.Pane || e.ServerPID == 0 || !filepath.IsAbs(e.Socket) || !filepath.IsAbs(e.Cwd) {
			t.Errorf("%s %s: %+v", r.Agent, e.Event, e)
		}
		if e.Kind == Asks && !strings.HasPrefix(string(e.Input), "{") && e.Event != "Notification" {
			t.Errorf("%s %s has the input %s", r.Agent, e.Event, e.Input)
		}
	}
}

func TestHooksOfOtherAgents(t *testing.T) {
	tests := []struct {
		agent, event string
		want         HookEvent
	}{
		{
			"gemini", `{"hook_event_name":"Notification","notification_type":"ToolPermission","session_id":"s","details":{"type":"exec","command":"rm x"},"message":"m"}`,
			HookEvent{Event: "Notification", Kind: Asks, Session: "s", Message: "m", ToolCall: ToolCall{Input: json.RawMessage(`{"type":"exec","command":"rm x"}`)}},
		},
		{
			"copilot", `{"hookEventName":"permissionRequest","sessionId":"s","toolName":"bash","toolInput":{"command":"ls"},"cwd":"/p"}`,
			HookEvent{Event: "permissionRequest", Kind: Asks, Session: "s", ToolCall: ToolCall{Tool: "bash", Input: json.RawMessage(`{"command":"ls"}`)}, Cwd: "/p"},
		},
		{"opencode", `{"type":"permission.asked","sessionID":"s"}`, HookEvent{Event: "permission.asked", Kind: Asks, Session: "s"}},
		{
			"claude", `{"hook_event_name":"Notification","session_id":"s","message":"Claude needs your permission to use Bash"}`,
			HookEvent{Event: "Notification", Kind: Asks, Session: "s", Message: "Claude needs your permission to use Bash"},
		},
		{
			"claude", `{"hook_event_name":"Notification","message":"Claude is waiting for your input"}`,
			HookEvent{Event: "Notification", Kind: Unrelated, Message: "Claude is waiting for your input"},
		},
		{"claude", `{"hook_event_name":"Notification","notification_type":"idle_prompt"}`, HookEvent{Event: "Notification", Kind: Unrelated}},
		{"claude", `{"hook_event_name":"SubagentStop","agent_id":"a1"}`, HookEvent{Event: "SubagentStop", Kind: Unrelated, Subagent: true, Part: "a1"}},
		{"claude", `{"hook_event_name":"Stop","session_id":7,"tool_input":null,"cwd":{}}`, HookEvent{Event: "Stop", Kind: Stopped}},
	}
	for _, tt := range tests {
		tt.want.Agent = tt.agent
		e, err := ParseHook(tt.agent, []byte(tt.event), "", "")
		got, want := mustJSON(t, e), mustJSON(t, tt.want)
		if err != nil || got != want {
			t.Errorf("%s\nis   %s, %v\nwant %s", tt.event, got, err, want)
		}
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestBadHooksAreASentence(t *testing.T) {
	const stop = `{"hook_event_name":"Stop"}`
	for _, tt := range []struct{ event, tmux, pane, says string }{
		{"", "", "", "no JSON object"},
		{"[]", "", "", "no JSON object"},
		{`"Stop"`, "", "", "no JSON object"},
		{"null", "", "", "does not say which"},
		{"{}", "", "", "does not say which"},
		{`{"hook_event_name":7}`, "", "", "does not say which"},
		{stop, "/tmp/s", "%1", "$TMUX is"},
		{stop, "/tmp/s,x,0", "%1", "$TMUX is"},
		{stop, "/tmp/s,-1,0", "%1", "$TMUX is"},
		{stop, "/tmp/s,1,0", "1", "$TMUX_PANE is"},
		{stop, "/tmp/s,1,0", "%1;kill-server", "$TMUX_PANE is"},
		{stop, "/tmp/s," + strings.Repeat("x", 1<<20), "%1", "$TMUX is"},
	} {
		_, err := ParseHook("claude", []byte(tt.event), tt.tmux, tt.pane)
		if err == nil || !strings.Contains(err.Error(), tt.says) || len(err.Error()) > 500 {
			t.Errorf("%.80s, %.80s, %s: %v, want %q", tt.event, tt.tmux, tt.pane, err, tt.says)
		}
	}
	if e, err := ParseHook("claude", []byte(stop), "/tmp/a,b,12,0", "%3"); err != nil || e.Socket != "/tmp/a,b" || e.ServerPID != 12 || e.Pane != "%3" {
		t.Errorf("%+v, %v", e, err)
	}
}

func FuzzParseHook(f *testing.F) {
	for _, r := range recordedHooks(f)[:5] {
		f.Add([]byte(r.In), r.Tmux, r.Pane)
	}
	f.Add([]byte(`{"hook_event_name":"Stop","tool_input":[1,{"a":null}]}`), "/tmp/s,1,0", "%0")
	f.Fuzz(func(t *testing.T, event []byte, tmuxEnv, pane string) {
		e, err := ParseHook("claude", event, tmuxEnv, pane)
		if err == nil && (e.Event == "" || e.Kind == "" || e.Input != nil && !json.Valid(e.Input) || (e.Pane == "") != (e.ServerPID == 0)) {
			t.Errorf("%+v", e)
		}
	})
}

func TestALongInputIsCutToItsBeginning(t *testing.T) {
	event := func(size int) []byte {
		return []byte(`{"hook_event_name":"PermissionRequest","session_id":"s","tool_input":{"command":"` + strings.Repeat("x", size) + `"}}`)
	}
	whole, err := ParseHook("claude", event(200<<10), "", "")
	if err != nil || whole.InputCut || len(whole.Input) < 200<<10 || parseToolInput(whole.Input).command == "" {
		t.Errorf("200 KB: cut %v, %d bytes, %v", whole.InputCut, len(whole.Input), err)
	}
	cut, err := ParseHook("claude", event(7<<20), "", "")
	if err != nil || !cut.InputCut || len(cut.Input) > 16<<10 || !json.Valid(cut.Input) || !strings.Contains(string(cut.Input), "xxxx") {
		t.Errorf("7 MB: cut %v, %d bytes, %v", cut.InputCut, len(cut.Input), err)
	}
	if in := parseToolInput(cut.Input); in.text+in.command != "" {
		t.Errorf("a cut input tells %+v", in)
	}
	other, err := ParseHook("claude", event(7<<20+1), "", "")
	if err != nil || keyOf(other.Input) == keyOf(cut.Input) {
		t.Error("two long inputs with the same beginning are taken for one")
	}
}

func TestNoFieldOfAnEventIsKeptBeyondItsLimit(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	e, err := ParseHook("claude", []byte(`{"hook_event_name":"Stop","session_id":"`+long+`","tool_name":"`+long+`","tool_use_id":"`+long+
		`","cwd":"/`+long+`","transcript_path":"/`+long+`","last_assistant_message":"`+long+`"}`), "", "")
	if err != nil || e.Session+e.Tool+e.Call+e.Cwd+e.Transcript != "" || len(e.Message) != wordsLimit*4 {
		t.Errorf("%d bytes of words, %.80s, %v", len(e.Message), e.Session+e.Tool+e.Call+e.Cwd+e.Transcript, err)
	}
	if _, err := ParseHook("claude", []byte(`{"hook_event_name":"`+long+`"}`), "", ""); err == nil || len(err.Error()) > 500 {
		t.Errorf("%v", err)
	}
}
