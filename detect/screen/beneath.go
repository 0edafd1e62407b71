package screen

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// Live things are at the bottom of a screen. Each distance here is a number of rows with words, counted from the lowest one:
// higher up, the thing was printed or is history. An agent's file may have its own distance.
const (
	// FooterRows hold the row about keys. The status row may be below it (opencode/1.0.152-parallel-100x40).
	FooterRows = 2
	// StatusRows hold the status rows and the row above the keys, in which a dialog says that it is taller than its window
	// (claude/2.1.329-bash-tall-80x24). A narrow pane wraps one of them.
	StatusRows = 3
	// WorkRows hold the row that says that the agent works, above its input box. It also stays above a dialog; the distance
	// keeps a dialog that can't be read from passing for work (continue/1.5.47-bash-50x30).
	WorkRows = 10
	// InputRows hold an input box, which grows with its draft, and the rows below it.
	InputRows = 16
	// MarkRows hold the words that identify the agent: higher up they may be quoted.
	MarkRows = 30

	// listRows hold the last option of a list without numbers: keys, status and notes are below it.
	listRows = 10 + rowsBeneath
	// plainCursorRows hold a cursor of plain characters: higher up such a row is a bullet.
	plainCursorRows = 12 + rowsBeneath
	// acrossRows hold options side by side: keys and status rows are below them, and no notes.
	acrossRows = 6 + rowsBeneath
)

// LowestRow is the lowest line that holds words, and its number; an empty line and -1 if there is none.
func (l *Layout) LowestRow() (int, *Line) {
	for i, line := range l.lowest(1) {
		return i, line
	}
	return -1, &Line{}
}

// lowest yields up to n lines that hold words, from the bottom of the screen up.
func (l *Layout) lowest(n int) func(yield func(int, *Line) bool) {
	return func(yield func(int, *Line) bool) {
		for i := len(l.Lines) - 1; i >= 0 && n > 0; i-- {
			if l.Lines[i].Kind != Words {
				continue
			}
			n--
			if !yield(i, &l.Lines[i]) {
				return
			}
		}
	}
}

// Says reports whether one of the lowest n lines with words contains one of the parts.
func (l *Layout) Says(n int, parts ...string) bool {
	for _, line := range l.lowest(n) {
		if Holds(line.Text, parts...) {
			return true
		}
	}
	return false
}

// Ends reports whether the lowest line with words contains one of the parts.
func (l *Layout) Ends(parts ...string) bool { return l.Says(1, parts...) }

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
	within := func(line *Line) bool { // of the dialog's frame, if it does not fill the pane: nothing comes after the dialog in it
		f := l.frameOf(last)
		return f != nil && f.Bottom-f.Top <= headlessRows && !f.Open && l.Lines[last].frame == line.frame && line.End() <= f.Right && !line.Begins(composerGlyphs)
	}
	for i := last + 1; i < len(l.Lines); i++ {
		line := &l.Lines[i]
		if line.Kind != Words {
			continue
		}
		rows++
		switch t := line.Text; {
		case IsFooter(t), i-1 == b.End && b.End > last && !OfAnotherProgram(t) && l.keptColumn(i) && goesOn(l.Lines[b.End].Text, t, l.wrapped(i)):
			b.Footer, b.End = strings.TrimSpace(b.Footer+"  "+t), i
		case i-1 == b.End && b.End > last && l.atSign(i):
			b.Footer, b.End, b.Unsure = b.Footer+"  "+t, i, true
		case placed != nil && placed(t):
		case line.awaits() && (line.hinted(line.Col) || !l.goesOnBelow(line)): // a sentence that is no hint may be the next message
			b.Others = true
		case last >= 0 && within(line):
			b.Others, b.Unsure = true, b.Unsure || offersToStop(t) || between(t)
		case rows > rowsBeneath, l.goesOnBelow(line), l.boxesInput(line):
			return Beneath{Over: true}
		default:
			b.Others, b.Unsure = true, b.Unsure || offersToStop(t) || between(t) || !l.nearSign(last, i)
		}
	}
	return b
}

// keptColumn reports whether line i begins where a program goes on with the row above it: no further to the left, unless that row fills the pane.
func (l *Layout) keptColumn(i int) bool {
	above := &l.Lines[i-1]
	return l.Lines[i].Col >= above.Col || above.End() >= l.width
}

// offersToStop reports whether a row says that the agent works and can be stopped.
func offersToStop(s string) bool {
	return Holds(strings.ToLower(s), "interrupt", "to stop", "to cancel")
}

// goesOnBelow reports whether a row came after the dialog: a row of a transcript, an input box, a shell's prompt, the last row
// of an editor or a pager, or a sentence. A grey sentence is a hint, and so is one that tells to press a key.
func (l *Layout) goesOnBelow(line *Line) bool {
	s, first := line.Text, line.First()
	switch {
	case line.moves():
		return false
	case OfAnotherProgram(s), in("❯›>→➜", first), beginsTranscript(first), first == '+', s == "~":
		return true
	}
	return strings.ContainsRune(".?!:", lastRune(s)) && !strings.HasSuffix(s, "...") && !line.hinted(line.Col) && strings.Count(s, " ") >= sentenceBlanks && !tellsKey(s)
}

// OfAnotherProgram reports whether a row ends as a shell's prompt does, or is the last one of an editor, a pager or tmux.
func OfAnotherProgram(s string) bool {
	return strings.ContainsRune("$#>❯›»λ➜⟩❱", lastRune(s)) && !between(s) || asksInZsh(s) || Starts(s, "-", ":") || endsInPlace(s) || Holds(s, `"`, "^X Exit", "^G Help", "^G Get Help", "(END)", "Pane is dead")
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
	return l.awaits() || slices.ContainsFunc(strings.Fields(l.Text), func(word string) bool { return !saysSomething(word) })
}

// awaits reports whether a row says that an agent waits for its person.
func (l *Line) awaits() bool {
	low := strings.ToLower(l.Text)
	return Holds(low, "waiting for", "awaiting", "pending") && Holds(low, "approval", "confirm", "permission", "your input", "your answer", "decision")
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

// endsInPlace reports whether a row ends in a line and a column, "6:1", as an editor's does. Behind keys, "enter select    0:31", it is a time.
func endsInPlace(s string) bool {
	last := s[strings.LastIndexByte(s, ' ')+1:]
	row, col, ok := strings.Cut(last, ":")
	keys := strings.TrimRightFunc(strings.TrimSuffix(s, last), func(r rune) bool { return r == ' ' || unicode.Is(unicode.So, r) })
	return ok && !IsFooter(keys) && row != "" && col != "" && strings.Trim(row+col, "0123456789") == ""
}

// beginsTranscript reports whether agents begin the rows of their transcript with r.
func beginsTranscript(r rune) bool { return in("●•⏺✦◆⎿✓✗›❯>", r) }
