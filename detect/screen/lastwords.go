package screen

import "strings"

// Voice is how an agent draws what it says, among what else is above its input box.
type Voice struct {
	Mark string // the glyphs that each of its messages begins with; empty: none
	Col  int    // the column of the mark; without one, of the text
	// Tool reports whether a row that begins with such a mark is a tool's; nil: none is.
	Tool func(*Line) bool
	// Above are the glyphs, at most one column behind Col, of rows above which nothing is what was said last: those of what a human
	// said, and where the agent's messages have no mark, of tools.
	Above string
	// Ends are the glyphs of rows that are below a message.
	Ends string
	// Bare says that what it says has no ground, and that what humans and tools say has one.
	Bare bool
}

// HuedMark tells a tool by its mark, which has a colour or is bold. That of words looks like text, whatever the theme.
func HuedMark(line *Line) bool {
	s := line.Style(line.Col)
	return s.Bold || !neutral(s.Fg)
}

// BoldHead tells a tool by its name, which is bold.
func BoldHead(line *Line) bool { return line.Style(skip(line.cells, line.Col+1)).Bold }

// neutral reports whether a colour is that of text on a dark or a light ground.
func neutral(fg string) bool {
	switch fg {
	case "", "30", "37", "97", "5;0", "5;7", "5;15", "5;16", "5;231", "2;0;0;0", "2;255;255;255":
		return true
	}
	return len(fg) == len("5;250") && fg >= "5;250" && fg <= "5;255"
}

// maxGap is how many blank rows may be between two paragraphs of one message.
const maxGap = 1

// LastWords is what an agent with that voice said last since a human did, above the row where its input box begins. Empty:
// nothing there is proven to be that.
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
	since bool // what was read shows where the turn began; a mark needs no such proof
	said  []string
	open  bool // said may go on
	// held are rows that belong to said if it goes on below them: blank ones, and pale ones, as a notice is too.
	held []string
	last *Line // the last row of said
	gap  int   // how many blank rows were read last
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
	case r.begins(line, gap):
		r.said, r.held, r.open, r.last = []string{r.textOf(line)}, nil, true, line
	case !r.open:
	case in(branches, line.First()) && len(r.said) == 1 && gap == 0:
		r.said, r.open = nil, false // what it gave is right below a tool
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

// branches begin what a tool gave.
const branches = "⎿└├"

// above reports whether what was said last is below a row.
func (r *voiceReader) above(line *Line) bool {
	return line.Bar || line.Col <= r.voice.Col+1 && in(r.voice.Above, line.First()) || r.voice.Bare && line.Style(line.Col).ground() != ""
}

// begins reports whether a message of the agent begins in a row, so many blank ones below the row before.
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

// textOf is what a row says, without the mark before it and what stands far behind it in a paler look, such as the time.
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

// nearEdge is how many columns of a pane agents leave free at most where they wrap.
const nearEdge = 10

// wraps reports whether a row goes on with the one before it: its first word had no room there.
func (r *voiceReader) wraps(line *Line) bool {
	word, _, _ := strings.Cut(line.Text, " ")
	behind := strings.TrimLeft(word, "0123456789")
	listed := in("-*•", line.First()) || behind == "." || behind == ")"
	return line.Col >= r.last.Col && !listed && r.last.End()+1+len(word) > r.Width()-nearEdge
}

// pale reports whether a row begins and ends in the look of what is said beside: dim, or in a grey that is as far from black as from
// white.
func (l *Line) pale() bool { return paleStyle(l.Style(l.Col)) && paleStyle(l.Style(l.End()-1)) }

func paleStyle(s Style) bool {
	switch {
	case s.Dim, s.Fg == "90", s.Fg == "5;8", s.Fg == "5;59", s.Fg == "5;102", s.Fg == "2;128;128;128":
		return true
	}
	return len(s.Fg) == len("5;238") && s.Fg >= "5;238" && s.Fg <= "5;248"
}
