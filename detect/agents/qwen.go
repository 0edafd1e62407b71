package agents

import (
	"slices"
	"strings"
	"unicode/utf8"

	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/reason"
)

// Qwen asks without a frame in newer versions. The title of a call is at the left, what it is called with further in:
//
//	? Shell rm -rf build (Run a scripted command) ←    the title: of a command, what its rows say once more
//
//	   rm -rf build
//
//	 Allow execution of: 'rm'?
//
//	 › 1. Yes, allow once
//	   2. No, suggest changes (esc)
//
//	⠏ Waiting for user confirmation...                 in any of its languages

// qwen is Qwen Code. Its dialogs were captured from 0.5.0 to 0.24.4, most from the latter.
var qwen = agent{
	name: "qwen",
	profile: Profile{
		About: "Qwen Code answers to a number at once, and keeps the row that says that it waits below the answers. It " +
			"cuts characters off a row that holds some which show nothing, so that nod asks for consent there; it " +
			"draws a prompt only when its hook has ended (tried on 0.24.4), so that no hook can wait for an answer.",
		Yes: "`Always allow … in this project` and `… for this user` last for good; of a change to a file they switch " +
			"accepting edits on.",
	},
	policy:   qwenPolicy,
	program:  proc.Program{Names: []string{"qwen"}, Packages: []string{"@qwen-code/qwen-code"}},
	environ:  []string{"QWEN_CODE"}, // 0.24.4
	hooks:    &qwenHooks,
	dialog:   dialogs(qwenAsks),
	overlay:  []cover{{"picker", picks(dialogs(qwenAsks), "Esc to close", "Tab to change focus", "Tab to configure scope"), nil}},
	voice:    screen.Voice{Mark: "◆", Col: 2, Above: ">"},
	composer: screen.Input{Ruled: ">!*", Hints: []string{"Type your message"}, Ghosts: true}.In,
	signs: signs{
		cut: qwenCut,
		working: shows( // the row with the timer may wrap, so its end is looked for alone; the status row changes too
			sign{within: qwenWork, holds: []string{"· esc to"}}, sign{within: qwenWork, begins: []string{"Enter to steer"}}, sign{within: qwenWork, spins: true},
		),
		volatile: changes(sign{spins: true}, sign{holds: []string{"· esc to cancel)"}}),
		mark:     qwenMark,
	},
}

const (
	// qwenIndent is how many columns a dialog's title is in, and how much further in its subject stands.
	qwenIndent = 2
	// qwenStatus are the rows at the bottom in which the status row stands.
	qwenStatus = 4
	// qwenWork are the rows at the bottom in which the row of work stands; narrow panes wrap it.
	qwenWork = 13
)

// qwenCut: the lowest row says that Qwen waits, in words alone for people whom a screen is read to (qwen/0.24.4-run-reader-100x40).
var qwenCut = cutOffBy(
	sign{within: 1, holds: []string{"Waiting for user confirmation"}, spins: true}, // qwen/0.24.4-question-100x9
	sign{within: 1, begins: []string{"loading Waiting for user confirmation"}},
)

// qwenAsks: the number of a row chooses it at once, Escape denies in every shape. A question says so in its title and its keys; a
// permission has no such keys, and a command may print such a title.
var qwenAsks = asking{
	menu: screen.Numbered, cursor: "›❯●", asks: []string{"Apply this change?", "Do you want to proceed?"},
	below: qwenBelow,
	shapes: []shape{
		{Shape: trust(screen.Keys{Enter: true}), titled: trustTitles},
		{fits: qwenAsk},
		{
			Shape:     screen.Shape{Name: "tool_confirmation", State: screen.Permission, Keys: screen.Keys{Digits: true, Enter: true, Escape: true}, Uncut: "←"},
			refusable: true, fits: qwenTool, verbs: geminiTools,
		},
	},
}

