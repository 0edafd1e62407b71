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
