package agents

import "nod/detect/screen"

// panelQuestions is how OpenCode and its forks draw the questions of a model: the headings of a set stand in the first row, the one of the
// page that is on a ground of its own, and Tab leads to the next (opencode 1.18.33, kilo 7.7.9). A number ticks its box. Name
// is the agent's; empty: unknown, so that nothing is ticked and no words are given.
func panelQuestions(name string) *screen.Questions {
	q := &screen.Questions{
		Keys: screen.Keys{Digits: true, Enter: true, Leaves: true}, Toggles: "enter toggle", Paged: true,
		Headings: screen.Headings{Turns: "⇆ tab", Row: 1, Ends: "Confirm"},
		Review:   screen.Review{Head: "Review", Parted: ": "}, // "Sizes: Small, Large"
	}
	own := panelOwnWords
	if q.Own = &own; name != "" {
		q.Ticks, q.Leads, q.Opens, own.Opens = "#", "Tab", name+".ask_user_review", screen.Number
	}
	return q
}

// panelOwnWords: the number of the row for words opens a field below it; Escape closes that, and what was typed is gone (opencode 1.18.33,
// kilo 7.7.9). The model can't leave that row out, and a panel that is too tall for its pane loses its keys.
var panelOwnWords = screen.OwnWords{Hint: "Type your own answer", Below: true, Lines: 6}

// panelAsksUser is a question of the model, or of the agent: numbered rows and a footer that dismisses.
func panelAsksUser(q *screen.Questions) asking {
	return asking{
		menu: screen.Numbered, told: true, below: panelBelow, barred: true,
		shapes: []shape{{keys: []string{"esc dismiss", "enter submit", "enter toggle"}, lit: (*screen.Dialog).MarkNumber, set: q}},
	}
}

// panelReview is the last tab of several questions.
func panelReview(q *screen.Questions) asking {
	return asking{barred: true, shapes: []shape{{keys: []string{"enter submit"}, review: q}}}
}