// qwenBegin begins a dialog with its title, which is further left than any row of its subject; -1 where that is not on the screen.
func qwenBegin(d *screen.Dialog) (head int) {
	if d.Frame() != nil { // it says where the dialog begins
		return geminiHead(d)
	}
	left := func(i int) bool { return d.Lines[i].Kind == screen.Words && d.Lines[i].Col <= qwenIndent }
	title := func(i int) bool { return left(i) && screen.Starts(d.Lines[i].Text, "? ") }
	if head = d.LineAbove(left); head < 0 || !title(head) {
		d.BeginAt(-1)
		return -1
	}
	return begin(d, title)
}

// qwenTool is the confirmation of one tool call. The row that says that it waits is below the options, in whatever language: it begins with
// a spinner's glyph.
func qwenTool(d *screen.Dialog) bool {
	d.AskWith("Allow execution of", "Apply this change", "Do you want to ", "Would you like to ")
	head := qwenBegin(d)
	waits := slices.ContainsFunc(d.Lines[d.Last+1:], func(line screen.Line) bool { return line.Spinner() })
	if d.Question == "" || !waits {
		return false
	}
	if geminiCall(d, head); head < 0 {
		qwenUntitled(d)
	}
	if d.Says(screen.StatusRows, "to show more lines") {
		d.Doubt(reason.RowsCutOff)
	}
	return true
}

// qwenBelow: the row that says that the agent waits, in whatever language, and the titles of calls that wait for their turn; up to 0.5 what
// Gemini leaves there (qwen/0.5.0-run-100x40).
func qwenBelow(l *screen.Layout, row string) bool {
	r, _ := utf8.DecodeRuneInString(row)
	return r > 0x2800 && r < 0x2900 || screen.Starts(row, "? ") || geminiBelow(l, row)
}

// qwenUntitled places the subject where the first row of the title is above the screen. A shell's title repeats its
// command, so what is seen of it is no beginning: it follows the command, which stands two columns further in.
func qwenUntitled(d *screen.Dialog) {
	margin := d.Lines[d.Asked].Col
	end := -1
	for i := 0; i < d.Asked; i++ {
		if line := &d.Lines[i]; line.Kind == screen.Words && line.Col < margin+qwenIndent {
			end = d.ParagraphEnd(i)
		}
	}
	if screen.Starts(d.Question, "Allow execution of: ") && end+1 < d.Asked {
		d.Place(screen.Subject, end+1, d.Asked-1)
		d.Place(screen.Subject, d.Top, end)
	}
}

var qwenMark = shows(
	sign{holds: []string{"Qwen Code", "QWEN.md", "Waiting for user confirmation", "? AskUserQuestion", "Enter to steer", "qwen --continue", "Press ctrl-s to show more lines"}},
	sign{within: qwenStatus, left: 4, begins: []string{"➜ "}},
)

// qwenHooks are the hooks of Qwen Code, which were written after Claude Code's.
var qwenHooks = Hooks{
	AnnouncesAnswered: true,
	Settings: HookSettings{
		Folder: ".qwen", File: "settings.json", Form: Matchers, Matcher: "*", Timeout: 5000,
		Events: []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "Stop", "Notification"},
	},
}

// qwenQuestions: Space ticks the marked row of a check list, where digits only move the mark; Right leads on (0.24.4).
var qwenQuestions = screen.Questions{
	Keys: screen.Keys{Digits: true, Enter: true, Escape: true, Leaves: true}, Leaves: "Esc: Cancel", Toggles: "Space: Toggle", Ticks: "Space", Paged: true, Leads: "Right",
	Headings: screen.Headings{Row: 2, Ends: "Submit", Mark: "▸"}, // "Colour ✓ ▸ Sizes  Submit"
	Review:   screen.Review{Dead: true},
	Own:      &qwenOwnWords,
}

