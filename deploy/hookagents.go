package deploy

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Place is where agents keep their settings on this machine.
type Place struct {
	Home string
	// Getenv reads the environment: some agents let it move their folder.
	Getenv func(string) string
	// Version runs `AGENT --version` and returns what it printed; empty where it can't be known.
	Version func(agent string) string
}

// HookAgents lists the agents whose hooks are proven to fire, sorted.
func HookAgents() []string {
	return []string{"claude", "codex", "copilot", "gemini", "kilo", "opencode", "qwen"}
}

// HookFor returns the hook of one of HookAgents; ok is false for any other name.
func HookFor(agent string, at Place) (h Hook, ok bool) {
	h.Agent = agent
	switch agent {
	case "claude":
		h.Path = filepath.Join(folder(at, "CLAUDE_CONFIG_DIR", ".claude"), "settings.json")
		h.edit = jsonHooks{claudeEvents(at.Version(agent)), matcherEntry("", 5)}
	case "codex":
		h.Path = filepath.Join(folder(at, "CODEX_HOME", ".codex"), "hooks.json")
		h.Note = "Codex asks once to review new hooks: open /hooks in it and trust them"
		h.edit = jsonHooks{[]string{
			"SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "Stop", "SessionEnd",
		}, matcherEntry("", 5)}
	case "gemini":
		h.Path = filepath.Join(at.Home, ".gemini", "settings.json")
		h.edit = jsonHooks{[]string{
			"SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "Notification",
		}, matcherEntry("*", 5000)}
	case "qwen":
		h.Path = filepath.Join(at.Home, ".qwen", "settings.json")
		h.edit = jsonHooks{[]string{
			"SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "Stop", "Notification",
		}, matcherEntry("*", 5000)}
	case "copilot":
		h.Path = filepath.Join(folder(at, "COPILOT_HOME", ".copilot"), "settings.json")
		h.edit = jsonHooks{[]string{
			"sessionStart", "userPromptSubmitted", "preToolUse", "permissionRequest", "postToolUse", "agentStop", "notification",
		}, copilotEntry}
	case "opencode", "kilo":
		h.Path = filepath.Join(folder(at, "XDG_CONFIG_HOME", ".config"), agent, "plugin", "nod.js")
		h.edit = pluginHooks{agent}
	default:
		return Hook{}, false
	}
	return h, true
}

// folder is the folder that the variable names, else the one in the home directory.
func folder(at Place, variable, name string) string {
	if dir := at.Getenv(variable); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(at.Home, name)
}

// claudeEvents are the events that this version of Claude Code knows. An unknown one makes 2.0.54 drop
// every hook in the file, so a version that can't be read gets those of 2.0, not later ones.
func claudeEvents(version string) []string {
	events := []string{
		"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Notification", "Stop", "SubagentStop", "SessionEnd",
	}
	major, minor, ok := parseVersion(version)
	if !ok || major >= 2 {
		events = slices.Insert(events, 3, "PermissionRequest")
	}
	if ok && (major > 2 || major == 2 && minor >= 1) {
		events = append(events, "PostToolUseFailure")
	}
	return events
}

// parseVersion reads the leading numbers of "2.1.329 (Claude Code)".
func parseVersion(s string) (major, minor int, ok bool) {
	parts := strings.SplitN(strings.TrimSpace(s), ".", 3)
	if len(parts) < 3 {
		return 0, 0, false
	}
	major, errMajor := strconv.Atoi(parts[0])
	minor, errMinor := strconv.Atoi(parts[1])
	return major, minor, errMajor == nil && errMinor == nil
}
