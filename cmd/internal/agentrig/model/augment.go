//go:build agents

package model

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// augment is the API of Augment's tenant, as far as Auggie 0.36 needs it: answers are lines of JSON, with the words and the calls of
// tools as nodes of a type each. Everything else that it asks for takes a constant.
var augment = protocol{name: "augment", parse: parseAugment, plain: nil, stream: streamAugment}

// The types of nodes.
const (
	augmentText   = 0
	augmentResult = 1
	augmentUse    = 5
)

type augmentNode struct {
	Type       int
	TextNode   struct{ Content string } `json:"text_node"`
	ResultNode struct {
		ID      string `json:"tool_use_id"`
		Content string
	} `json:"tool_result_node"`
	ToolUse struct {
		ID   string `json:"tool_use_id"`
		Name string `json:"tool_name"`
	} `json:"tool_use"`
}

func parseAugment(body []byte) (request, error) {
	var in struct {
		Model   string
		Message string
		Nodes   []augmentNode
		History []struct {
			Message  string        `json:"request_message"`
			Nodes    []augmentNode `json:"request_nodes"`
			Response []augmentNode `json:"response_nodes"`
		} `json:"chat_history"`
		Tools []struct {
			Name   string
			Schema string `json:"input_schema_json"`
		} `json:"tool_definitions"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return request{}, fmt.Errorf("read augment request: %w", err)
	}
	req := request{stream: true, model: in.Model}
	for _, t := range in.Tools {
		schema := obj{}
		if err := json.Unmarshal([]byte(t.Schema), &schema); err != nil {
			return request{}, fmt.Errorf("read the schema of %s: %w", t.Name, err)
		}
		req.tools = append(req.tools, tool{name: t.Name, schema: schema})
	}
	for _, h := range in.History {
		req.augmentAsked(h.Message, h.Nodes)
		for _, n := range h.Response {
			if n.Type == augmentUse {
				req.turns = append(req.turns, turn{role: called, name: n.ToolUse.Name, id: n.ToolUse.ID})
			}
		}
	}
	req.augmentAsked(in.Message, in.Nodes)
	return req, nil
}

// augmentAsked adds one request's turns: results, or what the person said.
func (r *request) augmentAsked(message string, nodes []augmentNode) {
	said := []string{message}
	results := false
	for _, n := range nodes {
		switch {
		case n.Type == augmentResult && n.ResultNode.ID != "":
			results = true
			r.turns = append(r.turns, turn{role: result, id: n.ResultNode.ID, text: n.ResultNode.Content})
		case n.Type == augmentText && message == "":
			said = append(said, n.TextNode.Content)
		}
	}
	if text := strings.TrimSpace(strings.Join(said, "\n")); text != "" && !results {
		r.turns = append(r.turns, turn{role: user, text: text})
	}
}

func streamAugment(w *events, _ request, a answer) {
	for i, c := range a.calls {
		w.line(obj{"text": "", "nodes": list{obj{"id": i + 1, "type": augmentUse, "content": "", "tool_use": obj{
			"tool_use_id": c.id, "tool_name": c.name, "input_json": c.argsJSON(), "is_partial": false,
		}}}})
	}
	stop := 3 // for the tools
	if len(a.calls) == 0 {
		stop = 1
		w.line(obj{"text": a.text, "nodes": list{obj{"id": 1, "type": augmentText, "content": a.text, "tool_use": nil}}})
	}
	w.line(obj{"text": "", "nodes": list{}, "stop_reason": stop})
}

// augmentConstants are the answers to what Auggie asks its tenant besides.
var augmentConstants = map[string]any{
	"/get-models": obj{
		"default_model": Name, "languages": list{}, "user_tier": "PROFESSIONAL_TIER", "user": obj{"id": "scripted", "email": "scripted@localhost"},
		"models": list{obj{
			"name": Name, "internal_name": Name, "suggested_prefix_char_count": 1000, "suggested_suffix_char_count": 1000, "completion_timeout_ms": 1000,
		}},
		"feature_flags": obj{
			"agent_chat_model": Name, "model_registry": mustJSON(obj{"Script": Name}),
			"model_info_registry": mustJSON(obj{Name: obj{"displayName": "Script", "shortName": "script", "description": "Script", "isDefault": true}}),
		},
	},
	"/find-missing":                    obj{"unknown_memory_names": list{}, "nonindexed_blob_names": list{}},
	"/batch-upload":                    obj{"blob_names": list{}},
	"/checkpoint-blobs":                obj{"new_checkpoint_id": "cp1"},
	"/agents/list-remote-tools":        obj{"tools": list{}},
	"/agents/check-tool-safety":        obj{"is_safe": false},
	"/agents/codebase-retrieval":       obj{"formatted_retrieval": ""},
	"/agent-personas/list-personas":    obj{"personas": list{}},
	"/settings/get-mcp-tenant-configs": obj{"mcp_tenant_configs": list{}, "configs": list{}},
	"/settings/get-mcp-user-configs":   obj{"mcp_user_configs": list{}, "configs": list{}},
	"/remote-agents/list":              obj{"remote_agents": list{}},
}

// augmentElse answers what Auggie asks its tenant besides the model.
func augmentElse(w http.ResponseWriter, r *http.Request) bool {
	constant, ok := augmentConstants[r.URL.Path]
	if ok {
		writeJSON(w, http.StatusOK, constant)
	}
	return ok
}
