package screen

import "nod/internal/reason"

// A dialog is in a region of the screen, which is found before anything is read in it: a box over the other text, the rows of the
// screen without a side panel, or the rows behind a bar.

// regions are the parts of a screen that a program draws apart. They are found once.
type regions struct {
	frames []Frame // from the bottom, each before those inside of it
	boxes  []Frame // closed on all sides, whatever is beside them in their rows, by their upper edges from the top
	bars   []bar   // from the top
	pens   []pen   // between lines drawn across, from the bottom, and then in frames
	ground int     // the column in which a side panel with a ground of its own begins; 0: there is none
	rule   int     // the column of a line down the screen, behind which a side panel may stand; 0: there is none
}

// pen is a place that is drawn as input boxes are: between two lines drawn across, or in a frame.
type pen struct {
	top, bottom int  // the lines that it is drawn with
	col         int  // the last column in which its first row may begin
	ruled       bool // it is between two lines
	broken      bool // what draws it may be another thing: the frame's upper edge is not seen, or an edge is between the lines
}

// findPens finds the pens of the screen.
func (l *Layout) findPens() (found []pen) {
	below, broken := -1, false
	for i := len(l.Lines) - 1; i >= 0; i-- {
		switch l.Lines[i].Kind {
		case Rule:
			if below >= 0 {
				found = append(found, pen{i, below, l.Lines[i].Col + 1, true, broken})
			}
			below, broken = i, false
		case Edge, Dashed:
			broken = true
		}
	}
	for _, f := range l.frames {
		if f.Top >= 0 {
			found = append(found, pen{f.Top, f.Bottom, f.Left + 3, false, f.Open})
		}
	}
	return found
}

// wherever is what read finds in the first region that holds it, with the rows that may be below it there. A box comes first, else what
// it lies over would be read beside its rows; an input box below it wins, and of two boxes neither is read.
func (l *Layout) wherever(read func(region *Layout, below func(string) bool) *Dialog) *Dialog {
	var found *Dialog
	for f, popup := range l.popups(l.liesOver) {
		d := read(popup, nil)
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
	if d := read(main, main.StatusRow); d != nil || barred == nil {
		return d
	}
	if d := read(barred, barred.StatusRow); d != nil && d.Lines[d.First].Bar && !barred.barBelow(d.Last) {
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
