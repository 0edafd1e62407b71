package screen

import (
	"slices"
	"strings"

	"nod/internal/reason"
)

// quoteRows is how many rows above a dialog the beginning of a text that quotes it may be.
const quoteRows = 60

// isText reports whether a dialog is only text that was quoted, typed or pasted.
func (d *Dialog) isText() bool { return d.quoted() || d.typedInto() || d.uniform() }

// quoted reports whether a dialog without a frame is inside of a code block, or among the unchanged rows of a diff. What begins further to the
// left than a block, or behind a bar that the block is not behind, is below its end: a block that is cut off in the transcript may lack its last row.
func (d *Dialog) quoted() bool {
	if d.Frame() != nil {
		return false
	}
	fence, barred := -1, false // the column of the block, and whether it is behind a bar; -1: none is open
	for i := max(d.First-quoteRows, 0); i < d.First; i++ {
		line := &d.Lines[i]
		if line.Kind == Blank {
			continue
		}
		if line.Col < fence || line.Bar && !barred {
			fence = -1
		}
		col := line.Col
		if beginsTranscript(line.First()) {
			col = skip(line.cells, col+1)
		}
		language, fenced := strings.CutPrefix(line.text(col, line.End()), "```")
		switch {
		case fenced && (fence < 0 || saysSomething(language)): // the last row of a block names none
			fence, barred = col, line.Bar
		case fenced:
			fence = -1
		}
	}
	return fence >= 0 || d.inHunk()
}

// inHunk reports whether a hunk of a diff begins above the options, with no changed row between, none further to the left, and no bar.
func (d *Dialog) inHunk() bool {
	left := d.Lines[d.First].Col
	for i := d.First - 1; i >= max(d.First-quoteRows, 0); i-- {
		line := &d.Lines[i]
		if line.Kind == Blank {
			continue
		}
		if in("+-", line.First()) {
			return false
		}
		if strings.HasPrefix(line.Text, "@@ ") {
			return line.Col <= left && line.Bar == d.Lines[d.First].Bar
		}
		left = min(left, line.Col)
	}
	return false
}

// Text that a person typed or pasted into an input box may look like a dialog.

// composerGlyphs begin the first row of an input box; shellGlyph does in shell mode.
const (
	composerGlyphs = "❯>›"
	shellGlyph     = "!"
)

// InInput reports whether a dialog is in an agent's live input box, c, or above it: there it was typed, pasted or quoted. That is
// never so for a dialog without options, whose keys are the agent's own.
func (d *Dialog) InInput(c *Composer) bool {
	switch {
	case len(d.Entries) == 0, d.Why == reason.KeysInBox:
		return false
	case d.typedInto(), d.uniform() && !d.printsKeys() && (d.Why != reason.KeysUnsure || !d.setApart()):
		return true
	}
	return c != nil && c.Row > d.Last && d.Frame() == nil
}

// waitsInLine reports whether a dialog waits for words behind its last row and is no draft: nothing is drawn around it, and its
// paragraph does not begin with the glyph of an input box. Programs print such lines in one look.
func (d *Dialog) waitsInLine() bool {
	top := d.paragraphBegin(d.First)
	within := func(r Region) bool { return r.Top < d.First && d.Last < r.Bottom }
	return d.Menu.Typed && d.around == nil && !d.Lines[d.First].Bar && !in(composerGlyphs, d.Lines[top].First()) && !slices.ContainsFunc(d.ruled, within)
}

// typedInto reports whether a dialog is in an input box: a region between two lines drawn across, or a frame, whose first row
// begins with the glyph of an input box and is no option. It is in one too if a frame's drawing is in a label: a glyph before
// pasted text makes an option of it.
func (d *Dialog) typedInto() bool {
	drawn := slices.ContainsFunc(d.Entries, func(e Entry) bool { return in(topLefts+sides+acrosses, firstRune(e.Label)) })
	return drawn || slices.ContainsFunc(d.ruled, d.inRuled) || slices.ContainsFunc(d.frames, d.inFrame)
}

