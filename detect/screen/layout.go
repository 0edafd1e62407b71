package screen

import (
	"slices"
	"strings"
)

// Kind is what a line is made of, apart from the frames around it.
type Kind uint8

// The kinds of lines.
const (
	Blank  Kind = iota
	Words       // text
	Rule        // a line drawn across: ─────
	Dashed      // a broken line across: ╌╌╌╌╌
	Edge        // the top or bottom of a frame
)

// Line is one row of a layout. Frames and no-break spaces are blanks in it. Its columns are the screen's, so that lines
// inside and outside of a frame compare.
type Line struct {
	Kind Kind
	Col  int    // column of the first character of Text
	Text string // the words, without blanks around them; an invisible character is written as its code
	Bar  bool   // this layout leaves out a bar at its left

	cells []rune // one a column, as in Row; where a drawing is left out, a copy of these with blanks
	row   *Row
	frame int  // the outermost frame that the line belongs to, counted from 1; 0: none
	end   int  // the column behind the last character of text
	lead  lead // the cursor, box, number or key before the label, if the line is an option
}

// at is the character in column col; a blank beyond the end.
func (l *Line) at(col int) rune { return cellAt(l.cells, col) }

// First is the first character of the line's text; a blank where it has none.
func (l *Line) First() rune { return l.at(l.Col) }

// End is the column behind the last character of text.
func (l *Line) End() int { return l.end }

// Style is how the cell in column col looks.
func (l *Line) Style(col int) Style { return l.row.Style(col) }

// text is the line's text from column from up to column to.
func (l *Line) text(from, to int) string {
	return cellText(l.cells, l.row.marks, from, to, plainBlanks)
}

// Between is the line's text from column from up to column to, without the margins.
func (l *Line) Between(from, to int) string {
	return l.text(max(from, l.Col), min(to, len(l.cells)))
}

// Layout is a screen that is ready to be read: its frames are known and left out of its lines, and columns are kept.
type Layout struct {
	Lines []Line // up to the last row that is not blank

	screen Screen
	regions
	width    int  // columns of the pane, as far as the screen shows them
	scrolled int  // column of a scrollbar that is left out; 0: none
	beside   int  // column of a side panel that is left out; 0: none
	covered  bool // it is a pop-up, and above it another box begins that is not closed
	atop     bool // it is a pop-up, and covers words beside it
	proven   bool // the side panel is known by its ground, which no text can imitate
	radios   bool // options begin with radio buttons
}

// Lay reads the layout of a screen.
func Lay(s Screen) *Layout {
	l := &Layout{screen: s, Lines: make([]Line, s.end())}
	for i := range l.Lines {
		l.Lines[i].cells, l.Lines[i].row = s.Rows[i].cells, &s.Rows[i]
		l.width = max(l.width, len(s.Rows[i].cells))
	}
	l.dropScrollbar()
	l.findFrames()
	across := 0 // the widest line drawn across: it fills its pane
	for i := range l.Lines {
		line := &l.Lines[i]
		line.settle()
		if line.drawn() {
			across = max(across, len(line.cells))
		}
	}
	if across < l.width {
		l.width = max(l.width, narrowest)
	}
	l.boxes, l.bars, l.rule, l.ground = l.findBoxes(), l.findBars(), l.sideRule(), l.sidePanel()
	l.ruled = l.findRuled()
	l.readLeads()
	return l
}

// Without is a copy of l with blanks in some cells, as if no program had drawn there: on each line, in the columns that
// hides returns. l does not change.
func (l *Layout) Without(hides func(i int, line *Line) (from, to int)) *Layout {
	bare := *l
	bare.Lines = slices.Clone(l.Lines)
	for i := range bare.Lines {
		line := &bare.Lines[i]
		if from, to := hides(i, line); from < min(to, len(line.cells)) {
			if line.cells = blanked(line.cells, from, to); to >= len(line.cells) {
				line.cells = line.cells[:from]
			}
			line.settle()
		}
	}
	bare.ruled = bare.findRuled()
	bare.readLeads()
	return &bare
}

// Above is l without what is drawn from line i on.
func (l *Layout) Above(i int) *Layout {
	return l.Without(func(j int, line *Line) (from, to int) {
		if j < i {
			return 0, 0
		}
		return 0, len(line.cells)
	})
}

// blanked is a copy of cells with blanks from column from up to column to.
func blanked(cells []rune, from, to int) []rune {
	bare := slices.Clone(cells)
	for c := from; c < min(to, len(bare)); c++ {
		bare[c] = ' '
	}
	return bare
}

