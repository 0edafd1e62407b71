package agents

import (
	"strings"

	"nod/detect/screen"
)

// sign is a row by which an agent shows something: whose screen it is, that it works, what changes for show only. All that is said of it
// must be true of the row.
type sign struct {
	within int      // how many rows that hold words it stands from the bottom at most; 0: anywhere
	begins []string // one of these begins it
	holds  []string // it holds one of these
	glyphs string   // one of these characters begins it
	spins  bool     // a spinner's glyph begins it
	left   bool     // it begins at the left edge
}

// shows reports whether one of the signs is on a screen.
func shows(signs ...sign) func(l *screen.Layout) bool {
	return func(l *screen.Layout) bool {
		for _, s := range signs {
			rows := s.within
			if rows == 0 {
				rows = len(l.Lines)
			}
			for _, line := range l.Lowest(rows) {
				if s.is(line) {
					return true
				}
			}
		}
		return false
	}
}

// changes reports whether a row is one of the signs, wherever it stands.
func changes(signs ...sign) func(line *screen.Line) bool {
	return func(line *screen.Line) bool {
		for _, s := range signs {
			if s.is(line) {
				return true
			}
		}
		return false
	}
}

// is reports whether a row is the sign, wherever it stands.
func (s *sign) is(line *screen.Line) bool {
	return line.Kind == screen.Words && (!s.left || line.Col == 0) && (!s.spins || line.Spinner()) &&
		(s.glyphs == "" || strings.ContainsRune(s.glyphs, line.First())) &&
		(len(s.begins) == 0 || screen.Starts(line.Text, s.begins...)) && (len(s.holds) == 0 || screen.Holds(line.Text, s.holds...))
}
