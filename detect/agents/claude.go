package agents

import (
	"slices"
	"strings"

	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/reason"
	"nod/internal/text/lazy"
)

// claude is Claude Code. Its dialogs were captured from 1.0.60 to 2.1.329, most from 1.0.128, 2.0.54 and 2.1.329.
var claude = agent{
	name: "claude",
	profile: Profile{
		About: "Claude Code numbers its answers afresh for each prompt: the third may be No, or allow everything. Of a " +
			"command that is taller than the pane it pushes the top off the screen.",
		Yes: "`Yes, and don't ask again for …` lasts for that command in that folder, `Yes, allow all edits during this " +
			"session` for every edit of the session, and `Yes, and switch to auto mode` asks nothing from then on.",
		Rule: Rule{".claude/settings.local.json", `{"permissions": {"allow": ["Bash(%)"]}}`}, // 2.1.329
	},
	program:      proc.Program{Names: []string{"claude"}, Packages: []string{"@anthropic-ai/claude-code"}},
	environ:      []string{"CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION"}, // 2.1.329
	hooks:        &claudeHooks,
	policy:       claudePolicy,
	repeatsEnter: true, // 1.0.128
	overlay: []cover{
		{"transcript viewer", shows(sign{within: screen.FooterRows, holds: []string{"Showing detailed transcript"}}), nil},
		{"help", nearInput(claudeInput.In, sign{below: true, begins: []string{"/ for commands"}}), nil},
		{"menu", shows(sign{within: 1, holds: []string{"Esc to go back", "Esc to close"}}), nil}, {"menu", claudePicks, nil},
		{"a dialog that a command of the person opened", claudeOpened, nil},
	},
	dialog:   claudeDialog,
	voice:    screen.Voice{Mark: "●⏺", Above: "❯>", Tool: screen.HuedMark},
	composer: claudeInput.In,
	signs: signs{
		cut: claudeCut,
		working: nearInput(claudeInput.In,
			sign{above: claudeSpinnerRows, left: claudeMargin, like: claudeSpinner}, sign{below: true, holds: []string{"esc to interrupt", "ctrl+c to interrupt"}},
		),
		volatile: changes( // spinner, status row, tips and clocks
			sign{left: claudeMargin, like: claudeSpinner}, sign{begins: []string{"✻ ", "Tip: ", "⎿  Tip: ", "└ Tip: "}},
			sign{holds: []string{"esc to interrupt", "tokens)", "Context left until auto-compact", "% context used", "Auto-selecting in "}},
		),
		mark: shows(sign{holds: []string{
			"Claude Code v", "Welcome to Claude Code", "tell Claude", "Tell Claude", "Claude Code'll be", "Claude Code running", "Here is Claude's plan",
			"Esc to cancel · Tab to amend", "Esc to cancel · Tab to add additional instructions", "Esc to cancel · ←/→ to switch", "Claude wants to", "allow Claude",
			"? for shortcuts · ← for agents", "Showing detailed transcript", "Chat about this", "Claude has written up",
		}}),
		hint: shows( // how Claude draws results, and the tabs of its questions
			sign{begins: []string{"⎿ ", "←  ☐", "←  ☒", "☐ "}},
			sign{holds: []string{"? for shortcuts", "(shift+tab to cycle)", "manual mode on", "accept edits on", "plan mode on"}},
		),
	},
	// Those of its error reference (code.claude.com/docs/en/errors) and of older versions' bug reports. An error that
	// Claude retries is no dead end: it works on.
	deadEnds: []deadEnd{
		// "You've hit your session limit · resets 12:50am (America/Los_Angeles)"
		limit(`You've hit your (?:[\w-]+ )*limit`, `resets`),
		// "Claude usage limit reached. Your limit will reset at 3pm (America/New_York)."
		limit(`Claude (?:AI )?usage limit reached`, `Your limit will reset at`),
		// "Weekly limit reached · resets 10am (Asia/Seoul)", "5-hour limit reached ∙ resets 3pm"
		limit(`(?:[\w-]+ )*limit reached`, `resets`),
		said(`(?:API Error: 400 .*)?You're out of (?:extra )?usage`, reason.LimitReached),
		said(`Credit balance (?:is )?too low`, reason.NoCredit),
		said(`(?:Not logged in|Invalid API key|OAuth token (?:revoked|has expired)|OAuth session expired|(?:Failed to authenticate\. )?API Error: 401|Please run /login)\b`,
			reason.LoginExpired),
		// "API Error: Request rejected (429) · MESSAGE", "API Error: 529 Overloaded. …" (2.1.330)
		said(`API Error: Request rejected \(429\)`, reason.LimitReached),
		said(`API Error: (?:Repeated )?5\d\d\b`, reason.ServerFails),
		unreachable(`(API Error: (?:Repeated )?\d{3})\b`),
		unreachable(`(API Error: (?:Connection error|Request timed out)|Unable to connect to API|Request timed out)\b`),
	},
}

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

