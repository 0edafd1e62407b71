//go:build agents

package agentrig

import (
	"fmt"
	"slices"
	"strings"
)

func setupCodex(h *home) (start, error) {
	var toml strings.Builder
	if h.options.Auto {
		toml.WriteString("approvals_reviewer = \"auto_review\"\n")
	}
	fmt.Fprintf(&toml, `model = "gpt-5.4"
model_provider = "scripted"
approval_policy = "on-request"
sandbox_mode = "read-only"
check_for_update_on_startup = false
features.default_mode_request_user_input = true
[model_providers.scripted]
name = "scripted"
base_url = %q
wire_api = "responses"
env_key = "SCRIPTED_API_KEY"
request_max_retries = 1
stream_max_retries = 1
[analytics]
enabled = false
[mcp_servers.scripted]
command = %q
args = [%q]
`, h.url+"/v1", h.mcp[0], strings.Join(h.mcp[1:], " "))
	if !h.options.Untrusted {
		fmt.Fprintf(&toml, "[projects.%q]\ntrust_level = \"trusted\"\n", h.project.Dir)
	}
	if err := h.write(".codex/config.toml", toml.String()); err != nil {
		return start{}, err
	}
	s := start{
		argv: []string{h.module(".bin", "codex")},
		env:  []string{"SCRIPTED_API_KEY=none", "OPENAI_API_KEY=none"},
	}
	if !slices.Contains([]string{"0.61.0", "0.107.0"}, h.version) {
		// Its background server would outlive the pane.
		s.argv = append(s.argv, "--no-daemon")
	}
	if h.options.Server == Daemon {
		s.argv = []string{"sh", "-c", quote(s.argv[0]) + " app-server daemon start > /dev/null 2>&1; exec " + quote(s.argv[0])}
		return s, nil
	}
	if at := h.options.Server; at != "" {
		codex := quote(s.argv[0])
		s.argv = []string{"sh", "-c", "setsid " + codex + " app-server --listen " + at + " > /dev/null 2>&1 & sleep 5; exec " + codex + " --remote " + at}
		return s, nil
	}
	if h.options.Nod != "" {
		// A person reviews new hooks once, in /hooks.
		s.argv = append(s.argv, "--dangerously-bypass-hook-trust")
	}
	return s, nil
}
