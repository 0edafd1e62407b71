package agents

import (
	"fmt"
	"strings"

	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/text/lazy"
)

// Kimi asks between two rules in its margin, with nothing but status rows below:
//
//	──────────────────────────────────────────────
//	  ▶ Run this command?                              kimiHeads
//	  Dangerous: recursive delete
//	  $ rm -rf build
//	    Run a scripted command                         kimiGrey
//
//	  ▶ 1. Approve once
//	    2. Reject with feedback                        kimiField
//
//	  ↑/↓ select · 1/2 choose · ↵ confirm
//	──────────────────────────────────────────────     kimiRule
//	rig-model thinking  …/ws
//	                        context: 1% (110/125k)     kimiStatus

// kimi is Kimi Code. Its dialogs were captured from 2.1.0, its check lists from 0.10.0 and 0.43.1 too.
var kimi = agent{
	name: "kimi",
	profile: Profile{
		About: "Kimi draws a long command whole and pushes its head off the screen, and of two calls in one turn it runs the " +
			"first only when both are answered. A denial with words goes into its row for feedback, and a page of its own reviews " +
			"the answers to a set of questions before they are sent.",
		Yes: "`Approve for this session` lasts for the session.",
	},
	program:  proc.Program{Names: []string{"kimi", "kimi-code"}, Packages: []string{"@moonshot-ai/kimi-code"}},
	dialog:   dialogs(kimiPages, kimiAsks),
	overlay:  []cover{{"words for a rejection", nil, kimiReject}},
	voice:    screen.Voice{Mark: "●", Col: 1, Above: "✨", Tool: screen.HuedMark, Stopped: "Interrupted by user"},
	composer: screen.Input{Framed: ">!"}.In,
	signs: signs{
		cut:      func(l *screen.Layout) *screen.Dialog { return kimiCut(kimiClosed(l)) },
		working:  shows(sign{within: screen.WorkRows, glyphs: kimiMoon}, sign{within: screen.WorkRows, spins: true}), // right above the input box
		volatile: changes(sign{glyphs: kimiMoon}, sign{spins: true}, kimiStatus),
		mark:     shows(kimiStatus, sign{within: screen.FooterRows, holds: []string{kimiFeedback}}),
	},
}

// kimiCut: kimi/2.1.0-question-100x9.
var kimiCut = cutOffBy(sign{within: 1, holds: []string{"choose"}, keys: true})

// kimiMoon turns while Kimi works.
const kimiMoon = "🌑🌒🌓🌔🌕🌖🌗🌘"

// kimiStatus is the status row that says how much of the context is used.
var kimiStatus = sign{within: screen.StatusRows, like: lazy.MustCompile(`context: .*%`)}

// kimiAsks: the number of a row chooses it at once, that of the row for feedback puts the cursor there, Enter takes the marked row,
// Escape rejects. A rule closes the dialog, with nothing but status rows below it.
var kimiAsks = asking{
	part: kimiClosed, menu: screen.Numbered, cursor: "▶", asks: []string{"Run this command?", "Write this file?", "Edit this file?"},
	shapes: []shape{{
		Shape: screen.Shape{
			Name: "tool_confirmation", State: screen.Permission, Ask: "Run this command?",
			Keys: screen.Keys{Digits: true, Enter: true, Escape: true, Tells: tellsBy("kimi")},
		},
		keys: []string{"choose"}, refusable: true, fix: kimiTool,
	}},
}

const (
	// kimiStatusRows are the lines below the rule that closes a dialog.
	kimiStatusRows = 4
	// kimiMargin is the column in which a dialog's rules begin.
	kimiMargin = 1
	// kimiGrey is the colour of what the model says that its command is for (kimi/2.1.0-bash-80x24).
	kimiGrey = "5;244"
)

const (
	// kimiFeedback is the footer while words for a rejection are typed into the last row.
	kimiFeedback = "Type feedback · ↵ submit."
	// kimiField is the label of that row: the words stand behind it, or their end.
	kimiField = "Reject with feedback"
)

// kimiTool begins the dialog with its head, which a long command pushes off the screen (kimi/2.1.0-longcmd-80x24).
func kimiTool(d *screen.Dialog) string {
	head := begin(d, func(i int) bool { return kimiHeads(d, i) })
	if head < 0 {
		return ""
	}
	d.Unbar(func(i int, _ *screen.Line) bool { return i == head }) // the agent's mark before it (kimi/2.1.0-bash-80x24)
	d.AskFrom(head)
	return kimiCall(d)
}

