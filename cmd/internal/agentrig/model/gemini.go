//go:build agents

package model

import (
	"encoding/json"
	"fmt"
)

// gemini is Google's generateContent: https://ai.google.dev/api/generate-content.
var gemini = protocol{name: "gemini", parse: parseGemini, plain: plainGemini, stream: streamGemini}

func parseGemini(body []byte) (request, error) {
	var in struct {
		Contents []struct {
			Role  string
			Parts []struct {
				Text         string
				Thought      bool
				FunctionCall *struct{ ID, Name string }
				Response     *struct {
					ID       string
					Response any
				} `json:"functionResponse"`
			}
		}
		System any `json:"systemInstruction"`
		Tools  []struct {
			Declarations []struct {
				Name       string
				Schema     obj `json:"parametersJsonSchema"`
				Parameters obj
			} `json:"functionDeclarations"`
		}
		Config struct {
			MIME           string `json:"responseMimeType"`
			JSONSchema     obj    `json:"responseJsonSchema"`
			ResponseSchema obj    `json:"responseSchema"`
		} `json:"generationConfig"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return request{}, fmt.Errorf("read generateContent request: %w", err)
	}
	req := request{system: words(in.System), form: in.Config.JSONSchema}
	if req.form == nil {
		req.form = in.Config.ResponseSchema
	}
	if req.form == nil && in.Config.MIME == "application/json" {
		req.form = obj{}
	}
	for _, t := range in.Tools {
		for _, d := range t.Declarations {
			if d.Schema == nil {
				d.Schema = d.Parameters
			}
			req.tools = append(req.tools, tool{name: d.Name, schema: d.Schema})
		}
	}
	for _, c := range in.Contents {
		for _, p := range c.Parts {
			switch {
			case p.FunctionCall != nil:
				req.turns = append(req.turns, turn{role: called, name: p.FunctionCall.Name, id: p.FunctionCall.ID})
			case p.Response != nil:
				req.turns = append(req.turns, turn{role: result, id: p.Response.ID, text: words(p.Response.Response)})
			case p.Text != "" && !p.Thought && c.Role == "model":
				req.turns = append(req.turns, turn{role: says, text: p.Text})
			case p.Text != "" && !p.Thought:
				req.turns = append(req.turns, turn{role: user, text: p.Text})
			}
		}
	}
	return req, nil
}

func plainGemini(_ request, a answer) any {
	parts := list{}
	if a.text != "" {
		parts = append(parts, obj{"text": a.text})
	}
	for _, c := range a.calls {
		parts = append(parts, obj{"functionCall": obj{"id": c.id, "name": c.name, "args": c.args}})
	}
	return obj{
		"candidates":    list{obj{"index": 0, "finishReason": "STOP", "content": obj{"role": "model", "parts": parts}}},
		"usageMetadata": obj{"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110},
		"modelVersion":  Name,
	}
}

func streamGemini(w *events, req request, a answer) { w.send("", plainGemini(req, a)) }
