package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"nod/internal/control"
	"nod/internal/rpc"
	"nod/nudge"
)

func (p *program) mcpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "let headless agents ask you, over MCP",
		Long: `Offers two tools to an agent that starts it as its MCP server. approve asks you whether a call may run:
it is what claude -p --permission-prompt-tool wants. ask_human puts a question to you and waits for your
answer. Whatever goes wrong, approve denies.`,
		Example: `  claude mcp add nod -- nod mcp
  claude -p "tidy up" --permission-prompt-tool mcp__nod__approve`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := p.bot()
			if err != nil {
				return err
			}
			defer client.Close()
			return p.serveMCP(cmd.Context(), client)
		},
	}
}

// serveMCP answers an agent until it hangs up or ctx ends. A question that is open then is withdrawn first.
func (p *program) serveMCP(ctx context.Context, client *rpc.Client) error {
	ctx, cancel := context.WithCancel(ctx)
	var calls sync.WaitGroup
	server := mcp.NewServer(&mcp.Implementation{Name: "nod", Version: version()}, nil)
	add := func(name, description, schema string, answer func(context.Context, *rpc.Client, json.RawMessage) (string, error)) {
		server.AddTool(&mcp.Tool{Name: name, Description: description, InputSchema: json.RawMessage(schema)},
			func(call context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				calls.Add(1)
				defer calls.Done()
				call, hangUp := context.WithCancel(call)
				defer hangUp()
				defer context.AfterFunc(ctx, hangUp)()
				text, err := answer(call, client, r.Params.Arguments)
				result := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
				if err != nil {
					result.SetError(err)
				}
				return result, nil
			})
	}
	add("approve", "Asks the human whether a tool call may run. For --permission-prompt-tool.", approveSchema, p.approve)
	add("ask_human", "Asks the human who looks after this agent a question, and waits for the answer. It may take hours.", askHumanSchema, p.askHuman)
	err := server.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(p.in), Writer: keptOpen{p.out}, MaxLineLength: longestCall})
	cancel()
	calls.Wait()
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// longestCall is more than any call that nod shows a human.
const longestCall = 16 << 20

// keptOpen is a writer that whoever gave it closes.
type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }

const approveSchema = `{"type": "object", "properties": {
	"tool_name": {"type": "string", "description": "the tool that is to be called"},
	"input": {"type": "object", "description": "its input"},
	"tool_use_id": {"type": "string"}
}, "required": ["tool_name", "input"]}`

const askHumanSchema = `{"type": "object", "properties": {
	"question": {"type": "string", "description": "what you want to know, with all that is needed to answer it"},
	"options": {"type": "array", "items": {"type": "string"}, "description": "the answers to choose from; leave it out for an answer in words"}
}, "required": ["question"]}`

// verdict is what --permission-prompt-tool wants to read.
type verdict struct {
	Behavior     string          `json:"behavior"`
	UpdatedInput json.RawMessage `json:"updatedInput,omitempty"` // of an allow: the input, byte for byte
	Message      string          `json:"message,omitempty"`      // of a deny: for the model
}

// approve asks whether a call may run. Only a human's own yes allows it.
func (p *program) approve(ctx context.Context, client *rpc.Client, arguments json.RawMessage) (string, error) {
	var call struct {
		Tool  string          `json:"tool_name"`
		Input json.RawMessage `json:"input"`
	}
	err := json.Unmarshal(arguments, &call)
	if err != nil || call.Tool == "" || !bytes.HasPrefix(call.Input, []byte("{")) {
		return written(verdict{Behavior: nudge.Deny, Message: "nod was not told which tool is to be called, with which input, so nobody could be asked."})
	}
	answer, err := p.ask(ctx, client, control.AskParams{Call: &control.AskCall{Tool: call.Tool, Input: call.Input}})
	switch {
	case err != nil:
		return written(verdict{Behavior: nudge.Deny, Message: "No human could be asked: " + explain(err).Error() + "."})
	case nudge.State(answer.State) == nudge.Delivered && answer.Answer == nudge.Allow:
		return written(verdict{Behavior: nudge.Allow, UpdatedInput: call.Input})
	case nudge.State(answer.State) == nudge.Delivered:
		return written(verdict{Behavior: nudge.Deny, Message: "The human denied this. Don't try the same another way: ask what to do instead."})
	}
	return written(verdict{Behavior: nudge.Deny, Message: "No human answered in time."})
}

// written is v as JSON. The usual encoder would write < and > otherwise than they came.
func written(v verdict) (string, error) {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return strings.TrimSpace(text.String()), err
}

// askHuman puts a model's question and gives the human's words.
func (p *program) askHuman(ctx context.Context, client *rpc.Client, arguments json.RawMessage) (string, error) {
	var call struct {
		Question string   `json:"question"`
		Options  []string `json:"options"`
	}
	if err := json.Unmarshal(arguments, &call); err != nil {
		return "", errors.New("the question must be a text, and the options a list of texts")
	}
	answer, err := p.ask(ctx, client, control.AskParams{Question: call.Question, Options: call.Options, Text: true})
	switch {
	case err != nil:
		return "", errors.New("no human could be asked: " + explain(err).Error())
	case nudge.State(answer.State) != nudge.Delivered:
		return "", errors.New("no human answered in time")
	}
	return answer.Answer, nil
}
