package agents

import (
	"strings"

	"nod/detect/screen"
)

// Words that a person types into a dialog of Copilot, in two places: in the row that says no, and below a question.

// copilotAnswers reports whether words of one's own are typed for a question: while the mark is on their row, their field is below
// the dialog, drawn as the input box is, so that two rules meet (1.0.102).
func copilotAnswers(l *screen.Layout) bool {
	rule := l.LineBefore(len(l.Lines), func(i int) bool { return i > 1 && l.Lines[i].Kind == screen.Rule && l.Lines[i-1].Kind == screen.Rule })
	return rule > 0 && screen.Holds(l.Lines[rule-2].Text, "enter accept", "enter submit", "tab next") && screen.Holds(l.Lines[rule-2].Text, "esc cancel")
}

// The row that says no becomes a text field when the highlight reaches it, and what is typed takes the place of its label. Keys are letters
// of the words then.

const (
	// copilotField is the label of that row while nothing is typed, and copilotStop is behind it, and behind the words.
	copilotField = "No, and tell Copilot what to do differently"
	copilotStop  = "(Esc to stop)"
)

// copilotReject is the dialog whose last row takes words: that of the numbered ones is marked, with the way to stop behind its words or at
// their side.
func copilotReject(l *screen.Layout) (p *screen.Prompt, covers bool) {
	list, row, ok := lastRow(l)
	if !ok {
		return nil, false
	}
	end := l.ParagraphEnd(row.First)
	typed, ok := copilotWordsOf(l.Lines[row.First : end+1])
	if !ok {
		return nil, false
	}
	row.Last, list.Last = end, end
	d, ok := l.Dialog(list, nil, false)
	if !ok || d.Frame() == nil {
		return nil, false
	}
	_, words, _ := strings.Cut(typed, ". ") // behind the number
	if typed = strings.Join(strings.Fields(words), " "); typed == copilotField {
		typed = ""
	}
	return denialField(l, d.First, d.End, "copilot", copilotField, typed), true
}

// copilotWordsOf parts the words of a row, with its number, from the way to stop: at the right of the first line, which takes a
// column of its own where it wraps, or behind the last word. Where it is not plain which, all of it is given, so that
// no words are taken for those that were typed.
func copilotWordsOf(rows []screen.Line) (words string, ok bool) {
	first := &rows[0]
	all := joinLines(rows, 0, wholeLine)
	for _, part := range []string{copilotStop, "(Esc to", "(Esc"} {
		col := first.End() - len(part) - 1
		if strings.HasSuffix(first.Text, "  "+part) && joinLines(rows, col, wholeLine) == copilotStop {
			return joinLines(rows, 0, col), true
		}
	}
	if words, ok := strings.CutSuffix(all, copilotStop); ok {
		return words, true
	}
	return all, strings.Contains(all, "(Esc to")
}

const wholeLine = 1 << 20

// joinLines is the text of lines between two columns, with one blank where there are more.
func joinLines(lines []screen.Line, from, to int) string {
	var words []string
	for i := range lines {
		words = append(words, strings.Fields(lines[i].Between(from, to))...)
	}
	return strings.Join(words, " ")
}
