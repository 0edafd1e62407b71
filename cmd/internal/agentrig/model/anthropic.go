//go:build agents

package model

import (
	"encoding/json"
	"fmt"
	"maps"
)

// anthropic is the Messages API: https://docs.anthropic.com/en/api/messages-streaming.
var anthropic = protocol{name: "anthropic", parse: parseAnthropic, plain: plainAnthropic, stream: streamAnthropic}

func parseAnthropic(body []byte) (request, error) {
	var in struct {
		Model     string
		Stream    bool
		MaxTokens int `json:"max_tokens"`
		System    any
		Messages  []struct {
			Role    string
			Content any
		}
		Tools []struct {
			Name   string
			Schema obj `json:"input_schema"`
		}
		OutputConfig struct {
			Format struct{ Schema obj }
		} `json:"output_config"`
		OutputFormat struct{ Schema obj } `json:"output_format"`
		Safeguards   list
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return request{}, fmt.Errorf("read messages request: %w", err)
	}
	req := request{stream: in.Stream, model: in.Model, system: words(in.System), form: in.OutputFormat.Schema}
	if req.form == nil {
		req.form = in.OutputConfig.Format.Schema
	}
	req.safeguards = len(in.Safeguards) > 0
	for _, t := range in.Tools {
		// A request for one token only asks whether the key is good.
		if t.Name != "" && in.MaxTokens != 1 {
			req.tools = append(req.tools, tool{name: t.Name, schema: t.Schema})
		}
	}
	for _, m := range in.Messages {
		parts, ok := m.Content.(list)
		if !ok {
			parts = list{obj{"type": "text", "text": m.Content}}
		}
		for _, p := range parts {
			if p, ok := p.(obj); ok {
				req.turns = append(req.turns, anthropicTurn(m.Role, p))
			}
		}
	}
	return req, nil
}

func anthropicTurn(who string, part obj) turn {
	text := func(key string) string { s, _ := part[key].(string); return s }
	switch part["type"] {
	case "tool_use":
		return turn{role: called, name: text("name"), id: text("id")}
	case "tool_result":
		return turn{role: result, id: text("tool_use_id"), text: words(part["content"])}
	}
	if who == "user" {
		return turn{role: user, text: text("text")}
	}
	return turn{role: says, text: text("text")}
}

func anthropicMessage(req request, a answer, content list, stop any) obj {
	return obj{
		"id": fmt.Sprintf("msg_%d", a.id), "type": "message", "role": "assistant", "model": req.model,
		"content": content, "stop_reason": stop, "stop_sequence": nil,
		"usage": obj{"input_tokens": 1200, "output_tokens": 30},
	}
}

func anthropicStop(a answer) string {
	if len(a.calls) > 0 {
		return "tool_use"
	}
	return "end_turn"
}

func plainAnthropic(req request, a answer) any {
	content := list{}
	if a.text != "" {
		content = append(content, obj{"type": "text", "text": a.text})
	}
	for _, c := range a.calls {
		content = append(content, obj{"type": "tool_use", "id": c.id, "name": c.name, "input": c.args})
	}
	message := anthropicMessage(req, a, content, anthropicStop(a))
	maps.Copy(message, a.safeguards)
	return message
}

func streamAnthropic(w *events, req request, a answer) {
	send := func(kind string, o obj) {
		o["type"] = kind
		w.send(kind, o)
	}
	index := 0
	block := func(start, delta obj) {
		send("content_block_start", obj{"index": index, "content_block": start})
		send("content_block_delta", obj{"index": index, "delta": delta})
		send("content_block_stop", obj{"index": index})
		index++
	}
	send("message_start", obj{"message": anthropicMessage(req, a, list{}, nil)})
	if a.text != "" {
		block(obj{"type": "text", "text": ""}, obj{"type": "text_delta", "text": a.text})
	}
	for _, c := range a.calls {
		block(obj{"type": "tool_use", "id": c.id, "name": c.name, "input": obj{}},
			obj{"type": "input_json_delta", "partial_json": c.argsJSON()})
	}
	delta := obj{"stop_reason": anthropicStop(a), "stop_sequence": nil}
	maps.Copy(delta, a.safeguards)
	send("message_delta", obj{
		"delta": delta,
		"usage": obj{"output_tokens": 30},
	})
	send("message_stop", obj{})
}
