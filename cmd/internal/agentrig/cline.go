//go:build agents

package agentrig

import "nod/cmd/internal/agentrig/model"

// setupCline2 is for 2.x, which is written in JavaScript and has other settings.
func setupCline2(h *home) (start, error) {
	ask := obj{}
	for _, action := range []string{"readFiles", "readFilesExternally", "editFiles", "editFilesExternally", "executeSafeCommands", "executeAllCommands", "useBrowser", "useMcp"} {
		ask[action] = false
	}
	files := map[string]obj{
		"globalState.json": {
			"telemetrySetting": "disabled", "welcomeViewCompleted": true, "actModeApiProvider": "openai", "planModeApiProvider": "openai",
			// The name decides whether it takes calls as such, or looks for them in the words.
			"actModeOpenAiModelId": cline2Model, "planModeOpenAiModelId": cline2Model, "openAiBaseUrl": h.url + "/v1",
			"autoApprovalSettings": obj{"version": 1, "enabled": false, "maxRequests": 20, "actions": ask, "enableNotifications": false},
		},
		"secrets.json": {"openAiApiKey": "none"},
		"settings/cline_mcp_settings.json": {"mcpServers": obj{model.MCPServer: obj{
			"command": h.mcp[0], "args": h.mcp[1:], "disabled": false, "autoApprove": list{},
		}}},
	}
	for name, settings := range files {
		if err := h.write(".cline/data/"+name, settings); err != nil {
			return start{}, err
		}
	}
	node, err := h.node()
	return start{
		argv: []string{node, h.module("cline", "dist", "cli.mjs"), "--act", "--tui"},
		env:  []string{"CLINE_TELEMETRY_DISABLED=1", "CLINE_NO_AUTO_UPDATE=1"},
	}, err
}

const cline2Model = "gpt-5"

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
