//go:build agents

package model

import (
	"encoding/json"
	"fmt"
)

// chat is OpenAI's chat completions API, which OpenCode, Kilo, Qwen and Copilot speak:
// https://platform.openai.com/docs/api-reference/chat-streaming.
var chat = protocol{name: "chat", parse: parseChat, plain: plainChat, stream: streamChat}

func parseChat(body []byte) (request, error) {
	var in struct {
		Model    string
		Stream   bool
		Messages []struct {
			Role       string
			Content    any
			ToolCallID string `json:"tool_call_id"`
			ToolCalls  []struct {
				ID       string
				Function struct{ Name string }
			} `json:"tool_calls"`
		}
		Tools []struct {
			Function struct {
				Name       string
				Parameters obj
			}
		}
		ResponseFormat struct {
			Type       string
			JSONSchema struct{ Schema obj } `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return request{}, fmt.Errorf("read chat request: %w", err)
	}
	req := request{stream: in.Stream, model: in.Model, form: in.ResponseFormat.JSONSchema.Schema}
	if req.form == nil && in.ResponseFormat.Type == "json_object" {
		req.form = obj{}
	}
	for _, t := range in.Tools {
		req.tools = append(req.tools, tool{name: t.Function.Name, schema: t.Function.Parameters})
	}
	closing := map[string]bool{}
	for _, m := range in.Messages {
		switch m.Role {
		case "system":
			req.system += words(m.Content)
		case "user":
			req.turns = append(req.turns, turn{role: user, text: words(m.Content)})
		case "assistant":
			req.turns = append(req.turns, turn{role: says, text: words(m.Content)})
			for _, c := range m.ToolCalls {
				req.turns = append(req.turns, turn{role: called, name: c.Function.Name, id: c.ID})
				closing[c.ID] = c.Function.Name == closeTool
			}
		case "tool":
			if closing[m.ToolCallID] {
				req.turns = append(req.turns, turn{role: user, text: words(m.Content)})
				continue
			}
			req.turns = append(req.turns, turn{role: result, id: m.ToolCallID, text: words(m.Content)})
		}
	}
	return req, nil
}

func chatCalls(a answer) list {
	var calls list
	for i, c := range a.calls {
		calls = append(calls, obj{
			"index": i, "id": c.id, "type": "function",
			"function": obj{"name": c.name, "arguments": c.argsJSON()},
		})
	}
	return calls
}

func chatStop(a answer) string {
	if len(a.calls) > 0 {
		return "tool_calls"
	}
	return "stop"
}

var chatUsage = obj{"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}

func plainChat(req request, a answer) any {
	message := obj{"role": "assistant", "content": a.text}
	if calls := chatCalls(a); calls != nil {
		message["tool_calls"] = calls
	}
	return obj{
		"id": fmt.Sprintf("chatcmpl-%d", a.id), "object": "chat.completion", "created": 0, "model": req.model, "usage": chatUsage,
		"choices": list{obj{"index": 0, "message": message, "finish_reason": chatStop(a)}},
	}
}

func streamChat(w *events, req request, a answer) {
	chunk := func(choices list, usage any) {
		w.send("", obj{
			"id": fmt.Sprintf("chatcmpl-%d", a.id), "object": "chat.completion.chunk", "created": 0, "model": req.model,
			"choices": choices, "usage": usage,
		})
	}
	delta := obj{"role": "assistant", "content": a.text}
	if calls := chatCalls(a); calls != nil {
		delta["tool_calls"] = calls
	}
	chunk(list{obj{"index": 0, "delta": delta, "finish_reason": nil}}, nil)
	chunk(list{obj{"index": 0, "delta": obj{}, "finish_reason": chatStop(a)}}, nil)
	chunk(list{}, chatUsage)
	w.end()
}
