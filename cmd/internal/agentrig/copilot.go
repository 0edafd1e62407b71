//go:build agents

package agentrig

import "nod/cmd/internal/agentrig/model"

func setupCopilot(h *home) (start, error) {
	trusted := list{h.project.Dir}
	if h.options.Untrusted {
		trusted = list{}
	}
	files := map[string]obj{
		"settings.json": {"trustedFolders": trusted},
		"config.json":   {"trustedFolders": trusted, "trusted_folders": trusted},
		"mcp-config.json": {"mcpServers": obj{model.MCPServer: obj{
			"type": "local", "command": h.mcp[0], "args": h.mcp[1:], "tools": list{"*"},
		}}},
	}
	if command := h.options.OtherHook; command != "" {
		files["settings.json"]["hooks"] = obj{"permissionRequest": list{obj{"type": "command", "bash": command, "timeoutSec": 60}}}
	}
	for name, settings := range files {
		if err := h.write(".copilot/"+name, settings); err != nil {
			return start{}, err
		}
	}
	return start{
		argv: []string{h.native("@github/copilot", "copilot"), "--no-auto-update"},
		env: []string{
			"COPILOT_AUTO_UPDATE=false", "COPILOT_OFFLINE=true", "COPILOT_MODEL=" + model.Name,
			"COPILOT_PROVIDER_BASE_URL=" + h.url + "/v1", "COPILOT_PROVIDER_API_KEY=none",
		},
	}, nil
}
