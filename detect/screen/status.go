package screen

import "strings"

const (
	// statusGlyphs is how many bytes the glyphs of a status row, of three each, make it longer than its pane is wide.
	statusGlyphs = 80
	// statusWords is how many words a row among status rows has at most that has no mark of one.
	statusWords = 6
)

// StatusRow reports whether s is a status row as agents draw it at the very bottom: where, which model, how much.
// Up to three rows stand there together, of which one has the marks of a status row; a sentence is none.
func (l *Layout) StatusRow(s string) bool {
	low := strings.ToLower(s)
	at, marked := -1, false
	for i, line := range l.Lowest(StatusRows) {
		if at >= 0 && (i+1 >= len(l.Lines) || l.Lines[i+1].Kind != Words) {
			break // the rows further down are a paragraph of their own
		}
		if line.Text == s {
			at = i
		}
		marked = marked || statusMark(line.Text)
	}
	if at < 0 || len(s) > l.width+statusGlyphs {
		return false
	}
	if Holds(low, "waiting for", "awaiting", "pending") && Holds(low, "approval", "confirm", "permission", "your input", "decision") && !strings.HasSuffix(low, ":") {
		return true
	}
	if !marked || !l.bottomRows(at) || !l.couldBeStatus(s) {
		return false
	}
	return statusMark(s) || len(strings.Fields(s)) <= statusWords
}

// bottomRows reports whether nothing but status rows can be below line i: no blank line, and none that
// speaks of work or waits for input.
func (l *Layout) bottomRows(i int) bool {
	for ; i < len(l.Lines); i++ {
		if line := &l.Lines[i]; line.Kind != Words || !l.couldBeStatus(line.Text) {
			return false
		}
	}
	return true
}

// statusMark reports whether a row holds what tells a status row from a sentence.
func statusMark(s string) bool {
	return Holds(s, " · ", " | ", " │ ", "~/", "%", "tokens", "ctx", "(main)", "context", "   ")
}

// couldBeStatus reports whether s can be a status row: it does not end as a sentence or a shell's prompt does, belongs to
// no editor, pager or tmux, and is no row of a transcript.
func (l *Layout) couldBeStatus(s string) bool {
	first := firstRune(s)
	switch {
	case s == "", ofAnotherProgram(s), strings.ContainsRune(".?!:▶▸→", lastRune(s)):
		return false
	case Holds(strings.ToLower(s), "interrupt", "to stop") || strings.ContainsRune("·✢✳✶✻✽*", first):
		return false
	}
	return !beginsTranscript(first) && !isCursor(first) && strings.Count(s, " ") < 3*l.width/4
}

// asksInZsh reports whether a row ends as zsh's prompt does: in a percent sign that is no number's.
func asksInZsh(s string) bool {
	head, ok := strings.CutSuffix(s, "%")
	return ok && (head == "" || head[len(head)-1] < '0' || head[len(head)-1] > '9')
}

// endsInPlace reports whether a row ends in a line and a column, "6:1", as an editor's does.
func endsInPlace(s string) bool {
	row, col, ok := strings.Cut(s[strings.LastIndexByte(s, ' ')+1:], ":")
	return ok && row != "" && col != "" && strings.Trim(row+col, "0123456789") == ""
}

// beginsTranscript reports whether r begins the rows in which agents tell what they did.
func beginsTranscript(r rune) bool { return in("●•⏺✦◆⎿✓✗›❯>", r) }
