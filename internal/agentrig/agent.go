// Package agentrig runs the real coding agents, in the versions named here, in panes of a private
// tmux server, against a scripted model on loopback. No account is needed, and no network but for
// the one npm install of each agent.
//
// It is how nod's claims about an agent are proven: what stands on its screen, which key does what,
// and what the agent then really did. The proof itself is the test with the build tag agents, which
// `make test-agents` runs and which writes docs/agents.md.
package agentrig

import (
	"fmt"
	"regexp"
	"runtime"

	"nod/internal/agentrig/model"
)

// Agent is one version of one coding agent that runs without an account.
type Agent struct {
	Name    string // as package detect names it
	Version string

	packages []npmPackage
	// setup writes the agent's settings into its home and says how it is started.
	setup func(h *home) (start, error)
	// ready is what stands on its screen when it takes an instruction.
	ready *regexp.Regexp
}

func (a Agent) String() string { return a.Name + "-" + a.Version }

// npmPackage is one thing to install, in a folder of its own inside the agent's.
type npmPackage struct {
	folder, name, version string
}

func (p npmPackage) String() string { return p.name + "@" + p.version }

// start is a command line and what its environment has beside HOME, PATH and the terminal.
type start struct {
	argv []string
	env  []string
}

// node22 runs the agents that want a newer node than many machines have.
var node22 = npmPackage{folder: "node", name: "node-linux-" + arch(), version: "22.23.3"}

// arch is this machine's processor in npm's words.
func arch() string {
	if runtime.GOARCH == "amd64" {
		return "x64"
	}
	return runtime.GOARCH
}

// Agents are all that can be run, every agent's newest version first.
func Agents() []Agent {
	own := func(name, version string) npmPackage { return npmPackage{name: name, version: version} }
	plugin := func(name, version string) npmPackage {
		return npmPackage{folder: "plugin", name: name, version: version}
	}
	var all []Agent
	for _, v := range []string{"2.1.329", "2.0.54", "1.0.128"} {
		all = append(all, Agent{
			Name: "claude", Version: v, packages: []npmPackage{own("@anthropic-ai/claude-code", v)},
			setup: setupClaude, ready: regexp.MustCompile(`(?m)^[ │]*[❯>]`),
		})
	}
	for _, v := range []string{"0.169.0", "0.61.0"} {
		all = append(all, Agent{
			Name: "codex", Version: v, packages: []npmPackage{own("@openai/codex", v)},
			setup: setupCodex, ready: regexp.MustCompile(`(?m)^[›▌]`),
		})
	}
	return append(all,
		Agent{
			Name: "opencode", Version: "1.18.33", setup: setupOpenCode, ready: regexp.MustCompile(`ctrl\+p`),
			packages: []npmPackage{own("opencode-ai", "1.18.33"), plugin("@opencode-ai/plugin", "1.18.33")},
		},
		Agent{
			Name: "kilo", Version: "7.7.9", setup: setupKilo, ready: regexp.MustCompile(`ctrl\+p`),
			packages: []npmPackage{own("@kilocode/cli-linux-"+arch(), "7.7.9")},
		},
		Agent{
			Name: "gemini", Version: "0.61.0", setup: setupGemini, ready: regexp.MustCompile(`Type your message`),
			packages: []npmPackage{own("@google/gemini-cli", "0.61.0"), node22},
		},
		Agent{
			Name: "qwen", Version: "0.24.4", setup: setupQwen, ready: regexp.MustCompile(`Type your message`),
			packages: []npmPackage{own("@qwen-code/qwen-code", "0.24.4"), node22},
		},
		Agent{
			Name: "copilot", Version: "1.0.102", setup: setupCopilot, ready: regexp.MustCompile(`Manual Approval`),
			packages: []npmPackage{own("@github/copilot", "1.0.102")},
		},
		Agent{
			Name: "continue", Version: "1.5.47", setup: setupContinue, ready: regexp.MustCompile(`Ask anything`),
			packages: []npmPackage{own("@continuedev/cli", "1.5.47"), node22},
		},
		Agent{
			Name: "pi", Version: "0.73.1", setup: setupPi, ready: regexp.MustCompile(`(?s)──.*` + model.Name),
			packages: []npmPackage{own("@mariozechner/pi-coding-agent", "0.73.1"), node22},
		},
	)
}

// Find is the agent of a name in a version; an empty version means the newest.
func Find(name, version string) (Agent, error) {
	for _, a := range Agents() {
		if a.Name == name && (version == "" || a.Version == version) {
			return a, nil
		}
	}
	return Agent{}, fmt.Errorf("there is no %s %s to run; Agents lists what there is", name, version)
}
