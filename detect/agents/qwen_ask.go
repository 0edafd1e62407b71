package agents

import "nod/detect/screen"

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
