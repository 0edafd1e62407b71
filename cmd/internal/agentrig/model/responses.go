//go:build agents

package model

import (
	"encoding/json"
	"fmt"
	"strings"
)

// responses is OpenAI's Responses API, which Codex and Copilot speak:
// https://platform.openai.com/docs/api-reference/responses-streaming.
var responses = protocol{name: "responses", parse: parseResponses, plain: plainResponses, stream: streamResponses}

type responsesTool struct {
	Type       string
	Name       string
	Parameters obj
	Tools      []responsesTool // of a namespace
}

type responsesItem struct {
	Type    string
	Role    string
	Name    string
	CallID  string `json:"call_id"`
	Content any
	Output  any
	Tools   []responsesTool // of additional_tools
}

func parseResponses(body []byte) (request, error) {
	var in struct {
		Model        string
		Stream       bool
		Instructions string
		Input        json.RawMessage
		Tools        []responsesTool
		Text         struct {
			Format struct{ Schema obj }
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return request{}, fmt.Errorf("read responses request: %w", err)
	}
	req := request{stream: in.Stream, model: in.Model, system: in.Instructions, form: in.Text.Format.Schema}
	req.tools = flatten(nil, in.Tools, "")
	var items []responsesItem
	if err := json.Unmarshal(in.Input, &items); err != nil {
		var text string
		if json.Unmarshal(in.Input, &text) != nil {
			return request{}, fmt.Errorf("read responses input: %w", err)
		}
		items = []responsesItem{{Role: "user", Content: text}}
	}
	for _, it := range items {
		req.tools = flatten(req.tools, it.Tools, "")
		if t, ok := responsesTurn(it); ok {
			req.turns = append(req.turns, t)
		}
	}
	return req, nil
}

// flatten adds tools to have, those inside a namespace as well.
func flatten(have []tool, tools []responsesTool, namespace string) []tool {
	for _, t := range tools {
		switch t.Type {
		case "namespace":
			have = flatten(have, t.Tools, t.Name)
		case "function", "custom":
			have = append(have, tool{name: t.Name, namespace: namespace, custom: t.Type == "custom", schema: t.Parameters})
		}
	}
	return have
}

func responsesTurn(it responsesItem) (turn, bool) {
	switch {
	case strings.HasSuffix(it.Type, "_output"):
		return turn{role: result, id: it.CallID, text: words(it.Output)}, true
	case strings.HasSuffix(it.Type, "_call"):
		return turn{role: called, name: it.Name, id: it.CallID}, true
	case it.Role == "user":
		return turn{role: user, text: words(it.Content)}, true
	case it.Role == "assistant":
		return turn{role: says, text: words(it.Content)}, true
	}
	return turn{}, false
}

func responsesItems(a answer) []obj {
	var items []obj
	if a.text != "" {
		items = append(items, obj{
			"type": "message", "id": fmt.Sprintf("msg_%d", a.id), "role": "assistant", "status": "completed",
			"content": list{obj{"type": "output_text", "text": a.text, "annotations": list{}}},
		})
	}
	for _, c := range a.calls {
		item := obj{"type": "function_call", "id": "fc_" + c.id, "call_id": c.id, "name": c.name, "status": "completed"}
		if c.namespace != "" {
			item["namespace"] = c.namespace
		}
		if c.isCustom {
			item["type"], item["input"] = "custom_tool_call", c.custom
		} else {
			item["arguments"] = c.argsJSON()
		}
		items = append(items, item)
	}
	return items
}

func response(req request, a answer, status string, items []obj) obj {
	return obj{
		"id": fmt.Sprintf("resp_%d", a.id), "object": "response", "created_at": 0, "status": status, "model": req.model, "output": items,
		"usage": obj{
			"input_tokens": 1200, "output_tokens": 30, "total_tokens": 1230,
			"input_tokens_details": obj{"cached_tokens": 0}, "output_tokens_details": obj{"reasoning_tokens": 0},
		},
	}
}

func plainResponses(req request, a answer) any {
	return response(req, a, "completed", responsesItems(a))
}

func streamResponses(w *events, req request, a answer) {
	serial := 0
	send := func(kind string, o obj) {
		o["type"], o["sequence_number"] = kind, serial
		serial++
		w.send(kind, o)
	}
	send("response.created", obj{"response": response(req, a, "in_progress", []obj{})})
	items := responsesItems(a)
	for i, item := range items {
		send("response.output_item.added", obj{"output_index": i, "item": item})
		if item["type"] == "message" {
			at := func() obj { return obj{"item_id": item["id"], "output_index": i, "content_index": 0} }
			delta, done := at(), at()
			delta["delta"], done["text"] = a.text, a.text
			send("response.output_text.delta", delta)
			send("response.output_text.done", done)
		}
		send("response.output_item.done", obj{"output_index": i, "item": item})
	}
	send("response.completed", obj{"response": response(req, a, "completed", items)})
}