// qwenAsk is a question of the model, or one page of a set, which "? AskUserQuestion Ask user 2 questions ←" heads.
func qwenAsk(d *screen.Dialog) bool {
	head := qwenBegin(d)
	asks := head >= 0 && screen.Starts(d.Lines[head].Text, "? AskUserQuestion") && screen.Holds(d.Footer, "Enter: ", "Esc: Cancel")
	if !asks && !screen.Holds(d.Footer, "Enter: Select", "Space: Toggle") {
		return false
	}
	q := qwenQuestions
	if asks && screen.Starts(d.Lines[head].Text, "? AskUserQuestion Ask user 1 question") && screen.Holds(d.Footer, "Enter: Confirm") && !screen.Holds(d.Footer, "Switch tabs") {
		q.Alone = []screen.Step{{Key: "Enter", Last: true}} // it has no headings to turn, and Enter sends what is ticked, whatever is marked
	}
	d.AskSet(&q)
	return true
}

// qwenOwnWords: the mark on the row for words opens a field of one line, 50 columns wide; in a set Enter leads
// from it on by two pages, so that a question is left without an answer (0.24.4).
var qwenOwnWords = screen.OwnWords{Opens: screen.Move, Hint: "Type something...", Mark: "> ", Alone: true, Room: 48}

// qwenPolicy is that of Qwen: 0.24.4.
var qwenPolicy = policy{
	modes: []mode{
		yolo("YOLO mode (shift"),
		{does: reason.GuardDecides, name: "auto mode", args: []string{"--approval-mode auto"}, event: "auto", foot: []string{"Auto mode (shift"}},
	},
	asks: []string{"auto-accept edits (shift", "plan mode (shift"},
	own:  []string{"settings.json"}, project: []string{".qwen/settings.json"}, read: qwenSettled,
	denied: qwenDeniedOn,
}

// qwenSettled says in which mode files of Qwen's settings start it.
func qwenSettled(files []SettingsFile) (s Settled) {
	s.Starts, s.StartsBy, _ = latest[string](files, "tools.approvalMode", nil)
	return s
}

const (
	// qwenBlocked begins what is under a call that auto mode blocked (0.24.4), and qwenAdvice what follows the reason there.
	qwenBlocked = "Blocked by auto mode policy: "
	qwenAdvice  = "Do not try to complete the denied action "
	// qwenCancelled is said, in any of its languages, where Escape stops it. A call that was stopped, or got a no, has another mark.
	qwenCancelled  = "Request cancelled."
	qwenCancelMark = '-'
	// qwenResult is the column of a call's result.
	qwenResult = 4
)

// qwenDeniedOn: the row of a call is further left than its result.
func qwenDeniedOn(l *screen.Layout, box int) (d DeniedCalls) {
	begins, said := turnAbove(l, box, qwenIndent, '>')
	d.Turn, d.All = said, begins >= 0
	for i := begins + 1; i < box; i++ {
		line := &l.Lines[i]
		if line.Col == qwenIndent && (line.First() == qwenCancelMark || line.First() == '●' && strings.HasSuffix(line.Text, " "+qwenCancelled)) {
			d.Stops++
		}
		if line.Col != qwenResult || !strings.HasPrefix(line.Text, qwenBlocked) {
			continue
		}
		head := i - 1
		for head > begins && l.Lines[head].Kind == screen.Words && l.Lines[head].Col != qwenIndent {
			head--
		}
		mark, call, _ := strings.Cut(l.Paragraph(max(head, 0), i-1), " ")
		if head < 0 || l.Lines[head].Col != qwenIndent || mark != "x" {
			continue
		}
		reason, _, _ := strings.Cut(strings.TrimPrefix(l.Paragraph(i, l.ParagraphEnd(i)), qwenBlocked), qwenAdvice)
		c := DeniedCall{Verb: "use", Text: call, Reason: strings.TrimSpace(reason), Cut: true}
		_, input, _ := strings.Cut(call, " ")
		if command := textsIn(input)["command"]; command != "" {
			c.Verb, c.Text = "", command
		}
		d.Calls = append(d.Calls, c)
	}
	return d
}
