package screen

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Input is how an agent draws its input box.
type Input struct {
	Ruled  string   // glyphs that begin its first row between two lines drawn across; empty: it is not drawn so
	Framed string   // glyphs that begin its first row in a frame
	Open   string   // glyphs that begin it below one line drawn across, with rows of status between them, or right above one
	Within int      // the number of rows from the bottom in which Open and Sign count: higher up they begin other rows
	Bare   int      // between the lowest two lines drawn across, without a glyph: the greatest number of its rows; 0: it has a glyph
	Inset  bool     // the lines drawn across begin in its own column
	Sign   string   // begins its first row if nothing is drawn around it; empty: it is not drawn so
	Margin int      // the last column in which Sign may be
	Edge   bool     // it begins at the left edge, no row below it does, and it goes on down to a blank row
	Goes   string   // begins each further row, at least one; empty: it has none
	Hints  []string // beginnings of the hints that it shows while it is empty
	Says   []string // such hints as a whole
	Offers string   // the end of the screen's last row while the box shows a suggestion; empty: unknown
	Ghosts bool     // while it is empty it may show a suggestion behind its cursor, in the colour of the status rows
}

// In finds the input box on a screen; nil: none.
func (box Input) In(l *Layout) *Composer {
	for _, r := range l.ruled {
		col := l.Lines[r.Top+1].Col
		switch {
		case box.Bare > 0 && r.Bottom-r.Top > box.Bare+1:
			return nil
		case box.Bare > 0:
			return &Composer{Row: r.Top + 1, Draft: strings.Join(l.Texts(r.Top+1, r.Bottom-1), "\n")}
		case (col <= 1 && !box.Inset || col == r.Left && box.Inset) && l.opens(&r, box.Ruled):
			return box.At(l, r.Top+1, r.Bottom-1)
		}
	}
	for _, f := range l.frames {
		if len(l.Lines)-1-f.Bottom <= rowsBelowInput && l.Lines[f.Top+1].Col <= f.Left+framePad && l.opens(&f, box.Framed) {
			return box.At(l, f.Top+1, f.Bottom-1)
		}
	}
	for i, line := range l.lowest(box.Within) {
		switch {
		case box.Sign != "" && line.Col <= box.Margin && strings.HasPrefix(line.Text, box.Sign):
			if last := box.end(l, i); line.lead.number == 0 && (last > i || box.Goes == "") { // with a number it is a marked option
				return box.At(l, i, last)
			}
		case box.Open != "" && line.Col <= openMargin && line.Begins(box.Open):
			if l.ruledNear(i) {
				return box.At(l, i, i)
			}
			return nil
		}
		if box.Edge && line.Col == 0 {
			return nil
		}
	}
	return nil
}

// end is the last row of an input box without a drawing around it, whose first row is line i.
func (box Input) end(l *Layout, i int) int {
	if box.Edge {
		return l.ParagraphEnd(i)
	}
	for box.Goes != "" && i+1 < len(l.Lines) && strings.HasPrefix(l.Lines[i+1].Text, box.Goes) {
		i++
	}
	return i
}

// opens reports whether the upper edge of a region is seen, and the row below it begins with one of the glyphs.
func (l *Layout) opens(r *Region, glyphs string) bool {
	line := &l.Lines[r.Top+1]
	return !r.Open && line.Kind == Words && strings.ContainsRune(glyphs, line.First())
}

const (
	// framePad is the greatest distance, in columns, of a frame's first row from its side.
	framePad = 3
	// openMargin is the last column in which an input box with a single line may begin.
	openMargin = 2
	// rowsUnderRule is the greatest number of rows of status and draft between that line and the glyph.
	rowsUnderRule = 5
)

// ruledNear reports whether a line is drawn across not far above line i, or right below it.
func (l *Layout) ruledNear(i int) bool {
	near := l.Lines[max(i-rowsUnderRule, 0):min(i+2, len(l.Lines))]
	return slices.ContainsFunc(near, func(line Line) bool { return line.Kind == Rule })
}

// rowsBelowInput is the greatest number of lines below an input box: status rows and key hints.
const rowsBelowInput = 7

// At reads the input box of the rows first to last; the first begins with its glyph or its sign. A hint or a suggestion is no draft.
func (box Input) At(l *Layout, first, last int) *Composer {
	line := &l.Lines[first]
	c := &Composer{Row: first, Shell: line.First() == '!'}
	at := skip(line.cells, line.Col+max(utf8.RuneCountInString(box.Sign), 1))
	draft := strings.TrimRight(line.text(min(at, len(line.cells)), len(line.cells)), " ")
	if Starts(draft, box.Hints...) || slices.Contains(box.Says, draft) || box.Offers != "" && l.Ends(box.Offers) || line.hinted(at) || l.hintedBehind(first, last, at) || box.Ghosts && l.suggested(first, last, at) {
		return c
	}
	c.Draft = draft
	for i := first + 1; i <= last; i++ {
		c.Draft += "\n" + strings.TrimLeft(strings.TrimPrefix(l.Lines[i].Text, box.Goes), " ")
	}
	c.Draft = strings.TrimSpace(c.Draft)
	return c
}

