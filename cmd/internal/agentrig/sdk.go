//go:build agents

package agentrig

import (
	"os"
	"path/filepath"
)

// agentSDK is the Claude Agent SDK, in the program that docs/agent-sdk.md shows.
func agentSDK() Agent {
	const version = "0.3.332"
	return Agent{
		Name: "claude-agent-sdk", Version: version, setup: setupAgentSDK,
		packages: []npmPackage{{name: "@anthropic-ai/claude-agent-sdk", version: version}},
	}
}

// agentSDKProgram is the program, as everybody may copy it.
const agentSDKProgram = "../../../docs/agent-sdk.mjs"

func setupAgentSDK(h *home) (start, error) {
	text, err := os.ReadFile(agentSDKProgram)
	if err != nil {
		return start{}, err
	}
	app := filepath.Join(h.dir, "app")
	program := filepath.Join(app, filepath.Base(agentSDKProgram))
	if err := writeFile(program, string(text)); err != nil {
		return start{}, err
	}
	if err := os.Symlink(h.module(), filepath.Join(app, "node_modules")); err != nil {
		return start{}, err
	}
	node, err := h.node()
	if err != nil {
		return start{}, err
	}
	env, err := claudeSettings(h)
	return start{argv: []string{node, program}, env: env}, err
}
