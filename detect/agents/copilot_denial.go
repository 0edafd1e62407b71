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

func copilotWrites(l *screen.Layout) bool {
	_, ok := copilotTyped(l)
	return ok
}

func copilotReject(l *screen.Layout) *screen.Prompt {
	field, ok := copilotTyped(l)
	if !ok {
		return nil
	}
	d := l.Notice(field.end)
	d.BeginAt(field.list.First)
	return denialField(d, "copilot", copilotField, field.typed)
}

// copilotWordsRow is the row that takes words, as it stands on the screen.
type copilotWordsRow struct {
	list  screen.Menu
	end   int // the last line of the dialog's keys
	typed string
}

// copilotTyped finds the row that takes words: the last of the numbered ones, marked, with the way to stop behind its words or
// at their side.
func copilotTyped(l *screen.Layout) (copilotWordsRow, bool) {
	list, ok := l.Menu(screen.Numbered)
	last := len(list.Entries) - 1
	if !ok || last < 1 || list.Marked != last {
		return copilotWordsRow{}, false
	}
	row := &list.Entries[last]
	end := row.First
	for end+1 < len(l.Lines) && l.Lines[end+1].Kind == screen.Words {
		end++
	}
	rows := l.Lines[row.First : end+1]
	typed, ok := copilotWordsOf(rows)
	if !ok {
		return copilotWordsRow{}, false
	}
	row.Last, list.Last = end, end
	d, ok := l.Dialog(list, nil)
	if !ok || d.Frame() == nil {
		return copilotWordsRow{}, false
	}
	if _, words, ok := strings.Cut(typed, ". "); ok { // behind the number
		typed = strings.Join(strings.Fields(words), " ")
	}
	if typed == copilotField {
		typed = ""
	}
	return copilotWordsRow{list, d.End, typed}, true
}

// copilotWordsOf parts the words of a row, with its number, from the way to stop: at the right of the first line, which takes a
// column of its own where it wraps, or behind the last word. Where it is not plain which, all of it is given, so that
// no words are taken for those that were typed.
func copilotWordsOf(rows []screen.Line) (words string, ok bool) {
	first := &rows[0]
	all := joinLines(rows, 0, wholeLine)
	for _, part := range []string{copilotStop, "(Esc to", "(Esc"} {
		col := first.End() - len(part)
		if !strings.HasSuffix(first.Text, "  "+part) {
			continue
		}
		if part == copilotStop {
			return first.Between(0, col) + " " + joinLines(rows[1:], 0, wholeLine), true
		}
		if beside := joinLines(rows, col-1, wholeLine); beside == copilotStop {
			return joinLines(rows, 0, col-1), true
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
