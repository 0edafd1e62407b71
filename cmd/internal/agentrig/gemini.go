//go:build agents

package agentrig

import "nod/cmd/internal/agentrig/model"

func setupGemini(h *home) (start, error) {
	settings := obj{
		"security": obj{"auth": obj{"selectedType": "gemini-api-key"}, "folderTrust": obj{"enabled": h.options.Untrusted}},
		"general":  obj{"enableAutoUpdate": false, "enableAutoUpdateNotification": false, "previewFeatures": false},
		"privacy":  obj{"usageStatisticsEnabled": false}, "telemetry": obj{"enabled": false}, "ide": obj{"hasSeenNudge": true},
		"mcpServers": obj{model.MCPServer: obj{"command": h.mcp[0], "args": h.mcp[1:]}},
	}
	h.addHook(settings, "Notification", 60_000)
	if err := h.write(".gemini/settings.json", settings); err != nil {
		return start{}, err
	}
	node, err := h.node()
	return start{
		argv: []string{node, either(h.module("@google", "gemini-cli", "dist", "index.js"), h.module("@google", "gemini-cli", "bundle", "gemini.js"))},
		env: []string{
			"GEMINI_API_KEY=none", "GOOGLE_GEMINI_BASE_URL=" + h.url,
			// It would start itself again as a child; and it would ask the desktop's keyring.
			"GEMINI_CLI_NO_RELAUNCH=true", "GEMINI_FORCE_FILE_STORAGE=true",
		},
	}, err
}

func setupQwen(h *home) (start, error) {
	mode := "default"
	if h.options.Auto {
		mode = "auto"
	}
	settings := obj{
		"security": obj{"auth": obj{"selectedType": "openai"}, "folderTrust": obj{"enabled": h.options.Untrusted}},
		"model":    obj{"name": model.Name}, "tools": obj{"approvalMode": mode},
		"general": obj{"enableAutoUpdate": false, "disableAutoUpdate": true, "disableUpdateNag": true},
		"privacy": obj{"usageStatisticsEnabled": false}, "telemetry": obj{"enabled": false},
		"mcpServers": obj{model.MCPServer: obj{"command": h.mcp[0], "args": h.mcp[1:]}},
	}
	settings["ui"] = obj{"enableFollowupSuggestions": false} // one that it makes up fills its input box
	h.addHook(settings, "PermissionRequest", 60_000)
	if err := h.write(".qwen/settings.json", settings); err != nil {
		return start{}, err
	}
	node, err := h.node()
	return start{
		argv: []string{node, either(h.module("@qwen-code", "qwen-code", "cli-entry.js"), h.module("@qwen-code", "qwen-code", "cli.js"))},
		env:  []string{"OPENAI_API_KEY=none", "OPENAI_BASE_URL=" + h.url + "/v1", "OPENAI_MODEL=" + model.Name},
	}, err
}
