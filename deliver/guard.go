package deliver

import (
	"strings"

	"nod/internal/host/ansi"
	"nod/internal/host/tmux"
)

// guard is the condition under which tmux types: the pane is as it was, and the rows first to last of the
// screen are where and as they were. last < first guards no row.
func (s *look) guard(first, last int) tmux.Guard {
	g := tmux.Guard{
		Life: s.Life, Pane: s.Pane.ID, PanePID: s.Pane.PID,
		Width: s.Pane.Width, Height: s.Pane.Height, Screen: s.rows,
	}
	for i := max(first, 0); i <= last && i < len(s.rows); i++ {
		if g.Rows == nil {
			g.Rows = map[int]string{}
		}
		g.Rows[i] = s.rows[i]
	}
	return g
}

// plainRows splits a capture into rows without escape sequences. It keeps every other byte except trailing
// spaces, because tmux compares with what the program drew. Detection drops more (a no-break space at the
// end, marks that change the reading direction).
func plainRows(capture string) []string {
	rows := strings.Split(strings.TrimSuffix(capture, "\n"), "\n")
	for i, row := range rows {
		rows[i] = strings.TrimRight(plain(row), " ")
	}
	return rows
}

// plain removes what capture-pane -e writes between the characters: colours, links, and SO and SI around line
// drawing, whose letters tmux compares as letters.
func plain(row string) string {
	if !strings.ContainsAny(row, "\x1b\x0e\x0f") {
		return row
	}
	var b strings.Builder
	for t := range ansi.Tokens(row) {
		switch t.Kind {
		case ansi.SGR, ansi.OSC, ansi.Charset, ansi.Escape, ansi.Unfinished, ansi.ShiftOut, ansi.ShiftIn:
		default:
			b.WriteString(t.Raw)
		}
	}
	return b.String()
}
