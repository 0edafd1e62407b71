package detect

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

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
	Start, End int // rune offsets in Text; End may lie beyond it, on coloured blanks
	Style      string
}

// maxRows bounds how much of a capture is read: more than the tallest terminal, so that a
// capture with a long history costs no more than its end.
const maxRows = 400

// ParseScreen reads what tmux's capture-pane printed, plain or with escape sequences (-e: SGR
// colours, OSC 8 links, SO and SI around line drawing). It takes any bytes: what is no text and no
// known sequence is dropped.
func ParseScreen(capture string) Screen {
	p := screenParser{in: capture}
	for p.pos < len(p.in) {
		p.next()
	}
	if len(p.text) > 0 || len(p.runs) > 0 {
		p.endRow()
	}
	rows := p.rows
	if len(rows) > maxRows {
		rows = rows[len(rows)-maxRows:]
	}
	return Screen{Rows: rows}
}

// Tail is the last n rows above the trailing blank ones, as plain text.
func (s Screen) Tail(n int) []string {
	end := s.end()
	start := max(end-max(n, 0), 0)
	tail := make([]string, 0, end-start)
	for _, r := range s.Rows[start:end] {
		tail = append(tail, r.Text)
	}
	return tail
}

// end is the number of rows above the trailing blank ones.
func (s Screen) end() int {
	end := len(s.Rows)
	for end > 0 && s.Rows[end-1].Text == "" {
		end--
	}
	return end
}

// styleAt is how the cell of the rune at col looks; zero on a plain capture.
func (r Row) styleAt(col int) style {
	for _, run := range r.Runs {
		if run.Start <= col && col < run.End {
			return parseStyle(run.Style)
		}
	}
	return style{}
}

// style is one cell's look. Colours are as SGR writes them: "5;178", "2;138;190;183", "34".
type style struct {
	fg, bg             string
	bold, dim, reverse bool
}

// String writes a style so that equal looks are equal strings; parseStyle reads it back.
func (s style) String() string {
	if s == (style{}) {
		return ""
	}
	var b strings.Builder
	if s.bold {
		b.WriteByte('b')
	}
	if s.dim {
		b.WriteByte('d')
	}
	if s.reverse {
		b.WriteByte('r')
	}
	return b.String() + "/" + s.fg + "/" + s.bg
}

func parseStyle(s string) style {
	attrs, colours, ok := strings.Cut(s, "/")
	if !ok {
		return style{}
	}
	fg, bg, _ := strings.Cut(colours, "/")
	return style{fg: fg, bg: bg, bold: strings.Contains(attrs, "b"), dim: strings.Contains(attrs, "d"), reverse: strings.Contains(attrs, "r")}
}

// ground is the colour behind the cell as an eye sees it.
func (s style) ground() string {
	if s.reverse {
		return "reverse"
	}
	return s.bg
}

// screenParser walks a capture once. tmux carries the look of the last cell of a row over to the
// next row, so the style outlives a newline.
type screenParser struct {
	in    string
	pos   int
	rows  []Row
	text  []byte
	runes int
	runs  []Run
	now   style
	look  string // now, written out
	shift bool   // SO: letters are line drawing
}

func (p *screenParser) next() {
	c := p.in[p.pos]
	switch {
	case c == 0x1b:
		p.escape()
	case c == '\n':
		p.pos++
		p.endRow()
	case c == 0x0e || c == 0x0f:
		p.shift = c == 0x0e
		p.pos++
	case c == '\t':
		p.pos++
		p.put(" ")
	case c < 0x20 || c == 0x7f:
		p.pos++
	case c < utf8.RuneSelf:
		p.put(p.drawn(p.in[p.pos : p.pos+1]))
		p.pos++
	default:
		r, n := utf8.DecodeRuneInString(p.in[p.pos:])
		switch {
		case r == utf8.RuneError && n == 1:
			p.put("\uFFFD")
		case r < 0xa0 || bidi(r): // C1 controls and marks that reorder what a person sees
		default:
			p.put(p.in[p.pos : p.pos+n])
		}
		p.pos += n
	}
}

// bidi reports whether r only turns the reading direction or has no look at all: text could show a
// person another command than the one that runs.
func bidi(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f || r == 0xfeff
}

