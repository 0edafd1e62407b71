package agents

import (
	"strings"

	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/reason"
)

// Codex draws its transcript from the left edge on, with what belongs to a row below it and further in. The input box is a row too, at the
// bottom, above nothing but status rows:
//
//	• Added one.txt (+2 -0)                         codexTool
//	    1 +first
//	• Working (2s • esc to interrupt)               codexSpinner
//
//	› Ask Codex to do anything                      codexInput
//
//	  100% context left · ? for shortcuts
//
// Its dialogs are in codex_asks.go, the changes that one of them is about in codex_edit.go, and calls that its reviewer denied in
// codex_denied.go.

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
		cut:      cutOffBy(sign{within: screen.FooterRows, begins: []string{"option "}, holds: []string{" | enter to sub"}}), // codex/0.171.0-mcp-100x9
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

// codexSlash are the lines above the input box in which the slash menu opens.
const codexSlash = 10

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

// codexTool reports whether a row that begins with Codex's mark is a tool's. The mark of most has a colour. That of an edit has none: the row
// names what was done in bold, and then how many lines were added and removed. Neither has that of a call before it was denied, which stays.
func codexTool(line *screen.Line) bool {
	edits := strings.HasSuffix(line.Text, ")") && strings.Contains(line.Text, "(+")
	runs := strings.HasPrefix(line.Text, "• Running ")
	return screen.HuedMark(line) || screen.BoldHead(line) && (edits || runs)
}
