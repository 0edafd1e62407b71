//go:build agents

package model

import (
	"context"
	"encoding/json"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// conversations is a scenario as each protocol tells it: the tools, what the person asked, the
// model's call, and the result. %t says whether to stream, %s takes what comes after the person's words.
var conversations = map[string]struct{ path, body, answered string }{
	"anthropic": {
		"/v1/messages",
		`{"model":"m","stream":%t,"system":[{"type":"text","text":"be good"}],
		  "tools":[{"name":"Bash","input_schema":{"type":"object","required":["command"],"properties":{"command":{"type":"string"}}}}],
		  "messages":[{"role":"user","content":"SCENARIO run"}%s]}`,
		`,{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"Bash","input":{}}]},
		  {"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"all went well"}]}]}`,
	},
	"responses": {
		"/v1/responses",
		`{"model":"m","stream":%t,"tools":[{"type":"namespace","name":"core","tools":[{"type":"function","name":"exec_command",
		  "parameters":{"type":"object","properties":{"cmd":{"type":"string"},"sandbox_permissions":{"type":"string"}}}}]}],
		  "input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"SCENARIO run"}]}%s]}`,
		`,{"type":"function_call","call_id":"c1","name":"exec_command","arguments":"{}"},
		  {"type":"function_call_output","call_id":"c1","output":"all went well"}`,
	},
	"chat": {
		"/v1/chat/completions",
		`{"model":"m","stream":%t,"tools":[{"type":"function","function":{"name":"bash","parameters":{"type":"object","properties":{"command":{"type":"string"}}}}}],
		  "messages":[{"role":"system","content":"be good"},{"role":"user","content":[{"type":"text","text":"SCENARIO run"}]}%s]}`,
		`,{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"bash","arguments":"{}"}}]},
		  {"role":"tool","tool_call_id":"c1","content":"all went well"}`,
	},
	"gemini": {
		"/v1beta/models/m:generateContent",
		`{"x":%t,"tools":[{"functionDeclarations":[{"name":"run_shell_command","parametersJsonSchema":{"type":"object","properties":{"command":{"type":"string"}}}}]}],
		  "contents":[{"role":"user","parts":[{"text":"SCENARIO run"}]}%s]}`,
		`,{"role":"model","parts":[{"functionCall":{"id":"c1","name":"run_shell_command","args":{}}}]},
		  {"role":"user","parts":[{"functionResponse":{"id":"c1","name":"run_shell_command","response":{"output":"all went well"}}}]}`,
	},
}

func ask(t *testing.T, m *Model, path, body string) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequest("POST", path, strings.NewReader(body)))
	if w.Code != 200 {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func fill(body string, stream bool, rest string) string {
	body = strings.Replace(body, "%t", map[bool]string{true: "true", false: "false"}[stream], 1)
	return strings.Replace(body, "%s", rest, 1)
}

func TestEveryProtocolCallsAndThenCloses(t *testing.T) {
	for name, c := range conversations {
		for _, stream := range []bool{false, true} {
			path := c.path
			if stream {
				path = strings.Replace(path, ":generate", ":streamGenerate", 1)
			}
			m := New(Project{Dir: t.TempDir()})
			first := ask(t, m, path, fill(c.body, stream, ""))
			if !strings.Contains(first, "rm -rf build") {
				t.Errorf("%s, stream %t: no call in %s", name, stream, first)
			}
			if stream != strings.Contains(first, "data: {") {
				t.Errorf("%s: asked to stream: %t, answered %s", name, stream, first)
			}
			if m.Asked("run") != 1 || m.Finished("run") != 0 {
				t.Errorf("%s: asked %d, finished %d; want 1, 0", name, m.Asked("run"), m.Finished("run"))
			}
			last := ask(t, m, path, fill(c.body, stream, c.answered))
			if !strings.Contains(last, "Scenario run is finished.") {
				t.Errorf("%s, stream %t: does not close: %s", name, stream, last)
			}
			if m.Asked("run") != 1 || m.Finished("run") != 1 {
				t.Errorf("%s: asked %d, finished %d; want 1, 1", name, m.Asked("run"), m.Finished("run"))
			}
			ask(t, m, path, fill(c.body, stream, c.answered))
			got := m.Results("run")
			if len(got) != 1 || got[0].Text != "all went well" {
				t.Errorf("%s: results %+v; want the one, though it was sent twice", name, got)
			}
		}
	}
}

func TestAnswersHaveIDsOfTheirOwn(t *testing.T) {
	m := New(Project{})
	c := conversations["anthropic"]
	id := func() string {
		var message struct{ ID string }
		if err := json.Unmarshal([]byte(ask(t, m, c.path, fill(c.body, false, ""))), &message); err != nil {
			t.Fatal(err)
		}
		return message.ID
	}
	if a, b := id(), id(); a == b {
		t.Errorf("two answers have the id %s", a)
	}
}

// offered is a request with the tools of one agent.
func offered(names ...string) request {
	r := request{turns: []turn{{role: user, text: "SCENARIO x"}}}
	for _, name := range names {
		r.tools = append(r.tools, tool{name: name})
	}
	return r
}

func TestCallFindsTheAgentsTool(t *testing.T) {
	p := Project{Dir: t.TempDir(), Page: "http://x/page", Outside: "/out"}
	if err := os.WriteFile(filepath.Join(p.Dir, EditFile), []byte("alpha\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	searched := offered("ToolSearch", "Bash")
	searched.turns = append(searched.turns, turn{role: called, name: "ToolSearch", id: "s"})
	qwen := offered("tool_search", "tool_call")
	qwen.turns = append(qwen.turns, turn{role: called, name: "tool_search", id: "s"})
	patch := offered("exec_command")
	patch.tools = append(patch.tools, tool{name: patchTool, custom: true})
	for _, c := range []struct {
		name, scenario string
		req            request
		tool, args     string
	}{
		{"claude", "run", offered("Read", "Bash"), "Bash", `echo ran \u003e\u003e run.ran`},
		{"old codex", "edit", offered("shell"), "shell", `apply_patch \u003c\u003c'PATCH'\n*** Begin Patch\n*** Update File: edit.txt\n@@\n-alpha\n+alpha+`},
		{"codex with patches", "write", patch, patchTool, "*** Add File: write-1.txt\n+hello\n+world\n*** End Patch\n"},
		{"claude looks a tool up", "fetch", offered("ToolSearch", "Bash"), "ToolSearch", `select:WebFetch`},
		{"and then calls it", "fetch", searched, "WebFetch", `http://x/page`},
		{"qwen looks a tool up", "mcp", offered("tool_search", "tool_call"), "tool_search", `mcp__scripted__append_line`},
		{"and then calls it", "mcp", qwen, "tool_call", `"arguments":{"path":`},
		{"mcp", "mcp", offered("scripted_append_line"), "scripted_append_line", `mcp.ran`},
		{"reads first", "edit", offered("edit", "read"), "read", `edit.txt`},
	} {
		s, ok := stepAfter(steps(c.scenario, 1, p, c.req), 0)
		if !ok || len(s.calls) == 0 {
			t.Errorf("%s: %s calls nothing", c.name, c.scenario)
			continue
		}
		got, err := c.req.call(s.calls[0], 0)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		args := got.argsJSON()
		if got.isCustom {
			args = got.custom
		}
		if got.name != c.tool || !strings.Contains(args, c.args) {
			t.Errorf("%s: calls %s with %s; want %s with %s", c.name, got.name, args, c.tool, c.args)
		}
	}
	if _, err := offered("Read").call(want{kind: shell, fields: fields{"command": "x"}}, 0); err == nil {
		t.Error("a tool that is not offered was called")
	}
}

// A tool that was looked up is no tool that ran: the script must not go on to the next step.
func TestLookingAToolUpIsNoResult(t *testing.T) {
	r := offered("ToolSearch")
	r.turns = append(r.turns,
		turn{role: called, name: "ToolSearch", id: "s"}, turn{role: result, id: "s", text: "found it"},
		turn{role: called, name: "WebFetch", id: "f"}, turn{role: result, id: "f", text: "hello"})
	got := r.results(0)
	if len(got) != 1 || got[0].Text != "hello" {
		t.Errorf("results %+v, want the fetch alone", got)
	}
}

func TestFillObject(t *testing.T) {
	several := obj{"question": "Which?", "header": "Size", "several": true, "options": list{obj{"label": "S"}}}
	questions := list{obj{"question": "Which?", "header": "Colour", "options": list{obj{"label": "Red", "description": "warm"}}}}
	for _, c := range []struct {
		name, schema string
		fields       fields
		want         string
	}{
		{"names of other agents", `{"properties":{"filePath":{"type":"string"},"oldString":{"type":"string"},"replaceAll":{"type":"boolean"}}}`,
			fields{"path": "/f", "old": "a"}, `{"filePath":"/f","oldString":"a"}`},
		{"what is required", `{"required":["timeout","ok","kind"],"properties":{"timeout":{"type":"integer"},"ok":{"type":"boolean"},"kind":{"enum":["z","text"]}}}`,
			fields{}, `{"kind":"text","ok":false,"timeout":60}`},
		{"a command line", `{"properties":{"command":{"type":"array","items":{"type":"string"}},"with_escalated_permissions":{"type":"boolean"}}}`,
			fields{"command": "ls"}, `{"command":["bash","-lc","ls"],"with_escalated_permissions":true}`},
		{"questions", `{"properties":{"questions":{"type":"array","items":{"$ref":"#/$defs/q"}}},"$defs":{"q":{"type":"object","required":["id"],
			"properties":{"id":{"type":"string"},"question":{"type":"string"},"options":{"type":"array","items":{"type":"object","properties":{"label":{"type":"string"}}}}}}}}`,
			fields{"questions": questions}, `{"questions":[{"id":"scripted","options":[{"label":"Red"}],"question":"Which?"}]}`},
		{"one question with words to choose from", `{"properties":{"question":{"type":"string"},"options":{"type":"array","items":{"type":"string"}}}}`,
			questions[0].(obj), `{"options":["Red"],"question":"Which?"}`},
		{"questions as a form", `{"properties":{"requestedSchema":{"type":"object"}}}`, fields{"questions": questions},
			`{"requestedSchema":{"properties":{"colour":{"description":"Which?","enum":["Red"],"title":"Colour","type":"string"}},"required":["colour"],"type":"object"}}`},
		{"several answers in a form", `{"properties":{"requestedSchema":{"type":"object"}}}`, fields{"questions": list{several}},
			`{"requestedSchema":{"properties":{"size":{"description":"Which?","items":{"enum":["S"],"type":"string"},"title":"Size","type":"array"}},"required":["size"],"type":"object"}}`},
		{"a schema that refers to itself", `{"required":["a"],"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/a"}}}`, fields{}, `{"a":"scripted"}`},
		{"null or text", `{"properties":{"path":{"anyOf":[{"type":"null"},{"type":"string"}]}}}`, fields{"path": "/f"}, `{"path":"/f"}`},
	} {
		var schema obj
		if err := json.Unmarshal([]byte(c.schema), &schema); err != nil {
			t.Fatal(c.name, err)
		}
		if got := mustJSON(fillObject(schema, c.fields)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestAsideIsAnsweredAsItWants(t *testing.T) {
	m := New(Project{})
	got := ask(t, m, "/v1/messages", `{"messages":[{"role":"user","content":"SCENARIO run"}]}`)
	if !strings.Contains(got, "Scripted session") || m.Asked("run") != 0 {
		t.Errorf("a request without tools ran the script: %s", got)
	}
	got = ask(t, m, "/v1beta/models/m:generateContent", `{"contents":[{"role":"user","parts":[{"text":"who is next?"}]}],
		"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":{"type":"object","required":["next_speaker"],
		"properties":{"next_speaker":{"type":"string","enum":["user","model"]}}}}}`)
	if !strings.Contains(got, `{\"next_speaker\":\"user\"}`) {
		t.Errorf("no JSON of the wanted form: %s", got)
	}
}

func TestABadRequestIsRefused(t *testing.T) {
	for name, c := range conversations {
		w := httptest.NewRecorder()
		New(Project{}).ServeHTTP(w, httptest.NewRequest("POST", c.path, strings.NewReader("{")))
		if w.Code != 400 {
			t.Errorf("%s: status %d, want 400", name, w.Code)
		}
	}
}

func TestServeMCPAppendsALine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ran")
	in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"append_line","arguments":{"path":"` + path + `"}}}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"arguments":{"path":"/no/such/folder/ran"}}}
{"jsonrpc":"2.0","id":5,"method":"no/such"}
`
	var out strings.Builder
	if err := ServeMCP(strings.NewReader(in), &out, nil); err != nil {
		t.Fatal(err)
	}
	replies := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, want := range []string{`"protocolVersion":"2025-06-18"`, `"name":"append_line"`, `"id":"x"`, `"isError":true`, `"code":-32601`} {
		if i >= len(replies) || !strings.Contains(replies[i], want) {
			t.Fatalf("reply %d of %d lacks %s:\n%s", i, len(replies), want, out.String())
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "ran\n" {
		t.Errorf("the file holds %q, %v; want one line", got, err)
	}
}

// FuzzRequest feeds any bytes to every protocol: a request is answered or refused, whatever it says.
func FuzzRequest(f *testing.F) {
	for _, c := range conversations {
		f.Add(fill(c.body, false, ""))
		f.Add(fill(c.body, true, c.answered))
	}
	f.Fuzz(func(t *testing.T, body string) {
		if strings.Contains(body, "SCENARIO think") {
			t.Skip("thinks for half a minute")
		}
		for name, c := range conversations {
			w := httptest.NewRecorder()
			New(Project{Dir: "/nonexistent"}).ServeHTTP(w, httptest.NewRequest("POST", c.path, strings.NewReader(body)))
			if got, err := io.ReadAll(w.Result().Body); err != nil || len(got) == 0 {
				t.Errorf("%s: no answer: %v", name, err)
			}
		}
	})
}

func TestThinkTakesHalfAMinuteOrUntilTheAgentHangsUp(t *testing.T) {
	c := conversations["chat"]
	body := strings.Replace(fill(c.body, true, ""), "SCENARIO run", "SCENARIO think", 1)
	for _, waits := range []time.Duration{29 * time.Second, 31 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			ctx, hangUp := context.WithTimeout(t.Context(), waits)
			defer hangUp()
			w := httptest.NewRecorder()
			New(Project{}).ServeHTTP(w, httptest.NewRequest("POST", c.path, strings.NewReader(body)).WithContext(ctx))
			if spoke := strings.Contains(w.Body.String(), "Thought"); spoke != (waits > 30*time.Second) {
				t.Errorf("to an agent that waits %v the model spoke: %t", waits, spoke)
			}
			if !strings.Contains(w.Body.String(), ": keepalive") {
				t.Error("the stream was silent")
			}
		})
	}
}
