package screen

import "strings"

// RuledComposer finds an input box between two lines drawn across, as Claude, Qwen and Copilot have it:
// a row that begins with one of the glyphs. What hint reports to be a hint is no draft; nil: nothing is.
func (l *Layout) RuledComposer(glyphs string, hint func(string) bool) *Composer {
	for i := len(l.Lines) - 1; i > 0; i-- {
		line := &l.Lines[i]
		if line.Kind != Words || line.Col > 1 || !in(glyphs, line.cells[line.Col]) || l.Lines[i-1].Kind != Rule {
			continue
		}
		for j := i; j < len(l.Lines); j++ {
			switch l.Lines[j].Kind {
			case Rule:
				return l.Composed(i, j-1, hint)
			case Edge, Dashed:
				return nil
			}
		}
	}
	return nil
}

// rowsBelowInput is how many lines may stand below an input box: status rows and key hints.
const rowsBelowInput = 7

// FramedComposer finds an input box drawn as a frame whose first row begins with one of the glyphs.
func (l *Layout) FramedComposer(glyphs string, hint func(string) bool) *Composer {
	for _, f := range l.frames {
		if f.Open || f.Top+1 >= f.Bottom || len(l.Lines)-1-f.Bottom > rowsBelowInput {
			continue
		}
		line := &l.Lines[f.Top+1]
		if line.Kind == Words && line.Col <= f.Left+3 && in(glyphs, line.cells[line.Col]) {
			return l.Composed(f.Top+1, f.Bottom-1, hint)
		}
	}
	return nil
}

// Composed reads the input box whose rows are first to last, the first one behind its glyph.
func (l *Layout) Composed(first, last int, hint func(string) bool) *Composer {
	line := &l.Lines[first]
	c := &Composer{Row: first, Shell: line.First() == '!'}
	at := skip(line.cells, line.Col+1)
	draft := strings.TrimRight(line.text(min(at, len(line.cells)), len(line.cells)), " ")
	if hint != nil && hint(draft) || line.hinted(at) {
		return c
	}
	c.Draft = draft
	for i := first + 1; i <= last; i++ {
		c.Draft += "\n" + l.Lines[i].Text
	}
	c.Draft = strings.TrimSpace(c.Draft)
	return c
}

// hinted reports whether the text in column col is drawn as a hint is: dim, or in grey.
func (l *Line) hinted(col int) bool {
	s := l.Style(col)
	return s.Dim || s.Fg == "90" || s.Fg == "5;8"
}

// Spinner reports whether a line begins with a glyph of a Braille spinner.
func (l *Line) Spinner() bool {
	return l.Kind == Words && l.First() > 0x2800 && l.First() < 0x2900
}
