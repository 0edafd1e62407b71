package agents

import (
	"regexp"
	"strings"

	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/reason"
)

// codex is the Codex CLI. Its dialogs were captured from 0.61.0 to 0.169.0, most from these two.
var codex = agent{
	name: "codex",
	profile: Profile{
		About: "Codex prints a letter behind each answer and takes it at once, also out of a word that is typed there. " +
			"Its grant of permissions lasts for the whole turn, so that it has no yes for once, and it draws a prompt only " +
			"when its hook has ended, so that no hook can wait for an answer.",
		Yes: "`… don't ask again for this command in this session` and `… for this conversation` last for the session, " +
			"`… for commands that start with …` and `… in the future` for good.",
	},
	program:      proc.Program{Names: []string{"codex"}, Packages: []string{"@openai/codex"}},
	environ:      []string{"CODEX_THREAD_ID", "CODEX_CI", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED"}, // 0.169.0
	hooks:        &codexHooks,
	policy:       codexPolicy,
	repeatsEnter: true, // 0.169.0
	overlay: []cover{
		{"pager", shows(sign{within: screen.FooterRows, begins: []string{"q close", "q to quit"}}), nil},
		{"help", shows(sign{within: screen.FooterRows, begins: []string{"? / esc close"}}), nil},
		{"menu", shows(sign{within: screen.FooterRows, keys: true, holds: []string{"go back", "esc close", "esc to close", "esc to dismiss"}}), nil},
		{"slash menu", slashes(codexComposer, sign{above: codexSlash, below: true, begins: []string{"/", "› /"}}), nil},
	},
	dialog:   dialogs(codexForms, codexDenials, codexAsks),
	voice:    screen.Voice{Mark: "•", Above: "›", Tool: codexTool, Stopped: codexStopped},
	composer: codexComposer,
	signs: signs{
		cut:      cutOffBy(nil, sign{within: screen.FooterRows, begins: []string{"option "}, holds: []string{" | enter to sub"}}), // codex/0.171.0-mcp-100x9
		working:  shows(codexSpinner),
		volatile: changes(codexSpinner, sign{holds: []string{"context left"}}),
		mark:     codexMark,
		hint:     shows(sign{left: 1, glyphs: "›"}), // no other agent marks rows with this glyph at the left edge
	},
	// Those that its users report.
	deadEnds: []deadEnd{
		// "You've hit your usage limit. Upgrade to Pro (…) or try again at Nov 20th, 2025 4:44 PM."
		limit(`You've hit your usage limit`, `[Tt]ry again (?:at|in)`),
		said(`(?:Your access token could not be refreshed|(?:exceeded retry limit, last status: |unexpected status )401\b)`,
			reason.LoggedOut),
		said(`Quota exceeded`, reason.NoCredit),
	},
}

// codexKeys: the letter or number of a row acts at once, Escape denies in every shape; in a field a letter is one of its text.
var (
	codexKeys      = screen.Keys{Digits: true, Letters: true, Enter: true, Escape: true}
	codexGrantKeys = screen.Keys{Digits: true, Letters: true, Enter: true, Escape: true, Escapes: true}
	codexFieldKeys = screen.Keys{Digits: true, Enter: true, Escape: true}
)

const (
	// codexIndent is the column of a dialog's rows: the rows of the transcript begin at the left edge.
	codexIndent = 2
	// codexSlash are the lines above the input box in which the slash menu opens.
	codexSlash = 10
)

// codexHeads begin the question that heads a dialog, which Codex draws in bold. codexSentences are the questions that say nothing of the subject.
var (
	codexHeads     = []string{"Would you like to ", "Do you want to ", "Allow ", "Approve "}
	codexSentences = []string{
		"Would you like to run the following command?", "Would you like to make the following edits?", "Would you like to grant these permissions?",
	}
)

// codexAsks: the letter or number of a row acts at once, Escape denies in every shape. A dialog has no frame, and begins below the
// transcript. A grant has no yes for once.
var codexAsks = asking{
	menu: screen.Numbered, cursor: "›", asks: codexSentences,
	fits: func(_ *screen.Layout, d *screen.Dialog) bool {
		above := codexLowest(d, d.First)
		d.BeginIn(above+1, above < 0)
		return true
	},
	shapes: []shape{
		{Shape: codexTrusts(screen.Keys{Letters: true, Enter: true, Escape: true}), keys: []string{"enter continue"}, fits: codexTrust}, // 0.169.0
		{Shape: codexTrusts(codexKeys), fits: codexTrust},
		{fits: codexField},
		{Shape: screen.Shape{Name: "exec", State: screen.Permission, Keys: codexKeys, Means: codexGranted}, fits: codexApproval("trust ")}, // for longer than once
		codexPermission("edit", "edit", codexApproval("make the following edits"), codexDiff),
		{
			Shape: screen.Shape{Name: "permission_grant", State: screen.Permission, Verb: "grant", Keys: codexGrantKeys, Means: codexGranted, Why: reason.OnlyLongYes},
			fits:  codexApproval("grant these permissions"),
		},
		codexPermission("network", "connect", codexApproval("network access"), nil),
		codexPermission("exec", "", codexApproval(""), nil),
	},
}

// codexPermission is a permission for once, or for longer.
func codexPermission(name, verb string, fits func(*screen.Dialog) bool, fix func(*screen.Dialog) string) shape {
	return shape{
		Shape: screen.Shape{Name: name, State: screen.Permission, Verb: verb, Keys: codexKeys, Means: codexScope}, fits: fits, fix: fix,
	}
}

// codexLowest is the lowest row of the transcript above line i; -1: none is seen. A dialog has no frame, and the transcript's rows begin at
// the left edge, where no row of a dialog does.
func codexLowest(d *screen.Dialog, i int) int {
	return d.LineBefore(i, func(i int) bool { return d.Lines[i].Kind == screen.Words && d.Lines[i].Col == 0 })
}

// codexHead reports whether line i is begun as the questions are that head a dialog, in their column. If its look does not prove that it is
// Codex's own, it may be a command's where no row of the transcript was seen: then more of the dialog may be above the screen.
func codexHead(d *screen.Dialog, i int) bool {
	line := &d.Lines[i]
	return line.Kind == screen.Words && line.Col == codexIndent && screen.Starts(line.Text, codexHeads...)
}

// codexApproval is the layout of commands, edits, grants and hosts: question, subject, options at the left edge. The question holds the
// part.
func codexApproval(part string) func(d *screen.Dialog) bool {
	return func(d *screen.Dialog) bool {
		known, bold := false, d.Coloured()
		for i := d.Top; i < d.First && !known; i++ {
			// Where the screen has colours a head is bold, which no command can print here.
			if known = codexHead(d, i) && (!bold || d.Lines[i].Style(d.Lines[i].Col).Bold); known {
				d.AskFrom(i)
				d.BeginIn(i, d.TopUnseen && !bold)
			}
		}
		escapes := screen.Holds(d.Footer, "esc to cancel")
		if d.MarkCol != 0 || !escapes && !d.Refusable() || !known && !(d.TopUnseen && escapes) {
			return false
		}
		for i := range d.First {
			if i != d.Top && codexHead(d, i) {
				d.Doubt(reason.SecondHead)
			}
		}
		if !known {
			d.AskAs("")
		}
		if i := shellRow(d, d.AskedEnd+1); i >= 0 { // what Codex sets apart (Environment, Reason) is above the command
			d.Place(screen.Subject, i, d.First-1)
		}
		return screen.Holds(d.Question, part)
	}
}

// codexScope is what an option does: of a command or files that are named, a yes that lasts does so for the session.
func codexScope(e *screen.Entry) screen.Scope {
	switch {
	case e.Scope == screen.Always && !e.Cut && screen.Starts(e.Label, "Yes, and don't ask again for this command", "Yes, and don't ask again for these files"):
		return screen.Session
	case e.Scope == screen.Always && e.Cut && !screen.Holds(e.Label, "commands that start"):
		return screen.Other
	}
	return e.Scope
}

// codexGranted is what an option of a grant does, which no yes gives for once.
func codexGranted(e *screen.Entry) screen.Scope {
	if e.Scope == screen.Once || e.Scope == screen.Mode {
		return screen.Session
	}
	return codexScope(e)
}

// codexTrusts is the question for trust. "Back to Agent Command Center" is its no.
func codexTrusts(keys screen.Keys) screen.Shape {
	s := trust(keys)
	s.Means = means([]meaning{{"Back to ", screen.No}}, s.Means)
	return s
}

// codexField is the layout of MCP tools, elicitations and the model's own questions: a counter, a text, options. Where its counter
// does not stand at its head, as a row of the text may look like an end of the transcript, it is not known for a question.
func codexField(d *screen.Dialog) bool {
	counts := func(i int) bool { return codexCounter.MatchString(d.Lines[i].Text) }
	at := d.LineFrom(d.Top, d.First, counts)
	headless := at < 0
	if !screen.Holds(d.Footer, "enter to submit") || headless && d.MarkCol == 0 {
		return false
	}
	if headless {
		at = d.LineFrom(0, d.Top, counts)
		d.BeginAt(max(at, 0))
		d.Doubt(reason.SecondHead)
	} else {
		d.BeginIn(at, d.TopUnseen)
	}
	d.AnotherHead(counts)
	text := d.NextWords(at+1, d.First)
	if text >= d.First {
		return false
	}
	d.AskFrom(text)
	s := screen.Shape{Name: "elicitation", State: screen.Question, Keys: codexFieldKeys}
	switch {
	case screen.Starts(d.Question, "Allow ") && screen.Holds(d.Question, " MCP server to run tool "):
		s.Name, s.State, s.Verb = "mcp", screen.Permission, "use"
		d.Place(screen.Subject, d.Asked, d.First-1)
	case headless:
		s.State = screen.Permission
	case screen.Starts(d.Lines[at].Text, "Question "):
		d.AskSet(&codexQuestions)
		return true
	}
	d.Is(s)
	return true
}

// codexCounter heads one page of several: "Field 1/2 (1 required unanswered)", "Question 1/1".
var codexCounter = regexp.MustCompile(`^(?:Field|Question) (\d{1,3})/(\d{1,3})`)

// codexQuestions: the counter tells which page it is.
var codexQuestions = screen.Questions{
	Keys: screen.Keys{Digits: true, Enter: true, Escape: true, Leaves: true}, Leaves: "esc to interrupt", Headings: screen.Headings{Counts: codexCounter},
}

// codexForms is an elicitation whose answer is typed: no list, only the form's own footer.
var codexForms = asking{shapes: []shape{{
	Shape: screen.Shape{Name: "elicitation_form", State: screen.Question}, keys: []string{"enter to submit answer"},
	fits: func(d *screen.Dialog) bool {
		at := d.LineAbove(func(i int) bool { return codexCounter.MatchString(d.Lines[i].Text) })
		if list, ok := d.Layout.Menu(screen.Numbered); at < 0 || ok && list.First > at {
			return false
		}
		d.BeginAt(at)
		d.Ask(at+1, d.ParagraphEnd(at+1))
		d.Field(d.LineAbove(func(i int) bool { return i > at && d.Lines[i].First() == '›' }), d.First)
		return true
	},
}}}

func codexTrust(d *screen.Dialog) bool {
	asked := d.LineFrom(0, d.First, func(i int) bool {
		return screen.Starts(d.Lines[i].Text, "Trust this folder?", "Do you trust the contents of this directory?")
	})
	if asked < 0 {
		return false
	}
	d.BeginAt(d.LineAbove(func(i int) bool { return screen.Starts(d.Lines[i].Text, "Folder access", "> You are in") }))
	d.Ask(asked, asked)
	question, _, _ := strings.Cut(d.Question, "?") // behind it is what trust means
	d.Question = question + "?"
	return true
}

// codexMark: no other agent draws these.
var codexMark = shows(
	sign{holds: []string{
		"OpenAI Codex (v", "tell Codex", "Ask Codex to do anything", "Press enter to confirm or esc to cancel", "enter to submit | esc to cancel",
		"enter to submit answer", "Trust this folder? Codex", "You approved codex", "tab to add notes", "/ T R A N S C R I P T", "/ E X E C",
	}},
	sign{left: 1, begins: []string{codexStopped}},
)

// codexComposer is the input box while no list of denials is open, at whose rows it stands.
func codexComposer(l *screen.Layout) *screen.Composer {
	if codexLists(l) {
		return nil
	}
	return codexInput.In(l)
}

// codexInput is above nothing but status rows.
var codexInput = screen.Input{Sign: "›", Edge: true, Within: screen.InputRows, Hints: []string{
	"Ask Codex to do anything", "Explain this codebase", "Summarize recent commits", "Implement {feature}",
	"Find and fix a bug in @filename", "Write tests for @filename", "Improve documentation in @filename",
	"Run /review on my current changes", "Use /skills to list",
}}

// codexSpinner: "• Working (2s • esc to interrupt)" above the input box.
var codexSpinner = sign{within: screen.WorkRows, left: 1, glyphs: "•◦", holds: []string{"esc to interrupt"}}

// codexTool reports whether a row that begins with Codex's mark is a tool's. That of an edit has no colour: it names what was done
// in bold, and then how many lines were added and removed. Neither has that of a call before it was denied, which stays.
func codexTool(line *screen.Line) bool {
	return screen.HuedMark(line) || screen.BoldHead(line) && (strings.HasPrefix(line.Text, "• Running ") || strings.HasSuffix(line.Text, ")") && strings.Contains(line.Text, "(+"))
}
