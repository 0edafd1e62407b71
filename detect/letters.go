package detect

import (
	"strings"
	"unicode"
)

// lastLettered finds the lowest list whose answers print their keys: "[A]llow [D]eny" in one row, or a row
// each, "▶ [a] Trust this workspace". Typed says that the answer is typed into a line and sent with Enter.
func (v *view) lastLettered() (b block, typed, ok bool) {
	for i := len(v.lines) - 1; i >= 0; i-- {
		rows, mark, line := v.letteredLine(i)
		if len(rows) == 0 {
			continue
		}
		b = block{first: i, last: i, marked: -1, markCol: v.lines[i].col, across: len(rows) > 1, rows: rows}
		if mark {
			b.marked = 0
		}
		if len(rows) == 1 {
			v.letteredUp(&b)
		}
		if len(b.rows) > 1 && distinct(b.rows) {
			return b, line, true
		}
	}
	return block{}, false, false
}

// letteredUp adds the rows above the last one of a list that has one answer a row.
func (v *view) letteredUp(b *block) {
	for i := b.first - 1; i >= 0; i-- {
		if v.lines[i].kind == blank && i > 0 {
			if above, _, _ := v.letteredLine(i - 1); len(above) == 1 {
				continue
			}
		}
		rows, mark, _ := v.letteredLine(i)
		if len(rows) != 1 {
			return
		}
		b.rows = append(rows, b.rows...)
		if b.marked >= 0 {
			b.marked++
		}
		if mark {
			if b.marked > 0 {
				b.marked = -1
				b.rows = nil
				return
			}
			b.marked = 0
		}
		b.first = i
	}
}

func distinct(rows []row) bool {
	seen := map[string]bool{}
	for _, r := range rows {
		if len(r.hints) != 1 || seen[strings.ToLower(r.hints[0])] {
			return false
		}
		seen[strings.ToLower(r.hints[0])] = true
	}
	return true
}

// letteredLine reads the answers of one line that begins with a key in brackets.
func (v *view) letteredLine(i int) (rows []row, mark, typed bool) {
	l := &v.lines[i]
	if l.kind != text {
		return nil, false, false
	}
	c, at := l.cells, l.col
	if cursorRune(c[at]) {
		mark = true
		at = skip(c, at+1)
	}
	if _, _, ok := bracketed(c, at); !ok {
		return nil, false, false
	}
	for at < len(c) {
		key, next, ok := bracketed(c, at)
		if !ok {
			return nil, false, false
		}
		end := nextBracket(c, next)
		rest := strings.TrimSpace(strings.Trim(string(c[next:end]), " /|,·•"))
		label := rest
		if next < len(c) && unicode.IsLetter(c[next]) {
			label = key + rest
		}
		if trimmed := strings.TrimRight(label, ":?> "); trimmed != label && end == len(c) {
			label, typed = trimmed, true
		}
		if label == "" || strings.HasSuffix(label, "]") {
			return nil, false, false
		}
		r := row{Option: Option{Label: label}, hints: []string{key}, first: i, last: i, col: at}
		r.cut = strings.Contains(label, "…")
		if gapped, note := splitGap(label); note != "" {
			r.Label, r.note = gapped, note
		}
		rows = append(rows, r)
		at = skip(c, end)
	}
	return rows, mark, typed
}

// bracketed reads "[a]" or "(a)": one letter or digit as a key.
func bracketed(c []rune, at int) (key string, next int, ok bool) {
	if at+2 >= len(c) {
		return "", at, false
	}
	open, shut := c[at], c[at+2]
	if !(open == '[' && shut == ']' || open == '(' && shut == ')') {
		return "", at, false
	}
	k := tmuxKey(string(c[at+1]))
	return k, at + 3, len(k) == 1
}

// nextBracket is where the next answer of a row begins.
func nextBracket(c []rune, at int) int {
	for ; at < len(c); at++ {
		if _, _, ok := bracketed(c, at); ok && at > 0 && (c[at-1] == ' ' || c[at-1] == '/' || c[at-1] == '|') {
			return at
		}
	}
	return at
}