var claudeDialog = dialogs(claudeUnlisted, claudeAsks)

// claudeAsks are Claude's dialogs: those of a first start, whether a folder is trusted, questions of the model, plans, what an MCP
// server asks for, and the confirmation of one tool call. In the warning of Bypass Permissions mode digits do nothing, and Enter takes
// a row that leaves; no answer to a plan is for once, each switches a mode.
var claudeAsks = asking{
	menu: screen.Numbered | screen.Pointed, below: claudeBelow, titles: claudeTitles, asks: claudeSentences,
	fits: func(_ *screen.Layout, d *screen.Dialog) bool { return d.PointedBy("❯") || claudePointsBelow(d) },
	shapes: []shape{
		{Shape: screen.Shape{Name: "setup", State: screen.Question, Keys: claudeKeys, Means: otherwise}, fits: func(d *screen.Dialog) bool {
			// The lists at the very first start have no footer: how it looks, and who pays.
			return claudeHeaded(d, "Select login method", "To change this later, run /theme", "Choose the text style") && d.Footer == "" && !d.HasWords(d.Asked+1, d.First-1)
		}},
		{Shape: trust(claudeKeys), titled: []string{"Accessing workspace", "Quick safety check", "Do you trust the files"}},
		{Shape: screen.Shape{Name: "settings_error", State: screen.Question, Keys: screen.Keys{Digits: true}, Means: otherwise}, fits: func(d *screen.Dialog) bool {
			// It says at the start that a settings file is not valid (2.1.9), or a part of it is not (2.1.166, 2.1.330). What has a
			// permission's answers is one, of a command that prints the same head.
			return !slices.ContainsFunc(d.Entries, func(e screen.Entry) bool { return screen.Starts(e.Label, "Yes", "No") }) && claudeHeaded(d, "Settings Error", "Settings Warning")
		}},
		{
			Shape:  screen.Shape{Name: "bypass_warning", State: screen.Question, Verb: "accept", Keys: screen.Keys{Enter: true, Escape: true}, Means: claudeModes},
			titled: []string{"WARNING: Claude Code running in Bypass Permissions mode"},
		},
		{fits: claudeAsk},
		{
			Shape: screen.Shape{
				Name: "plan", State: screen.Question, Verb: "plan", Keys: screen.Keys{Digits: true, Enter: true, Escape: true, Leaves: true},
				Means: instead([]screen.Scope{screen.Once, screen.Session, screen.Always}, screen.Mode),
			},
			fits: claudePlan,
		},
		{Shape: screen.Shape{Name: "elicitation", State: screen.Question, Keys: claudeKeys}, titled: []string{"requests your input"}},
		{
			Shape: screen.Shape{Name: "consent", State: screen.Question, Keys: claudeKeys, Means: (*screen.Entry).Lasting, Encloses: true},
			fits:  func(d *screen.Dialog) bool { return screen.Holds(d.Question, "API key", "trust") && claudeTool(d) },
			verbs: claudeVerbs, fix: claudeSubject,
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
var claudeCut = cutOffBy(nil, claudeMore, sign{within: screen.FooterRows, begins: []string{"Select with numbers ["}}) // claude/2.1.332-run-100x9

// claudeTool is the confirmation of one tool call: title, subject, question, answers, footer.
func claudeTool(d *screen.Dialog) bool {
	if d.Question == "" || d.MarkCol < 1 && d.Footer == "" || screen.Holds(d.Footer, "to navigate") || d.AboveBlanks(d.First-1, d.AskedEnd) > d.AskedEnd {
		return false
	}
	return d.Refusable() || screen.Holds(d.Footer, "Esc to cancel", "Esc to exit")
}

// claudeVerbs are what Claude asks for, by its questions and titles.
var claudeVerbs = []verb{
	{head: "Edit notebook", asks: "make this edit to", verb: "edit"}, {asks: "want to create ", verb: "create"}, {asks: "want to overwrite ", verb: "overwrite"},
	{head: "Fetch", asks: "fetch this content", verb: "fetch"}, {head: "Read", asks: "Allow this read", verb: "read"}, {head: "Web search", verb: "search"},
	{head: "Web Search", verb: "search"}, {head: "Tool use", verb: "use"},
}

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
		d.Place(screen.Subject, d.Asked, d.AskedEnd) // which names the file
		d.Place(screen.Subject, d.Top, d.Asked-1)
	}
	broken := func(i int) bool { // from one edge of the pane to the other
		line := &d.Lines[i]
		return line.Kind == screen.Dashed && line.Col == 0 && line.End() >= d.Width()-claudeFree
	}
	first := d.LineFrom(d.Top, d.Asked, broken)
	last := d.LineAbove(func(i int) bool { return first >= 0 && i < d.Asked && broken(i) })
	d.Place(screen.Drawing, first, first)
	d.Place(screen.Drawing, last, last)
	title, _ := d.Head()
	if !d.TopUnseen && screen.Starts(title, "Bash command", "Fetch", "Read") {
		d.Place(screen.Subject, first+1, last-1)
	}
	return ""
}

// claudeBars takes the bar off the rows of a dialog before which Claude draws one, dim, beside words that are not. A
// command can print a bar, but not a dim one. Without colours the bar stays (claude/2.1.329-bash-multiline-120x40).
func claudeBars(d *screen.Dialog) {
	d.Unbar(func(_ int, line *screen.Line) bool {
		return line.Begins("│") && line.Style(line.Col).Dim && !line.Style(line.Col+2).Dim
	})
}

// claudeModes is the scope of an option where any yes switches a mode.
func claudeModes(e *screen.Entry) screen.Scope {
	if e.Agrees() {
		return screen.Mode
	}
	return e.Scope
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

// claudeUnlisted are the dialogs without answers, known only by their keys. In the form of an MCP server's elicitation the rows
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

// claudeInput: newer versions draw two lines, older ones a frame.
var claudeInput = screen.Input{Ruled: "❯>!", Framed: ">!", Hints: []string{`Try "`, "Press up to edit queued messages"}}

const (
	// claudeSpinnerRows are the lines above the input box in which the spinner may turn, with tips and a list of what is to do below it.
	claudeSpinnerRows = 8
	// claudeMargin are the columns in which the spinner may turn: text that the agent shows is further in.
	claudeMargin = 3
	// claudeFree are the columns that the broken lines around a command may leave free at the right.
	claudeFree = 2
)

// claudeSpinner is the spinner's row: "* Beaming… (3s · ↓ 30 tokens)", "✻ Computing… (esc to interrupt)", "✽ Whisking…". One that ends so
// has few words: more are a sentence.
var claudeSpinner = lazy.MustCompile(`^[·✢✳✶✻✽*∗](?:.*(?:… \(|esc to interrupt)|\S*(?: \S*){0,4}…$)`)

// claudeQuestions: a digit answers, and ticks a box while the mark is on one (2.0.54, 2.1.329: on the row that submits digits
// are dead); Escape declines all questions of the set. Tab leads from a check list to the next question, and behind the last one to
// the page that reviews the answers.
var claudeQuestions = screen.Questions{
	Keys: screen.Keys{Digits: true, Enter: true, Escape: true, Leaves: true}, Boxed: true, Ticks: "#", Leads: "Tab", Opens: "claude.ask_user_review",
	Headings: screen.Headings{Row: 1, Begins: "← ", Ends: "✔ Submit  →", Boxes: "☐☒"}, // "←  ☒ Colour  ☐ Sizes  ✔ Submit  →"
	Review:   screen.Review{Sign: '●', Arrow: 2},
}

// claudeAsk is the dialog in which the model itself asks, known by what is below its question, where no command can print: a
// footer that selects, or the two rows that end a set.
func claudeAsk(d *screen.Dialog) bool {
	title, _ := d.Head()
	tabs := strings.ContainsAny(title, "☐☒")
	ends := d.Footer == "" && len(d.Entries) == 2 && d.Entries[0].Label == "Submit answers" && d.Entries[1].Label == "Cancel"
	if d.Frame() != nil || !screen.Holds(d.Footer, "Enter to select") && !(tabs && ends) {
		return false
	}
	q := claudeQuestions
	q.Titled = tabs // the heading of a question that is no set
	own, chat := claudeOwn(d)
	e := &d.Entries[own]
	open := d.Marked == own && e.Check == "" && (screen.Holds(d.Footer, "ctrl+g to edit in ") || e.Label == claudeOwnWords)
	if chat && (open || e.Label == claudeOwnWords) {
		q.Keys.Writes = screen.Number
	}
	if d.AskSet(&q); open {
		claudeOpen(d, own)
	}
	d.AnotherHead(d.RuleAtEdge)
	return true
}

// claudeOpen makes the row for words of one's own a text field, in which a digit is one of the words. While it holds some, Enter sends these,
// whichever row is meant.
func claudeOpen(d *screen.Dialog, own int) {
	words := d.Entries[own].Label
	d.Keys.Digits, d.TextField, d.Entries[own].Label = false, true, claudeOwnWords
	if words != claudeOwnWords {
		d.Words, d.Keys.Enter, d.Why = words, false, reason.WordsUnderway
	}
}

// claudeOwnWords is what the row for words of one's own shows while it is empty.
const claudeOwnWords = "Type something."

// claudeOwn is that row, and whether the one to chat is below it. It is a text field while the mark is on it, whose first character is read
// as any other, and what is typed takes the place of its label (2.0.54, 2.1.329). 2.1.329 proves it by a key of its own below; the older
// version has none, and there no row is below it. A model may give an answer of its own the same label, but never below the agent's rows.
func claudeOwn(d *screen.Dialog) (own int, chat bool) {
	last := len(d.Entries) - 1
	if last > 0 && d.Entries[last].Label == "Chat about this" {
		return last - 1, true
	}
	return last, false
}

// claudePointsBelow reports whether the mark is on a row below the numbered ones.
func claudePointsBelow(d *screen.Dialog) bool {
	return d.LineFrom(d.Last+1, d.End+1, func(i int) bool { return d.Lines[i].Begins("❯") }) >= 0
}

// claudePlanAsks are the questions under a plan, claudePlanLabels how answers begin that only a plan has.
var (
	claudePlanAsks = []string{
		"Would you like to proceed?", "Claude has written up a plan and is ready to execute. Would you like to proceed?", "Exit plan mode?",
	}
	claudePlanLabels = []string{"No, keep planning", "Yes, manually approve edits", "Yes, and manually approve edits", "Tell Claude what to change"}
)

// claudePlan is the question whether a plan is carried out.
func claudePlan(d *screen.Dialog) bool {
	labelled := func(e screen.Entry) bool { return screen.Starts(e.Label, claudePlanLabels...) } // what a command says may be further on in a label
	if !d.Numbered || !slices.Contains(claudePlanAsks, d.Question) && !slices.ContainsFunc(d.Entries, labelled) {
		return false
	}
	claudePlanTop(d)
	return true
}

// claudePlanTop: the question may be under a line of its own, with the plan above it between two broken lines, under another line or,
// where that has scrolled away, under the upper broken one.
func claudePlanTop(d *screen.Dialog) {
	if d.Frame() != nil {
		return
	}
	broken, first := 0, 0
	for i := d.First - 1; i >= 0; i-- {
		switch line := &d.Lines[i]; {
		case line.Kind == screen.Dashed:
			broken, first = broken+1, i
			d.Place(screen.Drawing, i, i)
		case line.Kind == screen.Rule && (i < d.Top-1 || broken > 0):
			d.BeginAt(i + 1)
			return
		case line.Kind == screen.Rule:
			d.Place(screen.Drawing, i, i)
		}
	}
	d.BeginAt(-1)
	if broken > 1 {
		d.BeginAt(first + 1)
	}
}

// claudePicks reports whether the keys of a picker, which Escape leaves, stand below its heavy line. A plan has that too.
var claudePicks = all(shows(sign{drawn: true, left: 1, glyphs: "▔"}), shows(sign{within: 1, holds: []string{"Esc to "}}), func(l *screen.Layout) bool {
	return claudeDialog(l) == nil
})

// claudeOpened reports whether what is at the bottom was opened by a slash command: the command is the last
// thing said, no input box is there, and none of the dialogs that ask is below it.
func claudeOpened(l *screen.Layout) bool {
	command := []string{"> /", "❯ /"}
	i := l.LineBefore(len(l.Lines), func(i int) bool {
		line := &l.Lines[i]
		return line.Kind == screen.Words && line.Col == 0 && (strings.ContainsRune("●⏺⎿✻✽", line.First()) || screen.Starts(line.Text, command...))
	})
	if i < 0 || !screen.Starts(l.Lines[i].Text, command...) || claudeInput.In(l) != nil || !l.HasWords(i+1, len(l.Lines)-1) {
		return false
	}
	d := claudeDialog(l)
	return d == nil || d.Name == "setup"
}
