//go:build agents

package model

import (
	"strings"
	"testing"
)

// TestAugmentCallsAndThenCloses: in lines of JSON, with the folder that the shell is to run in.
func TestAugmentCallsAndThenCloses(t *testing.T) {
	const tools = `"tool_definitions":[{"name":"launch-process","input_schema_json":
	  "{\"type\":\"object\",\"required\":[\"command\",\"cwd\",\"wait\"],\"properties\":{\"command\":{\"type\":\"string\"},\"cwd\":{\"type\":\"string\"},\"wait\":{\"type\":\"boolean\"}}}"}]`
	m := New(Project{Dir: "/here"})
	first := ask(t, m, "/chat-stream", `{"message":"SCENARIO run",`+tools+`}`)
	for _, want := range []string{`"type":5`, `rm -rf build`, `\"cwd\":\"/here\"`, `\"wait\":true`, `"stop_reason":3`} {
		if !strings.Contains(first, want) {
			t.Errorf("no %s in %s", want, first)
		}
	}
	last := ask(t, m, "/chat-stream", `{"chat_history":[{"request_message":"SCENARIO run","response_nodes":
	  [{"type":5,"tool_use":{"tool_use_id":"c1","tool_name":"launch-process"}}]}],
	  "nodes":[{"type":1,"tool_result_node":{"tool_use_id":"c1","content":"all went well"}}],`+tools+`}`)
	if !strings.Contains(last, "Scenario run is finished.") || !strings.Contains(last, `"stop_reason":1`) {
		t.Errorf("does not close: %s", last)
	}
	if got := m.Results("run"); len(got) != 1 || got[0].Text != "all went well" {
		t.Errorf("results %+v", got)
	}
	if aside := ask(t, m, "/get-models", `{}`); !strings.Contains(aside, Name) {
		t.Errorf("the tenant's models are %s", aside)
	}
}
