//go:build agents

package agentrig

import (
	"os"
	"path/filepath"
	"slices"

	"nod/cmd/internal/agentrig/model"
)

// claudeKey is no key of anybody. Its end is what Claude Code remembers as approved.
const claudeKey = "sk-ant-scripted-model-needs-no-key-0000"

func setupClaude(h *home) (start, error) {
	program, err := claudeProgram(h)
	if err != nil {
		return start{}, err
	}
	env, err := claudeSettings(h)
	return start{argv: []string{program}, env: env}, err
}

// misspelt is an event that no version knows.
const misspelt = "PermissionRequset"

// claudeSettings writes the settings that Claude Code has in all its forms, and gives what its environment has besides.
func claudeSettings(h *home) (env []string, err error) {
	err = h.write(".claude.json", obj{
		"theme": "dark", "numStartups": 20, "hasCompletedOnboarding": true,
		// One-shot offers that would be in front of what is asked for.
		"hasSeenAutoDefaultNudge": true, "hasSeenEffortMediumNudge": true,
		"customApiKeyResponses": obj{"approved": list{claudeKey[len(claudeKey)-20:]}, "rejected": list{}},
		"projects": obj{h.project.Dir: obj{
			"hasTrustDialogAccepted": !h.options.Untrusted, "hasCompletedProjectOnboarding": true, "allowedTools": list{},
		}},
		"mcpServers": obj{model.MCPServer: obj{"type": "stdio", "command": h.mcp[0], "args": h.mcp[1:]}},
	})
	if err != nil {
		return nil, err
	}
	mode := "default"
	if h.options.Plan {
		mode = "plan"
	}
	if h.options.Auto {
		mode = "auto"
	}
	// The preflight asks Anthropic whether a page may be fetched.
	allowed := list{}
	if h.options.Elicits != "" {
		allowed = append(allowed, "mcp__"+model.MCPServer)
	}
	settings := obj{"permissions": obj{"defaultMode": mode, "allow": allowed, "denyInsteadOfPrompting": h.options.Denies}, "skipWebFetchPreflight": true}
	h.addHook(settings, "PermissionRequest", 60)
	if h.options.Misspelt {
		settings["hooks"] = obj{misspelt: list{obj{"hooks": list{obj{"type": "command", "command": "true"}}}}}
	}
	if err := h.write(".claude/settings.json", settings); err != nil {
		return nil, err
	}
	if h.options.Fails {
		env = append(env, "CLAUDE_CODE_MAX_RETRIES=0")
	}
	if slices.Contains(h.options.Args, "--dangerously-skip-permissions") {
		env = append(env, "IS_SANDBOX=1") // as root it bypasses nothing elsewhere
	}
	return append(env,
		"ANTHROPIC_BASE_URL="+h.url, "ANTHROPIC_API_KEY="+claudeKey,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "DISABLE_ERROR_REPORTING=1",
	), nil
}

// claudeProgram is a link named claude to the program, which is native from 2.1 on. npm would make
// it with an install script.
func claudeProgram(h *home) (string, error) {
	target := h.native("@anthropic-ai/claude-code", "claude")
	if _, err := os.Stat(target); err != nil {
		target = h.module("@anthropic-ai", "claude-code", "cli.js")
	}
	link := filepath.Join(h.bin(), "claude")
	if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
		return "", err
	}
	return link, os.Symlink(target, link)
}
