package screen

import (
	"slices"
	"strings"
	"unicode"
)

// Menus whose options are one below the other.

// listSlack is how many columns apart the numbers, or the labels, of one menu may be: a number may have two digits, and
// narrow panes squeeze a row (claude/2.1.149, copilot at 50 columns).
const listSlack = 2

// labelRows is how many lines an entry may take, with its note: no longer one was seen.
const labelRows = 8

// numbered reads line i as an option with a number of a kind in like. Among radio buttons, the row that takes words has a
// letter instead of a number.
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
	e.Label = l.Lines[i].rest(t.label)
	return e, t, e.Label != "" && (e.Number > 0 || t.key != "" && t.button)
}

// part is the part that a line plays in a menu, which is read from its last line up.
type part uint8

const (
	begins part = iota // an option begins in it
	within             // it belongs to the option above it
	above              // the menu begins below it
	breaks             // it proves that there is no menu
)

// column reads a menu with one option below the other, from line end up: is says which part each line plays, and which option
// begins in it. The last option of an open menu may go on below line end. Rows with two cursors are no menu.
func (l *Layout) column(end int, open bool, knownBy string, is func(i int, m *Menu) (Entry, part)) (Menu, bool) {
	m := Menu{Marked: -1, knownBy: knownBy}
	for i := end; i >= 0; i-- {
		e, p := is(i, &m)
		if p == above {
			break
		}
		cursor := p == begins && l.Lines[i].lead.cursor
		if p == breaks || cursor && m.Marked >= 0 {
			return Menu{}, false
		}
		if cursor {
			m.Marked, m.MarkCol = len(m.Entries), l.Lines[i].lead.at
		}
		if p == begins {
			m.Entries = append(m.Entries, e)
		}
	}
	if len(m.Entries) < 2 {
		return Menu{}, false
	}
	l.upright(&m, end, open)
	return m, true
}

// upright puts the entries of a menu, collected from line end up, in order, and joins the rows of each.
func (l *Layout) upright(m *Menu, end int, open bool) {
	slices.Reverse(m.Entries)
	n := len(m.Entries)
	m.First = m.Entries[0].First
	if m.Marked >= 0 {
		m.Marked = n - 1 - m.Marked
	} else {
		m.MarkCol = max(l.Lines[m.First].Col-2, 0)
	}
	outside := func(i int) bool {
		return open && l.Lines[i].Col <= m.MarkCol && !(m.hangs && m.Marked >= 0 && l.hangs(i, m.MarkCol))
	}
	for k := range n - 1 {
		l.joinLabel(&m.Entries[k], m.Entries[k+1].First-1, outside)
	}
	last := &m.Entries[n-1]
	if open {
		end = len(l.Lines) - 1
	}
	l.joinLabel(last, end, func(i int) bool {
		return outside(i) || open && (IsFooter(l.Lines[i].Text) || l.Lines[i].Col < last.Col && !l.wrapped(i))
	})
	m.Last = last.Last
}

// hangs reports whether line i, in the cursor's column, goes on with the row above it, in which its first word had no room.
func (l *Layout) hangs(i, mark int) bool {
	line := &l.Lines[i]
	return line.Kind == Words && mark > 0 && line.Col == mark && l.wrapped(i) && (unicode.IsLetter(line.First()) || unicode.IsDigit(line.First()))
}

// joinLabel adds the lines below e's first one to e: to its label if they are its wrapped rest, else to its note. It stops at
// line end, and at a line that is another's.
func (l *Layout) joinLabel(e *Entry, end int, anothers func(i int) bool) {
	for i := e.First + 1; i <= end; i++ {
		line := &l.Lines[i]
		broken := l.brokenField(i, e)
		if line.Kind != Words || !broken && anothers(i) {
			break
		}
		switch {
		case broken && line.Col == 0 && l.Lines[i-1].End() == l.width:
			e.Label, e.Last = e.Label+line.Text, i
		case e.Number == 0 && line.Col < l.Lines[e.First].lead.past:
			e.Label, e.Last = beforeHint(e.Label, line.Text), i
		case l.wrapped(i) && e.Note == "":
			e.Label, e.Last = e.Label+" "+line.rest(line.Col), i
		default:
			e.Note, e.Last = strings.TrimSpace(e.Note+" "+line.Text), i
		}
	}
	l.finishEntry(e)
}

// counted is the lowest menu whose numbers count 1, 2, 3, … without a gap.
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

