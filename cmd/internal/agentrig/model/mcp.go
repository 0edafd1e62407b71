//go:build agents

package model

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// ServeMCP is an MCP server on in and out with one tool, MCPTool, that adds the line "ran" to the
// file at its argument path. It ends with in. Where asks is not empty, the tool puts these parameters of an elicitation to the agent in
// its place, and its result is what the agent answers.
// The protocol is JSON-RPC, one message a line: https://modelcontextprotocol.io/specification.
func ServeMCP(in io.Reader, out io.Writer, asks json.RawMessage) error {
	var called json.RawMessage // the id of the call that waits for an answer
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	enc := json.NewEncoder(out)
	for lines.Scan() {
		var msg struct {
			ID     json.RawMessage
			Method string
			Params struct {
				ProtocolVersion string
				Arguments       struct{ Path string }
			}
			Result, Error json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &msg); err != nil || msg.ID == nil {
			continue // a notification wants no answer
		}
		reply := obj{"jsonrpc": "2.0", "id": msg.ID}
		switch msg.Method {
		case "":
			reply["id"], reply["result"] = called, say("answered: "+string(msg.Result)+string(msg.Error), false)
		case "initialize":
			reply["result"] = obj{
				"protocolVersion": msg.Params.ProtocolVersion, "capabilities": obj{"tools": obj{}},
				"serverInfo": obj{"name": MCPServer, "version": "1.0.0"},
			}
		case "tools/list":
			reply["result"] = obj{"tools": list{obj{
				"name": MCPTool, "description": "Append a line to a file",
				"inputSchema": obj{
					"type": "object", "properties": obj{"path": obj{"type": "string"}}, "required": list{"path"},
				},
			}}}
		case "tools/call":
			if asks != nil {
				called = msg.ID
				reply = obj{"jsonrpc": "2.0", "id": "asks", "method": "elicitation/create", "params": asks}
				break
			}
			reply["result"] = appendLine(msg.Params.Arguments.Path)
		case "ping":
			reply["result"] = obj{}
		default:
			reply["error"] = obj{"code": -32601, "message": "no such method"}
		}
		if err := enc.Encode(reply); err != nil {
			return fmt.Errorf("answer the agent: %w", err)
		}
	}
	return lines.Err()
}

func say(text string, failed bool) obj {
	return obj{"content": list{obj{"type": "text", "text": text}}, "isError": failed}
}

func appendLine(path string) obj {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return say(err.Error(), true)
	}
	_, err = io.WriteString(f, "ran\n")
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return say(err.Error(), true)
	}
	return say("appended a line to "+path, false)
}
