package screen

import (
	"strings"
)

// Menus whose options stand one below the other.

// listSlack is how many columns the numbers and the labels of one menu may differ in where they stand: a number may have two digits,
// and narrow panes squeeze a row (claude/2.1.149, copilot at 50 columns).
const listSlack = 2

// labelRows is how many lines an entry may take: no label, with what explains it, was seen to take more.
const labelRows = 8

// numbered reads line i as an option with a number of the kind that like says. The row of a radio button that takes words has
// a letter in the place of its number.
func (l *Layout) numbered(i int, like Like) (e Entry, t lead, ok bool) {
	if l.Lines[i].Kind != Words {
		return Entry{}, lead{}, false
	}
	t = l.Lines[i].lead
	if t.number > 0 && like&Numbered == 0 {
		return Entry{}, t, false
	}
	e = Entry{Number: t.number, Gap: t.gap, Check: t.box, numbered: t.behind, First: i, Last: i, Col: t.label}
	if like&Bracketed != 0 && t.key >= "1" && t.key <= "9" && t.label > t.behind {
		e.Number = int(t.key[0] - '0')
	}
	if t.label >= len(l.Lines[i].cells) {
		return Entry{}, t, false
	}
	e.Label = l.Lines[i].rest(t.label)
	return e, t, e.Label != "" && (e.Number > 0 || t.key != "" && t.button)
}

// counted is the lowest menu that counts 1, 2, 3, … without a gap.
func (l *Layout) counted(like Like) (Menu, bool) {
	for end := len(l.Lines) - 1; end >= 0; end-- {
		if _, _, ok := l.numbered(end, like); !ok {
			continue
		}
		if m, ok := l.countUp(end, like); ok {
			return m, true
		}
	}
	return Menu{}, false
}

// countUp reads the menu whose last number stands in line end.
func (l *Layout) countUp(end int, like Like) (Menu, bool) {
	m := Menu{Last: end, Marked: -1, Numbered: true, MarkCol: -1, knownBy: "its numbers"}
	want, within := 0, false
	for i := end; i >= 0; i-- {
		line := &l.Lines[i]
		e, t, ok := l.numbered(i, like)
		aside := 0
		if n := len(m.Entries); ok && n > 0 {
			aside = e.numbered - m.Entries[n-1].numbered
		}
		switch {
		case aside > listSlack: // it belongs to the option above it
			within = true
		case aside < -listSlack: // what was read so far belongs to it
			return Menu{}, false
		case ok && (want == 0 && (e.Number > 0 || i == end) || want > 0 && e.Number == want):
			m.Entries = append(m.Entries, e)
			m.Radio = m.Radio || t.button
			if t.cursor {
				if m.Marked >= 0 {
					return Menu{}, false
				}
				m.Marked, m.MarkCol = len(m.Entries)-1, line.Col
			}
			if want = e.Number - 1; want == 0 {
				m.First = i
				m = l.upright(m)
				if within || l.countsOn(end, m.Last, like) || m.drifts() || l.markedAbove(m.First) {
					m.doubtLabels()
				}
				return m, len(m.Entries) > 1
			}
			want = max(want, 0)
		case ok, line.Kind == Edge:
			return Menu{}, false
		case line.Kind == Blank && (i == 0 || l.Lines[i-1].Kind == Blank): // one blank line at a time
			return Menu{}, false
		case line.Kind == Words && len(m.Entries) > 0 && m.Entries[len(m.Entries)-1].First-i > labelRows:
			return Menu{}, false
		}
	}
	return Menu{}, false
}

// countsOn reports whether a row of the option that begins in line first, and ends in line last, is numbered as one too.
func (l *Layout) countsOn(first, last int, like Like) bool {
	for i := first + 1; i <= last; i++ {
		if _, _, ok := l.numbered(i, like); ok {
			return true
		}
	}
	return false
}

// drifts reports whether a menu has rows that begin in columns of their own: it may stand, in part, in the label of another menu's
// option, which wraps and holds what a model says.
func (m *Menu) drifts() bool {
	first, last := m.Entries[0].Col, m.Entries[0].Col
	for i := range m.Entries {
		first, last = min(first, m.Entries[i].Col), max(last, m.Entries[i].Col)
	}
	return last-first > listSlack
}

// markedAbove reports whether a numbered option with a cursor stands in the run of words right above line first, so that a menu that
// begins there may stand in the label of another one's option.
func (l *Layout) markedAbove(first int) bool {
	for i := first - 1; i >= 0 && l.Lines[i].Kind == Words; i-- {
		if l.markedNumber(i) {
			return true
		}
	}
	return false
}

// markedNumber reports whether line i is a numbered option with the cursor.
func (l *Layout) markedNumber(i int) bool {
	_, t, ok := l.numbered(i, Numbered)
	return ok && t.cursor
}

