package screen

import (
	"slices"
	"strings"
	"unicode"
)

// Popup is a box that lies over the text of a screen.
type Popup struct {
	Screen  Screen // the box in its rows and columns, and nothing else
	Bottom  int    // its last row
	Covered bool   // something above may be its upper part
	Unsure  bool   // what stands below it can't be placed
}

// popups are the boxes that lie over the other text of a screen, lowest first. A quoted box fills its rows alone, or has the
// same mark before each of them; what lies over text cuts through words of it, or stands in the middle of the pane. Rows
// below a box are what it does not cover, and end as the screen of a program does: with no shell's prompt, and nothing that was said.
func (l *Layout) popups() []Popup {
	var found []Popup
	lowest, _ := l.LowestRow()
	for _, b := range slices.Backward(l.screen.boxes()) {
		below := l.beneath(max(lowest-1, b.Bottom), nil)
		if b.Bottom-b.Top > 2 && !below.Over && (l.screen.cutsWords(b) || l.screen.centred(b)) {
			found = append(found, Popup{l.screen.inside(b), b.Bottom, l.unclosedAbove(&b), below.Unsure})
		}
	}
	return found
}

// cutsWords reports whether words end right at a side of b, and not the same ones in each of its rows.
func (s Screen) cutsWords(b Frame) bool {
	cut := false
	before := map[string]bool{}
	for i := b.Top; i <= b.Bottom; i++ {
		cells := s.Rows[i].cells
		before[strings.TrimSpace(string(cells[:b.Left]))] = true
		if b.Left > 0 && unicode.IsLetter(cells[b.Left-1]) || b.Right+1 < len(cells) && !blankCell(cells[b.Right+1]) {
			cut = true
		}
	}
	return cut && len(before) > 1
}

// centred reports whether b stands in the middle of the pane, with room at both sides.
func (s Screen) centred(b Frame) bool {
	width := s.Columns
	for i := range s.Rows {
		width = max(width, len(s.Rows[i].cells))
	}
	const room = 4
	return b.Left >= room && abs(b.Left-(width-1-b.Right)) <= 1
}