// inRuled reports whether the options are in an input box that begins between two lines drawn across. A line within it may have
// been pasted.
func (d *Dialog) inRuled(r Region) bool {
	closes := func(q Region) bool { return q.Bottom > d.Last && d.ruledAs(q.Bottom, &d.Lines[r.Top]) }
	return d.beginsInput(&r, 1) && (d.Last < r.Bottom || slices.ContainsFunc(d.ruled, closes))
}

// inFrame reports whether the options are in a framed input box.
func (d *Dialog) inFrame(f Region) bool {
	return !f.Open && d.Last < f.Bottom && d.beginsInput(&f, framePad)
}

// ruledAs reports whether line i is drawn across in the same way as another line.
func (l *Layout) ruledAs(i int, other *Line) bool {
	line := &l.Lines[i]
	return line.Kind == Rule && line.Col == other.Col && line.First() == other.First()
}

// beginsInput reports whether a region above the options begins with the glyph of an input box, at most pad columns in. An
// exclamation mark may begin the head of a dialog, so it counts only if no option is marked, as in typed text, or if the options
// begin with it too.
func (d *Dialog) beginsInput(r *Region, pad int) bool {
	line := &d.Lines[r.Top+1]
	glyph := line.Begins(composerGlyphs) || line.Begins(shellGlyph) && (d.Marked < 0 || Starts(d.Lines[d.First].Text, shellGlyph))
	return r.Top+1 < d.First && line.Col <= r.Left+pad && glyph
}

// uniform reports whether all words of the options look the same, as those of typed text do and those of a live list do not. If
// no option is marked, or all are in one row, the question's words count too; without options, all words of the dialog. A plain
// capture proves nothing: false.
func (d *Dialog) uniform() bool {
	if !d.Coloured() || d.Menu.untyped || d.belowFrame() || d.waitsInLine() {
		return false
	}
	var look Style
	found := false
	from := d.First
	bare := d.around == nil && d.frameOf(d.First) != nil // the frame holds the options alone
	switch {
	case len(d.Entries) == 0:
		from = d.Top
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
			start++ // the glyph of an input box has its own colour, and a frame around nothing else may be an input box
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

// setApart reports whether nobody pasted a dialog although all of it looks the same: it covers other text, its answers are buttons, or grey
// below a row that is not, or behind a bar of another look with the question, or the keys right below it have another look.
func (d *Dialog) setApart() bool {
	below := d.NextWords(d.Last+1, len(d.Lines))
	keyed := below < len(d.Lines) && IsFooter(d.Lines[below].Text) && d.Lines[below].Style(d.Lines[below].Col) != d.Lines[d.Last].Style(d.Lines[d.Last].Col)
	above := d.LineAbove(d.words)
	greyed := above >= 0 && d.Lines[d.First].pale() && !d.Lines[above].pale()
	first := &d.Lines[d.First]
	barred := first.Bar && d.Asked <= d.AskedEnd && d.Lines[d.Asked].Bar && first.row.Style(skip(first.row.cells, 0)) != first.Style(first.Col)
	return !d.quoted() && !d.typedInto() && (d.atop || barred || keyed || d.buttons() || greyed)
}

// buttons reports whether each of the answers side by side has a ground that ends before the next one.
func (d *Dialog) buttons() bool {
	line := &d.Lines[d.First]
	for k := 1; d.Across && k < len(d.Entries); k++ {
		ground, ends := d.look(d.Entries[k]).ground(), false
		for c := d.Entries[k-1].Col; c < d.Entries[k].Col; c++ {
			ends = ends || line.Style(c).ground() != ground
		}
		if ground == "" || !ends {
			return false
		}
	}
	return d.Across && len(d.Entries) > 1 && !slices.ContainsFunc(d.frames, func(f Region) bool { return f.Top > d.Last })
}

// belowFrame reports whether unmarked options are right below a frame that looks different. If a person typed the frame and the
// options, they look the same.
func (d *Dialog) belowFrame() bool {
	above := d.First - 1
	at := slices.IndexFunc(d.frames, func(f Region) bool { return f.Bottom == above })
	return d.Marked < 0 && at >= 0 && d.Lines[above].row.Style(d.frames[at].Left) != d.Lines[d.First].Style(d.Lines[d.First].Col)
}
