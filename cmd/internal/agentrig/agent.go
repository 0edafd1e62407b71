//go:build agents

// Package agentrig runs the real coding agents, in the versions named here, in panes of a private
// tmux server, against a scripted model on loopback. No account is needed, and no network but for
// the one npm install of each agent.
//
// It is how nod's claims about an agent are proven: what is on its screen, which key does what,
// and what the agent then really did. `make test-agents` runs the proof and writes docs/agents.md.
//
// Nothing below this folder is part of nod: every file has the build tag agents, so no build sees it.
package agentrig

import (
	"fmt"
	"regexp"
	"runtime"

	"nod/cmd/internal/agentrig/model"
)

// Agent is one version of one coding agent that runs without an account.
type Agent struct {
	Name    string // as package detect names it
	Version string

	packages []npmPackage
	// setup writes the agent's settings into its home and says how it is started.
	setup func(h *home) (start, error)
	// ready is what is on its screen when it takes an instruction.
	ready *regexp.Regexp
	// greets is what it may ask before that; empty: nothing.
	greets greeting
}

// greeting is a page of an agent's first start, and the key that leaves it.
type greeting struct{ says, key string }

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

// Agents are all that can be run, every agent's newest version first, and then older ones: back for a year, where npm has
// them and they run without an account.
func Agents() []Agent {
	own := func(name string) func(version string) []npmPackage {
		return func(version string) []npmPackage { return []npmPackage{{name: name, version: version}} }
	}
	inNode22 := func(name string) func(version string) []npmPackage {
		return func(version string) []npmPackage { return []npmPackage{{name: name, version: version}, node22} }
	}
	var all []Agent
	add := func(name, ready string, setup func(h *home) (start, error), packages func(version string) []npmPackage, versions ...string) {
		for _, v := range versions {
			all = append(all, Agent{Name: name, Version: v, packages: packages(v), setup: setup, ready: regexp.MustCompile(ready)})
		}
	}
	greet := func(says, key string) { // says it of the agents that were added last
		for i := range all {
			if all[i].Name == all[len(all)-1].Name {
				all[i].greets = greeting{says, key}
			}
		}
	}
	add("claude", `(?m)^[ │]*[❯>]`, setupClaude, own("@anthropic-ai/claude-code"), "2.1.332", "2.1.330", "2.1.329", "2.1.166", "2.1.9", "2.0.54", "1.0.128")
	add("codex", `(?m)^[›▌]`, setupCodex, own("@openai/codex"), "0.171.0", "0.169.0", "0.107.0", "0.61.0")
	add("opencode", `ctrl\+p`, setupOpenCode, func(version string) []npmPackage {
		return append(own("opencode-ai")(version), npmPackage{folder: "plugin", name: "@opencode-ai/plugin", version: version})
	}, "1.18.33", "1.3.2", "1.0.152")
	add("kilo", `ctrl\+p`, setupKilo, own("@kilocode/cli-linux-"+arch()), "7.7.9", "7.7.2", "7.0.33")
	add("gemini", `Type your message`, setupGemini, inNode22("@google/gemini-cli"), "0.61.0", "0.34.0", "0.17.1")
	add("qwen", `Type your message`, setupQwen, inNode22("@qwen-code/qwen-code"), "0.24.4", "0.12.0", "0.5.0")
	add("copilot", `Manual Approval|/ commands|shift\+tab switch mode`, setupCopilot, own("@github/copilot"), "1.0.102", "1.0.60", "1.0.12")
	add("kimi", `context: `, setupKimi, inNode22("@moonshot-ai/kimi-code"), "2.1.0", "0.43.1", "0.10.0")
	greet("Trust this folder?", "Enter")
	add("cline", `What can I do for you`, setupCline, own("@cline/cli-linux-"+arch()), "3.0.65", "3.0.57")
	add("cline", `What can I do for you`, setupCline2, inNode22("cline"), "2.18.0")
	greet("ClinePass", "Escape")
	add("auggie", `to show shortcuts`, setupAuggie, inNode22("@augmentcode/auggie"), "0.36.0", "0.25.2", "0.16.1")
	greet("Press return to continue", "Escape")
	add("continue", `Ask anything`, setupContinue, inNode22("@continuedev/cli"), "1.5.47", "1.5.26", "1.5.11")
	add("pi", `(?s)──.*`+model.Name, setupPi, inNode22("@earendil-works/pi-coding-agent"), "1.6.0", "0.87.1")
	add("pi", `(?s)──.*`+model.Name, setupPi, inNode22("@mariozechner/pi-coding-agent"), "0.73.1", "0.62.0", "0.32.3")
	return all
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
