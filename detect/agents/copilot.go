package agents

import (
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/reason"
)

// copilot is the GitHub Copilot CLI. Its dialogs were captured from 1.0.47 to 1.0.102, most from the latter.
var copilot = agent{
	name: "copilot",
	profile: Profile{
		About: "Copilot CLI takes a number at once, but its No opens a text field: nod denies with Escape, and there where words come with it. " +
			"A model of its own, its plans and all of 0.0.423 and before need an account, and were not tried; it draws a prompt only when its " +
			"hook has ended (tried on 1.0.102), so that no hook can wait for an answer; no page of its own reviews a set of questions, so " +
			"that what sends a check list on the last one sends the answers to all (1.0.102; 1.0.60 and 1.0.12 draw none).",
		Yes: "`Yes, and don't ask again for … in this repo` and `Yes, and approve … for the rest of the running " +
			"session` reach beyond this once.",
	},
	policy:   copilotPolicy,
	program:  proc.Program{Names: []string{"copilot"}, Packages: []string{"@github/copilot"}},
	environ:  []string{"COPILOT_CLI", "COPILOT_AGENT_SESSION_ID"}, // 1.0.102
	hooks:    &copilotHooks,
	overlay:  []cover{{"feedback is being typed", nil, copilotReject}, {"an answer is being typed", copilotAnswers, nil}},
	dialog:   dialogs(copilotAsks...),
	voice:    screen.Voice{Mark: "●", Col: 1, Above: "❯>", Tool: screen.BoldHead},
	composer: screen.Input{Ruled: "❯>", Hints: []string{"Enter @ to mention", "Describe a task"}}.In,
	signs: signs{
		// copilot/1.0.102-run-reader-100x40: the option that is marked is said in words, for people whom a screen is read to.
		cut:      cutOffBy(sign{within: 1, begins: []string{"↑/↓ to navigate · enter to select"}}),
		working:  shows(sign{within: screen.FooterRows, holds: []string{"esc interrupt", "Working ·", "esc esc edit prompt", "(Esc to cancel"}}),
		volatile: changes(sign{holds: []string{"Working ·", "esc interrupt"}}),
		mark: shows(sign{holds: []string{
			"tell Copilot", "Copilot needs information", "GitHub Copilot", "Copilot v", "[Current]  Sessions", "← open sidebar", "Manual Approval · ",
			"Confirm folder trust", "Allow directory access",
		}}),
	},
}

// copilotHooks are the hooks of Copilot. Of the events of 1.0.102 only permissionRequest, as hookName, and the notification have names.
var copilotHooks = Hooks{
	Unnamed: []FieldEvent{
		{"toolResult", "postToolUse"}, {"toolArgs", "preToolUse"}, {"stopReason", "agentStop"},
		{"prompt", "userPromptSubmitted"}, {"source", "sessionStart"},
	},
	Settings: HookSettings{
		Variable: "COPILOT_HOME", Folder: ".copilot", File: "settings.json", Form: Commands, Timeout: 5,
		Events: []string{"sessionStart", "userPromptSubmitted", "preToolUse", "permissionRequest", "postToolUse", "agentStop", "notification"},
	},
}

// copilotPolicy is that of Copilot: 1.0.102, which says so where it asks.
var copilotPolicy = policy{
	modes: []mode{{does: reason.RunsUnasked, name: "all tools allowed", args: []string{"--allow-all-tools", "--allow-all", "--yolo"}}},
	asks:  []string{"· Manual Approval ·"},
}
