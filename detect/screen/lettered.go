package screen

import (
	"strings"
	"unicode"
)

// LetteredList finds the lowest list whose options print their keys: "[A]llow [D]eny" in one row, or a row
// each, "▶ [a] Trust this workspace". Typed says that the answer is typed into a line and sent with Enter.
func (l *Layout) LetteredList() (list List, typed, ok bool) {
	for i := len(l.Lines) - 1; i >= 0; i-- {
		entries, mark, typed := l.letteredLine(i)
		if len(entries) == 0 {
			continue
		}
		list = List{First: i, Last: i, Marked: -1, MarkCol: l.Lines[i].Col, Across: len(entries) > 1, Entries: entries}
		if mark {
			list.Marked = 0
		}
		if len(entries) == 1 {
			l.letteredUp(&list)
			l.explainLast(&list)
		}
		if len(list.Entries) > 1 && distinct(list.Entries) {
			return list, typed, true
		}
	}
	return List{}, false, false
}

// letteredUp adds the entries above the last one of a list that has one option a row. Two cursors prove none.
func (l *Layout) letteredUp(list *List) {
	for i := list.First - 1; i >= 0; i-- {
		if l.Lines[i].Kind == Blank && i > 0 {
			if above, _, _ := l.letteredLine(i - 1); len(above) == 1 {
				continue
			}
		}
		entries, mark, _ := l.letteredLine(i)
		if len(entries) != 1 {
			if l.explains(i, list.Entries[0].Col) {
				continue
			}
			return
		}
		l.takeNotes(&entries[0], list.First)
		list.Entries = append(entries, list.Entries...)
		if list.Marked >= 0 {
			list.Marked++
		}
		if mark {
			if list.Marked > 0 {
				list.Marked, list.Entries = -1, nil
				return
			}
			list.Marked = 0
		}
		list.First = i
	}
}

// explains reports whether line i, above an option that begins in column col, explains the option above it or is its wrapped rest.
func (l *Layout) explains(i, col int) bool {
	line := &l.Lines[i]
	return line.Kind == Words && line.Col > col && line.Col < col+explainIndent && !IsFooter(line.Text)
}

// explainLast takes the lines right under the last option into it, where they explain it.
func (l *Layout) explainLast(list *List) {
	if len(list.Entries) < 2 {
		return
	}
	end := list.Last + 1
	e := &list.Entries[len(list.Entries)-1]
	for end < len(l.Lines) && l.explains(end, e.Col) {
		end++
	}
	l.takeNotes(e, end)
	list.Last = end - 1
}

// explainIndent bounds how far what explains an option is indented beyond its key.
const explainIndent = 12

// takeNotes takes the lines between an option and the next one, which begins in line end, into it.
func (l *Layout) takeNotes(e *Entry, end int) {
	for i := e.First + 1; i < end; i++ {
		if l.Lines[i].Kind == Words {
			l.extend(e, i)
		}
	}
}

// distinct reports whether each entry prints one key, and no other one's.
func distinct(entries []Entry) bool {
	seen := map[string]bool{}
	for _, e := range entries {
		if len(e.Hints) != 1 || seen[strings.ToLower(e.Hints[0])] {
			return false
		}
		seen[strings.ToLower(e.Hints[0])] = true
	}
	return true
}

// letteredLine reads the options of one line that begins with a key in brackets.
func (l *Layout) letteredLine(i int) (entries []Entry, mark, typed bool) {
	line := &l.Lines[i]
	if line.Kind != Words {
		return nil, false, false
	}
	c := line.cells
	at, mark := line.pastCursor()
	if _, _, ok := bracketed(c, at); !ok {
		return nil, false, false
	}
	for at < len(c) {
		key, next, ok := bracketed(c, at)
		if !ok {
			return nil, false, false
		}
		end := nextBracket(c, next)
		rest := strings.TrimSpace(strings.Trim(line.label(next, end), " /|,·•"))
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
		e := Entry{Option: Option{Label: label}, Hints: []string{key}, First: i, Last: i, Col: at}
		e.Cut = strings.Contains(label, "…")
		if gapped, note := splitGap(label); note != "" {
			e.Label, e.Note = gapped, note
		}
		entries = append(entries, e)
		at = skip(c, end)
	}
	return entries, mark, typed
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

// nextBracket is where the next option of a row begins.
func nextBracket(c []rune, at int) int {
	for ; at < len(c); at++ {
		if _, _, ok := bracketed(c, at); ok && at > 0 && (c[at-1] == ' ' || c[at-1] == '/' || c[at-1] == '|') {
			return at
		}
	}
	return at
}
