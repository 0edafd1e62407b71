package screen

import (
	"slices"

	"nod/internal/reason"
)

// bars are the glyphs of a bar at the left of rows that belong together.
const bars = "┃│▌▍▎▏█▐║╎┆┊|"

// barRows is the least number of rows of a bar: on fewer, the glyph marks each row.
const barRows = 3

// findBars finds the bars at the left of rows outside of frames, from the top.
func (l *Layout) findBars() (found []Region) {
	for i := range l.Lines {
		line := &l.Lines[i]
		if line.frame > 0 || !line.Begins(bars) {
			continue
		}
		if n := len(found) - 1; n >= 0 && found[n].Bottom == i-1 && found[n].Left == line.Col && l.barOf(&found[n]) == line.First() {
			found[n].Bottom = i
		} else {
			found = append(found, Region{Top: i, Bottom: i, Left: line.Col})
		}
	}
	return found
}

// cornered reports whether a corner, the first thing in the row below, ends a bar.
func (l *Layout) cornered(b *Region) bool {
	below := b.Bottom + 1
	return below < len(l.Lines) && l.Lines[below].Col == b.Left && in(bottomLefts, l.Lines[below].First())
}

// barOf is the glyph that a bar is drawn with.
func (l *Layout) barOf(b *Region) rune { return l.Lines[b.Top].row.at(b.Left) }

// withoutRuns is l without the bars of barRows rows or more and those that a corner ends; nil if there are none.
func (l *Layout) withoutRuns() *Layout {
	runs := func(b Region) bool { return b.Bottom-b.Top+1 >= barRows || l.cornered(&b) }
	if !slices.ContainsFunc(l.bars, runs) {
		return nil
	}
	return l.withoutBars(runs)
}

// WithoutBars is l without the bar at the left of each panel. All of them are in the column of the lowest one; a bar further
// right is text. A panel of OpenCode and its forks has a bar at the left, a ground of its own and no frame.
func (l *Layout) WithoutBars() *Layout {
	col := -1
	for _, b := range l.bars {
		if l.barOf(&b) == '┃' {
			col = b.Left
		}
	}
	return l.withoutBars(func(b Region) bool { return l.barOf(&b) == '┃' && b.Left == col })
}

// withoutBars is l without the bars for which these holds.
func (l *Layout) withoutBars(these func(Region) bool) *Layout {
	return l.Without(func(i int, line *Line) (from, to int) {
		for _, b := range l.bars {
			if b.Top <= i && i <= b.Bottom && these(b) {
				line.Bar = true
				return b.Left, b.Left + 1
			}
		}
		return 0, 0
	})
}

// Unbar takes the glyph that begins a row of the dialog for a bar before it, where these holds.
func (d *Dialog) Unbar(these func(i int, line *Line) bool) {
	d.Layout = d.Without(func(i int, line *Line) (from, to int) {
		if i < d.Top || i >= d.First || !these(i, line) {
			return 0, 0
		}
		line.Bar = true
		return line.Col, line.Col + 1
	})
}

// beginWithBar begins the dialog with the first row of the bar before its options, or with the row that heads the bar. It
// reports whether there is a bar. Text right above the bar, or another bar above blank rows, may be the dialog's upper part.
func (d *Dialog) beginWithBar() bool {
	if !d.Lines[d.First].Bar {
		return false
	}
	top := d.PanelTop(d.First)
	if d.headsBar(top - 1) {
		top--
	}
	d.BeginAt(top)
	above := d.LineBefore(top, func(i int) bool { return d.Lines[i].Kind != Blank || d.Lines[i].Bar })
	switch {
	case top == 0:
		d.TopUnseen = true
	case above >= 0 && (above == top-1 || d.Lines[above].Bar || d.Lines[above].Kind != Words || in(bars, d.Lines[above].First())), d.barAbove(top):
		d.Doubt(reason.SecondHead) // another bar may be its own, broken by what it shows
	}
	return true
}

// headsBar reports whether line i heads the bar below it: a sign alone in the bar's column, then words in the column of
// those behind the bar (@clack/prompts 1.9.0: "◆  Run it?" above "│  ● Yes").
func (l *Layout) headsBar(i int) bool {
	if !l.signs(i) {
		return false
	}
	line, below := &l.Lines[i], &l.Lines[i+1]
	return line.Col == skip(below.row.cells, 0) && skip(line.cells, line.Col+1) == below.Col
}

// signs reports whether line i begins with a sign alone in its column that is neither a bar nor a spinner.
func (l *Layout) signs(i int) bool {
	return i >= 0 && l.Lines[i].beginsWithSign() && !l.Lines[i].moves() && !in(bars, l.Lines[i].First())
}

// heldOpen recognises a dialog of which only the bar shows that it waits: it begins in a row that heads the bar, and ends in a
// corner alone in the lowest row, as kits for prompts draw it until the answer is given (@clack/prompts 1.9.0). The person sees
// it, and nod presses no key.
func (l *Layout) heldOpen() *Dialog {
	last, row := l.LowestRow()
	n := len(l.bars) - 1
	if n < 0 || l.bars[n].Bottom != last-1 || !l.cornered(&l.bars[n]) || row.End() != row.Col+1 {
		return nil
	}
	top := l.bars[n].Top - 1
	if !l.signs(top) || l.Lines[top].Col != row.Col {
		return nil
	}
	d := l.withoutBars(func(b Region) bool { return b == l.bars[n] }).unlisted(last)
	d.BeginAt(top)
	d.Ask(top, top)
	d.Name, d.State, d.Why = "notice", Question, reason.KeysUnsure
	return d
}

// barAbove reports whether the bar before the options changes its colour below line top, or another bar of that colour is
// above it.
func (d *Dialog) barAbove(top int) bool {
	row := d.Lines[d.First].row
	col := skip(row.cells, 0)
	for i := range d.First {
		other := d.Lines[i].row
		barred := col < len(other.cells) && skip(other.cells, 0) == col && other.cells[col] == row.cells[col]
		same := barred && other.Style(col).Fg == row.Style(col).Fg
		if i < top && same || i >= top && !same {
			return true
		}
	}
	return false
}

// barBelow reports whether another bar is below line last and its own: it may be an input box.
func (l *Layout) barBelow(last int) bool {
	_, end := l.run(last, 0, l.behindBar)
	return slices.ContainsFunc(l.Lines[end+1:], func(line Line) bool { return line.Bar })
}

// behindBar reports whether the layout leaves out a bar before line i.
func (l *Layout) behindBar(i int) bool { return l.Lines[i].Bar }
