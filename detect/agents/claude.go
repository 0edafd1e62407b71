package agents

import (
	"strings"

	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/reason"
	"nod/internal/text/lazy"
)

// Claude Code draws its transcript from the left edge on, the spinner and a list of what is to do below that, and the input box between two lines;
// older versions have a frame:
//
//	● Scenario bash finished.
//	  ⎿  Read 3 lines
//
//	✻ Computing… (3s · ↓ 30 tokens)                            claudeSpinner
//
//	──────────────────────────────────
//	❯ Try "fix the tests"                                      claudeInput
//	──────────────────────────────────
//	  ? for shortcuts
//
// Its dialogs are in claude_asks.go, its model's questions and plans in claude_questions.go.

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
		said(`(API Error: (?:Repeated )?\d{3})\b`, reason.ModelUnreachable),
		said(`(API Error: (?:Connection error|Request timed out)|Unable to connect to API|Request timed out)\b`, reason.ModelUnreachable),
	},
}

// claudeInput: newer versions draw two lines, older ones a frame.
var claudeInput = screen.Input{Ruled: "❯>!", Framed: ">!", Hints: []string{`Try "`, "Press up to edit queued messages"}}

const (
	// claudeSpinnerRows are the lines above the input box in which the spinner may turn, with tips and a list of what is to do below it.
	claudeSpinnerRows = 8
	// claudeMargin are the columns in which the spinner may turn: text that the agent shows is further in.
	claudeMargin = 3
)

// claudeSpinner is the spinner's row: "* Beaming… (3s · ↓ 30 tokens)", "✻ Computing… (esc to interrupt)", "✽ Whisking…". One that ends so
// has few words: more are a sentence.
var claudeSpinner = lazy.MustCompile(`^[·✢✳✶✻✽*∗](?:.*(?:… \(|esc to interrupt)|\S*(?: \S*){0,4}…$)`)

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
		return line.Col == 0 && (strings.ContainsRune("●⏺⎿✻✽", line.First()) || screen.Starts(line.Text, command...))
	})
	if i < 0 || !screen.Starts(l.Lines[i].Text, command...) || claudeInput.In(l) != nil || !l.HasWords(i+1, len(l.Lines)-1) {
		return false
	}
	d := claudeDialog(l)
	return d == nil || d.Name == "setup"
}
