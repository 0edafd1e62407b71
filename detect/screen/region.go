package screen

import (
	"slices"

	"nod/internal/reason"
)

// A dialog is in one region of the screen: a box over the other text, the rows without a side panel, or the rows behind a
// bar. The region is found before anything in it is read.

// Region is a part of a screen that a program sets apart by a frame, a box over other text, a bar, or two lines drawn across.
type Region struct {
	Top, Bottom int    // the lines of its edges, or its first and last line; Top of an open frame is the line above its first seen row
	Left, Right int    // the columns of its sides; Right is the screen's last column if nothing closes the region
	Open        bool   // its upper edge is not on the screen; between two lines drawn across: another edge is between them
	Title       string // the words in its upper edge
}

// regions are the regions of a layout.
type regions struct {
	frames []Region // from the bottom, an outer one before those inside of it
	boxes  []Region // closed on all sides, with any text beside them in their rows; from the top, by their lower edges
	bars   []Region // from the top
	ruled  []Region // from the bottom
	ground int      // the first column of a side panel with a ground of its own; 0: none
	rule   int      // the column of a line down the whole screen, behind which a side panel may be; 0: none
}

// findRuled finds the regions between two lines drawn across.
func (l *Layout) findRuled() (found []Region) {
	below, open := -1, false
	for i := len(l.Lines) - 1; i >= 0; i-- {
		switch l.Lines[i].Kind {
		case Rule:
			if below >= 0 {
				found = append(found, Region{Top: i, Bottom: below, Left: l.Lines[i].Col, Open: open})
			}
			below, open = i, false
		case Edge, Dashed:
			open = true
		}
	}
	return found
}

// wherever returns the dialog that read finds in a region of the screen. Boxes come first: elsewhere the text that a box
// covers would be read beside its rows. Of two boxes with a dialog neither counts. Above an input box only one counts that cuts through
// words or that its ground alone sets apart: a program draws it over its own input box. The person sees it, and nod presses no key.
func (l *Layout) wherever(read func(region *Layout) *Dialog) *Dialog {
	var found *Dialog
	boxed, ground := l.framedGround()
	for f, popup := range boxed.popups(boxed.liesOver) {
		popup.atop = boxed.screen.cutsWords(f)
		d := read(popup)
		input := l.inputBelow(f.Bottom)
		if d == nil || input && f != ground && !boxed.screen.cutsWords(f) {
			continue
		}
		if found != nil {
			return nil
		}
		if found = d; l.newerBelow(f, d, read) {
			d.atTerminal(reason.NewerBelow)
		}
		if input || f == ground && slices.ContainsFunc(l.frames, func(other Region) bool { return other.Top > f.Bottom }) {
			d.atTerminal(reason.KeysInBox)
		}
	}
	if found != nil {
		return found
	}
	main, barred := l.parts()
	if d := read(main); d != nil || barred == nil {
		return d
	}
	if d := read(barred); d != nil && d.Lines[d.First].Bar && !barred.barBelow(d.Last) {
		return d
	}
	return nil
}

// newerBelow reports whether box f with dialog d may be a quotation, since a dialog is below it. Without a mark, whose keys prove themselves,
// anything but status and rows about keys may be one that can't be read.
func (l *Layout) newerBelow(f Region, d *Dialog, read func(*Layout) *Dialog) bool {
	below := l.beneath(f.Bottom, nil)
	return d.Marked < 0 && (below.Over || below.Unsure) || l.belowBox(f).Unsure || Lay(l.screen.below(f.Bottom)).wherever(read) != nil
}

// parts are the screen without its side panel, and the same without the bars before its rows; nil: it has no bars.
func (l *Layout) parts() (main, barred *Layout) {
	main = l.BesidePanel(l.rule)
	return main, main.withoutRuns()
}

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
		if i >= d.First || !these(i, line) {
			return 0, 0
		}
		line.Bar = true
		return line.Col, line.Col + 1
	})
	d.findQuestion()
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

// barBelow reports whether another bar is below line last and its own: it may be an input box.
func (l *Layout) barBelow(last int) bool {
	_, end := l.run(last, 0, l.behindBar)
	return slices.ContainsFunc(l.Lines[end+1:], func(line Line) bool { return line.Bar })
}

// behindBar reports whether the layout leaves out a bar before line i.
func (l *Layout) behindBar(i int) bool { return l.Lines[i].Bar }