func (p *screenParser) put(s string) {
	p.text = append(p.text, s...)
	if p.look != "" {
		if n := len(p.runs); n > 0 && p.runs[n-1].End == p.runes && p.runs[n-1].Style == p.look {
			p.runs[n-1].End++
		} else {
			p.runs = append(p.runs, Run{Start: p.runes, End: p.runes + 1, Style: p.look})
		}
	}
	p.runes++
}

func (p *screenParser) endRow() {
	p.rows = append(p.rows, Row{Text: strings.TrimRight(string(p.text), " \u00a0"), Runs: p.runs})
	p.text, p.runs, p.runes = p.text[:0], nil, 0
}

// drawing is the DEC line drawing set that SO selects, as far as boxes need it.
var drawing = map[string]string{
	"j": "┘", "k": "┐", "l": "┌", "m": "└", "n": "┼", "q": "─", "t": "├", "u": "┤", "v": "┴", "w": "┬", "x": "│",
}

func (p *screenParser) drawn(c string) string {
	if p.shift {
		if d, ok := drawing[c]; ok {
			return d
		}
	}
	return c
}

// escape reads one escape sequence at pos. Only SGR has an effect.
func (p *screenParser) escape() {
	rest := p.in[p.pos+1:]
	if rest == "" {
		p.pos++
		return
	}
	switch rest[0] {
	case '[':
		n := 1
		for n < len(rest) && (rest[n] < 0x40 || rest[n] > 0x7e) && rest[n] != 0x1b && rest[n] != '\n' {
			n++
		}
		if n < len(rest) && rest[n] == 'm' {
			p.sgr(rest[1:n])
		}
		if n < len(rest) && rest[n] != 0x1b && rest[n] != '\n' {
			n++
		}
		p.pos += 1 + n
	case ']', 'P', '_', '^', 'X':
		p.pos += 1 + stringEnd(rest)
	case '(', ')', '*', '+':
		if len(rest) > 1 && rest[1] != '\n' {
			p.shift = rest[0] == '(' && rest[1] == '0'
			p.pos++
		}
		p.pos += 2
	case '\n':
		p.pos++
	default:
		_, n := utf8.DecodeRuneInString(rest)
		p.pos += 1 + n
	}
}

// stringEnd is the length of an OSC, DCS, … string with its end: BEL, ST, or the end of its row.
func stringEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == 0x07:
			return i + 1
		case s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\':
			return i + 2
		case s[i] == '\n' || s[i] == 0x1b:
			return i
		}
	}
	return len(s)
}

func (p *screenParser) sgr(params string) {
	defer func() { p.look = p.now.String() }()
	if params == "" {
		p.now = style{}
		return
	}
	codes := strings.FieldsFunc(params, func(r rune) bool { return r == ';' || r == ':' })
	for i := 0; i < len(codes); i++ {
		n, err := strconv.Atoi(codes[i])
		if err != nil {
			return
		}
		switch {
		case n == 0:
			p.now = style{}
		case n == 1:
			p.now.bold = true
		case n == 2:
			p.now.dim = true
		case n == 7:
			p.now.reverse = true
		case n == 22:
			p.now.bold, p.now.dim = false, false
		case n == 27:
			p.now.reverse = false
		case n == 38 || n == 48:
			colour, used := extended(codes[i+1:])
			if n == 38 {
				p.now.fg = colour
			} else {
				p.now.bg = colour
			}
			i += used
		case n >= 30 && n <= 37 || n >= 90 && n <= 97:
			p.now.fg = codes[i]
		case n == 39:
			p.now.fg = ""
		case n >= 40 && n <= 47 || n >= 100 && n <= 107:
			p.now.bg = codes[i]
		case n == 49:
			p.now.bg = ""
		}
	}
}

// extended reads the rest of a 256-colour or RGB code: the colour and how many codes it took.
func extended(codes []string) (string, int) {
	if len(codes) == 0 {
		return "", 0
	}
	want := 2
	if codes[0] == "2" {
		want = 4
	}
	want = min(want, len(codes))
	return strings.Join(codes[:want], ";"), want
}
