package agents

import (
	"strings"

	"nod/detect/screen"
)

// besideHeadings is what is beside a panel at the right, which wide windows show, without the heavy bars at the left of other panels.
func besideHeadings(headings ...string) func(l *screen.Layout) *screen.Layout {
	return func(l *screen.Layout) *screen.Layout { return l.BesidePanel(sideColumn(l, headings)).WithoutBars() }
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
