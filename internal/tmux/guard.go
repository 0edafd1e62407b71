package tmux

// Guard is what must still be true in the very server-side step that types: tmux compares and
// types in one go, so nothing can slip between the two.
type Guard struct {
	Life    Life
	Pane    string // "%12"
	PanePID int
	Width   int
	Height  int
	// Rows are the dialog's rows as they were captured, by row number from 0. Each must still stand there.
	Rows map[int]string
	// Still, where it is not zero, is the pane's window activity at the capture: any byte of output since
	// refuses. For screens whose decisive part (a highlight) is a colour, which tmux can't compare.
	Still int64
}
