package agents

import (
	"nod/detect/screen"
	"nod/internal/host/proc"
)

// opencode is OpenCode. Its dialogs were captured from 1.0.152 to 1.18.33, most from the latter.
var opencode = panelAgent(agent{
	name: "opencode",
	profile: Profile{
		About: "OpenCode marks the answer that Enter takes by its colour alone, and shows seven rows of a command, the rest cut " +
			"without a mark. Escape denies; what an MCP tool is called with is above the panel, if at all, without its lists and objects, and 1.0 asks " +
			"inside of the conversation, with a row of keys.",
		Yes:  "`Allow always` lasts until OpenCode is restarted.",
		Rule: Rule{"opencode.json", `{"permission": {"bash": {"%": "allow"}}}`}, // 1.18.33, below the entries that are there: the last that fits counts
	},
	program: proc.Program{Names: []string{"opencode"}, Packages: []string{"opencode-ai"}},
	environ: []string{"OPENCODE"}, // 1.18.33
	hooks:   panelHooks("opencode", "1.18.33"),
	signs:   signs{mark: func(l *screen.Layout) bool { return panelMark(l) && opencodeSays(l) && !kiloSays(l) }},
}, screen.Keys{Enter: true, Escape: true, Second: true}, screen.Session)

// opencodeSays reports whether a word on the screen is OpenCode's own.
var opencodeSays = shows(
	sign{holds: []string{"OpenCode", "tab agents  ctrl+p commands"}},
	sign{begins: []string{"▣  Build", "▣  Plan", "Build · ", "Plan · ", "# Shell command"}},
)
