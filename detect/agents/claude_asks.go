package agents

import (
	"slices"

	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/text/lazy"
)

// Claude asks below a line across the pane, in older versions in a frame. From 2.1 on two broken lines are around a command:
//
//	──────────────────────────────────         ╭─────────────────────────────────╮
//	 Bash command                              │ Bash command                    │    the title
//	                                           │                                 │
//	 Create a file                             │   touch made.txt                │
//	╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌         │   Create a file                 │    the subject
//	 touch made.txt                            │                                 │
//	╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌         │                                 │
//	 Do you want to proceed?                   │ Do you want to proceed?         │    the question
//	 ❯ 1. Yes                                  │ ❯ 1. Yes                        │
//	   2. No                                   │   2. No, and tell Claude (esc)  │
//	                                           ╰─────────────────────────────────╯
//	 Esc to cancel · Tab to amend

var claudeDialog = dialogs(claudeUnlisted, claudeAsks)

// claudeKeys: a digit takes its row at once, Enter the marked one, Escape denies in every shape.
var claudeKeys = screen.Keys{Digits: true, Enter: true, Escape: true}

// claudeTitles head its dialogs, claudeSentences are those that it asks.
var (
	claudeTitles = []string{
		"Bash command", "Bash command (unsandboxed)", "Read file", "Edit file", "Create file", "Overwrite file", "Edit notebook", "Fetch", "Web Search", "Web search", "Tool use",
	}
	claudeSentences = []string{
		"Do you want to proceed?", "Do you want to create %?", "Do you want to overwrite %?", "Do you want to make this edit to %?",
		"Do you want to allow Claude to fetch this content?", "Allow this read?", "Would you like to proceed?", "Exit plan mode?",
	}
)

// claudeAsks are the dialogs with answers: those of a first start, questions of the model and its plans, what an MCP server asks for, and the
// confirmation of one tool call.
var claudeAsks = asking{
	menu: screen.Numbered | screen.Pointed, below: claudeBelow, titles: claudeTitles, asks: claudeSentences, fits: claudePoints,
	shapes: []shape{
		{Shape: screen.Shape{Name: "setup", State: screen.Question, Keys: claudeKeys, Means: otherwise}, fits: claudeStarts},
		{Shape: trust(claudeKeys), titled: []string{"Accessing workspace", "Quick safety check", "Do you trust the files"}},
		{Shape: screen.Shape{Name: "settings_error", State: screen.Question, Keys: screen.Keys{Digits: true}, Means: otherwise}, fits: claudeInvalid},
		{ // digits do nothing here, and Enter takes a row that leaves
			Shape:  screen.Shape{Name: "bypass_warning", State: screen.Question, Verb: "accept", Keys: screen.Keys{Enter: true, Escape: true}, Means: claudeModes},
			titled: []string{"WARNING: Claude Code running in Bypass Permissions mode"},
		},
		{fits: claudeAsk},
		{Shape: claudePlans, fits: claudePlan},
		{Shape: screen.Shape{Name: "elicitation", State: screen.Question, Keys: claudeKeys}, titled: []string{"requests your input"}},
		{
			Shape: screen.Shape{Name: "consent", State: screen.Question, Keys: claudeKeys, Means: (*screen.Entry).Lasting, Encloses: true},
			fits:  claudeConsents, verbs: claudeVerbs, fix: claudeSubject,
		},
		{
			Shape: screen.Shape{Name: "tool_confirmation", State: screen.Permission, Keys: claudeKeys, Encloses: true},
			fits:  claudeTool, verbs: claudeVerbs, fix: claudeSubject,
		},
	},
}

// claudeBelow: a dialog may be taller than the window, and says so above its footer. 2.1.10 has the last answer to
// a question below a line of its own, without a number; 2.0.54 what sends a check list.
var claudeBelow = rowLike(`^(?:❯ *)?(?:Chat about this|Submit|Next)$|^↑ \d+ more lines?$|^Auto-selecting in `)

// claudeMore is the row above the keys in which a dialog says that it is taller than its window.
var claudeMore = sign{within: screen.StatusRows, like: lazy.MustCompile(`^↑ \d+ more lines?$`)}

// claudeCut: for people whom a screen is read to, Claude draws no cursor, and has a number typed below the options
// (claude/2.1.332-run-reader-100x40).
var claudeCut = cutOffBy(claudeMore, sign{within: screen.FooterRows, begins: []string{"Select with numbers ["}}) // claude/2.1.332-run-100x9

// claudePoints reports whether the mark is on an answer, or on a row below the numbered ones.
func claudePoints(d *screen.Dialog) bool {
	marked := func(i int) bool { return d.Lines[i].Begins("❯") }
	return d.PointedBy("❯") || d.LineFrom(d.Last+1, d.End+1, marked) >= 0
}

// The first start.

// claudeStarts is one of the lists at the very first start, which have no footer: how it looks, and who pays.
func claudeStarts(d *screen.Dialog) bool {
	return claudeHeaded(d, "Select login method", "To change this later, run /theme", "Choose the text style") &&
		d.Footer == "" && !d.HasWords(d.Asked+1, d.First-1)
}

