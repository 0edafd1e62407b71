package agents

import (
	"strings"

	"nod/detect/screen"
)

// drawings are what an agent puts around its dialogs: they are left out before anything is read.
type drawings struct {
	bars bool                                  // a heavy bar at the left of each panel
	side []string                              // the headings of the panel at the right that wide windows show
	list func(l *screen.Layout) *screen.Layout // leaves out what is drawn around a list; nil: nothing is
}

// any reports whether there are some.
func (d *drawings) any() bool { return d.bars || len(d.side) > 0 || d.list != nil }

// leftOut is l without them.
func (d *drawings) leftOut(l *screen.Layout) *screen.Layout {
	if len(d.side) > 0 {
		l = l.BesidePanel(sideColumn(l, d.side))
	}
	if d.bars {
		l = l.WithoutBars()
	}
	if d.list != nil {
		l = d.list(l)
	}
	return l
}

const (
	// sideLeast is the first column in which a heading of a side panel may be: no narrower window shows one.
	sideLeast = 60
	// sidePad are the columns of a side panel before its text.
	sidePad = 2
)

// sideColumn is the column of a side panel by its headings, which are in one column, far to the right; 0: there is none.
func sideColumn(l *screen.Layout, headings []string) int {
	for i := range l.Lines {
		line := &l.Lines[i]
		for _, heading := range headings {
			if at := line.End() - len(heading); strings.HasSuffix(line.Text, "  "+heading) && at > max(sideLeast, l.Width()/2) {
				return at - sidePad
			}
		}
	}
	return 0
}