// countUp reads the menu whose last number is in line end.
func (l *Layout) countUp(end int, like Like) (Menu, bool) {
	further := false
	m, ok := l.column(end, true, "its numbers", func(i int, m *Menu) (Entry, part) {
		m.hangs = like&hanging != 0
		below := Entry{First: end}
		if n := len(m.Entries); n > 0 {
			if below = m.Entries[n-1]; below.Number == 1 {
				return below, above
			}
		}
		e, t, ok := l.numbered(i, like)
		switch line := &l.Lines[i]; {
		case ok && below.numbered > 0 && e.numbered-below.numbered > listSlack: // it belongs to the option above it
			further = true
			return e, within
		case ok && below.numbered > 0 && below.numbered-e.numbered > listSlack: // the rows read so far belong to it
			return e, breaks
		case ok && (i == end || below.Number == 0 && e.Number > 0 || below.Number > 0 && e.Number == below.Number-1):
			m.Radio = m.Radio || t.button
			return e, begins
		case ok, line.Kind == Edge, line.Kind == Words && below.First-i > labelRows, line.Kind == Blank && (i == 0 || l.Lines[i-1].Kind == Blank):
			return e, breaks // one blank line at a time
		}
		return e, within
	})
	if !ok || m.Entries[0].Number != 1 {
		return Menu{}, false
	}
	m.Numbered = true
	numbered := func(i int) bool {
		_, _, ok := l.numbered(i, like)
		return ok
	}
	below := l.LineFrom(end+1, min(m.Last+2, len(l.Lines)), numbered) // a further row of the last option, or the row below all of them
	if further || below >= 0 || m.drifts() || l.markedAbove(m.First) {
		m.doubtLabels()
	}
	return m, true
}

// drifts reports whether the labels of a menu begin in different columns. Some of them may be rows of another menu's option,
// whose wrapped label a model wrote.
func (m *Menu) drifts() bool {
	byCol := func(a, b Entry) int { return a.Col - b.Col }
	return slices.MaxFunc(m.Entries, byCol).Col-slices.MinFunc(m.Entries, byCol).Col > listSlack
}

// markedAbove reports whether a numbered option with a cursor is in the run of words right above line first: a menu that
// begins there may be part of that option's label.
func (l *Layout) markedAbove(first int) bool {
	return l.LineFrom(l.paragraphBegin(first), first, l.markedNumber) >= 0
}

// markedNumber reports whether line i is a numbered option with the cursor.
func (l *Layout) markedNumber(i int) bool {
	_, t, ok := l.numbered(i, Numbered)
	return ok && t.cursor
}

// finishEntry splits the label of an entry into its parts.
func (l *Layout) finishEntry(e *Entry) {
	e.finish()
	e.Cut = e.Cut || l.touchesEdge(e.Last)
}

// touchesEdge reports whether line i ends in the last column of a pane of known width: more of the row may be behind the edge.
func (l *Layout) touchesEdge(i int) bool { return l.Lines[i].End() >= l.width && l.knowsWidth() }

// knowsWidth reports whether the width of the pane is known, from tmux or by a line drawn across all of it.
func (l *Layout) knowsWidth() bool {
	return l.screen.Columns > 0 || l.LineFrom(0, len(l.Lines), func(i int) bool { return l.Lines[i].drawn() && len(l.Lines[i].cells) >= l.width }) >= 0
}

// wrapSlack is how many columns of a wrapped row may stay empty although the next word would have fitted: agents wrap inside
// of frames and margins that the screen does not show.
const wrapSlack = 8

// wrapped reports whether line i goes on with the sentence of the line above it, in which its first word had no room.
func (l *Layout) wrapped(i int) bool {
	if i == 0 || i == len(l.Lines) {
		return false
	}
	above, line := &l.Lines[i-1], &l.Lines[i]
	word, _, _ := strings.Cut(line.Text, " ")
	return above.Kind == Words && above.End()+1+width(word) > l.width-wrapSlack
}

// boxed is the lowest menu with a box to tick in each row. Its options are the rows furthest to the left: a box further right
// is in the note of an option.
func (l *Layout) boxed() (Menu, bool) {
	col := -1
	return l.column(l.LineBefore(len(l.Lines), l.boxAt), true, "its boxes", func(i int, m *Menu) (Entry, part) {
		line, box := &l.Lines[i], l.boxAt(i)
		t := line.lead
		switch {
		case box && (col < 0 || t.boxed <= col):
			if t.boxed < col { // the rows read so far are its note
				m.Entries, m.Marked = nil, -1
			}
			col = t.boxed
			return Entry{Check: t.box, First: i, Last: i, Col: t.boxed, Option: Option{Label: line.rest(t.boxed)}}, begins
		case line.Kind != Words && line.Kind != Rule, !box && line.Col < col:
			return Entry{}, above
		}
		return Entry{}, within
	})
}

// boxAt reports whether line i begins with a box to tick and no number.
func (l *Layout) boxAt(i int) bool {
	if l.Lines[i].Kind != Words {
		return false
	}
	t := l.Lines[i].lead
	return t.boxed > t.past && t.boxed < len(l.Lines[i].cells)
}

// brokenField reports whether line i goes on with e, a text field whose row above fills its pane: Claude Code 2.0.54 breaks it
// anywhere, also inside a word, and goes on at the left edge; a blank at the break may be on either side of it
// (claude/2.0.54-bash-50x30).
func (l *Layout) brokenField(i int, e *Entry) bool {
	if l.Lines[i].Kind != Words || l.Lines[i].Col > 1 || !l.knowsWidth() || e.labelScope() != Text {
		return false
	}
	return l.Lines[i-1].Kind == Words && l.Lines[i-1].End() >= l.width-1
}
