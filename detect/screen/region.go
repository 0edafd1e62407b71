package screen

import "nod/internal/reason"

// A dialog stands in a region of the screen, which is found before anything is read in it: a box over the other text, the rows of the
// screen without a side panel, or the rows behind a bar.

// wherever is what read finds in the first region that holds it, with the rows that may stand below it there. A box comes first, else what
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
	main = l.BesidePanel(l.sideRule())
	if barred, ok := main.withoutBarRuns(); ok {
		return main, barred
	}
	return main, nil
}
