package screen

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// Beneath describes the rows below the options of a dialog.
type Beneath struct {
	Footer string // the rows about keys
	End    int    // the last line of the footer, else of the options
	Over   bool   // some row proves that the dialog is history, or was only printed
	Others bool   // there are rows that an agent draws about itself
	Unsure bool   // there is a row of an unknown kind: the dialog may be history
}

// rowsBeneath is the greatest number of rows with words below a live menu: more are later text.
const rowsBeneath = 10

// beneath reads the rows below line last, where the options end. A live dialog may have keys, spinners, timers, modes, counters
// and panels there, and rows for which placed holds; but not the agent's next message, an input box or a shell's prompt.
func (l *Layout) beneath(last int, placed func(string) bool) Beneath {
	b := Beneath{End: last}
	rows := 0
	for i := last + 1; i < len(l.Lines); i++ {
		line := &l.Lines[i]
		if line.Kind != Words {
			continue
		}
		rows++
		switch t := line.Text; {
		case IsFooter(t), i-1 == b.End && b.End > last && !OfAnotherProgram(t) && goesOn(l.Lines[b.End].Text, t, l.wrapped(i)):
			b.Footer, b.End = strings.TrimSpace(b.Footer+"  "+t), i
		case placed != nil && placed(t):
		case rows > rowsBeneath, l.goesOnBelow(line), l.boxesInput(line):
			return Beneath{Over: true}
		default:
			b.Others, b.Unsure = true, b.Unsure || offersToStop(t) || between(t) || !l.nearSign(last, i)
		}
	}
	return b
}

// boxesInput reports whether a row may belong to an input box: it is behind a bar, or in a frame without a title and without
// the sign of a status row.
func (l *Layout) boxesInput(line *Line) bool {
	return line.Begins(bars) || line.frame > 0 && l.frames[line.frame-1].Title == "" && !line.statusSign()
}

// offersToStop reports whether a row says that the agent works and can be stopped.
func offersToStop(s string) bool {
	return Holds(strings.ToLower(s), "interrupt", "to stop", "to cancel")
}

// goesOnBelow reports whether a row came after the dialog: a row of a transcript, an input box, a shell's prompt, the last row
// of an editor or a pager, or a sentence. A grey sentence is a hint.
func (l *Layout) goesOnBelow(line *Line) bool {
	s, first := line.Text, line.First()
	switch {
	case line.moves():
		return false
	case OfAnotherProgram(s), in("❯›>→➜", first), beginsTranscript(first), first == '+', s == "~":
		return true
	}
	return strings.ContainsRune(".?!:", lastRune(s)) && !strings.HasSuffix(s, "...") && !line.hinted(line.Col) && strings.Count(s, " ") >= sentenceBlanks
}

// OfAnotherProgram reports whether a row ends as a shell's prompt does, or is the last one of an editor, a pager or tmux.
func OfAnotherProgram(s string) bool {
	return strings.ContainsRune("$#>❯›»λ➜⟩❱", lastRune(s)) && !between(s) || asksInZsh(s) || Starts(s, "-", ":") || endsInPlace(s) || Holds(s, `"`, "^", "(END)", "Pane is dead")
}

// sentenceBlanks is how many blanks a sentence has at least: fewer are a label.
const sentenceBlanks = 2

// nearSign reports whether line i has the sign of a status row, or the line above or below it, if that is below line last, where
// the options end, and not about keys. Between it and a sign above, in its column, there may be rows about keys.
func (l *Layout) nearSign(last, i int) bool {
	keys := func(j int) bool {
		text, _, _ := strings.Cut(l.Lines[j].Text, "│") // behind it may be a panel
		return l.words(j) && IsFooter(text)
	}
	signed := func(j int) bool { return last < j && j < len(l.Lines) && l.words(j) && l.Lines[j].statusSign() }
	if signed(i) || i+1 < len(l.Lines) && !keys(i+1) && signed(i+1) {
		return true
	}
	above := i - 1
	for above > last && keys(above) {
		above--
	}
	apart := max(l.Lines[above].Col, l.Lines[i].Col) - min(l.Lines[above].Col, l.Lines[i].Col)
	return signed(above) && (above == i-1 || apart < 2)
}

// statusSign reports whether a row has the sign of a status row: it is grey, has a sign at its head or between its parts, a
// number, a path or a remark in brackets, or says that something goes on.
func (l *Line) statusSign() bool {
	if l.hinted(l.Col) || l.Spinner() || !unicode.IsLetter(l.First()) || strings.ContainsAny(l.Text, "0123456789(/~…") || Holds(l.Text, "...", "   ") {
		return true
	}
	if low := strings.ToLower(l.Text); Holds(low, "waiting for", "awaiting", "pending") && Holds(low, "approval", "confirm", "permission", "your input", "decision") {
		return true
	}
	return slices.ContainsFunc(strings.Fields(l.Text), func(word string) bool { return !saysSomething(word) })
}

// dialogOver makes a dialog of a menu and the rows below it.
func (l *Layout) dialogOver(m Menu, below Beneath) *Dialog {
	m.dropUnclear()
	below.Footer = cmp.Or(below.Footer, m.keys)
	d := l.dialogOf(m, below)
	if d.findQuestion(); m.asks != "" {
		d.AskAs(m.asks)
	}
	return d
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

// beginsTranscript reports whether agents begin the rows of their transcript with r.
func beginsTranscript(r rune) bool { return in("●•⏺✦◆⎿✓✗›❯>", r) }
