package agents

import (
	"nod/detect/screen"
	"nod/internal/host/proc"
)

// gemini is the Gemini CLI. Its dialogs were captured from 0.17.1 to 0.61.0, most from the latter.
var gemini = agent{
	name: "gemini",
	profile: Profile{
		About: "Gemini CLI asks in a box, and a number answers at once. A long command is cut with a row that says how " +
			"many lines are hidden; it draws a prompt only when its hook has ended, and takes no answer from it (tried on 0.61.0); of a " +
			"check list it draws three rows at a time, so that boxes below these, and those of a list in which a label is wrapped, are " +
			"ticked at the terminal, and a list that has more answers than were seen is not sent from here (0.61.0).",
		Yes: "`Allow for this session` lasts for the session; of a change to a file it switches accepting edits on. " +
			"`Allow for all future sessions` lasts for good.",
	},
	policy:  policy{modes: []mode{yolo("YOLO Ctrl+Y")}, asks: []string{"Shift+Tab to "}}, // 0.61.0
	program: proc.Program{Names: []string{"gemini"}, Packages: []string{"@google/gemini-cli"}},
	environ: []string{"GEMINI_CLI"}, // 0.61.0
	hooks:   &geminiHooks,
	overlay: []cover{
		{"picker", picks(geminiDialog, "Tab to change focus, Esc to close", "Enter to select, Tab to change focus", "change focus, Esc to close", "Tab to configure scope"), nil},
		{"a list that somebody has scrolled", nil, geminiScrolled},
	},
	dialog:   geminiDialog,
	voice:    screen.Voice{Mark: "✦", Above: ">"},
	composer: screen.Input{Framed: ">!*", Open: ">!*", Within: 8, Hints: []string{"Type your message", "Type your shell command"}}.In,
	signs: signs{
		cut:      geminiCut,
		working:  shows(sign{within: screen.WorkRows, holds: []string{"(esc to cancel"}}, sign{within: screen.WorkRows, spins: true}),
		volatile: changes(sign{spins: true}, sign{holds: []string{"(esc to cancel"}}),
		mark:     geminiMark,
	},
	// Those that its users report.
	deadEnds: []deadEnd{
		limit(`(?:\[API Error: )?(?:Usage limit reached for|You have (?:reached|exhausted) your daily|You exceeded your current quota)`, `(?:Access resets at|Please retry in)`),
	},
}

// geminiSays reports whether the screen says that it is Gemini's; what geminiShares holds, Qwen's may say too.
var (
	geminiSays   = shows(sign{holds: []string{"GEMINI.md"}})
	geminiShares = shows(sign{
		holds: []string{"Gemini CLI", "No, suggest changes (esc)", "Allow execution of [", "Answer Questions", "workspace (/directory)", "Trust folder ("},
	})
)

func geminiMark(l *screen.Layout) bool { return geminiSays(l) || geminiShares(l) && !qwenMark(l) }

// geminiHooks are the hooks of Gemini.
var geminiHooks = Hooks{
	Settings: HookSettings{
		Folder: ".gemini", File: "settings.json", Form: Matchers, Matcher: "*", Timeout: 5000,
		Events: []string{"SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "Notification"},
	},
}
