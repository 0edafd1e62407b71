package agents

import (
	"slices"

	"nod/detect/screen"
)

var copilotQuestions = []string{"Copilot needs information."}

// copilotSet: in a check list a bullet is before what is not ticked, and Space ticks the marked row. Tab leads on from each page but
// the last, where Enter sends the answers to all of them, and no page reviews these (1.0.102).
var copilotSet = screen.Questions{
	Keys: screen.Keys{Enter: true, Leaves: true}, Leaves: "esc cancel", Toggles: "space toggle", Ticks: "Space", Leads: "Tab", Next: "tab next",
	Headings: screen.Headings{Each: true}, // "Colour  [Sizes]"
}

// copilotAsk is a question of the model, or one page of a set.
func copilotAsk(d *screen.Dialog) bool {
	q := copilotSet
	if !screen.Holds(d.Footer, q.Toggles) || !copilotBoxes(d) || !copilotMarked(d) || !copilotWhole(d) {
		q.Ticks, q.Leads, q.Next = "", "", ""
	}
	d.AskSet(&q)
	if _, head := d.Head(); !d.TopUnseen {
		d.Place(screen.Subject, head+1, d.First-1) // the headings too, which name what is asked about
	}
	return true
}

// copilotAnswers reports whether words of one's own are typed for a question: while the mark is on their row, their field is below
// the dialog, drawn as the input box is, so that two rules meet (1.0.102).
func copilotAnswers(l *screen.Layout) bool {
	rule := l.LineBefore(len(l.Lines), func(i int) bool { return i > 1 && l.Lines[i].Kind == screen.Rule && l.Lines[i-1].Kind == screen.Rule })
	return rule > 0 && screen.Holds(l.Lines[rule-2].Text, "enter accept", "enter submit", "tab next") && screen.Holds(l.Lines[rule-2].Text, "esc cancel")
}

// copilotBoxes takes the sign before each row for its box. It reports whether every row has one.
func copilotBoxes(d *screen.Dialog) bool {
	boxes := map[string]string{"•": "[ ]", "✓": "[✓]"}
	for i := range d.Entries {
		e := &d.Entries[i]
		if e.Check = boxes[e.Check]; e.Check == "" {
			return false
		}
	}
	return true
}

// copilotMarked reports whether the mark is the agent's own: a label may hold a row that looks like a marked one, but the colours of
// that are those of the rows around it, or else two rows have a mark.
func copilotMarked(d *screen.Dialog) bool {
	marks := 0
	for i := d.Top; i <= d.Last; i++ {
		if d.Lines[i].Begins("❯") {
			marks++
		}
	}
	return marks == 1 && d.SetOff()
}

// copilotWhole reports whether no row above the list has the sign of a box: a label with an empty line in it parts the list, and
// what is ticked above that line would be sent unseen.
func copilotWhole(d *screen.Dialog) bool {
	return !slices.ContainsFunc(d.Lines[d.Top:d.First], func(line screen.Line) bool { return line.Begins("•✓") })
}
