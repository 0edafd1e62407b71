package detect

import "strings"

// statusRow reports whether s is a status row as agents draw it at the very bottom: where, which model, how much.
// Up to three rows stand there together, of which one has the marks of a status row; a sentence is none.
func (v *view) statusRow(s string) bool {
	low := strings.ToLower(s)
	at, marked := -1, false
	for i, l := range v.lowest(3) {
		if at >= 0 && (i+1 >= len(v.lines) || v.lines[i+1].kind != text) {
			break // the rows further down are a paragraph of their own
		}
		if l.text == s {
			at = i
		}
		marked = marked || statusMarks(l.text) > 0
	}
	if at < 0 || len(s) > v.width+80 {
		return false
	}
	if holds(low, "waiting for", "awaiting", "pending") && holds(low, "approval", "confirm", "permission", "your input", "decision") && !strings.HasSuffix(low, ":") {
		return true
	}
	if !marked || !v.bottomRows(at) || !v.quiet(s) {
		return false
	}
	return statusMarks(s) > 0 || strings.Count(s, " ") < 6
}

// bottomRows reports whether nothing but status rows can stand below line i: no blank line, and none that
// speaks of work or waits for input.
func (v *view) bottomRows(i int) bool {
	for ; i < len(v.lines); i++ {
		if l := &v.lines[i]; l.kind != text || !v.quiet(l.text) {
			return false
		}
	}
	return true
}

// statusMarks counts what tells a status row from a sentence.
func statusMarks(s string) int {
	marks := 0
	for _, m := range []string{" · ", " | ", " │ ", "~/", "%", "tokens", "ctx", "(main)", "context", "   "} {
		if strings.Contains(s, m) {
			marks++
		}
	}
	return marks
}

// quiet reports whether s can be a status row: it does not end as a sentence or a shell's prompt does, belongs to
// no editor, pager or tmux, and is no row of a transcript.
func (v *view) quiet(s string) bool {
	if holds(strings.ToLower(s), "interrupt", "to stop") || strings.ContainsRune("·✢✳✶✻✽*", firstRune(s)) {
		return false
	}
	if strings.ContainsRune(".?!:$#>❯›»λ➜⟩❱▶▸→", lastOf([]rune(s))) {
		return false
	}
	if head, ok := strings.CutSuffix(s, "%"); ok && (head == "" || head[len(head)-1] < '0' || head[len(head)-1] > '9') {
		return false // zsh asks for a command
	}
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, ":") || endsInPlace(s) || holds(s, `"`, "^", "(END)", "Pane is dead") {
		return false
	}
	first := firstRune(s)
	return !transcriptRune(first) && !cursorRune(first) && strings.Count(s, " ") < 3*v.width/4
}

// endsInPlace reports whether a row ends in a line and a column, "6:1", as an editor's does.
func endsInPlace(s string) bool {
	row, col, ok := strings.Cut(s[strings.LastIndexByte(s, ' ')+1:], ":")
	return ok && row != "" && col != "" && strings.Trim(row+col, "0123456789") == ""
}
