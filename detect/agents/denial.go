package agents

import "nod/detect/screen"

// The shapes of a dialog whose field takes the words of a denial: with nothing in the field, and with words.
const (
	rejects = "reject"
	tells   = "reject_words"
)

// lastRow is the numbered list of a dialog, and its last row, which takes words while the mark is on it; ok is false if it is elsewhere.
func lastRow(l *screen.Layout) (list screen.Menu, row *screen.Entry, ok bool) {
	list, ok = l.Menu(screen.Numbered)
	last := len(list.Entries) - 1
	if !ok || list.Marked != last {
		return list, nil, false
	}
	return list, &list.Entries[last], true
}

// tellsBy is how words are given with a denial where the number of a row opens their field and Enter sends what is there.
func tellsBy(agent string) []screen.Step {
	return []screen.Step{{Key: screen.Number, Opens: agent + "." + rejects}, {Key: "Enter", Words: agent + "." + tells, Last: true}}
}

// denialField is the prompt of a dialog between two lines whose field takes the words of a denial, which asks so, with what is typed there.
func denialField(l *screen.Layout, first, last int, agent, asks, typed string) *screen.Prompt {
	name := rejects
	if typed != "" {
		name = tells
	}
	return l.Typing(first, last, screen.Shape{Name: name, State: screen.Overlay, Ask: asks}, typed).Prompt(agent)
}
