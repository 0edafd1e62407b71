package deliver

import (
	"strings"

	"nod/internal/tmux"
)

// guard is what must still hold when tmux types: this pane as it was, with rows first to last of the
// screen where and as they were. last < first guards no row.
func (s *scene) guard(first, last int) tmux.Guard {
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

// plainRows cuts a capture into rows and takes the escape sequences out. It keeps every other byte
// but trailing spaces, since tmux compares with those that the program drew: what detection reads has
// lost some (a no-break space at the end, marks that turn the reading direction).
func plainRows(capture string) []string {
	capture = strings.TrimSuffix(capture, "\n")
	if capture == "" {
		return nil
	}
	rows := strings.Split(capture, "\n")
	for i, row := range rows {
		rows[i] = strings.TrimRight(plain(row), " ")
	}
	return rows
}

// plain takes the sequences out that capture-pane -e writes: CSI (colours), OSC (links), and SO and
// SI around line drawing, whose letters tmux compares as letters.
func plain(row string) string {
	if !strings.ContainsAny(row, "\x1b\x0e\x0f") {
		return row
	}
	var b strings.Builder
	for i := 0; i < len(row); {
		switch {
		case row[i] == 0x0e || row[i] == 0x0f:
			i++
		case row[i] == 0x1b:
			i += sequence(row[i:])
		default:
			b.WriteByte(row[i])
			i++
		}
	}
	return b.String()
}

// sequence is the length of the escape sequence at the start of s.
func sequence(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
		}
		return len(s)
	case ']':
		for i := 2; i < len(s); i++ {
			if s[i] == 0x07 {
				return i + 1
			}
			if s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
		}
		return len(s)
	case '(', ')':
		return min(3, len(s))
	}
	return 2
}
