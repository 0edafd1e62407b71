package screen

import (
	"strings"
)

// A panel is how OpenCode and its forks draw what stands apart: a bar at the left, a ground of its own, no frame.

// DropBars takes away the bar at the left of each panel: they all stand in the column of the lowest one. What stands further right is text.
func (l *Layout) DropBars() {
	col := -1
	for i := len(l.Lines) - 1; i >= 0; i-- {
		line := &l.Lines[i]
		if line.Kind != Words || line.First() != '┃' || col >= 0 && line.Col != col {
			continue
		}
		col = line.Col
		line.cells[col] = ' '
		line.Bar = true
		line.settle()
	}
}

// BarredBox is the box around line i that a bar at its left and one at its right make, which it takes away. Its first and last
// rows hold nothing; it is open where the first one is not on the screen.
func (l *Layout) BarredBox(i int) (Frame, bool) {
	right := l.Lines[i].End() - 1
	closed := func(i int) bool {
		line := &l.Lines[i]
		return line.Bar && line.End()-1 == right && line.cells[right] == '┃'
	}
	if right <= l.Lines[i].Col || !closed(i) {
		return Frame{}, false
	}
	f := Frame{Top: i, Bottom: i, Right: right}
	for f.Top > 0 && closed(f.Top-1) {
		f.Top--
	}
	for f.Bottom+1 < len(l.Lines) && closed(f.Bottom+1) {
		f.Bottom++
	}
	for f.Left = 0; f.Left < right && l.Lines[i].row.cells[f.Left] != '┃'; f.Left++ {
	}
	f.Open = f.Top == 0 || l.Lines[f.Top].Col != right
	for j := f.Top; j <= f.Bottom; j++ {
		l.Lines[j].cells[right] = ' '
		l.Lines[j].settle()
	}
	return f, true
}

// WithinBars says that the dialog stands in a box of bars. Above it stand other bars, which close nothing.
func (d *Dialog) WithinBars(f Frame) {
	d.around = &f
	d.BeginAt(f.Top + 1)
	d.TopUnseen = f.Open
}

// DropMark takes away the first character of line i, which the agent draws before a head (kimi/2.1.0-bash-80x24).
func (l *Layout) DropMark(i int) {
	line := &l.Lines[i]
	line.cells[line.Col] = ' '
	line.Bar = true
	line.settle()
}

// SetApart takes away everything from column col on: a side panel that shares the rows. Proven says that its ground tells it from
// everything else; without that, text there may be part of what is asked.
func (l *Layout) SetApart(col int, proven bool) {
	l.beside, l.proven = col, proven
	for i := range l.Lines {
		line := &l.Lines[i]
		if len(line.cells) > col {
			line.cells = line.cells[:col]
			line.settle()
		}
	}
}

// SidePanel is the column from which on every row of the screen has one ground down to its end, another one than the blank cell before it:
// a side panel, which no text draws. 0: there is none.
func (l *Layout) SidePanel() int {
	col, ground := 0, ""
	for i := range l.screen.Rows {
		c, g := l.screen.Rows[i].endGround()
		if c == 0 || i > 0 && (c != col || g != ground) {
			return 0
		}
		col, ground = c, g
	}
	return col
}

// endGround is the column in which the ground that a row ends with begins, behind a blank cell of another ground; 0: in none.
func (r *Row) endGround() (col int, ground string) {
	if len(r.runs) == 0 {
		return 0, ""
	}
	last := len(r.runs) - 1
	ground, col = r.runs[last].style.ground(), r.runs[last].start
	for last > 0 && r.runs[last-1].end == col && r.runs[last-1].style.ground() == ground {
		last--
		col = r.runs[last].start
	}
	if ground == "" || col == 0 || col <= len(r.cells) && !blankCell(r.cells[col-1]) {
		return 0, ""
	}
	return col, ground
}

// PanelEnd is the last line of the lowest panel; -1: none.
func (l *Layout) PanelEnd() int {
	for i := len(l.Lines) - 1; i >= 0; i-- {
		if l.Lines[i].Bar {
			return i
		}
	}
	return -1
}

// PanelTop is the first line of the panel that line i belongs to.
func (l *Layout) PanelTop(i int) int {
	for i > 0 && l.Lines[i-1].Bar {
		i--
	}
	return i
}

// PanelTitled is the line of the panel that line i belongs to which holds its first words, if they are title; -1 otherwise.
func (l *Layout) PanelTitled(i int, title string) int {
	if i < 0 {
		return -1
	}
	for at := l.PanelTop(i); at <= i; at++ {
		if l.Lines[at].Kind == Words {
			if l.Lines[at].Text == title {
				return at
			}
			return -1
		}
	}
	return -1
}

// buttonRows are the lines at the bottom of the screen in which a row of buttons may stand.
const buttonRows = 7

// Buttons reads the lowest row of buttons in a panel, of which the first is called first; where that is empty, any row of
// labels of which one says yes once and one says no. Labels that begin with one of the keys are no buttons.
func (l *Layout) Buttons(first string, keys ...string) (List, bool) {
	for i := len(l.Lines) - 1; i >= 0 && i >= len(l.Lines)-buttonRows; i-- {
		line := &l.Lines[i]
		if line.Kind != Words || !line.Bar || first != "" && !strings.HasPrefix(line.Text, first+"  ") || IsFooter(line.Text) {
			continue
		}
		list := List{First: i, Last: i, Marked: -1, MarkCol: line.Col, Across: true}
		for at := line.Col; at < len(line.cells); {
			end := gapAt(line.cells, at)
			label := line.label(at, end)
			if Starts(label, keys...) {
				break
			}
			list.Entries = append(list.Entries, Entry{Option: Option{Label: label}, First: i, Last: i, Col: at})
			at = skip(line.cells, end)
		}
		for k := range list.Entries {
			e := &list.Entries[k]
			e.Scope = e.labelScope()
		}
		if len(list.Entries) > 1 && (first != "" || list.Only(Once) >= 0 && list.Only(No) >= 0) {
			return list, true
		}
	}
	return List{}, false
}

// LitButton is the one button whose ground differs from that of all the others; -1 where none is proven.
func (l *Layout) LitButton(list *List) int {
	if len(list.Entries) < 3 {
		return -1
	}
	grounds := make([]string, len(list.Entries))
	count := map[string]int{}
	for i, e := range list.Entries {
		line := &l.Lines[e.First]
		grounds[i] = line.Style(e.Col).ground()
		if line.Style(e.Col+width(e.Label)-1).ground() != grounds[i] {
			return -1
		}
		count[grounds[i]]++
	}
	lit := -1
	for i, g := range grounds {
		switch {
		case count[g] == 1 && lit < 0 && g != "":
			lit = i
		case count[g] != len(grounds)-1:
			return -1
		}
	}
	return lit
}

// LitNumber is the entry whose number has a ground of its own; -1 where none is proven.
func (l *Layout) LitNumber(list *List) int {
	lit := -1
	for i, e := range list.Entries {
		line := &l.Lines[e.First]
		here := line.Style(line.Col).ground()
		if here != "" && here != line.Style(max(line.Col-2, 0)).ground() {
			if lit >= 0 {
				return -1
			}
			lit = i
		}
	}
	return lit
}
