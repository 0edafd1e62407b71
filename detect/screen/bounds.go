package screen

import (
	"strings"

	"nod/internal/reason"
)

// Where a dialog begins that no agent's file describes, and its heading.

// transcriptCol is the last column in which a row of a transcript begins.
const transcriptCol = 2

// boundByGaps guesses the head of a dialog without an edge: it reaches up over few rows, and not into the transcript.
func (d *Dialog) boundByGaps() {
	blanks := 0
	for i := d.First - 1; i >= 0 && d.Frame() == nil && d.TopUnseen; i-- {
		line, asked := &d.Lines[i], d.HasWords(i+1, d.Asked-1)
		if blanks++; line.Kind != Blank {
			blanks = 0
		}
		if blanks > 1 && i < d.First-2 && asked || line.Kind == Rule || line.moves() && asked ||
			line.Kind == Words && line.Col <= transcriptCol && beginsTranscript(line.First()) {
			d.guessTop(i + 1)
			return
		}
	}
}

// begin finds where a dialog begins that no agent's file describes: above a frame of its options alone, with the bar before them, or below
// a gap. It leaves out what moves there.
func (d *Dialog) begin() {
	d.leaveFrame()
	if !d.beginWithBar() {
		d.boundByGaps()
	}
	d.still()
}

// headAt makes line i the head of a dialog without a frame, as the person said who taught it. It cuts nothing off that may
// belong to the dialog: rows between the last output and line i stay, and are doubted.
func (d *Dialog) headAt(i int) {
	if !d.HasWords(d.Top, i-1) && !d.TopUnseen || d.TopUnseen && d.outputAbove(i) {
		d.BeginAt(i)
		return
	}
	d.boundByGaps()
	if d.HasWords(d.Top, i-1) {
		d.Doubt(reason.AboveHead)
	} else if d.Top > i {
		d.Top, d.edge = i, i
	}
}

// outputAbove reports whether a paragraph of an agent's transcript is above line i, with a blank row between them.
func (d *Dialog) outputAbove(i int) bool {
	last := d.AboveBlanks(i-1, 0)
	if last < 0 || last == i-1 || d.Lines[last].Kind != Words {
		return false
	}
	first := &d.Lines[d.paragraphBegin(last)]
	return first.Col <= transcriptCol && beginsTranscript(first.First())
}

// boundByBlanks guesses the head of a dialog without an edge and options: it reaches up to two blank lines.
func (d *Dialog) boundByBlanks() {
	two := d.LineAbove(func(i int) bool { return i > 0 && d.Lines[i].Kind == Blank && d.Lines[i-1].Kind == Blank })
	if two >= 0 && d.Frame() == nil && d.TopUnseen {
		d.guessTop(two + 1)
	}
}

// guessTop makes line i the dialog's first one, as a guess.
func (d *Dialog) guessTop(i int) {
	d.Top, d.TopUnseen = i, false
	d.Doubt(reason.HeadGuessed)
	if d.Asked < i {
		d.findQuestion()
	}
}

// TakeHeading makes a heading of a few words above the options the question, or what is asked right above the line at the dialog's upper end.
// It reports whether there is one.
func (d *Dialog) TakeHeading() bool {
	framed := d.Frame() != nil
	if top := d.edge - 1; !framed && top >= 0 && d.Lines[d.edge].Kind == Rule && d.words(top) && asksAtEnd(d.Lines[top].Text) && !d.uniform() {
		d.Place(Drawing, d.edge, d.edge)
		d.BeginAt(top)
		return true
	}
	nearest := -1
	for i := d.First - 1; i >= d.Top && i > d.First-headingRows; i-- {
		line := &d.Lines[i]
		if line.Kind != Words || d.places[i].spins || strings.ContainsRune("├└│", line.First()) { // a branch of a tree is no heading
			continue
		}
		if nearest < 0 && d.First-i < nearRows && (framed || IsFooter(d.Footer) || d.Clear() && (d.printsKeys() || d.Marked >= 0 || d.varied())) {
			nearest = i
		}
		low := strings.ToLower(line.Text)
		captions := framed && d.Frame().Title != "" && d.HasWords(i+1, d.First-1) // it heads a part of what a titled box asks about
		if strings.HasSuffix(line.Text, ":") && !captions || Holds(low, "permission", "approv", "confirm", "allow", "requires", "required", "dangerous", "choose", "select") {
			d.Ask(i, i)
			return true
		}
	}
	if framed {
		if t := d.Frame().Title; t != "" {
			d.Question = t
			return true
		}
	}
	if nearest >= 0 {
		d.Question = d.Lines[nearest].Text // which stays in the subject
		if !d.TopUnseen {
			d.Question, _ = d.Head()
		}
	}
	return nearest >= 0
}

// How many rows above the options a heading may be: one that names a permission or ends in a colon, and any other one.
const (
	headingRows = 30
	nearRows    = 6
)

// leaveFrame begins the dialog above a frame that holds the options alone, and does not ask in its title.
func (d *Dialog) leaveFrame() {
	f := d.Frame()
	if f == nil || d.HasWords(d.Top, d.First-1) || asksAtEnd(f.Title) {
		return
	}
	d.dropEdge(f)
	d.around = nil
	d.BeginAt(-1)
}

// dropEdge makes the upper edge of a frame a drawing, if it is seen and no word is in it.
func (d *Dialog) dropEdge(f *Region) {
	if !f.Open && d.drawnAcross(f, f.Top) {
		d.places[f.Top].role = Drawing
	}
}

// beginWithBar begins the dialog with the first row of the bar before its options, or with the row that heads the bar. It
// reports whether there is a bar. Text right above the bar, or another bar above blank rows, may be the dialog's upper part.
func (d *Dialog) beginWithBar() bool {
	if !d.Lines[d.First].Bar {
		return false
	}
	top := d.Panel(d.First).Top
	if d.headsBar(top - 1) {
		top--
	}
	d.BeginAt(top)
	above := d.LineBefore(top, func(i int) bool { return d.Lines[i].Kind != Blank || d.Lines[i].Bar })
	switch {
	case top == 0:
		d.TopUnseen = true
	case above >= 0 && (above == top-1 || d.Lines[above].Bar || d.Lines[above].Kind != Words || in(bars, d.Lines[above].First())), d.barAbove(top):
		d.Doubt(reason.SecondHead) // another bar may be its own, broken by what it shows
	}
	return true
}

// barAbove reports whether the bar before the options changes its colour below line top, or another bar of that colour is
// above it.
func (d *Dialog) barAbove(top int) bool {
	row := d.Lines[d.First].row
	col := skip(row.cells, 0)
	for i := range d.First {
		other := d.Lines[i].row
		barred := col < len(other.cells) && skip(other.cells, 0) == col && other.cells[col] == row.cells[col]
		same := barred && other.Style(col).Fg == row.Style(col).Fg
		if i < top && same || i >= top && !same {
			return true
		}
	}
	return false
}
