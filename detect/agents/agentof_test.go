package agents

import (
	"strings"
	"testing"

	"nod/internal/host/proc"
)

func TestAgentOf(t *testing.T) {
	for _, c := range []struct{ comm, exe, args, want string }{
		{"claude", "/home/u/.local/share/claude/versions/2.1.329/claude", "claude", "claude"},
		{"claude", "/usr/bin/node", "claude", "claude"}, // node program that sets its own title
		{"node", "/usr/bin/node", "node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js --continue", "claude"},
		{"node", "/usr/bin/node", "node /usr/local/bin/claude", "claude"},
		{"node", "/usr/bin/node", "node --max-old-space-size=4096 /usr/lib/node_modules/@openai/codex/bin/codex.js", "codex"},
		{"codex", "/x/node_modules/@openai/codex-linux-x64/vendor/codex/codex", "/x/codex resume", "codex"},
		{"node", "/usr/bin/node", "node /usr/bin/gemini", "gemini"},
		{"node", "/usr/bin/node", "/usr/bin/node --no-warnings=DEP0040 /opt/node_modules/@google/gemini-cli/dist/index.js", "gemini"},
		{"node", "/usr/bin/node", "node /opt/node_modules/@qwen-code/qwen-code/cli.js", "qwen"},
		{"MainThread", "/usr/bin/node", "node /opt/node_modules/@github/copilot/index.js", "copilot"},
		{"copilot", "", "", "copilot"},
		{"opencode", "/root/.opencode/bin/opencode", "opencode", "opencode"},
		{"kilo", "/x/node_modules/@kilocode/cli/bin/kilo", "kilo", "kilo"},
		{"node", "/home/u/.local/share/cursor-agent/versions/2026.09/node", "/home/u/.local/bin/cursor-agent --use-system-ca /home/u/.local/share/cursor-agent/versions/2026.09/index.js", "cursor"},
		{"kiro-cli-chat", "/home/u/.local/bin/kiro-cli-chat", "kiro-cli-chat chat", "kiro-cli"},
		{"node", "/usr/bin/node", "node /usr/bin/auggie", "auggie"},
		{"node", "/usr/bin/node", "node /usr/bin/cn", "continue"},
		{"python3", "/usr/bin/python3.12", "/usr/bin/python3 /home/u/.local/bin/aider --model x", "aider"},
		{"python3", "/usr/bin/python3.12", "python3 -m aider", "aider"},
		{"goose", "/usr/local/bin/goose", "goose session", "goose"},
		{"pi", "/usr/bin/node", "pi", "pi"},
		{"sh", "/usr/bin/dash", "sh /home/u/bin/claude", "claude"},

		{"vim", "/usr/bin/vim", "vim claude.md", ""},
		{"grep", "/usr/bin/grep", "grep codex README.md", ""},
		{"node", "/usr/bin/node", "node server.js codex", ""},
		{"node", "/usr/bin/node", "node claude.js", ""},
		{"node", "/usr/bin/node", "node -e claude", ""},
		{"bash", "/usr/bin/bash", "-bash", ""},
		{"less", "/usr/bin/less", "less /usr/lib/node_modules/@openai/codex/README.md", ""},
		{"tail", "/usr/bin/tail", "tail -f gemini", ""},
		{"ssh", "/usr/bin/ssh", "ssh host claude", ""},
		{"python3", "/usr/bin/python3", "python3 -c aider", ""},
		{"", "", "", ""},
	} {
		ps := []proc.Process{{Comm: "sleep", Exe: "/usr/bin/sleep", Args: []string{"sleep", "1"}}, {ID: proc.ID{PID: 7}, Comm: c.comm, Exe: c.exe, Args: strings.Fields(c.args)}}
		got, p, ok := Of(ps)
		if got != c.want || ok != (c.want != "") || ok && p.PID != 7 {
			t.Errorf("%s (%s): %q %v, want %q", c.args, c.exe, got, ok, c.want)
		}
	}
	if _, _, ok := Of(nil); ok {
		t.Error("an agent without a process")
	}
}

// TestWhatRunsAnAgentElsewhereIsTheAgents: a container, another machine, another user.
func TestWhatRunsAnAgentElsewhereIsTheAgents(t *testing.T) {
	own := proc.Process{ID: proc.ID{PID: 10, Start: 1}, Exe: "/usr/bin/node", Args: []string{"node", "/usr/bin/gemini", "--sandbox"}}
	for _, c := range []struct {
		exe   string
		args  []string
		other bool
	}{
		{"/usr/bin/docker", []string{"docker", "run", "-i", "-t", "--name", "gemini-cli-0.61.0-0", "us-docker.pkg.dev/gemini-code-dev/gemini-cli/sandbox:0.61.0"}, false},
		{"/usr/bin/ssh", []string{"ssh", "-t", "dev", "gemini"}, false},
		{"/usr/bin/sudo", []string{"sudo", "-u", "agent", "gemini"}, false},
		{"/usr/bin/docker", []string{"docker", "run", "-it", "debian"}, true},
		{"/usr/bin/ssh", []string{"ssh", "dev"}, true},
		{"/usr/bin/git", []string{"git", "commit", "-m", "gemini"}, true},
	} {
		child := proc.Process{ID: proc.ID{PID: 11, Start: 2}, Parent: 10, Exe: c.exe, Args: c.args}
		if others := Others("gemini", own.ID, []proc.Process{own, child}); len(others) > 0 != c.other {
			t.Errorf("%q: %+v", c.args, others)
		}
	}
}
