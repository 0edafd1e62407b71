package agents

import (
	"slices"
	"strings"

	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/text/lazy"
)

// Gemini asks in a frame. Of a command the tool's row repeats it, which the pane may cut there, and a frame has all of it:
//
//	╭──────────────────────────────────╮      ╭─────────────────────────────────────────────╮
//	│ ? Shell  touch made.txt          │      │ Answer Questions                            │
//	│ ╭──────────────────────────────╮ │      │                                             │
//	│ │ touch made.txt               │ │      │ ← ✓ Colour │ □ Sizes │ ≡ Review →           │
//	│ ╰──────────────────────────────╯ │      │                                             │
//	│ Allow execution of [Shell]?      │      │ Which sizes do you want?                    │
//	│                                  │      │   1. [x] Small                              │
//	│ ● 1. Allow once                  │      │ ● 2. [ ] Large                              │
//	│   2. No, suggest changes (esc)   │      │   3. [ ] All of the above                   │
//	╰──────────────────────────────────╯      │                                             │
//	                                          │ Enter to select · ↑/↓ to navigate · …       │
//	                                          ╰─────────────────────────────────────────────╯
//
// Its questions are in gemini_questions.go. Qwen, its fork, has some of this too.

var geminiDialog = dialogs(geminiAsks, geminiTyped)

const (
	// geminiStatusRows are the most status rows that are below a dialog.
	geminiStatusRows = 5
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
			asks:  []string{"Allow ", "Apply ", "Do you want to "}, refusable: true,
			fix: func(d *screen.Dialog) string { return geminiCall(d, geminiHead(d)) },
		},
	},
}

// geminiTyped is a question without a list.
var geminiTyped = asking{titles: geminiTitles, shapes: []shape{{keys: []string{"Enter to submit"}, fits: geminiWords}}}

// geminiCut: for people whom a screen is read to, Gemini draws no box, and says in words which option is marked
// (gemini/0.61.0-run-reader-100x40), or shows the question alone (gemini/0.61.0-question-reader-100x40).
var geminiCut = cutOffBy(
	sign{within: 1, holds: []string{"Enter to select · ↑/↓ to navigate · Esc to cancel"}}, // gemini/0.61.0-question-100x9
	sign{begins: []string{"(checked) "}}, sign{within: 1, like: lazy.MustCompile(`^Question \d+ of \d+: `)},
)

// geminiCall places the confirmation of one tool call, headed by line head: by the first of the tools whose mark is there. Of any
// other tool the head is a part of the subject. Line -1 is a head that is not on the screen.
func geminiCall(d *screen.Dialog, head int) string {
	if screen.Starts(d.Question, "Apply this change") {
		d.Means = instead([]screen.Scope{screen.Session, screen.Always}, screen.Mode) // it switches accepting edits on
	}
	if head < 0 {
		return ""
	}
	end, last := min(d.ParagraphEnd(head), d.First-1), geminiLastOf(d)
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

// geminiHead is the line of a framed dialog that names the tool, with no other such line above it; -1: it is not on the screen.
func geminiHead(d *screen.Dialog) int {
	d.AnotherHead(func(i int) bool { return screen.Starts(strings.TrimLeft(d.Lines[i].Text, "│ "), "? ") })
	head := d.LineFrom(d.Top, min(d.Top+geminiHeading, d.First), func(i int) bool { return screen.Starts(d.Lines[i].Text, "? ") })
	if head < 0 {
		d.Doubt(reason.ToolUnseen)
	}
	return head
}

// geminiLastOf is the last line of what is called with: above the question, and above the agent's own note about redirection, right behind
// a command (gemini/0.34.0-run-100x40).
func geminiLastOf(d *screen.Dialog) int {
	for i := d.Asked - 1; i > d.Top && d.Lines[i].Kind == screen.Words; i-- {
		if d.Lines[i].Text == "Note: Command contains redirection which can be undesirable." && d.Lines[i-1].Kind == screen.Blank {
			return i - 1
		}
	}
	return d.Asked - 1
}

// geminiBelow reports whether a row may be below a dialog: a call that waits for its turn, which up to 0.17 is in the same frame
// (gemini/0.17.1-parallel-100x40), or a status row where the input box is not.
func geminiBelow(l *screen.Layout, row string) bool {
	if screen.Starts(row, "⊷ ") {
		return true
	}
	status := geminiStatus(l)
	return status != nil && slices.Contains(append(status, "Press Ctrl+O to show more lines", "Press ctrl-s to show more lines"), row)
}

// geminiStatus are the status rows that versions up to 0.34 have in place of the input box, from the lowest one up: under a rule, of which the
// lowest two name the folder (gemini/0.34.0-run-100x40), or under the row that says that it waits (gemini/0.17.1-run-100x40). nil: there are none.
func geminiStatus(l *screen.Layout) (status []string) {
	for i := len(l.Lines) - 1; i >= 0 && len(status) < geminiStatusRows; i-- {
		line := &l.Lines[i]
		waits := line.Spinner() && screen.Holds(line.Text, "Waiting for user confirmation") && len(status) > 0 && screen.Holds(status[0], "sandbox")
		switch {
		case line.Kind == screen.Edge, line.Begins(">!*"):
			return nil
		case line.Kind == screen.Words:
			status = append(status, line.Text)
		case line.Kind == screen.Rule && len(status) > 2 && screen.Starts(status[1], "workspace (/directory)"):
			return status
		}
		if waits {
			return status
		}
	}
	return nil
}
