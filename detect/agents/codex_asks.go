package agents

import (
	"regexp"
	"strings"

	"nod/detect/screen"
	"nod/internal/reason"
)

// Codex asks right below its transcript, without a frame, in three layouts. No row of theirs begins at the left edge, as the transcript's do,
// but the options of two:
//
//	an approval                                         a page                                      trust
//
//	  Would you like to run the following command?        Field 1/1                                   Folder access
//	  Reason: May I create the file?                      Allow the rig MCP server to run tool "x"?   /tmp/proj
//	  $ touch made.txt                                    text: rig                                   Trust this folder? Codex can …
//
//	› 1. Yes, proceed (y)                                 › 1. Allow   Run the tool and continue    › 1. Trust and continue
//	  2. No, and tell Codex what to do differently (esc)    2. Cancel  Cancel this tool call          2. Back to Agent Command Center
//
//	  Press enter to confirm or esc to cancel             enter to submit | esc to cancel             enter continue · esc back

// codexIndent is the column of a dialog's rows.
const codexIndent = 2

// The letter or number of a row acts at once, and Escape denies. On a page a letter may be one of the text in a field.
var (
	codexKeys     = screen.Keys{Digits: true, Letters: true, Enter: true, Escape: true}
	codexPageKeys = screen.Keys{Digits: true, Enter: true, Escape: true}
)

// codexAsks are the dialogs with options. An approval that speaks of trust has no yes for once.
var codexAsks = asking{
	menu: screen.Numbered, cursor: "›", inset: true, asks: codexSentences,
	shapes: []shape{
		{Shape: codexTrust(screen.Keys{Letters: true, Enter: true, Escape: true}), keys: []string{"enter continue"}, fits: codexTrusts}, // 0.169.0
		{Shape: codexTrust(codexKeys), fits: codexTrusts},
		{fits: codexPage},
		{Shape: codexPermission("exec", "", codexGranted), fits: codexApproval("trust ")},
		{Shape: codexPermission("edit", "edit", codexScope), fits: codexApproval("make the following edits"), fix: codexDiff},
		{
			Shape: screen.Shape{
				Name: "permission_grant", State: screen.Permission, Verb: "grant", Means: codexGranted, Why: reason.OnlyLongYes,
				Keys: screen.Keys{Digits: true, Letters: true, Enter: true, Escape: true, Escapes: true},
			},
			fits: codexApproval("grant these permissions"),
		},
		{Shape: codexPermission("network", "connect", codexScope), fits: codexApproval("network access")},
		{Shape: codexPermission("exec", "", codexScope), fits: codexApproval("")},
	},
}

// codexSentences are the questions that say nothing of the subject.
var codexSentences = []string{
	"Would you like to run the following command?", "Would you like to make the following edits?", "Would you like to grant these permissions?",
}

// Approvals: of commands, edits, grants and hosts.

// codexPermission is an approval. means says what its answers do.
func codexPermission(name, verb string, means func(*screen.Entry) screen.Scope) screen.Shape {
	return screen.Shape{Name: name, State: screen.Permission, Verb: verb, Keys: codexKeys, Means: means}
}

// codexApproval reads an approval whose question holds the part. Its options are at the left edge. If its head is not on the screen, the keys
// prove that it is one.
func codexApproval(part string) func(d *screen.Dialog) bool {
	return func(d *screen.Dialog) bool {
		headed, escapes := codexHeaded(d), screen.Holds(d.Footer, "esc to cancel")
		switch {
		case d.MarkCol != 0, !escapes && !d.Refusable(), !headed && !(d.TopUnseen && escapes):
			return false
		case !headed:
			d.AskAs("")
		}
		if another := d.LineFrom(0, d.First, func(i int) bool { return i != d.Top && codexHeads(d, i) }); another >= 0 {
			d.Doubt(reason.SecondHead)
		}
		if command := shellRow(d, d.AskedEnd+1); command >= 0 { // what Codex sets apart is above it: Environment, Reason
			d.Place(screen.Subject, command, d.First-1)
		}
		return screen.Holds(d.Question, part)
	}
}

// codexHeaded begins an approval with its head, and makes that the question; false: it is not on the screen. Where the screen has colours a
// head is bold, which no command can print in its column. Where it has none, it may be a command's, if no row of the transcript was seen: then
// more of the dialog may be above the screen.
func codexHeaded(d *screen.Dialog) bool {
	proves := d.Coloured()
	head := d.LineFrom(d.Top, d.First, func(i int) bool {
		return codexHeads(d, i) && (!proves || d.Lines[i].Style(codexIndent).Bold)
	})
	if head < 0 {
		return false
	}
	d.AskFrom(head)
	d.BeginIn(head, d.TopUnseen && !proves)
	return true
}

// codexHeads reports whether line i begins as the head of an approval does, in its column.
func codexHeads(d *screen.Dialog, i int) bool {
	line := &d.Lines[i]
	return line.Col == codexIndent && screen.Starts(line.Text, "Would you like to ", "Do you want to ", "Allow ", "Approve ")
}

