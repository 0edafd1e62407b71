package screen

import "strings"

// fieldHint is what a text field shows while nothing is typed into it.
const fieldHint = "Type your answer"

// Field says that a text field of the dialog has the focus, whose lines are first to the one before end, the first one behind its
// mark. Without one, first < 0, what stands in it can't be told.
func (d *Dialog) Field(first, end int) {
	d.TextField = true
	if first < 0 {
		d.Typed = "?"
		return
	}
	var rows []string
	for i := first; i < end; i++ {
		rows = append(rows, d.Lines[i].Text)
	}
	mark := string(d.Lines[first].First())
	d.Typed = strings.TrimSpace(strings.TrimPrefix(strings.Join(rows, "\n"), mark))
	if strings.TrimRight(d.Typed, ".…") == fieldHint {
		d.Typed = ""
	}
}
