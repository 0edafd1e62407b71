package agents

import (
	"slices"
	"strings"

	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/reason"
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
	policy:  yolo("YOLO Ctrl+Y", "Shift+Tab to "), // 0.61.0
	program: proc.Program{Names: []string{"gemini"}, Packages: []string{"@google/gemini-cli"}},
	environ: []string{"GEMINI_CLI"}, // 0.61.0
	hooks:   &geminiHooks,
	overlay: []cover{
		{"picker", picks(geminiDialog, "Tab to change focus, Esc to close", "Enter to select, Tab to change focus", "change focus, Esc to close"), nil},
		{"a list that somebody has scrolled", func(l *screen.Layout) bool { d, _ := geminiScrolled(l); return d != nil }, geminiDone},
	},
	dialog:   geminiDialog,
	voice:    screen.Voice{Mark: "✦", Above: ">"},
	composer: screen.Input{Framed: ">!*", Open: ">!*", Within: 8, Hints: []string{"Type your message", "Type your shell command"}}.In,
	signs: signs{
		working:  shows(sign{within: screen.WorkRows, holds: []string{"(esc to cancel"}}, sign{within: screen.WorkRows, spins: true}),
		volatile: changes(sign{spins: true}, sign{holds: []string{"(esc to cancel"}}),
		mark:     geminiMark,
	},
	// Those that its users report.
	deadEnds: []deadEnd{
		limit(`(?:\[API Error: )?(?:Usage limit reached for|You have (?:reached|exhausted) your daily|You exceeded your current quota)`, `(?:Access resets at|Please retry in)`),
	},
}

const (
	// geminiStatus are the status rows below a dialog.
	geminiStatus = 5
	// geminiHeading are the rows of a dialog in which the tool is named: a heading and a blank row may be above it.
	geminiHeading = 4
)

var (
	geminiTitles = []string{"Action Required", "Answer Questions"}
	geminiTools  = []verb{ // and its fork's
		{head: "? Shell ", below: true}, {head: "?  Shell ", below: true},
		{head: "? WriteFile  Writing to ", verb: "edit"}, {head: "?  WriteFile Writing to ", verb: "edit"}, {head: "? WriteFile Writing to ", verb: "edit"},
		{head: "? Edit  ", verb: "edit"}, {head: "?  Edit ", verb: "edit"}, {head: "? Edit ", verb: "edit"},
		{head: `?  WebFetch Processing URLs and instructions from prompt: "`, verb: "fetch", below: true},
		{head: "?  WebFetch ", verb: "fetch"}, {head: "? WebFetch ", verb: "fetch"},
		{head: "? ", verb: "use"},
	}
)

var geminiDialog = dialogs(geminiAsks, geminiTyped)

// geminiAsks: the number of a row chooses it at once, Escape denies in every shape.
var geminiAsks = asking{
	menu: screen.Numbered, cursor: "●", framed: true, titles: geminiTitles,
	asks:  []string{"Allow execution of [Shell]?", "Apply this change?", "Do you want to proceed?"},
	below: geminiBelow,
	shapes: []shape{
		{Shape: trust(screen.Keys{Enter: true}), titled: trustTitles},
		{fits: geminiAsk},
		{
			Shape: screen.Shape{Name: "tool_confirmation", State: screen.Permission, Keys: screen.Keys{Digits: true, Enter: true, Escape: true}},
			asks:  []string{"Allow ", "Apply ", "Do you want to "}, refusable: true, fix: geminiTool,
		},
	},
}

// geminiTool is the confirmation of one tool call.
func geminiTool(d *screen.Dialog) string {
	return geminiCall(d, geminiHead(d), geminiNotes(d))
}

// geminiCall places the confirmation of one tool call, headed by line head: by the first of the tools whose mark is there. Of any
// other tool the head is a part of the subject. Line -1 is a head that is not on the screen. What is called with ends above line notes,
// where the agent's own notes about it begin; 0: there are none.
func geminiCall(d *screen.Dialog, head, notes int) string {
	if screen.Starts(d.Question, "Apply this change") {
		d.Means = instead([]screen.Scope{screen.Session, screen.Always}, screen.Mode) // it switches accepting edits on
	}
	if head < 0 {
		return ""
	}
	end, last := min(d.ParagraphEnd(head), d.First-1), d.Asked-1
	if notes > d.Top && notes < d.Asked {
		last = notes - 1
	}
	tool := called(d, head, geminiTools)
	if tool.below && d.HasWords(end+1, last) {
		d.Place(screen.Subject, end+1, last)
		d.Place(screen.Repeat, head, end)
		return tool.verb
	}
	d.Place(screen.Subject, head, d.Asked-1)
	d.Place(screen.Subject, d.AskedEnd+1, d.First-1)
	return tool.verb
}

// geminiBelow reports whether a row may be below a dialog: a call that waits for its turn, which up to 0.17 is in the same frame
// (gemini/0.17.1-parallel-100x40), or a status row where the input box is not, as up to 0.34: under a rule, of which the lowest two name the
// folder (gemini/0.34.0-run-100x40), or under the row that says that it waits (gemini/0.17.1-run-100x40).
func geminiBelow(l *screen.Layout, row string) bool {
	if screen.Starts(row, "⊷ ") {
		return true
	}
	var below []string
	for i := len(l.Lines) - 1; i >= 0 && len(below) < geminiStatus; i-- {
		line := &l.Lines[i]
		waits := line.Spinner() && screen.Holds(line.Text, "Waiting for user confirmation") && len(below) > 0 && screen.Holds(below[0], "sandbox")
		switch {
		case line.Kind == screen.Edge || line.Kind == screen.Words && line.Begins(">!*"):
			return false
		case line.Kind == screen.Words:
			below = append(below, line.Text)
		}
		if waits || line.Kind == screen.Rule && len(below) > 2 && screen.Starts(below[1], "workspace (/directory)") {
			return slices.Contains(append(below, "Press Ctrl+O to show more lines", "Press ctrl-s to show more lines"), row)
		}
	}
	return false
}

// geminiNotes is the line of Gemini's note about redirection, right behind a command (gemini/0.34.0-run-100x40); 0: there is none.
func geminiNotes(d *screen.Dialog) int {
	for i := d.Asked - 1; i > d.Top && d.Lines[i].Kind == screen.Words; i-- {
		if d.Lines[i].Text == "Note: Command contains redirection which can be undesirable." && d.Lines[i-1].Kind == screen.Blank {
			return i
		}
	}
	return 0
}

// geminiHead is the line of a framed dialog that names the tool, with no other such line above it; -1: it is not on the screen.
func geminiHead(d *screen.Dialog) int {
	d.AnotherHead(func(i int) bool { return screen.Starts(strings.TrimLeft(d.Lines[i].Text, "│ "), "? ") })
	head := d.LineFrom(d.Top, min(d.Top+geminiHeading, d.First), func(i int) bool { return screen.Starts(d.Lines[i].Text, "? ") })
	if head < 0 {
		d.Doubt(reason.ToolUnseen)
	}
	return head
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
	Events: map[string]EventKind{
		"sessionstart": Started, "beforeagent": Submitted, "beforetool": Before, "aftertool": Ran, "afteragent": Stopped,
		"sessionend": Ended,
	},
	Dialogs: map[string]bool{"toolpermission": true},
	Message: "message",
	Settings: HookSettings{
		Folder: ".gemini", File: "settings.json", Form: Matchers, Matcher: "*", Timeout: 5000,
		Events: []string{"SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "Notification"},
	},
}
