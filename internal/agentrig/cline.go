//go:build agents

package agentrig

import "nod/internal/agentrig/model"

func setupCline(h *home) (start, error) {
	const provider = "openai-compatible"
	files := map[string]obj{
		"providers.json": {"version": 1, "lastUsedProvider": provider, "modes": obj{}, "providers": obj{provider: obj{
			"settings":  obj{"provider": provider, "apiKey": "none", "model": model.Name, "baseUrl": h.url + "/v1"},
			"updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual",
		}}},
		"cline_mcp_settings.json": {"mcpServers": obj{model.MCPServer: obj{
			"command": h.mcp[0], "args": h.mcp[1:], "disabled": false, "autoApprove": list{},
		}}},
	}
	for name, settings := range files {
		if err := h.write(".cline/data/settings/"+name, settings); err != nil {
			return start{}, err
		}
	}
	return start{
		argv: []string{h.native("@cline/cli", "bin", "cline"), "--auto-approve", "false", "-i"},
		env:  []string{"CLINE_TELEMETRY_DISABLED=1"},
	}, nil
}