// claudeInvalid says at the start that a settings file is not valid (2.1.9), or a part of it is not (2.1.166, 2.1.330). What has a
// permission's answers is one, of a command that prints the same head.
func claudeInvalid(d *screen.Dialog) bool {
	answers := func(e screen.Entry) bool { return screen.Starts(e.Label, "Yes", "No") }
	return !slices.ContainsFunc(d.Entries, answers) && claudeHeaded(d, "Settings Error", "Settings Warning")
}

// claudeHeaded begins a dialog with the nearest row above its options that begins so, and makes it the question. It reports whether there is
// one.
func claudeHeaded(d *screen.Dialog, heads ...string) bool {
	i := d.LineAbove(func(i int) bool { return screen.Starts(d.Lines[i].Text, heads...) })
	if i < d.Top {
		return false
	}
	d.Ask(i, i)
	d.BeginAt(i)
	return true
}

// claudeModes is the scope of an option where any yes switches a mode.
func claudeModes(e *screen.Entry) screen.Scope {
	if e.Agrees() {
		return screen.Mode
	}
	return e.Scope
}

// The confirmation of one tool call.

// claudeTool is the confirmation of one tool call: title, subject, question, answers, footer.
func claudeTool(d *screen.Dialog) bool {
	switch {
	case d.Question == "" || d.AboveBlanks(d.First-1, d.AskedEnd) > d.AskedEnd: // the answers are right below it
		return false
	case d.MarkCol < 1 && d.Footer == "" || screen.Holds(d.Footer, "to navigate"):
		return false
	}
	return d.Refusable() || screen.Holds(d.Footer, "Esc to cancel", "Esc to exit")
}

// claudeConsents is a confirmation that is for longer than one call.
func claudeConsents(d *screen.Dialog) bool {
	return screen.Holds(d.Question, "API key", "trust") && claudeTool(d)
}

// claudeVerbs are what Claude asks for, by its questions and titles.
var claudeVerbs = []verb{
	{head: "Edit notebook", asks: "make this edit to", verb: "edit"}, {asks: "want to create ", verb: "create"}, {asks: "want to overwrite ", verb: "overwrite"},
	{head: "Fetch", asks: "fetch this content", verb: "fetch"}, {head: "Read", asks: "Allow this read", verb: "read"}, {head: "Web search", verb: "search"},
	{head: "Web Search", verb: "search"}, {head: "Tool use", verb: "use"},
}

// claudeFree are the columns that the broken lines around a command may leave free at the right.
const claudeFree = 2

// claudeSubject places what is between the title and the question. From 2.1 on a command is between two broken lines, and
// what Claude says of it around them; in older versions nothing sets the two apart.
func claudeSubject(d *screen.Dialog) string {
	if claudeMore.on(d.Layout) >= 0 {
		d.Doubt(reason.TallDialog)
	}
	if d.Frame() == nil {
		d.AnotherHead(d.RuleAtEdge)
		claudeBars(d)
	}
	if d.TopUnseen && d.Verb != "" {
		namedFirst(d)
	}
	above, below := claudeBroken(d)
	d.Place(screen.Drawing, above, above)
	d.Place(screen.Drawing, below, below)
	title, _ := d.Head()
	if !d.TopUnseen && screen.Starts(title, "Bash command", "Fetch", "Read") {
		d.Place(screen.Subject, above+1, below-1)
	}
	return ""
}

// claudeBroken are the broken lines above and below a command, from one edge of the pane to the other; -1: there are none.
func claudeBroken(d *screen.Dialog) (above, below int) {
	broken := func(i int) bool {
		line := &d.Lines[i]
		return line.Kind == screen.Dashed && line.Col == 0 && line.End() >= d.Width()-claudeFree
	}
	if above = d.LineFrom(d.Top, d.Asked, broken); above < 0 {
		return -1, -1
	}
	return above, d.LineBefore(d.Asked, broken)
}

// claudeBars takes the bar off the rows of a dialog before which Claude draws one, dim, beside words that are not. A
// command can print a bar, but not a dim one. Without colours the bar stays (claude/2.1.329-bash-multiline-120x40).
func claudeBars(d *screen.Dialog) {
	d.Unbar(func(_ int, line *screen.Line) bool {
		return line.Begins("│") && line.Style(line.Col).Dim && !line.Style(line.Col+2).Dim
	})
}

// Dialogs without answers.

// claudeUnlisted are known only by their keys. In the form of an MCP server's elicitation the rows
// are fields, and no key of them is proven; what opens a page opens it where nobody may be.
var claudeUnlisted = asking{shapes: []shape{
	{Shape: screen.Shape{Name: "elicitation_form", State: screen.Question}, keys: []string{"to unset"}, titled: []string{"requests your input"}},
	{
		Shape: screen.Shape{Name: "elicitation_page", State: screen.Question}, keys: []string{"Esc to cancel · ←/→ to switch"},
		titled: []string{"wants to open a URL", "waiting for completion"}, // the server may have it wait until that page has been seen to
	},
	{Shape: screen.Shape{Name: "auto_mode_notice", State: screen.Question}, keys: []string{"Enter to stay in auto mode"}, fix: claudeNotice},
}}

// claudeNotice: the notice is what it asks about. The call above it is no part of that: its mark blinks.
func claudeNotice(d *screen.Dialog) string {
	head, line := d.Head()
	d.AskAs(head)
	d.Place(screen.Subject, line, line)
	return ""
}
