//go:build agents

package agentrig

import (
	"encoding/json"

	"nod/cmd/internal/agentrig/model"
)

// setupAuggie makes the scripted model its tenant, and its tools ask: without a rule it asks for nothing.
func setupAuggie(h *home) (start, error) {
	var rules list
	for _, tool := range []string{"launch-process", "save-file", "str-replace-editor", "web-fetch", model.MCPTool + "_" + model.MCPServer} {
		rules = append(rules, obj{"toolName": tool, "permission": obj{"type": "ask-user"}})
	}
	err := h.write(".augment/settings.json", obj{
		"toolPermissions": rules,
		"mcpServers":      obj{model.MCPServer: obj{"command": h.mcp[0], "args": h.mcp[1:]}},
	})
	if err != nil {
		return start{}, err
	}
	session, err := json.Marshal(obj{"accessToken": "none", "tenantURL": h.url + "/", "scopes": list{"email"}})
	if err != nil {
		return start{}, err
	}
	node, err := h.node()
	argv := []string{node, h.module("@augmentcode", "auggie", "augment.mjs")}
	if !h.options.Untrusted {
		argv = append(argv, "--allow-indexing")
	}
	return start{argv: argv, env: []string{"AUGMENT_DISABLE_AUTO_UPDATE=1", "AUGMENT_SESSION_AUTH=" + string(session)}}, err
}
