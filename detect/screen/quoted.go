package screen

import (
	"slices"
	"strings"
	"unicode"
)

// quoteRows is how far above a dialog the beginning of a text that quotes it is looked for.
const quoteRows = 60

// isText reports whether a dialog is none, but text that was quoted, typed or pasted.
func (d *Dialog) isText() bool { return d.quoted() || d.typedInto() || d.uniform() }

// quoted reports whether a dialog without a frame is in a text that shows it: a code block that was opened
// above it, or what a diff says has not changed.
func (d *Dialog) quoted() bool {
	if d.Frame() != nil {
		return false
	}
	fenced := false
	for i := max(d.First-quoteRows, 0); i < d.First; i++ {
		if line := &d.Lines[i]; line.Kind == Words && strings.HasPrefix(line.Text, "```") {
			fenced = !fenced
		}
	}
	return fenced || d.inHunk()
}

// inHunk reports whether the nearest head of a diff's hunk above the options has no changed row below it.
func (d *Dialog) inHunk() bool {
	for i := d.First - 1; i >= max(d.First-quoteRows, 0); i-- {
		switch line := &d.Lines[i]; {
		case line.Kind != Words:
		case line.First() == '+' || line.First() == '-':
			return false
		case strings.HasPrefix(line.Text, "@@ "):
			return true
		}
	}
	return false
}

// emptyBelow reports whether an empty region, or one between two lines that holds what follows a sign, is below a line: an input box,
// whatever it looks like.
func (l *Layout) emptyBelow(last int) bool {
	empty := func(r Region) bool { return r.Top > last && !l.HasWords(r.Top+1, r.Bottom-1) }
	signed := func(r Region) bool {
		return r.Top > last && l.ruledAs(r.Bottom, &l.Lines[r.Top]) && l.beginsWithSign(r.Top+1)
	}
	return slices.ContainsFunc(l.ruled, signed) || slices.ContainsFunc(l.ruled, empty) || slices.ContainsFunc(l.frames, empty)
}

// beginsWithSign reports whether line i begins at the left edge with a sign that is alone, as an input box does in whatever mode.
func (l *Layout) beginsWithSign(i int) bool {
	line := &l.Lines[i]
	return line.Kind == Words && line.Col <= 1 && !unicode.IsLetter(line.First()) && !unicode.IsDigit(line.First()) && blankCell(line.at(line.Col+1))
}
