package agents

import (
	"strings"

	"nod/detect/screen"
)

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
		d.OpenField(own, e.Label, claudeOwnWords)
	}
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

// claudePointsBelow reports whether the mark is on a row below the numbered ones.
func claudePointsBelow(d *screen.Dialog) bool {
	return d.LineFrom(d.Last+1, d.End+1, func(i int) bool { return d.Lines[i].Begins("❯") }) >= 0
}
