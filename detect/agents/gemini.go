package agents

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/reason"
	"nod/internal/text/lazy"
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
		{"picker", picks(geminiDialog, "Tab to change focus, Esc to close", "Enter to select, Tab to change focus", "change focus, Esc to close", "Tab to configure scope"), nil},
		{"a list that somebody has scrolled", func(l *screen.Layout) bool { d, _ := geminiScrolled(l); return d != nil }, geminiDone},
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

// geminiCut: for people whom a screen is read to, Gemini draws no box, and says in words which option is marked
// (gemini/0.61.0-run-reader-100x40), or shows the question alone (gemini/0.61.0-question-reader-100x40).
var geminiCut = cutOffBy(nil,
	sign{within: 1, holds: []string{"Enter to select · ↑/↓ to navigate · Esc to cancel"}}, // gemini/0.61.0-question-100x9
	sign{begins: []string{"(checked) "}}, sign{within: 1, like: lazy.MustCompile(`^Question \d+ of \d+: `)},
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
	Settings: HookSettings{
		Folder: ".gemini", File: "settings.json", Form: Matchers, Matcher: "*", Timeout: 5000,
		Events: []string{"SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "Notification"},
	},
}

// What Gemini itself puts behind the answers of a check list.
const (
	geminiAll     = "All of the above"
	geminiAllNote = "Select all options"
)

// geminiWindow is how many rows of a check list Gemini draws at a time, whatever the height of the pane (0.61.0).
const geminiWindow = 3

// geminiQuestions: in a set Right leads from a check list, which the numbers of its rows tick, to the page that reviews the answers.
var geminiQuestions = screen.Questions{
	Keys: screen.Keys{Digits: true, Enter: true, Escape: true, Leaves: true}, Leaves: "Esc to cancel", Titled: true,
	Headings: screen.Headings{Begins: "← ", Ends: "≡ Review →", Boxes: "□✓"}, // "← ✓ Colour │ □ Sizes │ ≡ Review →"
	Review:   screen.Review{Head: "Review your answers:"},
}

// geminiAsk is a question of the model, or one page of a set.
func geminiAsk(d *screen.Dialog) bool {
	if title, _ := d.Head(); !screen.Starts(title, "Answer Questions") && !screen.Holds(d.Footer, "Enter to select") {
		return false
	}
	q := geminiQuestions
	if !geminiBoxes(d) {
		if geminiWhole(d) {
			q.Own = &geminiOwnWords
		}
		d.AskSet(&q)
		return true
	}
	q.Keys = screen.Keys{Leaves: true}
	all, answers, whole := geminiList(d)
	if whole {
		q.Ticks, q.Leads = "#", "Right"
	}
	if whole && !screen.Holds(d.Footer, "switch questions") {
		q.Alone = geminiSends(d.Marked, answers, geminiTicked(d.Entries[:answers]))
	}
	q.Drawn, q.More = whole, whole && !all
	d.AskSet(&q)
	return true
}

// geminiOwnWords: the mark on the row for words opens a field; Up leads out of it again. In a set words change the headings (0.61.0).
var geminiOwnWords = screen.OwnWords{Opens: screen.Move, Hint: "Enter a custom value", Alone: true, Lines: 3}

// geminiWhole reports whether the last row that is seen is the last of the list, the one for words, and its field is open where the mark is
// on it: below a part of a list an arrow is in a row of its own.
func geminiWhole(d *screen.Dialog) bool {
	open := screen.Holds(d.Footer, "Enter to submit")
	return d.NextWords(d.Last+1, d.End+1) == d.Last+2 && (open || d.Marked != len(d.Entries)-1)
}

// geminiList reports whether the rows of a check list that are seen are whole, and how many of them are answers. The third row may be
// Gemini's own, all, which ticks all others, and shows where they are: it is left to the terminal, as the row for words is.
func geminiList(d *screen.Dialog) (all bool, answers int, whole bool) {
	answers = len(d.Entries)
	broken := func(e screen.Entry) bool { return e.Gap != 1 || e.Check != "[x]" && e.Check != "[ ]" }
	if answers != geminiWindow || slices.ContainsFunc(d.Entries, broken) {
		return false, 0, false
	}
	last := &d.Entries[answers-1]
	if last.Label != geminiAll || last.Note != geminiAllNote {
		return false, answers, true
	}
	answers--
	if geminiTicked(d.Entries[:answers]) != (last.Check == "[x]") {
		return false, 0, false // so it is an answer of the model's
	}
	last.Check, last.Own = "", true
	return true, answers, true
}

// geminiTicked reports whether all answers are ticked.
func geminiTicked(answers []screen.Entry) bool {
	return !slices.ContainsFunc(answers, func(e screen.Entry) bool { return e.Check != "[x]" })
}

// geminiBoxes reports whether a list has boxes of its own, which are right behind its numbers. Boxes with which a model begins the labels
// of a list are one column further on.
func geminiBoxes(d *screen.Dialog) bool {
	boxes := false
	for i := range d.Entries {
		switch e := &d.Entries[i]; {
		case e.Gap == 1 && (e.Check != "" || screen.Starts(e.Label, "[")): // one is broken where its label is wrapped
			boxes = true
		case e.Check != "":
			e.Label, e.Check = e.Check+" "+e.Label, ""
		}
	}
	return boxes
}

// geminiSends is how a check list with so many answers is sent from its row marked: up over its first row to the last one, which says
// Done, and Enter there. The rows above that show by their numbers that there was no answer more.
func geminiSends(marked, answers int, ticked bool) []screen.Step {
	steps := slices.Repeat([]screen.Step{{Key: "Up"}}, max(marked, 0))
	return append(steps, screen.Step{Key: "Up", Opens: "gemini." + geminiDoneShape(answers, ticked)}, screen.Step{Key: "Enter", Last: true})
}

// geminiDoneShape names the end of a check list by how many answers it has, and whether all of them are ticked.
func geminiDoneShape(answers int, ticked bool) string {
	return fmt.Sprintf("ask_user_done_%d_%t", answers, ticked)
}

// geminiScrolled is a check list that was scrolled down, so that it does not begin with its first row, and its rows; nil: there is none.
func geminiScrolled(l *screen.Layout) (d *screen.Dialog, rows string) {
	if d = l.KeysAlone("Enter to select", "Enter to submit"); d == nil || !geminiAlone(d) {
		return nil, ""
	}
	words := func(i int) bool { return d.Lines[i].Kind == screen.Words }
	last := d.LineAbove(words)
	first, number := d.LineBefore(last, func(i int) bool { return !words(i) })+1, 0
	if _, _ = fmt.Sscanf(strings.TrimPrefix(d.Lines[first].Text, "● "), "%d.", &number); number < 2 {
		return nil, ""
	}
	return d, strings.Join(d.Texts(first, last), "\n")
}

// geminiLast are the last rows of a check list, while its mark is on the one that sends it.
var geminiLast = lazy.MustCompile(`^(\d+)\. \[([x ])\] ` + geminiAll + "\n" + geminiAllNote + `\n(\d+)\. \[ \] Enter a custom value\n●  Done\nFinish selection$`)

// geminiDone is the end of a check list, while its mark is on the last row, which sends what is ticked; nil where words are in
// the row for them, or anything else is seen.
func geminiDone(l *screen.Layout) *screen.Prompt {
	d, rows := geminiScrolled(l)
	m := geminiLast().FindStringSubmatch(rows)
	if m == nil {
		return nil
	}
	n, _ := strconv.Atoi(m[1]) // behind the answers
	if m[3] != fmt.Sprint(n+1) {
		return nil
	}
	d.Is(screen.Shape{Name: geminiDoneShape(n-1, m[2] == "x"), State: screen.Overlay, Ask: "Done"})
	return d.Prompt("gemini")
}

// geminiAlone reports whether a dialog is the box of a question.
func geminiAlone(d *screen.Dialog) bool {
	title, _ := d.Head()
	return screen.Holds(d.Footer, "Esc to cancel") && d.Frame() != nil && title == "Answer Questions"
}

// geminiTyped is a question without a list: the last page of a set, which reviews the answers and sends them by Enter, or one that
// takes words.
var geminiTyped = asking{titles: geminiTitles, shapes: []shape{{keys: []string{"Enter to submit"}, fits: func(d *screen.Dialog) bool {
	if !geminiAlone(d) {
		return false
	}
	at, listed := d.ReviewSet(&geminiQuestions)
	if listed && screen.Holds(d.Footer, "to edit answers") {
		return true
	}
	at = d.NextWords(at+1, d.First)
	d.AskAs(d.Paragraph(at, d.ParagraphEnd(at)))
	d.Is(screen.Shape{Name: "ask_words", State: screen.Question})
	return true
}}}}