// hinted reports whether the text in column col looks like a hint: dim or grey.
func (l *Line) hinted(col int) bool {
	s := l.Style(col)
	return s.Dim || s.Fg == "90" || s.Fg == "5;8"
}

// hintedBehind reports whether an input box of these rows shows a hint with the cursor on its first character, in column at of
// the first row: all text behind the cursor looks like a hint. A person's draft has no text behind the cursor.
func (l *Layout) hintedBehind(first, last, at int) bool {
	return l.Lines[first].Style(at).Reverse && l.allBehind(first, last, at, (*Line).hinted)
}

// suggested reports whether an input box of these rows shows a suggestion with the cursor on its first character, in column at
// of the first row: all text behind the cursor has the colour in which the screen's last row ends, and the character under the
// cursor has not. Without colours, or with the cursor elsewhere, it is a draft.
func (l *Layout) suggested(first, last, at int) bool {
	end := &l.Lines[len(l.Lines)-1]
	cursor, ghost := l.Lines[first].Style(at), end.Style(len(end.cells)-1).Fg
	return ghost != "" && cursor.ground() != "" && cursor.Fg != ghost &&
		l.allBehind(first, last, at, func(line *Line, col int) bool { return line.Style(col).Fg == ghost })
}

// allBehind reports whether there is text behind column at of the first row, and so holds for all of it.
func (l *Layout) allBehind(first, last, at int, so func(line *Line, col int) bool) (all bool) {
	for i := first; i <= last; i++ {
		line := &l.Lines[i]
		for col := range line.cells {
			if i == first && col <= at || strings.TrimSpace(line.text(col, col+1)) == "" {
				continue
			}
			if !so(line, col) {
				return false
			}
			all = true
		}
	}
	return all
}

// Spinner reports whether a line begins with a glyph of a Braille spinner.
func (l *Line) Spinner() bool {
	return l.Kind == Words && l.First() > 0x2800 && l.First() < 0x2900
}

// AnyInput is an input box as most agents draw it.
var AnyInput = Input{Ruled: "❯>›", Framed: "❯>›"}

// longestChoice is the greatest length, in bytes, of a line into which an answer is typed: a longer one is a sentence.
const longestChoice = 40

// takesAnswer reports whether an answer may be typed into a row below options, "Choice [o/s/a/D]:", "#?" (bash 5.2, select): then no
// key of theirs is sure.
func takesAnswer(s string) bool {
	return s != "" && len(s) < longestChoice && strings.ContainsRune(":?", lastRune(s))
}

// answerLine is the first row of words below line last if an answer is typed into it; else empty.
func (l *Layout) answerLine(last int) string {
	at := l.NextWords(last+1, len(l.Lines))
	if at == len(l.Lines) {
		return ""
	}
	row := &l.Lines[at]
	if !takesAnswer(row.Text) || OfAnotherProgram(row.Text) || isCursor(row.First()) || l.boxesInput(row) {
		return ""
	}
	return row.Text
}

// inputBelow reports whether an input box as known agents draw it is below line last.
func (l *Layout) inputBelow(last int) bool {
	c := AnyInput.In(l)
	return l.panelEnd() > last || c != nil && c.Row > last && !(l.Lines[c.Row].awaits() && c.Draft == "") || l.emptyBelow(last)
}

// emptyBelow reports whether an input box of any look is below line last: an empty region, a frame across the pane with a hint alone, or words
// behind a sign between two lines drawn across.
func (l *Layout) emptyBelow(last int) bool {
	empty := func(r Region) bool { return r.Top > last && !l.HasWords(r.Top+1, r.Bottom-1) }
	signed := func(r Region) bool {
		line := &l.Lines[r.Top+1]
		return r.Top > last && l.ruledAs(r.Bottom, &l.Lines[r.Top]) && line.Col <= 1 && line.beginsWithSign()
	}
	hint := func(f Region) bool {
		line := &l.Lines[f.Top+1]
		return f.Top > last && f.Bottom == f.Top+2 && f.Title == "" && f.Left < 2 && f.Right >= l.width-1-freeColumns && line.Kind == Words && line.hinted(line.Col) && !line.awaits()
	}
	return slices.ContainsFunc(l.ruled, signed) || slices.ContainsFunc(l.ruled, empty) || slices.ContainsFunc(l.frames, empty) || slices.ContainsFunc(l.frames, hint)
}

// beginsWithSign reports whether a line begins with a sign, neither a letter nor a digit, and a blank, as an input box does in any mode.
func (l *Line) beginsWithSign() bool {
	return l.Kind == Words && !unicode.IsLetter(l.First()) && !unicode.IsDigit(l.First()) && blankCell(l.at(l.Col+1))
}

// boxesInput reports whether a row may belong to an input box: it is behind a bar, or in a frame without a title and without
// the sign of a status row.
func (l *Layout) boxesInput(line *Line) bool {
	parted := strings.Count(line.Text, string(line.First())) > 2 // "| model | branch |" is a row of status
	return line.Begins(bars) && !parted || line.frame > 0 && l.frames[line.frame-1].Title == "" && !line.statusSign()
}
