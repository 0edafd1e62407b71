package detect

import "strings"

// quotedIn reports whether a dialog without a frame stands in a text that shows it: a code block that was opened
// above it, or what a diff says has not changed.
func (d *dialog) quotedIn() bool {
	if d.boxed {
		return false
	}
	fenced := false
	for i := max(d.first-60, 0); i < d.first; i++ {
		if l := &d.lines[i]; l.kind == text && strings.HasPrefix(l.text, "```") {
			fenced = !fenced
		}
	}
	return fenced || d.inHunk()
}

// inHunk reports whether the nearest head of a diff's hunk above the answers has no changed row below it.
func (d *dialog) inHunk() bool {
	for i := d.first - 1; i >= max(d.first-60, 0); i-- {
		switch l := &d.lines[i]; {
		case l.kind != text:
		case l.cells[l.col] == '+' || l.cells[l.col] == '-':
			return false
		case strings.HasPrefix(l.text, "@@ "):
			return true
		}
	}
	return false
}

// emptyBelow reports whether an empty frame, or two lines drawn across with nothing between them, stands below
// line last: an input box, whatever it looks like.
func (v *view) emptyBelow(last int) bool {
	for _, b := range v.boxes {
		if b.top > last && !v.words(b.top+1, b.bottom-1) {
			return true
		}
	}
	above := -1
	for i := last + 1; i < len(v.lines); i++ {
		if v.lines[i].kind != rule {
			continue
		}
		if above >= 0 && !v.words(above+1, i-1) {
			return true
		}
		above = i
	}
	return false
}

// words reports whether one of the lines from first to last holds text.
func (v *view) words(first, last int) bool {
	for i := first; i <= last; i++ {
		if v.lines[i].kind == text {
			return true
		}
	}
	return false
}
