package detect

// Screen is one capture of a pane: its rows as text, and how each cell is coloured.
type Screen struct {
	Rows []Row
}

// Row is one row of a screen.
type Row struct {
	Text string // trailing blanks cut
	Runs []Run  // styled stretches, left to right; none for a plain capture
}

// Run is a stretch of cells that look alike.
type Run struct {
	Start, End int // rune offsets in Text
	Style      string
}
