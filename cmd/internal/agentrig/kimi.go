//go:build agents

package agentrig

import "nod/cmd/internal/agentrig/model"

func setupKimi(h *home) (start, error) {
	files := map[string]any{
		"config.toml": "",
		"tui.toml":    "[upgrade]\nauto_install = false\n",
		"mcp.json":    obj{"mcpServers": obj{model.MCPServer: obj{"command": h.mcp[0], "args": h.mcp[1:]}}},
	}
	for name, settings := range files {
		if err := h.write(".kimi-code/"+name, settings); err != nil {
			return start{}, err
		}
	}
	node, err := h.node()
	return start{
		argv: []string{node, h.module("@moonshot-ai", "kimi-code", "dist", "main.mjs")},
		env: []string{
			"KIMI_MODEL_NAME=" + model.Name, "KIMI_MODEL_API_KEY=none", "KIMI_MODEL_BASE_URL=" + h.url + "/v1",
			"KIMI_MODEL_PROVIDER_TYPE=openai", "KIMI_MODEL_MAX_CONTEXT_SIZE=128000",
			"KIMI_CODE_NO_AUTO_UPDATE=1", "KIMI_DISABLE_TELEMETRY=1",
		},
	}, err
}
