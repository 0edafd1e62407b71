package agents

import (
	"strings"

	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/reason"
)

// Grok asks in a panel with a bar at its left, which begins with a blank row below the one that says how long it has been at it:
//
//	  ◆ Run a scripted command… 5.2s  [stop]
//
//	┃
//	┃  Run a scripted command                        what the model says of it
//	┃  rm -rf build
//	┃  ← → narrow scope
//	┃
//	┃  1 (●) Yes, and don't ask again for anything (always-approve mode)
//	┃  2 (○) Yes, proceed
//	┃  3 (○) No, reject (type to add feedback)
//	┃
//	1/3:select  │  Tab:next option                  grokFooter

// grok is Grok Build, xAI's CLI. Its dialogs were captured from 1.0.41. The row that is marked at first allows everything from
// then on: Enter is no key in any of its permissions.
var grok = agent{
	name: "grok",
	profile: Profile{
		About: "Grok marks the row that allows everything from then on, so that Enter is never pressed; the row for once " +
			"is another one in each prompt. Escape denies nothing, it moves the focus, and nod has no key until it is " +
			"back.",
		Yes: "`Yes, and don't ask again for anything` switches the mode, `Yes, allow all edits during this session` " +
			"lasts for the session, `Always allow: …` for good.",
	},
	program:  proc.Program{Names: []string{"grok", "grok-bin"}},
	environ:  []string{"GROK_AGENT=1"}, // other programs' lists; a person may set another value
	undrawn:  (*screen.Layout).WithoutBars,
	dialog:   dialogs(grokAsks),
	voice:    screen.Voice{Col: 5, Above: "❯◆◈"},
	composer: screen.Input{Framed: "❯", Offers: "accept suggestion"}.In, // after a turn it may hold a suggestion, drawn in grey
	signs: signs{
		working:  shows(sign{within: screen.WorkRows, holds: []string{"[stop]"}}),
		volatile: changes(sign{ends: "[stop]"}),
		mark: shows(
			sign{within: screen.MarkRows, bar: true, holds: []string{" (●) Yes", " (○) Yes", "z (○) "}},
			sign{within: 1, holds: []string{"Ctrl+x:shortcuts", "Grok Build"}}, sign{within: screen.WorkRows, holds: []string{"[stop]"}},
		),
	},
}

// grokAsks: the number of a row chooses it at once. While the focus is elsewhere there is no key: what the digits do then was not proven.
// Only its ground shows which answer to a question is marked.
var grokAsks = asking{
	menu: screen.Numbered, below: rowLike(grokFooter + "|Enter:submit$"), barred: true,
	fits: func(d *screen.Dialog) bool {
		d.BeginIn(d.Top, !grokBegins(d.Layout, d.Top))
		d.AnotherHead(func(i int) bool { return d.Lines[i].Bar })
		return grokKeys(d.Layout, lowest(d.Layout))
	},
	shapes: []shape{
		{foot: []string{"Tab/Space:question"}, set: &screen.Questions{}},
		{foot: []string{"Tab:next answer"}, lit: (*screen.Dialog).MarkNumber, set: &screen.Questions{Keys: screen.Keys{Digits: true, Enter: true}}},
		{Shape: screen.Shape{Name: "permission", State: screen.Permission, Why: reason.FocusElsewhere}, refusable: true, foot: []string{"Tab/Space:"}, fix: grokCall},
		{Shape: screen.Shape{Name: "permission", State: screen.Permission, Keys: screen.Keys{Digits: true}}, refusable: true, foot: []string{"1/"}, fix: grokCall},
	},
}

// grokBegins reports whether a panel begins in line top: with a blank row of its own, below a blank one of the screen's and the
// row that says how long Grok has been at it.
func grokBegins(l *screen.Layout, top int) bool {
	return top > 1 && l.Lines[top].Kind == screen.Blank && l.Lines[top-1].Kind == screen.Blank && strings.HasSuffix(l.Lines[top-2].Text, "[stop]")
}

// grokFooter is the row of keys below a question, or below it while the focus is elsewhere; the first of them stand in it at any width.
const grokFooter = `^1/.*(?::select|Tab:next answer|Tab/Space:)|^(?:Tab:next answer|Tab/Space:permission|Tab/Space:question)`

var grokKeys = rowLike(grokFooter)

// grokCall places what is asked for: of a command what the model says that it is for, and the command; of anything else one
// sentence. Arguments and changes are not shown, and of a command its first row.
func grokCall(d *screen.Dialog) string {
	head, at := d.Head()
	if at == d.First {
		return ""
	}
	last := d.AboveBlanks(d.First-1, at)
	if d.Lines[last].Text == "← → narrow scope" {
		d.Place(screen.Button, last, last)
		last--
	}
	if screen.Starts(head, "Allow ") && strings.HasSuffix(d.Paragraph(at, last), "?") {
		d.Ask(at, last)
		d.DoubtOf("Grok", reason.NoArguments)
		if screen.Starts(head, "Allow Edit to ") {
			return "edit"
		}
		return "use"
	}
	d.AskAs("Permission required")
	if last > at {
		at++
	}
	d.Place(screen.Subject, at, max(at, last))
	return ""
}
