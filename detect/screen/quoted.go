package screen

import (
	"slices"
	"strings"
	"unicode"
)

// quoteRows is how many rows above a dialog the beginning of a text that quotes it may be.
const quoteRows = 60

// isText reports whether a dialog is only text that was quoted, typed or pasted.
func (d *Dialog) isText() bool { return d.quoted() || d.typedInto() || d.uniform() }

// quoted reports whether a dialog without a frame is inside of a code block, or among the unchanged rows of a diff.
func (d *Dialog) quoted() bool {
	if d.Frame() != nil {
		return false
	}
	fenced := false
	for i := max(d.First-quoteRows, 0); i < d.First; i++ {
		if strings.HasPrefix(d.Lines[i].Text, "```") {
			fenced = !fenced
		}
	}
	return fenced || d.inHunk()
}

// inHunk reports whether a hunk of a diff begins above the options, with no changed row between.
func (d *Dialog) inHunk() bool {
	for i := d.First - 1; i >= max(d.First-quoteRows, 0); i-- {
		switch line := &d.Lines[i]; {
		case in("+-", line.First()):
			return false
		case strings.HasPrefix(line.Text, "@@ "):
			return true
		}
	}
	return false
}

// emptyBelow reports whether an input box of any look is below line last: an empty region, or words behind a sign between two
// lines drawn across.
func (l *Layout) emptyBelow(last int) bool {
	empty := func(r Region) bool { return r.Top > last && !l.HasWords(r.Top+1, r.Bottom-1) }
	signed := func(r Region) bool {
		line := &l.Lines[r.Top+1]
		return r.Top > last && l.ruledAs(r.Bottom, &l.Lines[r.Top]) && line.Col <= 1 && line.beginsWithSign()
	}
	return slices.ContainsFunc(l.ruled, signed) || slices.ContainsFunc(l.ruled, empty) || slices.ContainsFunc(l.frames, empty)
}

// beginsWithSign reports whether a line begins with a sign, neither a letter nor a digit, and a blank, as an input box does in any mode.
func (l *Line) beginsWithSign() bool {
	return l.Kind == Words && !unicode.IsLetter(l.First()) && !unicode.IsDigit(l.First()) && blankCell(l.at(l.Col+1))
}
