//go:build agents

package agentrig

import (
	"fmt"
	"os"
	"path/filepath"

	"nod/cmd/internal/agentrig/model"
)

func setupContinue(h *home) (start, error) {
	settings := fmt.Sprintf(`name: scripted
version: 0.0.1
schema: v1
models:
  - name: %[1]s
    provider: openai
    model: %[1]s
    apiBase: %[2]s/v1
    apiKey: none
    roles: [chat]
    capabilities: [tool_use]
mcpServers:
  - name: %[3]s
    command: %[4]q
    args: [%[5]q]
`, model.Name, h.url, model.MCPServer, h.mcp[0], h.mcp[1])
	if err := h.write(".continue/config.yaml", settings); err != nil {
		return start{}, err
	}
	node, err := h.node()
	return start{
		argv: []string{node, h.module("@continuedev", "cli", "dist", "cn.js"), "--config", h.dir + "/.continue/config.yaml"},
		env:  []string{"CONTINUE_TELEMETRY_ENABLED=0", "CONTINUE_CLI_AUTO_UPDATED=1"},
	}, err
}

// setupPi loads the permission gate that comes with Pi as an example. Pi asks nothing by itself, and
// knows no MCP.
func setupPi(h *home) (start, error) {
	const provider = "scripted"
	err := h.write(".pi/agent/models.json", obj{"providers": obj{provider: obj{
		"baseUrl": h.url + "/v1", "api": "openai-completions", "apiKey": "none",
		"models": list{obj{
			"id": model.Name, "name": "Script", "reasoning": false, "input": list{"text"},
			"contextWindow": 128000, "maxTokens": 8000, "cost": obj{"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
		}},
	}}})
	if err != nil {
		return start{}, err
	}
	if err := h.write(".pi/agent/settings.json", obj{"defaultProvider": provider, "defaultModel": model.Name}); err != nil {
		return start{}, err
	}
	node, err := h.node()
	pi := func(path ...string) string {
		scope := either(h.module("@earendil-works"), h.module("@mariozechner"))
		return filepath.Join(append([]string{scope, "pi-coding-agent"}, path...)...)
	}
	gate := []string{"-e", pi("examples", "extensions", "permission-gate.ts")}
	if _, err := os.Stat(pi("examples", "hooks")); err == nil {
		gate = []string{"--hook", pi("examples", "hooks", "permission-gate.ts")} // what extensions were called before 0.35
	}
	return start{
		argv: append([]string{node, either(pi("dist", "bundle", "cli.js"), pi("dist", "cli.js")), "--provider", provider, "--model", model.Name}, gate...),
		env:  []string{"PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1"},
	}, err
}
