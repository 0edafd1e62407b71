package agents

import (
	"slices"
	"strings"

	"nod/detect/screen"
)

// Claude's model asks itself, and has its plans approved:
//
//	──────────────────────────────────         ▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔
//	←  ☐ Colour  ☐ Sizes  ✔ Submit  →            Ready to code?
//	                                            ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
//	Which colour?                                1. Create a file
//	                                            ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
//	❯ 1. Red                                    ─────────────────────────────────
//	  2. Type something.                         Would you like to proceed?
//	──────────────────────────────────           ❯ 1. Yes, and use auto mode
//	  3. Chat about this                           2. Tell Claude what to change
//
//	Enter to select · Esc to cancel              ctrl+g to edit in Vim

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
	if open { // a digit is one of the words there
		q.Own = &screen.OwnWords{Open: own + 1, Hint: claudeOwnWords}
	}
	d.AskSet(&q)
	d.AnotherHead(d.RuleAtEdge)
	return true
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

// claudePlanAsks are the questions under a plan, claudePlanLabels how answers begin that only a plan has.
var (
	claudePlanAsks = []string{
		"Would you like to proceed?", "Claude has written up a plan and is ready to execute. Would you like to proceed?", "Exit plan mode?",
	}
	claudePlanLabels = []string{"No, keep planning", "Yes, manually approve edits", "Yes, and manually approve edits", "Tell Claude what to change"}
)

// claudePlans is the question whether a plan is carried out. No answer to it is for once, each switches a mode.
var claudePlans = screen.Shape{
	Name: "plan", State: screen.Question, Verb: "plan", Keys: screen.Keys{Digits: true, Enter: true, Escape: true, Leaves: true},
	Means: instead([]screen.Scope{screen.Once, screen.Session, screen.Always}, screen.Mode),
}

// claudePlan reads that question, known by its words, or by the label of one of its answers.
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
