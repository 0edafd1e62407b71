// Package mcpserver offers an agent MCP tools to reach its human: it can ask whether a tool call may run, ask
// a question, and send a file.
package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nod/cmd/internal/console/await"
)

// longestCall is a size limit in bytes, above every call that nod shows a human.
const longestCall = 16 << 20

const approveSchema = `{"type": "object", "properties": {
	"tool_name": {"type": "string", "description": "the tool that is to be called"},
	"input": {"type": "object", "description": "its input"},
	"tool_use_id": {"type": "string"}
}, "required": ["tool_name", "input"]}`

const askHumanSchema = `{"type": "object", "properties": {
	"question": {"type": "string", "description": "what you want to know, with all that is needed to answer it"},
	"options": {"type": "array", "items": {"type": "string"}, "description": "the answers to choose from; leave it out for an answer in words"}
}, "required": ["question"]}`

const sendFileSchema = `{"type": "object", "properties": {
	"path": {"type": "string", "description": "the file's absolute path"},
	"caption": {"type": "string", "description": "what it is, in a sentence"}
}, "required": ["path"]}`

// Serve answers an agent on in and out until it hangs up or ctx ends. It first withdraws an open question.
func Serve(ctx context.Context, human await.Human, version string, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	var calls sync.WaitGroup
	server := mcp.NewServer(&mcp.Implementation{Name: "nod", Version: version}, nil)
	add := func(name, description, schema string, answer tool) {
		server.AddTool(&mcp.Tool{Name: name, Description: description, InputSchema: json.RawMessage(schema)},
			func(call context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				calls.Add(1)
				defer calls.Done()
				call, hangUp := context.WithCancel(call)
				defer hangUp()
				defer context.AfterFunc(ctx, hangUp)()
				text, err := answer(call, human, r.Params.Arguments)
				result := &mcp.CallToolResult{}
				if err != nil {
					result.SetError(err) // also the text, as long as there is no other
				} else {
					result.Content = []mcp.Content{&mcp.TextContent{Text: text}}
				}
				return result, nil
			})
	}
	add("approve", "Asks the human whether a tool call may run. For --permission-prompt-tool.", approveSchema, approve)
	add("ask_human", "Asks the human who looks after this agent a question, and waits for the answer. It may take hours.", askHumanSchema, askHuman)
	add("send_file", "Brings a file of this project to the human's chat, when they agree. Give a caption that says what it is.", sendFileSchema, sendFile)
	err := server.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(in), Writer: keptOpen{out}, MaxLineLength: longestCall})
	cancel()
	calls.Wait()
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// keptOpen is a writer whose Close does nothing, because its owner closes it.
type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }
