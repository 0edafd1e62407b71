package screen

import (
	"strconv"
	"strings"
)

// LastError is the error with which an agent of that voice ended its turn, above row box, where its input box begins: rows that begin in
// red, and that no words of the agent or of a human follow. Empty: no rows are proven to be that.
func (l *Layout) LastError(v Voice, box int) string {
	r, at := voiceReader{Layout: l, voice: v}, -1
	mute := v.Mark == "" && v.Above == "" && v.Col == 0 // nothing is known of how it speaks
	for i := range min(box, len(l.Lines)) {
		line, gap := &l.Lines[i], r.gap
		if r.gap = 0; line.Kind != Words {
			r.gap = gap + 1
			continue
		}
		switch human := r.above(line); {
		case r.open && gap == 0: // it goes on
		case (gap > 0 || r.since) && r.fails(line):
			at, r.open = i, true
			continue
		case human, mute && !line.pale(), r.begins(line, max(gap, 1)):
			at = -1
			r.since = human && !r.red(line)
			continue
		}
		r.open, r.since = r.open && gap == 0, false
	}
	if at < 0 {
		return ""
	}
	end := at
	for end+1 < min(box, len(l.Lines)) && l.Lines[end+1].Kind == Words && (l.Lines[at].pale() || !l.Lines[end+1].pale()) {
		end++
	}
	if !mute && end+1 < len(l.Lines) && l.Lines[end+1].Kind == Rule { // a note of its input box (claude/2.1.332-blocked-note-100x40)
		return ""
	}
	return strings.TrimLeft(l.Paragraph(at, end), "■✗✕×x* ")
}

// fails reports whether a row is all in red, or has a red sign where the agent's own signs are, that is no tool's and no person's. A tool that failed
// is red too, but its name looks other than what it was called with.
func (r *voiceReader) fails(line *Line) bool {
	v := &r.voice
	if !r.red(line) || r.stopped(line) {
		return false
	}
	text := line.Style(line.Col + 2)
	sign := line.Bar || line.at(line.Col+1) == ' ' && (v.Mark == "" || line.Col == v.Col)
	if !line.Bar && sign && v.Tool != nil && in(v.Mark, line.First()) && v.Tool(line) && !text.red() {
		return false
	}
	for col := line.Col; col < line.End(); col++ {
		s := line.Style(col)
		switch {
		case line.at(col) == ' ' || col < line.Col+2 && sign:
		case paleStyle(s) && col > line.Col+2: // a hint behind it
			return true
		case !sign && !s.red(), s.Bold != text.Bold, s.Dim != text.Dim:
			return false
		}
	}
	return true
}

// stopped reports whether a row says that somebody has stopped the agent.
func (r *voiceReader) stopped(line *Line) bool {
	return r.voice.Stopped != "" && strings.HasPrefix(line.Text, r.voice.Stopped)
}

// red reports whether a row begins in red, or the bar at its left does.
func (r *voiceReader) red(line *Line) bool {
	if !line.Bar {
		return line.Style(line.Col).red()
	}
	col := strings.IndexFunc(string(line.row.cells), func(c rune) bool { return c != ' ' })
	return col >= 0 && line.Style(col).red()
}

// red reports whether a colour is a red, in any theme.
func (s Style) red() bool {
	n, cube := strings.CutPrefix(s.Fg, "5;")
	switch n {
	case "31", "91", "1", "9":
		return true
	}
	var c [3]int
	if i, err := strconv.Atoi(n); cube && err == nil && i >= 16 && i < 232 {
		steps := [6]int{0, 95, 135, 175, 215, 255}
		c = [3]int{steps[(i-16)/36], steps[(i-16)/6%6], steps[(i-16)%6]}
	} else if parts := strings.Split(s.Fg, ";"); len(parts) == 4 && parts[0] == "2" {
		for i := range c {
			c[i], _ = strconv.Atoi(parts[i+1])
		}
	}
	return c[0]-max(c[1], c[2]) >= 60 && max(c[1], c[2])-min(c[1], c[2]) <= 50
}
