//go:build agents

package model

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// toolNames are what agents call the tool of a kind, the surest first. One agent never offers two
// that mean different things under names of the same row.
var toolNames = map[kind][]string{
	shell:    {"Bash", "bash", "run_shell_command", "exec_command", "shell_command", "shell", "container.exec", "run_commands", "launch-process", "execute_command"},
	edit:     {"Edit", "edit", "replace", "edit_file", "str_replace", "str-replace-editor", "editor"},
	write:    {"Write", "write", "write_file", "create", "save-file", "editor"},
	read:     {"Read", "read", "read_file", "view", "read_files"},
	fetch:    {"WebFetch", "webfetch", "web_fetch", "FetchURL", "web-fetch", "fetch_web_content"},
	delegate: {"Task", "Agent", "task"},
	plan:     {"ExitPlanMode", "exit_plan_mode"},
	question: {"AskUserQuestion", "AskQuestion", "ask_user_question", "ask_user", "question", "request_user_input", "ask_question", "ask_followup_question"},
}

// patchTool is Codex's one tool for edits and new files. Versions that do not offer it take the same
// patch as a command.
const patchTool = "apply_patch"

// MCPTool is the tool that ServeMCP offers. Every agent puts the server's name before it in a way of
// its own.
const MCPTool = "append_line"

// MCPServer is the name under which agents know ServeMCP.
const MCPServer = "scripted"

// closeTool is with what Cline 2 wants to be told that a task is done, in place of words. Its result is what the person
// says next.
const closeTool = "attempt_completion"

// Some agents name rare tools only in words, to be looked up before they are called. These are the
// tools that look up, and the names to look for.
const (
	claudeSearch = "ToolSearch"
	qwenSearch   = "tool_search"
	qwenCall     = "tool_call" // calls a tool that was looked up
)

func isSearch(name string) bool { return name == claudeSearch || name == qwenSearch }

var hiddenNames = map[string]map[kind]string{
	claudeSearch: {fetch: "WebFetch", plan: "ExitPlanMode", question: "AskUserQuestion", mcp: "mcp__" + MCPServer + "__" + MCPTool},
	qwenSearch:   {fetch: "web_fetch", plan: "exit_plan_mode", question: "ask_user_question", mcp: "mcp__" + MCPServer + "__" + MCPTool},
}

// find is the offered tool of a kind.
func (r request) find(k kind) (tool, bool) {
	if k == mcp {
		i := slices.IndexFunc(r.tools, func(t tool) bool { return strings.Contains(t.name, MCPTool) })
		if i < 0 {
			return tool{}, false
		}
		return r.tools[i], true
	}
	for _, name := range toolNames[k] {
		if t, ok := r.named(name); ok {
			return t, true
		}
	}
	return tool{}, false
}

func (r request) named(name string) (tool, bool) {
	i := slices.IndexFunc(r.tools, func(t tool) bool { return t.name == name })
	if i < 0 {
		return tool{}, false
	}
	return r.tools[i], true
}

// call puts w into the words of the tools that the agent offers. at is the turn that asked.
func (r request) call(w want, at int) (toolCall, error) {
	if t, ok := r.find(w.kind); ok {
		return t.call(w.fields), nil
	}
	if w.kind == edit || w.kind == write {
		return r.patch(w)
	}
	for _, search := range []string{claudeSearch, qwenSearch} {
		if _, ok := r.named(search); ok {
			return r.hidden(search, w, at)
		}
	}
	return toolCall{}, fmt.Errorf("the agent offers no tool for %s", w.kind)
}

// patch is an edit or a new file for an agent that knows patches.
func (r request) patch(w want) (toolCall, error) {
	text := patchText(w)
	t, ok := r.named(patchTool)
	switch {
	case ok && t.custom:
		return toolCall{name: t.name, custom: text, isCustom: true}, nil
	case ok:
		return t.call(fields{"input": text}), nil
	}
	t, ok = r.find(shell)
	if !ok {
		return toolCall{}, fmt.Errorf("the agent offers no tool for %s", w.kind)
	}
	return t.call(fields{"command": patchTool + " <<'PATCH'\n" + text + "PATCH\n"}), nil
}

func patchText(w want) string {
	file := filepath.Base(w.fields["path"].(string))
	if w.kind == edit {
		return fmt.Sprintf("*** Begin Patch\n*** Update File: %s\n@@\n-%s\n+%s\n*** End Patch\n", file, w.fields["old"], w.fields["new"])
	}
	lines := strings.Split(strings.TrimSuffix(w.fields["content"].(string), "\n"), "\n")
	return fmt.Sprintf("*** Begin Patch\n*** Add File: %s\n+%s\n*** End Patch\n", file, strings.Join(lines, "\n+"))
}

// hidden looks a tool up, and calls it once that is done.
func (r request) hidden(search string, w want, at int) (toolCall, error) {
	name := hiddenNames[search][w.kind]
	switch {
	case name == "":
		return toolCall{}, fmt.Errorf("the agent offers no tool for %s", w.kind)
	case !r.searched(at) && search == claudeSearch:
		return toolCall{name: search, args: obj{"query": "select:" + name, "max_results": 5}}, nil
	case !r.searched(at):
		return toolCall{name: search, args: obj{"query": name}}, nil
	case search == claudeSearch:
		return toolCall{name: name, args: w.fields}, nil
	}
	return toolCall{name: qwenCall, args: obj{"name": name, "arguments": w.fields}}, nil
}

func (t tool) call(f fields) toolCall {
	if t.name == "task" { // OpenCode's and Kilo's sub-agent has a name of its own
		f = maps.Clone(f)
		f["agent"] = "general"
	}
	return toolCall{name: t.name, namespace: t.namespace, args: fillObject(t.schema, f)}
}

var planFile = regexp.MustCompile(`create your plan at (\S+?\.md)`)

// planFile is where Claude Code wants its plan to be written; empty where it names no file.
func (r request) planFile() string {
	said := r.system
	for _, t := range r.turns {
		said += "\n" + t.text
	}
	if m := planFile.FindStringSubmatch(said); m != nil {
		return m[1]
	}
	return ""
}
