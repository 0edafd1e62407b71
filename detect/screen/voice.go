package screen

import (
	"strconv"
	"strings"
)

// Voice is how an agent draws its messages among the other rows above its input box.
type Voice struct {
	Mark string // the glyphs that begin each message; empty: none
	Col  int    // the column of the mark, or of the text if there is no mark
	// Tool reports whether a row with such a mark belongs to a tool; nil: none does.
	Tool func(*Line) bool
	// Above are the glyphs, at most one column behind Col, of rows after which the last message comes: a human's words and, if the
	// agent's messages have no mark, tools.
	Above string
	// Ends are the glyphs of rows below a message.
	Ends string
	// Bare says that the agent's messages have no ground, and that those of humans and tools have one.
	Bare bool
	// Stopped begins the row that says that somebody has stopped the agent, where that is drawn as an error is.
	Stopped string
}

// HuedMark recognises a tool by its mark, which is coloured or bold. The mark of a message looks like text in every theme.
func HuedMark(line *Line) bool {
	s := line.Style(line.Col)
	return s.Bold || !neutral(s.Fg)
}

// BoldHead recognises a tool by its name, which is bold.
func BoldHead(line *Line) bool { return line.Style(skip(line.cells, line.Col+1)).Bold }

// neutral reports whether a colour is that of text on a dark or a light ground.
func neutral(fg string) bool {
	switch fg {
	case "", "30", "37", "97", "5;0", "5;7", "5;15", "5;16", "5;231", "2;0;0;0", "2;255;255;255":
		return true
	}
	return len(fg) == len("5;250") && fg >= "5;250" && fg <= "5;255"
}

// maxGap is the greatest number of blank rows between two paragraphs of one message.
const maxGap = 1

// LastWords is the last message of an agent with that voice since a human spoke, above row box, where its input box begins.
// Empty: no rows are proven to be that.
func (l *Layout) LastWords(v Voice, box int) string {
	r := voiceReader{Layout: l, voice: v, since: v.Mark != ""}
	for i := range min(box, len(l.Lines)) {
		r.take(&l.Lines[i])
	}
	if !r.since {
		return ""
	}
	return strings.TrimSpace(strings.Join(r.said, "\n"))
}

// voiceReader reads the rows above an input box from the top.
type voiceReader struct {
	*Layout
	voice Voice
	since bool // the beginning of the turn was seen; messages with a mark need no such proof
	said  []string
	open  bool // said may go on
	// held are rows that belong to said if it goes on below them: blank ones, and pale ones, which may be a notice.
	held []string
	last *Line // the last row of said
	gap  int   // the number of blank rows read last
}

func (r *voiceReader) take(line *Line) {
	gap := r.gap
	if r.gap = 0; line.Kind == Blank || line.Kind == Edge {
		r.gap, r.held = gap+1, append(r.held, "")
		r.open = r.open && r.gap <= maxGap
		return
	}
	switch {
	case r.above(line):
		r.said, r.open, r.since = nil, false, true
	case gap > 0 && (r.fails(line) || r.stopped(line)):
		r.open = false
	case r.begins(line, gap):
		r.said, r.held, r.open, r.last = []string{r.textOf(line)}, nil, true, line
	case !r.open:
	case in(branches, line.First()) && len(r.said) == 1 && gap == 0:
		r.said, r.open = nil, false // the row above is a tool's, and this is its output
	case line.Kind != Words, line.Col < r.indent(), in(branches+r.voice.Ends, line.First()):
		r.open = false
	case line.pale():
		r.held = append(r.held, line.Text)
	case len(r.held) == 0 && r.wraps(line):
		r.said[len(r.said)-1] += " " + r.textOf(line)
		r.last = line
	default:
		r.said, r.held, r.last = append(append(r.said, r.held...), r.textOf(line)), nil, line
	}
}

// branches begin the output of a tool.
const branches = "⎿└├"

// above reports whether the last message is below a row.
func (r *voiceReader) above(line *Line) bool {
	return line.Bar || line.Col <= r.voice.Col+1 && in(r.voice.Above, line.First()) || r.voice.Bare && line.Style(line.Col).ground() != ""
}

// begins reports whether a message of the agent begins in a row that follows gap blank ones.
func (r *voiceReader) begins(line *Line, gap int) bool {
	if line.Kind != Words || line.Col != r.voice.Col {
		return false
	}
	if r.voice.Mark == "" {
		return !r.open && gap > 0 && !line.pale() && !in(r.voice.Ends, line.First())
	}
	return in(r.voice.Mark, line.First()) && line.at(line.Col+1) == ' ' && (r.voice.Tool == nil || !r.voice.Tool(line))
}

// indent is the column of the agent's text.
func (r *voiceReader) indent() int {
	if r.voice.Mark == "" {
		return r.voice.Col
	}
	return r.voice.Col + 2
}

// textOf is the text of a row without the mark before it, and without paler words far behind it, such as the time.
func (r *voiceReader) textOf(line *Line) string {
	from, to := max(line.Col, r.indent()), line.End()
	for end := to; paleStyle(line.Style(to-1)) && end > from+1; end-- {
		if line.at(end-1) == ' ' && line.at(end-2) == ' ' {
			to = end
			break
		}
	}
	return strings.TrimSpace(line.Between(from, to))
}

// nearEdge is the greatest number of columns that agents leave free where they wrap.
const nearEdge = 10

// wraps reports whether a row goes on with the one before it: its first word had no room there.
func (r *voiceReader) wraps(line *Line) bool {
	word, _, _ := strings.Cut(line.Text, " ")
	behind := strings.TrimLeft(word, "0123456789")
	listed := in("-*•", line.First()) || behind == "." || behind == ")"
	return line.Col >= r.last.Col && !listed && r.last.End()+1+len(word) > r.Width()-nearEdge
}

// pale reports whether a row begins and ends in the look of a side remark: dim, or in a middle grey.
func (l *Line) pale() bool { return paleStyle(l.Style(l.Col)) && paleStyle(l.Style(l.End()-1)) }

func paleStyle(s Style) bool {
	switch {
	case s.Dim, s.Fg == "90", s.Fg == "5;8", s.Fg == "5;59", s.Fg == "5;102", s.Fg == "2;128;128;128":
		return true
	}
	return len(s.Fg) == len("5;238") && s.Fg >= "5;238" && s.Fg <= "5;248"
}

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
