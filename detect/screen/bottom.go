package screen

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
