package detect

import (
	"slices"
	"strings"
)

// keyRow finds a row at the bottom that is all answers, each behind its key without brackets: "y allow   n deny",
// "a allow • s allow session • d deny • esc cancel". Keys that are no single character are not taken for
// answers, and one of the answers must say yes once and one no.
func (v *view) keyRow() (block, bool) {
	for i, l := range v.lowest(2) {
		if !isFooter("esc cancel  " + l.text) {
			return block{}, false
		}
		b := block{first: i, last: i, marked: -1, markCol: l.col, across: true}
		for piece := range splitPieces(l.text) {
			key, label, ok := strings.Cut(piece, " ")
			label = strings.TrimSpace(label)
			if !ok || len(key) != 1 || tmuxKey(key) == "" || strings.Count(label, " ") > 3 {
				continue
			}
			r := row{Option: Option{Label: label}, hints: []string{key}, first: i, last: i, col: l.col}
			r.Scope = scopeOf(label, "", false)
			b.rows = append(b.rows, r)
		}
		if len(b.rows) > 1 && distinct(b.rows) && b.only(Once) >= 0 && b.only(No) >= 0 {
			v.buttonsAbove(&b)
			return b, true
		}
	}
	return block{}, false
}

// buttonsAbove takes the row of buttons that a row of keys explains into b: their labels, where each says the
// same as what its key is said to do.
func (v *view) buttonsAbove(b *block) {
	at := b.first - 1
	for at > 0 && v.lines[at].kind == blank {
		at--
	}
	if at < 0 || v.lines[at].kind != text {
		return
	}
	l := &v.lines[at]
	var labels []string
	for c := l.col; c < len(l.cells); {
		end := gapAt(l.cells, c)
		if label := strings.Trim(string(l.cells[c:end]), "[]<>┃│ "); label != "" {
			labels = append(labels, label)
		}
		c = skip(l.cells, end)
	}
	if len(labels) != len(b.rows) {
		return
	}
	for i := range b.rows {
		s := scopeOf(labels[i], "", false)
		if r := &b.rows[i]; s == Other || s != r.Scope && (s == Once || s == No || r.Scope == Once || r.Scope == No) {
			return
		}
	}
	for i := range b.rows {
		r := &b.rows[i]
		r.Label, r.Scope, r.first = labels[i], scopeOf(labels[i], "", false), at
	}
	b.first = at
}

// asciiList is the lowest list whose cursor is drawn with plain characters, "->", "=>" or a star. Only one row
// near the bottom may begin so: several are bullets.
func (v *view) asciiList() (block, bool) {
	at := -1
	for i, l := range v.lowest(12) {
		if plainCursor(l) == 0 {
			continue
		}
		if at >= 0 {
			return block{}, false
		}
		at = i
	}
	if at < 0 {
		return block{}, false
	}
	l := &v.lines[at]
	was := *l
	was.cells = slices.Clone(l.cells)
	n := plainCursor(l)
	for c := l.col; c < l.col+n; c++ {
		l.cells[c] = ' '
	}
	l.cells[was.col+n-1] = '❯'
	l.settle()
	if b, ok := v.list(); ok && b.marked >= 0 {
		return b, true
	}
	*l = was
	return block{}, false
}

// plainCursor is how many cells a cursor drawn with plain characters takes at the beginning of l; 0: there is none.
func plainCursor(l *line) int {
	if l.kind != text {
		return 0
	}
	for _, c := range []string{"->", "=>", "==>", "-->", ">>", "*"} {
		if strings.HasPrefix(l.text, c+" ") {
			return len(c)
		}
	}
	return 0
}

// litAnswer is the answer that a ground of its own marks in a list without a cursor; -1 where none is proven. Of
// two answers only reversed colours tell: a button may have a ground whether it is chosen or not.
func (v *view) litAnswer(b *block) int {
	lit := -1
	var other string
	for i, r := range b.rows {
		ground := v.screen.Rows[r.first].styleAt(r.col).ground()
		if ground == "" {
			continue
		}
		if lit < 0 && (len(b.rows) > 2 || ground == "reverse") {
			lit, other = i, ground
			continue
		}
		if ground == other || lit >= 0 || len(b.rows) <= 2 {
			return -1
		}
	}
	return lit
}
