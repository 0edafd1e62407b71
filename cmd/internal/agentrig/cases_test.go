//go:build agents

package agentrig

import (
	"slices"

	"nod/cmd/internal/agentrig/model"
)

// proofCase is one prompt of one agent, and what nod has to make of it.
type proofCase struct {
	scenario string
	subject  string // is in what nod says is asked about
	hidden   bool   // can't be on the screen as a whole
	late     bool   // may not be on the screen at all
	question bool   // no permission for one invocation: y and n have no key
	pair     bool   // two commands, asked one after the other
	options  Options
}

// late are the versions that draw their panel before they know what is called, and often leave it so
// (opencode/1.3.2-run-100x40). What can't be seen is approved unseen, or not at all.
var late = []string{"opencode-1.3.2", "kilo-7.0.33"}

// trust is no scenario: the agent asks by itself, before it takes an instruction.
const trust = "trust"

// cases are the prompts that an agent can be brought to show.
func cases(a Agent) []proofCase {
	all := []proofCase{
		{scenario: "run", subject: model.RanFile("run")},
		{scenario: "lines", subject: model.RanFile("lines")},
		{scenario: "wide", subject: "word"},
		{scenario: "tall", subject: "step", hidden: true},
		{scenario: "edit", subject: model.EditFile},
		{scenario: "write", subject: "write-"},
		{scenario: "read", subject: "/etc"},
		{scenario: "fetch", subject: "127.0.0.1"},
		{scenario: "mcp", subject: "append"},
		{scenario: "parallel", pair: true},
		{scenario: "chain", pair: true},
		{scenario: "question", question: true, subject: "colour"},
		{scenario: "plan", question: true, options: Options{Plan: true}},
		{scenario: trust, question: true, subject: "trust", options: Options{Untrusted: true}},
	}
	for i := range all {
		all[i].options.Width, all[i].options.Height = 100, 40
	}
	all = append(all, proofCase{scenario: "run", subject: "rm", options: Options{Width: 50, Height: 30}})
	for i := range all {
		all[i].late = slices.Contains(late, a.String())
		if all[i].hidden && a.String() == "pi-1.6.0" { // it draws no option of a dialog that is taller than the pane
			all[i].question = true
		}
	}
	return slices.DeleteFunc(all, func(c proofCase) bool { return slices.Contains(lacks(a), c.scenario) })
}

// lacks are the scenarios that an agent has no tool for, or never asks about.
func lacks(a Agent) []string {
	switch a.Name {
	case "claude":
		if a.Version == "1.0.128" {
			return []string{"question"}
		}
		if a.Version == "2.0.54" {
			return []string{"tall"} // runs a long script of echos unasked
		}
		return nil
	case "codex":
		if a.Version == "0.61.0" {
			return []string{"read", "fetch", "plan", "question", "mcp", trust} // it runs MCP tools unasked
		}
		if a.Version == "0.107.0" {
			return []string{"read", "fetch", "plan", "mcp"}
		}
		return []string{"read", "fetch", "plan"}
	case "gemini", "qwen":
		if a.Version == "0.17.1" {
			return []string{"read", "plan", "question"} // it has no tool for one
		}
		return []string{"read", "plan"}
	case "copilot":
		return []string{"fetch", "plan"}
	case "continue":
		if a.Version == "1.5.11" {
			return []string{"read", "fetch", "plan", "question", trust}
		}
		return []string{"read", "fetch", "plan", trust}
	case "kimi":
		return []string{"edit", "write", "read", "fetch", "plan", trust} // inside of its folder it asks for no file
	case "cline":
		if a.Version == "2.18.0" {
			return []string{"edit", "write", "read", "fetch", "plan", trust} // its Save says not that it is for once
		}
		return []string{"read", "fetch", "plan", trust}
	case "auggie":
		return []string{"read", "question", "plan", trust} // with a rule for reading it would ask before an edit too
	case "pi":
		return []string{"edit", "write", "read", "fetch", "mcp", "plan", "question", trust}
	}
	if slices.Contains(late, a.String()) {
		return []string{"parallel", "chain", "plan", trust} // which of two is asked about can't be told
	}
	if a.String() == "opencode-1.0.152" {
		return []string{"mcp", "question", "plan", trust} // it runs MCP tools unasked
	}
	return []string{"plan", trust}
}
