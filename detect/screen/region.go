package screen

import "nod/internal/reason"

// A dialog is in a region of the screen, which is found before anything is read in it: a box over the other text, the rows of the
// screen without a side panel, or the rows behind a bar.

// Region is a part of a screen that a program draws apart: in a frame, in a box over the other text, behind a bar, or between two lines
// drawn across.
type Region struct {
	Top, Bottom int    // the lines of its edges, or its first and last one; where a frame is open, Top is the line above what is seen of it
	Left, Right int    // the columns of its sides; Right is the last column of the screen where nothing closes it
	Open        bool   // its upper edge is not on the screen; of lines drawn across, another edge is between them
	Title       string // what its upper edge says
}

// regions are found once, from what is on the screen.
type regions struct {
	frames []Region // from the bottom, each before those inside of it
	boxes  []Region // closed on all sides, whatever is beside them in their rows, by their lower edges from the top
	bars   []Region // from the top
	ruled  []Region // from the bottom
	ground int      // the column in which a side panel with a ground of its own begins; 0: there is none
	rule   int      // the column of a line down the screen, behind which a side panel may stand; 0: there is none
}

// findRuled finds what is between lines drawn across.
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

// wherever is what read finds in the first region that holds it. A box comes first, else what
// it lies over would be read beside its rows; an input box below it wins, and of two boxes neither is read.
func (l *Layout) wherever(read func(region *Layout) *Dialog) *Dialog {
	var found *Dialog
	for f, popup := range l.popups(l.liesOver) {
		d := read(popup)
		if d == nil || l.InputBelow(f.Bottom) {
			continue
		}
		if found != nil {
			return nil
		}
		if found = d; l.belowBox(f).Unsure {
			d.atTerminal(reason.NewerBelow)
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

// parts are the rows of the screen beside its side panel, if it has one, and those with nothing of the bars before them; nil: there are
// no bars.
func (l *Layout) parts() (main, barred *Layout) {
	main = l.BesidePanel(l.rule)
	return main, main.withoutRuns()
}