// upright puts the entries of a menu, collected from below, in order and joins what belongs to each label.
func (l *Layout) upright(m Menu) Menu {
	n := len(m.Entries)
	for i := range n / 2 {
		m.Entries[i], m.Entries[n-1-i] = m.Entries[n-1-i], m.Entries[i]
	}
	if m.Marked >= 0 {
		m.Marked = n - 1 - m.Marked
	}
	left := m.MarkCol
	for k := range m.Entries {
		e := &m.Entries[k]
		if left < 0 {
			left = max(l.Lines[e.First].Col-2, 0)
		}
		end := len(l.Lines)
		if k+1 < n {
			end = m.Entries[k+1].First
		}
		l.joinLabel(e, end, left)
	}
	m.Last, m.MarkCol = m.Entries[n-1].Last, left
	return m
}

// joinLabel takes the lines under e's first one, up to end, into its label where they are the label's
// wrapped rest, and into its note where they explain it.
func (l *Layout) joinLabel(e *Entry, end, left int) {
	last := end == len(l.Lines)
	for i := e.First + 1; i < end; i++ {
		line := &l.Lines[i]
		broken := l.brokenField(i, e)
		if line.Kind != Words || !broken && (line.Col <= left || last && l.endsEntry(i, e)) {
			break
		}
		switch {
		case broken && line.Col == 0 && l.Lines[i-1].End() == l.width:
			e.Label, e.Last = e.Label+line.Text, i
		case broken:
			e.Label, e.Last = e.Label+" "+line.rest(line.Col), i
		default:
			l.extend(e, i)
		}
	}
	l.finish(e)
}

// finish splits the label of an entry into its parts.
func (l *Layout) finish(e *Entry) {
	e.finish()
	e.Cut = e.Cut || l.touchesEdge(e.Last)
}

// touchesEdge reports whether line i ends in the last column of a pane whose width is known from a line
// drawn across it: more of the row may stand behind the edge.
func (l *Layout) touchesEdge(i int) bool { return l.Lines[i].End() >= l.width && l.knowsWidth() }

// knowsWidth reports whether a line is drawn across the whole pane, so that its width is known.
func (l *Layout) knowsWidth() bool {
	for i := range l.Lines {
		if line := &l.Lines[i]; line.drawn() && len(line.cells) >= l.width {
			return true
		}
	}
	return false
}

// endsEntry reports whether line i, under the last entry e, does not belong to it.
func (l *Layout) endsEntry(i int, e *Entry) bool {
	line := &l.Lines[i]
	return IsFooter(line.Text) || line.Col < e.Col && !l.wrapped(i)
}

// wrapSlack is how many columns of a row may stay empty although the next word would have fitted: agents wrap inside of
// frames and margins that the screen does not show.
const wrapSlack = 8

// wrapped reports whether line i goes on with the sentence of the line above it: its first word
// would not have fitted there.
func (l *Layout) wrapped(i int) bool {
	if i == 0 {
		return false
	}
	above, line := &l.Lines[i-1], &l.Lines[i]
	word, _, _ := strings.Cut(line.Text, " ")
	return above.Kind == Words && above.End()+1+width(word) > l.width-wrapSlack
}

// extend takes line j into e: into its label where it is wrapped, else into its note.
func (l *Layout) extend(e *Entry, j int) {
	line := &l.Lines[j]
	if l.wrapped(j) && e.Note == "" {
		e.Label += " " + line.rest(line.Col)
	} else {
		e.Note = strings.TrimSpace(e.Note + " " + line.Text)
	}
	e.Last = j
}

// boxed is the lowest menu with a box to tick in each row. Its rows are those furthest to the left: what explains one stands further
// right, whatever it looks like. Two cursors prove none.
func (l *Layout) boxed() (Menu, bool) {
	end := len(l.Lines) - 1
	for end >= 0 && !l.boxAt(end) {
		end--
	}
	m, col := Menu{Marked: -1, MarkCol: -1}, -1
	for i := end; i >= 0 && (l.Lines[i].Kind == Words || l.Lines[i].Kind == Rule && l.Lines[i].Col >= col); i-- {
		box := l.boxAt(i)
		switch {
		case !box && (col < 0 || l.Lines[i].Col < col):
			i = 0 // the row above the menu
			continue
		case !box || col >= 0 && l.Lines[i].lead.boxed > col:
			continue // it explains the option above it
		}
		t := l.Lines[i].lead
		if t.boxed < col {
			m = Menu{Marked: -1, MarkCol: -1}
		}
		if t.cursor && m.Marked >= 0 {
			return Menu{}, false
		}
		if t.cursor {
			m.Marked = len(m.Entries)
		}
		col, m.First = t.boxed, i
		m.Entries = append(m.Entries, Entry{Check: t.box, First: i, Last: i, Col: t.boxed, Option: Option{Label: l.Lines[i].rest(t.boxed)}})
	}
	if len(m.Entries) < 2 {
		return Menu{}, false
	}
	m.knownBy = "its boxes"
	return l.upright(m), true
}

// boxAt reports whether line i begins with a box to tick and no number.
func (l *Layout) boxAt(i int) bool {
	if l.Lines[i].Kind != Words {
		return false
	}
	t := l.Lines[i].lead
	return t.boxed > t.past && t.boxed < len(l.Lines[i].cells)
}
