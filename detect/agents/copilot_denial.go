package agents

import (
	"strings"

	"nod/detect/screen"
)

// This file reads Copilot's dialog while the row that says no takes words: the row is a text field when the highlight
// reaches it, and what is typed takes the place of its label. Keys are letters of the words then.

const (
	// copilotField is the label of that row while nothing is typed, and copilotStop stands behind it, and behind the words.
	copilotField = "No, and tell Copilot what to do differently"
	copilotStop  = "(Esc to stop)"
)

func copilotOverlay(l *screen.Layout) string {
	if _, ok := copilotTyped(l); ok {
		return "feedback is being typed"
	}
	return ""
}

func copilotReject(l *screen.Layout) *screen.Prompt {
	field, ok := copilotTyped(l)
	if !ok {
		return nil
	}
	d := l.Notice(field.end)
	d.BeginAt(field.list.First)
	d.Question = copilotField
	return denialField(d, "copilot", field.typed)
}

// copilotWordsRow is the row that takes words, as it stands on the screen.
type copilotWordsRow struct {
	list  screen.List
	end   int // the last line of the dialog's keys
	typed string
}

// copilotTyped finds the row that takes words: the last of the numbered ones, marked, with the way to stop behind its words, at
// their side where both wrap.
func copilotTyped(l *screen.Layout) (copilotWordsRow, bool) {
	list, ok := l.NumberedList()
	last := len(list.Entries) - 1
	if !ok || last < 1 || list.Marked != last {
		return copilotWordsRow{}, false
	}
	row := &list.Entries[last]
	var words, stop []string
	for i := row.First; i < len(l.Lines) && l.Lines[i].Kind == screen.Words; i++ {
		text := l.Lines[i].Text
		if i == row.First {
			_, text, _ = strings.Cut(text, ". ")
		}
		text, beside := copilotBeside(text, len(stop) > 0)
		words, row.Last = append(words, text), i
		if beside != "" {
			stop = append(stop, beside)
		}
	}
	if strings.Join(stop, " ") != copilotStop {
		return copilotWordsRow{}, false
	}
	list.Last = row.Last
	d, ok := l.Dialog(list, nil)
	if !ok || d.Frame() == nil {
		return copilotWordsRow{}, false
	}
	typed := strings.Join(strings.Fields(strings.Join(words, " ")), " ")
	if typed == copilotField {
		typed = ""
	}
	return copilotWordsRow{list, d.End, typed}, true
}

// copilotBeside parts a row of words from what of the way to stop stands behind them.
func copilotBeside(text string, begun bool) (words, beside string) {
	parts := []string{copilotStop, "(Esc to", "(Esc"}
	if begun {
		parts = []string{"to stop)", "stop)"}
	}
	for _, part := range parts {
		if words, ok := strings.CutSuffix(text, part); ok && (words == "" || strings.HasSuffix(words, " ")) {
			return strings.TrimSpace(words), part
		}
	}
	return text, ""
}
