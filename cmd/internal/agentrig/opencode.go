//go:build agents

package agentrig

import (
	"os"
	"path/filepath"

	"nod/cmd/internal/agentrig/model"
)

// openCodeSettings are what OpenCode and its fork Kilo have in common. Without permission they ask
// for less.
func openCodeSettings(h *home) obj {
	return obj{
		// Kilo asks a question of its own where its first snapshot takes long.
		"autoupdate": false, "share": "disabled", "snapshot": false, "model": "scripted/" + model.Name, "small_model": "scripted/" + model.Name,
		"provider": obj{"scripted": obj{
			"npm": "@ai-sdk/openai-compatible", "name": "Scripted", "options": obj{"baseURL": h.url + "/v1", "apiKey": "none"},
			"models": obj{model.Name: obj{"name": "Script", "tool_call": true, "limit": obj{"context": 128000, "output": 8000}}},
		}},
		"permission": obj{"bash": "ask", "edit": "ask", "webfetch": "ask", model.MCPServer + "_*": "ask"},
		"mcp":        obj{model.MCPServer: obj{"type": "local", "command": h.mcp, "enabled": true}},
	}
}

func setupOpenCode(h *home) (start, error) {
	if err := h.write(".config/opencode/opencode.json", openCodeSettings(h)); err != nil {
		return start{}, err
	}
	// It installs this package into its settings folder at every start, and tries for a minute where
	// there is no network.
	plugin := filepath.Join(h.install, "plugin")
	if err := copyTree(filepath.Join(h.dir, ".config", "opencode"), plugin); err != nil {
		return start{}, err
	}
	// 1.0 downloads ripgrep where there is none; it lists the project's files with it.
	if err := os.MkdirAll(h.bin(), 0o755); err != nil {
		return start{}, err
	}
	if err := os.WriteFile(filepath.Join(h.bin(), "rg"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		return start{}, err
	}
	return start{
		argv: []string{h.native("opencode", "bin", "opencode")},
		env: []string{
			"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1",
			"OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_SHARE=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1",
		},
	}, nil
}

func setupKilo(h *home) (start, error) {
	if err := h.write(".config/kilo/kilo.json", openCodeSettings(h)); err != nil {
		return start{}, err
	}
	return start{
		argv: []string{h.native("@kilocode/cli", "bin", "kilo")},
		env: []string{
			"KILO_DISABLE_MODELS_FETCH=1", "KILO_DISABLE_AUTOUPDATE=1", "KILO_DISABLE_SHARE=1",
			"KILO_DISABLE_SESSION_INGEST=1", "KILO_TELEMETRY_LEVEL=off",
			"npm_config_fetch_retries=0", "npm_config_offline=true",
		},
	}, nil
}

// copyTree copies what npm installed below from into to.
func copyTree(to, from string) error {
	for _, name := range []string{"package.json", "package-lock.json"} {
		text, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		if err := writeFile(filepath.Join(to, name), string(text)); err != nil {
			return err
		}
	}
	return os.CopyFS(filepath.Join(to, "node_modules"), os.DirFS(filepath.Join(from, "node_modules")))
}