// kimiRule is the rule that closes a dialog, with the status rows below it as the last ones of the screen; -1: there is none.
func kimiRule(l *screen.Layout) int {
	i := l.LineBefore(len(l.Lines), func(i int) bool {
		return l.Lines[i].Kind != screen.Blank && (l.Lines[i].Kind != screen.Words || i < len(l.Lines)-kimiStatusRows)
	})
	if _, line := l.LowestRow(); i < 0 || !kimiStatus.is(line) || l.Lines[i].Kind != screen.Rule || l.Lines[i].Col != kimiMargin {
		return -1
	}
	return i
}

// kimiClosed is what is above the rule that closes a dialog; nothing where there is none.
func kimiClosed(l *screen.Layout) *screen.Layout { return l.Above(kimiRule(l)) }

// kimiHeads: the rule is in the column of the one that closes the dialog, where no row of a command does.
func kimiHeads(d *screen.Dialog, i int) bool {
	return i > 0 && d.Lines[i].Begins("▶") && d.Lines[i-1].Kind == screen.Rule && d.Lines[i-1].Col == kimiMargin
}

// kimiCall places what is asked for: where, what is dangerous about it, the command behind its "$", and, dimmer, what the
// model says that it is for. Of a file there is its path and what will be in it.
func kimiCall(d *screen.Dialog) string {
	i := shellRow(d, d.AskedEnd+1)
	switch {
	case i >= 0:
		d.Place(screen.Subject, i, kimiCommandEnd(d, i))
		return ""
	case screen.Starts(d.Question, "Write ", "Edit "):
		return "edit"
	}
	return "use"
}

// kimiCommandEnd is the last line of the command that begins in line i: what is in another colour below it is the
// description. Without colours all of it leads.
func kimiCommandEnd(d *screen.Dialog, i int) int {
	last := min(d.ParagraphEnd(i), d.First-1)
	line, command := &d.Lines[last], &d.Lines[i]
	said := line.Style(line.Col)
	if said.Fg != kimiGrey || command.Style(command.Col+2) == said {
		return last
	}
	for last > i && d.Lines[last].Style(d.Lines[last].Col) == said {
		last--
	}
	return last
}

// kimiReject is the dialog while words for a rejection are typed into its last row. What a digit does there was not proven.
func kimiReject(l *screen.Layout) (p *screen.Prompt, covers bool) {
	rule := kimiRule(l)
	if rule < 1 || l.Lines[rule-1].Text != kimiFeedback {
		return nil, false
	}
	list, row, ok := lastRow(l)
	if !ok {
		return nil, true
	}
	_, typed, ok := strings.Cut(l.Lines[row.First].Text, kimiField)
	if !ok {
		return nil, true
	}
	return denialField(l, list.First, rule-1, "kimi", kimiField, strings.TrimSpace(typed)), true
}

// kimiQuestions: a number ticks its box wherever the mark is, a colour. What leads on is proven for a set whose headings are all seen.
var kimiQuestions = screen.Questions{
	Keys: screen.Keys{Digits: true, Enter: true, Leaves: true}, Toggles: " / ↵ toggle", Ticks: "#", Leads: "Tab", Opens: "kimi.ask_user_review",
	Headings: screen.Headings{Row: 2, Ends: "  Submit"}, // "(✓) Colour   Sizes    Submit"
	Review:   screen.Review{Foot: "↑↓ select  1/2 choose  ↵ confirm", Sign: 'Q'},
}

// kimiPages is a question of the model, one page of a set, or the page that reviews the answers. The row of keys right above the closing
// rule says which: "↑↓ select  1-3 / ↵ toggle  ←/→/tab switch  esc cancel", or, while words are being typed, "type answer  ↵ save".
// A narrow pane cuts it off (kimi/2.1.0-boxes-50x24).
var kimiPages = asking{
	part: kimiClosed, menu: screen.Bracketed | screen.Boxed, titles: []string{"question"},
	fits: func(d *screen.Dialog) bool {
		above := d.LineAbove(func(i int) bool { return d.Lines[i].Kind == screen.Rule && d.Lines[i].Col == kimiMargin })
		d.BeginIn(above+1, above < 0)
		return screen.Starts(d.Footer, "↑↓ select  1", "type answer  ↵ save")
	},
	shapes: []shape{{fits: kimiAsk}},
}

// kimiAsk says how the question is answered, and reads its page. While words are being typed a number is one of them. The rows of a check
// list print no number: the row of keys says how many there are, and without that none is ticked and nothing sent.
func kimiAsk(d *screen.Dialog) bool {
	q := kimiQuestions
	q.Numbers = screen.Starts(d.Footer, fmt.Sprintf("↑↓ select  1-%d / ↵ toggle", len(d.Entries)))
	if screen.Starts(d.Footer, "type answer") {
		q.Keys = screen.Keys{}
	}
	paged := d.AskSet(&q)
	for i := d.Top; paged && i < d.First; i++ {
		if d.Mark(i, "? ") {
			d.Ask(i, d.ParagraphEnd(i))
			break
		}
	}
	return true
}
