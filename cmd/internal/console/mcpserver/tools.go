package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"nod/cmd/internal/console/await"
	"nod/cmd/internal/control"
	"nod/nudge"
)

// tool handles one call of a tool and returns a text for the agent.
type tool func(ctx context.Context, human await.Human, arguments json.RawMessage) (string, error)

// verdict is the result that Claude Code's --permission-prompt-tool expects.
type verdict struct {
	Behavior     string          `json:"behavior"`
	UpdatedInput json.RawMessage `json:"updatedInput,omitempty"` // for allow: the input, byte for byte
	Message      string          `json:"message,omitempty"`      // for deny: a text for the model
}

// approve asks whether a call may run. Only a human's own yes allows it.
func approve(ctx context.Context, human await.Human, arguments json.RawMessage) (string, error) {
	var call struct {
		Tool  string          `json:"tool_name"`
		Input json.RawMessage `json:"input"`
	}
	err := json.Unmarshal(arguments, &call)
	if err != nil || call.Tool == "" || !bytes.HasPrefix(call.Input, []byte("{")) {
		return written(verdict{Behavior: nudge.Deny, Message: "nod was not told which tool is to be called, with which input, so nobody could be asked."})
	}
	answer, err := human.Ask(ctx, control.AskParams{Call: &control.AskCall{Tool: call.Tool, Input: call.Input, Hears: true}})
	switch {
	case err != nil:
		return written(verdict{Behavior: nudge.Deny, Message: "No human could be asked: " + err.Error() + "."})
	case nudge.State(answer.State) == nudge.Delivered && answer.Answer == nudge.Allow:
		return written(verdict{Behavior: nudge.Allow, UpdatedInput: call.Input})
	case nudge.State(answer.State) == nudge.Delivered && answer.Because != "":
		return written(verdict{Behavior: nudge.Deny, Message: "The human denied this, and says: " + answer.Because})
	case nudge.State(answer.State) == nudge.Delivered:
		return written(verdict{Behavior: nudge.Deny, Message: "The human denied this. Don't try the same another way: ask what to do instead."})
	}
	return written(verdict{Behavior: nudge.Deny, Message: "No human answered in time."})
}

// written returns v as JSON. It does not escape < and >, so that the input stays as it was.
func written(v verdict) (string, error) {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return strings.TrimSpace(text.String()), err
}

// askHuman asks a model's question and returns the human's words.
func askHuman(ctx context.Context, human await.Human, arguments json.RawMessage) (string, error) {
	var call struct {
		Question string   `json:"question"`
		Options  []string `json:"options"`
	}
	if err := json.Unmarshal(arguments, &call); err != nil {
		return "", errors.New("the question must be a text, and the options a list of texts")
	}
	answer, err := human.Ask(ctx, control.AskParams{Question: call.Question, Options: call.Options, Text: true})
	switch {
	case err != nil:
		return "", fmt.Errorf("no human could be asked: %w", err)
	case nudge.State(answer.State) != nudge.Delivered:
		return "", errors.New("no human answered in time")
	}
	return answer.Answer, nil
}

// sendFile sends a file to the human's chat. It does not wait for the human.
func sendFile(ctx context.Context, human await.Human, arguments json.RawMessage) (string, error) {
	var call control.ShareParams
	if err := json.Unmarshal(arguments, &call); err != nil {
		return "", errors.New("the path and the caption must be texts")
	}
	var shared control.Shared
	switch err := human.Client.Call(ctx, "file.share", call, &shared); {
	case err != nil:
		return "", fmt.Errorf("the file was not sent: %w", err)
	case shared.Wish != "":
		return shared.Name + " goes when the human agrees.", nil
	}
	return shared.Name + " is on its way.", nil
}