// drawn reports whether a line holds a drawing and no words.
func (l *Line) drawn() bool { return l.Kind == Rule || l.Kind == Dashed || l.Kind == Edge }

// settle reads kind, text and column from the cells.
func (l *Line) settle() {
	start, end := 0, len(l.cells)
	for end > 0 && (l.cells[end-1] == ' ' || l.cells[end-1] == '\u00a0') {
		end--
	}
	for start < end && blankCell(l.cells[start]) {
		start++
	}
	l.Col, l.end, l.lead.at = start, end, -1 // the lead has to be read again
	switch {
	case l.Kind == Edge && start == end:
		l.Text = ""
	case start == end, end == start+1 && (l.cells[start] == '▲' || l.cells[start] == '▼'):
		l.Kind, l.Text = Blank, ""
	default:
		l.Kind, l.Text = kindOf(l.cells[start:end]), ""
		if l.Kind == Words {
			l.Text = l.text(start, end)
		}
	}
}

// kindOf says whether a line is drawn across or holds words.
func kindOf(cells []rune) Kind {
	if len(cells) < 3 {
		return Words
	}
	first := cells[0]
	dashes := strings.ContainsRune("╌┄┈╍┅", first)
	if !dashes && !strings.ContainsRune("─━═▔▁▀▄╹", first) {
		return Words
	}
	for i, r := range cells[1:] {
		if r == first || first == '╹' && r == '▀' {
			continue
		}
		if first == '─' && i > 10 && cells[len(cells)-1] == '─' {
			return Rule // with a name in it: "──── session ─"
		}
		return Words
	}
	if dashes {
		return Dashed
	}
	return Rule
}

// Width is the number of columns that the screen seems to have.
func (l *Layout) Width() int { return l.width }

// Paragraph joins the texts of the lines from first to last with single blanks. There are none if first is below last.
func (l *Layout) Paragraph(first, last int) string { return strings.Join(l.Texts(first, last), " ") }

// ParagraphEnd is the last line of the run of lines with words around line i.
func (l *Layout) ParagraphEnd(i int) int {
	_, last := l.run(i, 0, l.words)
	return last
}

// paragraphBegin is the first line of the run of lines with words around line i, or right above it.
func (l *Layout) paragraphBegin(i int) int {
	first, _ := l.run(i, 0, l.words)
	return first
}

// words reports whether line i holds words.
func (l *Layout) words(i int) bool { return l.Lines[i].Kind == Words }

// NextWords is the first line from line i on that holds words; end if no line before end does.
func (l *Layout) NextWords(i, end int) int {
	for i < end && l.Lines[i].Kind != Words {
		i++
	}
	return i
}

// LineFrom is the first line from line i on, and before line end, for which is holds; -1: none.
func (l *Layout) LineFrom(i, end int, is func(i int) bool) int {
	for i < end && !is(i) {
		i++
	}
	if i >= end {
		return -1
	}
	return i
}

// LineBefore is the nearest line above line i for which is holds; -1: none.
func (l *Layout) LineBefore(i int, is func(i int) bool) int {
	for i--; i >= 0 && !is(i); i-- {
	}
	return i
}

// AboveBlanks is line i or, if that is blank, the nearest line above it that is not; end at the highest.
func (l *Layout) AboveBlanks(i, end int) int {
	for i > end && l.Lines[i].Kind == Blank {
		i--
	}
	return i
}

// HasWords reports whether one of the lines from first to last holds text.
func (l *Layout) HasWords(first, last int) bool {
	end := min(last+1, len(l.Lines))
	return l.NextWords(max(first, 0), end) < end
}

// Starts reports whether s begins with one of the prefixes.
func Starts(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

// Holds reports whether s contains one of the parts.
func Holds(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(s, p) })
}

// Coloured reports whether the capture has colours. A plain one can't prove how a row looks.
func (l *Layout) Coloured() bool {
	return slices.ContainsFunc(l.screen.Rows[:len(l.Lines)], func(r Row) bool { return len(r.runs) > 0 })
}

// Begins reports whether a line begins with one of the glyphs and a blank behind it.
func (l *Line) Begins(glyphs string) bool {
	return l.Kind == Words && in(glyphs, l.First()) && blankCell(l.at(l.Col+1))
}

// narrowest is the least width that a pane is assumed to have if no line is drawn across it. In a narrower one every short row
// would look wrapped: of a dialog shown by less, the pager's own row would be the rest of the footer.
const narrowest = 48
