package screen

// filled and empty are what stands between the brackets of a radio button that is chosen, and of one that is not.
const filled, empty = "●•◉*x", "○◯◌ "

// RadioList finds the lowest list whose options are a key, a round box, and a label: "2 (○) Yes, proceed"
// (grok/1.0.41-bash-80x24). The one box that is filled marks its option.
func (l *Layout) RadioList() (List, bool) {
	for end := len(l.Lines) - 1; end >= 0; end-- {
		if _, _, ok := l.radioEntry(end); ok {
			return l.radioUp(end)
		}
	}
	return List{}, false
}

// radioUp reads the list whose last option stands in line end. Two filled boxes prove none.
func (l *Layout) radioUp(end int) (List, bool) {
	list := List{Marked: -1, MarkCol: l.Lines[end].Col, Last: end}
	for i := end; i >= 0; i-- {
		e, on, ok := l.radioEntry(i)
		line := &l.Lines[i]
		switch {
		case ok && line.Col == list.MarkCol:
			if on && list.Marked >= 0 {
				return List{}, false
			}
			if on {
				list.Marked = len(list.Entries)
			}
			list.First = i
			list.Entries = append(list.Entries, e)
			continue
		case line.Kind == Words && line.Col > list.MarkCol:
			continue // a label's wrapped rest, or what explains it
		}
		break
	}
	list = l.finish(list)
	list.Numbered = true
	for i, e := range list.Entries {
		list.Numbered = list.Numbered && (e.Number == i+1 || e.Number == 0 && i == len(list.Entries)-1)
	}
	return list, len(list.Entries) > 1 && list.Numbered
}

// radioEntry reads "2 (○) Yes, proceed". What stands for a last option that takes words is a letter.
func (l *Layout) radioEntry(i int) (e Entry, on, ok bool) {
	line := &l.Lines[i]
	key, at, on, ok := line.radio()
	if !ok || key == 0 {
		return Entry{}, false, false
	}
	if key <= '9' {
		e.Number = int(key - '0')
	}
	e.First, e.Last, e.Col = i, i, skip(line.cells, at+3)
	e.Label = line.label(e.Col, len(line.cells))
	return e, on, e.Label != ""
}

// TakeRadios reads the buttons of a radio list, "(●) Yes" or "1 (○) No", as the marks of one: the chosen button is
// its cursor. It reports whether there are any. A button that stands alone is none.
func (l *Layout) TakeRadios() bool {
	var rows []int
	chosen := 0
	for i := range l.Lines {
		if _, at, on, ok := l.Lines[i].radio(); ok && at >= 0 {
			rows = append(rows, i)
			if on {
				chosen++
			}
		}
	}
	if len(rows) < 2 || chosen > 1 {
		return false
	}
	for _, i := range rows {
		line := &l.Lines[i]
		key, at, on, _ := line.radio()
		mark := '○'
		if on {
			mark = '●'
		}
		start := line.Col
		for c := start; c < at+3; c++ {
			line.cells[c] = ' '
		}
		line.cells[start] = mark
		if key > 0 && key <= '9' {
			line.cells[start+2], line.cells[start+3] = key, '.'
		}
		line.settle()
	}
	return true
}

// radio reads the radio button at the beginning of a line, or behind one letter or digit there: its key, 0 where it has none, its
// column, and whether it is chosen.
func (l *Line) radio() (key rune, at int, on, ok bool) {
	if l.Kind != Words {
		return 0, -1, false, false
	}
	c, at := l.cells, l.Col
	if at+1 < len(c) && blankCell(c[at+1]) && (c[at] >= '1' && c[at] <= '9' || c[at] >= 'a' && c[at] <= 'z') {
		key = c[at]
		at = skip(c, at+1)
	}
	if at+3 >= len(c) || c[at] != '(' || c[at+2] != ')' || !blankCell(c[at+3]) {
		return 0, -1, false, false
	}
	switch {
	case in(filled, c[at+1]):
		return key, at, true, true
	case in(empty, c[at+1]) || c[at+1] == ' ':
		return key, at, false, true
	}
	return 0, -1, false, false
}
