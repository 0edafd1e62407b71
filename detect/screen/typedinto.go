package screen

import (
	"slices"

	"nod/internal/reason"
)

// What somebody types or pastes into an input box may look like a dialog, and is none.

// composerGlyphs begin the first row of an input box, and shellGlyph that of one in shell mode.
const (
	composerGlyphs = "❯>›"
	shellGlyph     = '!'
)

// InInput reports whether a dialog is in an agent's live input box, c, or above it: there it was typed, pasted or quoted. A dialog
// without options has keys of the agent's own.
func (d *Dialog) InInput(c *Composer) bool {
	switch {
	case len(d.Entries) == 0, d.Why == reason.KeysInBox:
		return false
	case d.typedInto(), d.uniform() && !d.printsKeys():
		return true
	}
	return c != nil && c.Row > d.Last && d.Frame() == nil
}

// typedInto reports whether a dialog is in an input box: between two lines drawn across or in a frame, of which the
// first row begins with the glyph of an input box and is none of the options; or a frame is among its options, which a glyph before pasted
// text makes of it.
func (d *Dialog) typedInto() bool {
	drawn := slices.ContainsFunc(d.Entries, func(e Entry) bool { return in(topLefts+sides+acrosses, firstRune(e.Label)) })
	return drawn || slices.ContainsFunc(d.ruled, d.inRuled) || slices.ContainsFunc(d.frames, d.inFrame)
}

// inRuled reports whether the options are in an input box that begins between two lines: a line between these may be pasted too.
func (d *Dialog) inRuled(r Region) bool {
	closes := func(q Region) bool { return q.Bottom > d.Last && d.ruledAs(q.Bottom, &d.Lines[r.Top]) }
	return d.beginsInput(&r, 1) && (d.Last < r.Bottom || slices.ContainsFunc(d.ruled, closes))
}

// inFrame reports whether the options are in an input box that is a frame.
func (d *Dialog) inFrame(f Region) bool {
	return !f.Open && d.Last < f.Bottom && d.beginsInput(&f, framePad)
}

// ruledAs reports whether line i is drawn across as another one is.
func (l *Layout) ruledAs(i int, other *Line) bool {
	line := &l.Lines[i]
	return line.Kind == Rule && line.Col == other.Col && line.First() == other.First()
}

// beginsInput reports whether a region above the options begins with the glyph of an input box, at most so many columns in. An exclamation
// mark may begin the head of a dialog as well, so it is one only where no option is marked, as in text that somebody typed, or where the
// options begin with it too.
func (d *Dialog) beginsInput(r *Region, pad int) bool {
	line := &d.Lines[r.Top+1]
	glyph := in(composerGlyphs, line.First()) || line.First() == shellGlyph && (d.Marked < 0 || d.Lines[d.First].First() == shellGlyph)
	return r.Top+1 < d.First && line.Kind == Words && line.Col <= r.Left+pad && glyph && blankCell(line.at(line.Col+1))
}

// uniform reports, of a screen that has colours, whether all options look the same, in each of their words; where none of them is marked or all stand in one row, they and
// the question; where there are none, all words of the dialog. Typed text does, and a live list does not.
func (d *Dialog) uniform() bool {
	if !d.Coloured() || d.belowFrame() {
		return false
	}
	var look Style
	found := false
	from := d.First
	bare := d.around == nil && d.frameOf(d.First) != nil // the frame holds the options alone
	switch {
	case len(d.Entries) == 0:
		from = max(d.Top, 0)
	case d.First == d.Last, d.Marked < 0:
		from = min(d.Asked, d.First)
	}
	for i := from; i <= d.Last; i++ {
		line := &d.Lines[i]
		if line.Kind != Words {
			continue
		}
		start := line.Col
		if i < d.First && in(composerGlyphs, line.First()) || bare && i >= d.First && isCursor(line.First()) {
			start++ // the glyph of an input box has a colour of its own, and a frame that holds nothing else may be one
		}
		for c := start; c < line.End(); c++ {
			if blankCell(line.cells[c]) {
				continue
			}
			if s := line.Style(c); !found {
				look, found = s, true
			} else if s != look {
				return false
			}
		}
	}
	return true
}

// belowFrame reports whether options of which none is marked stand right below a frame that has another look: one that somebody typed above
// them has theirs.
func (d *Dialog) belowFrame() bool {
	above := d.First - 1
	at := slices.IndexFunc(d.frames, func(f Region) bool { return f.Bottom == above })
	return d.Marked < 0 && at >= 0 && d.Lines[above].row.Style(d.frames[at].Left) != d.Lines[d.First].Style(d.Lines[d.First].Col)
}
