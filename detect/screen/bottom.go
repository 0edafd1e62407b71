package screen

// What is live is at the bottom of a screen. Each distance here is how many rows that hold words, counted from the lowest one,
// a thing may be in: what is higher was printed, or is history. Where an agent needs another one, its file says so.
const (
	// FooterRows are those of the keys that a program takes: the status row may be below them (opencode/1.0.152-parallel-100x40).
	FooterRows = 2
	// StatusRows are those of the status rows and of the row right above the keys, where a dialog says that it is taller than its
	// window (claude/2.1.329-bash-tall-80x24). A narrow pane wraps one of them.
	StatusRows = 3
	// WorkRows are those of the row that says that the agent works, which is above its input box. It stays above a dialog, so
	// that one which can't be read does not pass for work (continue/1.5.47-bash-50x30).
	WorkRows = 10
	// InputRows are those of an input box, which a draft makes taller, with the rows below it.
	InputRows = 16
	// MarkRows are those in which an agent's own words tell that the screen is its: what is higher may quote them.
	MarkRows = 30

	// listRows are those of the last option of a list without numbers: keys, status and explanations stand below it.
	listRows = 10 + rowsBeneath
	// plainCursorRows are those of a cursor drawn with plain characters: higher up such a row is a bullet.
	plainCursorRows = 12 + rowsBeneath
	// acrossRows are those of options side by side: keys and status rows stand below them, and no explanations.
	acrossRows = 6 + rowsBeneath
)

// LowestRow is the lowest row that holds words, and its line; -1 and an empty row where there is none.
func (l *Layout) LowestRow() (int, *Line) {
	for i, line := range l.Lowest(1) {
		return i, line
	}
	return -1, &Line{}
}

// Lowest yields up to n rows that hold words from the bottom of the screen upwards.
func (l *Layout) Lowest(n int) func(yield func(int, *Line) bool) {
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

// Says reports whether one of the lowest n rows that hold words contains one of the parts.
func (l *Layout) Says(n int, parts ...string) bool {
	for _, line := range l.Lowest(n) {
		if Holds(line.Text, parts...) {
			return true
		}
	}
	return false
}

// Ends reports whether the lowest row that holds words contains one of the parts.
func (l *Layout) Ends(parts ...string) bool { return l.Says(1, parts...) }
