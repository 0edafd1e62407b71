package screen

// BracketedList finds the lowest list whose options begin with a number or a box to tick in brackets, one below the other,
// each with what explains it in the rows below: "→ [1] Red" (kimi/2.1.0-question-80x24), "[ ] Small".
func (l *Layout) BracketedList() (List, bool) {
	for end := len(l.Lines) - 1; end >= 0; end-- {
		if _, _, ok := l.bracketedEntry(end); ok {
			return l.bracketedUp(end)
		}
	}
	return List{}, false
}

// bracketedUp reads the list whose last option stands in line end. The options are those furthest to the left: what explains one
// stands further right, whatever it looks like. Two cursors prove none.
func (l *Layout) bracketedUp(end int) (List, bool) {
	list := List{Marked: -1, MarkCol: -1, Last: end}
	col := -1
	for i := end; i >= 0 && (l.Lines[i].Kind == Words || l.Lines[i].Kind == Rule && l.Lines[i].Col >= col); i-- {
		e, mark, ok := l.bracketedEntry(i)
		if col >= 0 && (ok && e.Col > col || !ok && l.Lines[i].Col >= col) {
			continue // it explains the option above it
		}
		if n := len(list.Entries); ok && (n == 0 || e.Col < col) {
			list = List{Marked: -1, MarkCol: -1, Last: i}
		} else if !ok || e.Number > 0 && e.Number != list.Entries[n-1].Number-1 {
			break
		}
		if mark && list.Marked >= 0 {
			return List{}, false
		}
		if mark {
			list.Marked = len(list.Entries)
		}
		col, list.First = e.Col, i
		list.Entries = append(list.Entries, e)
	}
	list.Numbered = list.Entries[len(list.Entries)-1].Number == 1
	list = l.finish(list)
	return list, len(list.Entries) > 1 && (list.Numbered || list.Entries[0].Check != "")
}

// bracketedEntry reads "→ [1] Red" or "[ ] Small".
func (l *Layout) bracketedEntry(i int) (e Entry, mark, ok bool) {
	line := &l.Lines[i]
	if line.Kind != Words {
		return Entry{}, false, false
	}
	c := line.cells
	at, mark := line.pastCursor()
	if key, next, ok := bracketed(c, at); ok && key[0] >= '1' && key[0] <= '9' && blankCell(line.at(next)) {
		e.Number, at = int(key[0]-'0'), skip(c, next)
	} else if check, next := checkBox(c, at); check != "" {
		e.Check, at = check, next
	} else {
		return Entry{}, false, false
	}
	e.First, e.Last, e.Col, e.Label = i, i, at, line.label(at, len(c))
	return e, mark, e.Label != ""
}