// codexScope is what an option does: of a command or of files that are named, a yes that lasts does so for the session.
func codexScope(e *screen.Entry) screen.Scope {
	switch {
	case e.Scope != screen.Always:
		return e.Scope
	case e.Cut && !screen.Holds(e.Label, "commands that start"):
		return screen.Other
	case !e.Cut && screen.Starts(e.Label, "Yes, and don't ask again for this command", "Yes, and don't ask again for these files"):
		return screen.Session
	}
	return screen.Always
}

// codexGranted is what an option does where no yes is for once.
func codexGranted(e *screen.Entry) screen.Scope {
	if e.Scope == screen.Once || e.Scope == screen.Mode {
		return screen.Session
	}
	return codexScope(e)
}

// Pages: a counter, a text, and options or a field. They are of MCP tools, of elicitations, and of the model's own questions.

// codexCounter heads a page: "Field 1/2 (1 required unanswered)", "Question 1/1".
var codexCounter = regexp.MustCompile(`^(?:Field|Question) (\d{1,3})/(\d{1,3})`)

// codexQuestions: the counter tells which page it is.
var codexQuestions = screen.Questions{
	Keys: screen.Keys{Digits: true, Enter: true, Escape: true, Leaves: true}, Leaves: "esc to interrupt", Headings: screen.Headings{Counts: codexCounter},
}

// codexPage reads a page with options.
func codexPage(d *screen.Dialog) bool {
	if !screen.Holds(d.Footer, "enter to submit") {
		return false
	}
	counter, headed := codexCounted(d)
	if !headed && d.MarkCol == 0 {
		return false
	}
	text := d.NextWords(counter+1, d.First)
	if text == d.First {
		return false
	}
	d.AskFrom(text)
	switch {
	case screen.Starts(d.Question, "Allow ") && screen.Holds(d.Question, " MCP server to run tool "):
		d.Is(screen.Shape{Name: "mcp", State: screen.Permission, Verb: "use", Keys: codexPageKeys})
		d.Place(screen.Subject, d.Asked, d.First-1)
	case !headed:
		d.Is(screen.Shape{Name: "elicitation", State: screen.Permission, Keys: codexPageKeys}) // it is not known for a question
	case screen.Starts(d.Lines[counter].Text, "Question "):
		d.AskSet(&codexQuestions)
	default:
		d.Is(screen.Shape{Name: "elicitation", State: screen.Question, Keys: codexPageKeys})
	}
	return true
}

// codexCounted begins a page with its counter, whose line it returns. headed is false where that is not below the transcript: a row of the
// text may look like the transcript's end, so that it is not known for a question. If there is none at all, the line is -1.
func codexCounted(d *screen.Dialog) (line int, headed bool) {
	counts := func(i int) bool { return codexCounter.MatchString(d.Lines[i].Text) }
	d.AnotherHead(counts)
	if line = d.LineFrom(d.Top, d.First, counts); line >= 0 {
		d.BeginIn(line, d.TopUnseen)
		return line, true
	}
	line = d.LineFrom(0, d.Top, counts)
	d.BeginAt(max(line, 0))
	d.Doubt(reason.SecondHead)
	return line, false
}

// codexForms are pages with a field: no list, only the form's own footer.
var codexForms = asking{shapes: []shape{{
	Shape: screen.Shape{Name: "elicitation_form", State: screen.Question}, keys: []string{"enter to submit answer"}, fits: codexForm,
}}}

// codexForm reads a page whose field is the lowest row with Codex's mark.
func codexForm(d *screen.Dialog) bool {
	counter := d.LineAbove(func(i int) bool { return codexCounter.MatchString(d.Lines[i].Text) })
	if list, ok := d.Layout.Menu(screen.Numbered); counter < 0 || ok && list.First > counter {
		return false
	}
	d.BeginAt(counter)
	d.Ask(counter+1, d.ParagraphEnd(counter+1))
	d.Field(d.LineAbove(func(i int) bool { return i > counter && d.Lines[i].First() == '›' }), d.First)
	return true
}

// Trust in a folder.

// codexTrust is the question for trust. "Back to Agent Command Center" is its no.
func codexTrust(keys screen.Keys) screen.Shape {
	s := trust(keys)
	s.Means = means([]meaning{{"Back to ", screen.No}}, s.Means)
	return s
}

// codexTrusts reads the question for trust, which is the first sentence of its row.
func codexTrusts(d *screen.Dialog) bool {
	asked := d.LineFrom(0, d.First, func(i int) bool {
		return screen.Starts(d.Lines[i].Text, "Trust this folder?", "Do you trust the contents of this directory?")
	})
	if asked < 0 {
		return false
	}
	d.BeginAt(d.LineAbove(func(i int) bool { return screen.Starts(d.Lines[i].Text, "Folder access", "> You are in") }))
	d.Ask(asked, asked)
	question, _, _ := strings.Cut(d.Question, "?")
	d.Question = question + "?"
	return true
}
