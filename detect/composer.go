package detect

import "strings"

// ruledComposer finds an input box between two lines drawn across, as Claude, Qwen and Copilot have it:
// a row that begins with one of the glyphs. What hints are, is no draft.
func ruledComposer(v *view, glyphs string, hint func(string) bool) *Composer {
	for i := len(v.lines) - 1; i > 0; i-- {
		l := &v.lines[i]
		if l.kind != text || l.col > 1 || !strings.ContainsRune(glyphs, l.cells[l.col]) || v.lines[i-1].kind != rule {
			continue
		}
		for j := i; j < len(v.lines); j++ {
			switch v.lines[j].kind {
			case rule:
				return v.composed(i, j-1, hint)
			case edge, dashed:
				return nil
			}
		}
	}
	return nil
}

// boxedComposer finds an input box drawn as a box whose first row begins with one of the glyphs.
func boxedComposer(v *view, glyphs string, hint func(string) bool) *Composer {
	for n := range v.boxes {
		b := v.boxes[n]
		if b.open || b.top+1 >= b.bottom || len(v.lines)-b.bottom > 8 {
			continue
		}
		l := &v.lines[b.top+1]
		if l.kind == text && l.col <= b.left+3 && strings.ContainsRune(glyphs, l.cells[l.col]) {
			return v.composed(b.top+1, b.bottom-1, hint)
		}
	}
	return nil
}

// composed reads the input box whose rows are first to last.
func (v *view) composed(first, last int, hint func(string) bool) *Composer {
	c := &Composer{Row: first}
	l := &v.lines[first]
	at := skip(l.cells, l.col+1)
	draft := strings.TrimRight(string(l.cells[min(at, len(l.cells)):]), " ")
	if hint != nil && hint(draft) || v.dimAt(first, at) {
		return c
	}
	c.Draft = draft
	for i := first + 1; i <= last; i++ {
		c.Draft += "\n" + v.lines[i].text
	}
	c.Draft = strings.TrimSpace(c.Draft)
	return c
}

// dimAt reports whether the text at that place is drawn as a hint is: dim, or in grey.
func (v *view) dimAt(i, col int) bool {
	s := v.screen.Rows[i].styleAt(col)
	return s.dim || s.fg == "90" || s.fg == "5;8"
}

// lowest yields up to n lines of text from the bottom of the screen upwards.
func (v *view) lowest(n int) func(yield func(int, *line) bool) {
	return func(yield func(int, *line) bool) {
		for i := len(v.lines) - 1; i >= 0 && n > 0; i-- {
			if v.lines[i].kind != text {
				continue
			}
			n--
			if !yield(i, &v.lines[i]) {
				return
			}
		}
	}
}

// says reports whether one of the lowest n lines of text contains one of the parts.
func (v *view) says(n int, parts ...string) bool {
	for _, l := range v.lowest(n) {
		if holds(l.text, parts...) {
			return true
		}
	}
	return false
}
