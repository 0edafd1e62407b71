package screen

import (
	"iter"
	"strings"

	"nod/internal/text/visible"
)

// Buttons may be told by a ground of their own, on which their words stand.

// GroundButtons finds the lowest buttons that are told by a ground of their own, side by side or one below the other, each with
// the letter that chooses it underlined. On a capture without colours there are none.
func (l *Layout) GroundButtons() (List, bool) {
	list := List{Marked: -1, MarkCol: -1}
	for i := len(l.Lines) - 1; i >= 0; i-- {
		row := l.groundButtons(i)
		switch {
		case len(row) > 0 && len(list.Entries) == 0:
			list.First, list.Last, list.Across = i, i, len(row) > 1
			list.Entries = row
		case len(row) == 1 && !list.Across && len(list.Entries) > 0:
			list.First, list.Entries = i, append(row, list.Entries...)
		case len(list.Entries) > 0:
			return list, len(list.Entries) > 1 && distinct(list.Entries)
		}
	}
	return list, len(list.Entries) > 1 && distinct(list.Entries)
}

// groundButtons are the buttons of one line: stretches on one ground, with one letter underlined.
func (l *Layout) groundButtons(i int) []Entry {
	line := &l.Lines[i]
	var entries []Entry
	for from, to := range line.grounds() {
		e := line.buttonIn(i, from, to)
		for at := from; at < to; at++ {
			if line.Style(at).Underline {
				e.Hints = append(e.Hints, tmuxKey(strings.ToLower(string(line.cells[at]))))
			}
		}
		if len(e.Hints) != 1 || e.Hints[0] == "" {
			return nil
		}
		entries = append(entries, e)
	}
	return entries
}

// PrintedButtons finds buttons right above a frame that are told by a ground of their own, each of which ends in its key:
// "Approve (1)   Reject (2)". On a capture without colours there are none.
func (l *Layout) PrintedButtons() (List, bool) {
	for _, f := range l.frames {
		if i := f.Top - 1; !f.Open && i >= 0 && l.Lines[i].Kind == Words {
			list := List{First: i, Last: i, Marked: -1, MarkCol: -1, Across: true, Entries: l.printedButtons(i)}
			if len(list.Entries) > 1 && distinct(list.Entries) {
				return list, true
			}
		}
	}
	return List{}, false
}

func (l *Layout) printedButtons(i int) []Entry {
	line := &l.Lines[i]
	var entries []Entry
	words := 0
	for from, to := range line.grounds() {
		e := line.buttonIn(i, from, to)
		words += len(visible.Unspaced(e.Label))
		label, key, ok := strings.Cut(strings.TrimSuffix(e.Label, ")"), " (")
		if e.Label, e.Hints = label, []string{tmuxKey(key)}; !ok || len(key) != 1 || e.Hints[0] == "" {
			return nil
		}
		entries = append(entries, e)
	}
	if words != len(visible.Unspaced(line.Text)) {
		return nil // something else stands there
	}
	return entries
}

// grounds gives the stretches of a line that hold words on one ground: the first column, and the one behind the last.
func (line *Line) grounds() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for c := 0; c < len(line.cells); {
			ground := line.Style(c).ground()
			end := c + 1
			for end < len(line.cells) && line.Style(end).ground() == ground {
				end++
			}
			if ground != "" && strings.TrimSpace(line.label(c, end)) != "" && !yield(c, end) {
				return
			}
			c = end
		}
	}
}

// buttonIn is the button that stands in the columns of line i.
func (line *Line) buttonIn(i, from, to int) Entry {
	return Entry{Option: Option{Label: strings.TrimSpace(line.label(from, to))}, First: i, Last: i, Col: skip(line.cells, from)}
}
