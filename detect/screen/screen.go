package screen

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"nod/internal/host/ansi"
)

// Screen is one capture of a pane, its rows from the top.
type Screen struct {
	Rows []Row
	// Columns is the width of the pane; 0 if unknown: then the drawing shows it.
	Columns int
}

// Row is one row of a screen.
type Row struct {
	// Text is the row's text, including characters that take no cell of their own, without trailing blanks.
	Text string

	cells []rune    // one a column; rest is the right half of a wide character
	marks []mark    // what takes no cell of its own, by column
	runs  []stretch // styled stretches, left to right; none on a plain capture
}

// mark is a character without a cell of its own, such as an accent. As in tmux, it belongs to the cell in its column.
type mark struct {
	col  int
	rune rune
}

// stretch is cells that look alike.
type stretch struct {
	start, end int // columns; end may lie beyond the text, on coloured blanks
	style      Style
}

// Style is one cell's look. Colours are as SGR writes them: "5;178", "2;138;190;183", "34".
type Style struct {
	Fg, Bg                        string
	Bold, Dim, Reverse, Underline bool
}

// ground is the colour behind a cell as an eye sees it.
func (s Style) ground() string {
	if s.Reverse {
		return "reverse"
	}
	return s.Bg
}

// Style is how the cell in column col looks; zero on a plain capture.
func (r Row) Style(col int) Style {
	for _, run := range r.runs {
		if run.start <= col && col < run.end {
			return run.style
		}
	}
	return Style{}
}

// at is the character in column col; a blank where there is none.
func (r *Row) at(col int) rune { return cellAt(r.cells, col) }

func cellAt(cells []rune, col int) rune {
	if col < 0 || col >= len(cells) {
		return ' '
	}
	return cells[col]
}

// maxRows bounds how much of a capture is read: more than the tallest terminal, so that a
// capture with a long history costs no more than its end.
const maxRows = 400

// Parse reads the output of tmux's capture-pane, plain or with escape sequences (-e: SGR colours, OSC 8
// links, SO and SI around line drawing). It takes any bytes and drops those that are neither text nor a known sequence.
// It keeps invisible characters: without them a person might read another command than the one that runs.
func Parse(capture string) Screen {
	var p parser
	for t := range ansi.Tokens(capture) {
		p.take(t)
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

// PlainBelow is the screen without its colours, and the row below the last one that has some. It is not ok where no row has any, or none with
// text is below those that have.
func (s Screen) PlainBelow() (plain Screen, from int, ok bool) {
	for i := range s.Rows {
		if len(s.Rows[i].runs) > 0 {
			from = i + 1
		}
	}
	if from == 0 || from >= s.end() {
		return Screen{}, 0, false
	}
	plain = Screen{Rows: slices.Clone(s.Rows), Columns: s.Columns}
	for i := range plain.Rows {
		plain.Rows[i].runs = nil
	}
	return plain, from, true
}

// BelowCommand is the screen below its last row with colours, if that is a shell's prompt with a command, "~/shop$ agent", and no row below has
// some. A row that begins with the sign of a prompt, "$ ls", may be an agent's.
func (s Screen) BelowCommand() (below Screen, ok bool) {
	_, from, ok := s.PlainBelow()
	if !ok {
		return Screen{}, false
	}
	words := strings.Fields(s.Rows[from-1].Text)
	at := slices.IndexFunc(words, func(w string) bool { return strings.ContainsRune("$#%❯➜λ", lastRune(w)) })
	return s.below(from - 1), at >= 0 && at < len(words)-1 && (at > 0 || words[0] == "➜" || width(words[0]) > 1)
}

// Tail is the last n rows above the trailing blank ones, as plain text.
func (s Screen) Tail(n int) []string {
	end := s.end()
	first := max(end-max(n, 0), 0)
	tail := make([]string, 0, end-first)
	for _, r := range s.Rows[first:end] {
		tail = append(tail, r.Text)
	}
	return tail
}

// end is the number of rows above the trailing blank ones.
func (s Screen) end() int {
	end := len(s.Rows)
	for end > 0 && strings.Trim(s.Rows[end-1].Text, " \u00a0") == "" {
		end--
	}
	return end
}

// parser walks a capture once. tmux carries the look of the last cell of a row over to the next row, so the style
// outlives a newline.
type parser struct {
	rows  []Row
	text  []byte
	cells []rune
	marks []mark
	runs  []stretch
	now   Style
	shift bool // SO: letters are line drawing
}

// take handles the next token. Only escape sequences that colour text or choose its characters have an effect.
func (p *parser) take(t ansi.Token) {
	switch t.Kind {
	case ansi.Text:
		p.put(t.Raw)
	case ansi.Invalid:
		p.put("\uFFFD")
	case ansi.Newline:
		p.endRow()
	case ansi.Tab:
		p.put(" ")
	case ansi.ShiftOut, ansi.ShiftIn:
		p.shift = t.Kind == ansi.ShiftOut
	case ansi.Charset:
		p.shift = t.Args == "(0"
	case ansi.SGR:
		p.sgr(t.Args)
	}
}

// put adds text in the present look.
func (p *parser) put(text string) {
	if p.shift {
		text = strings.Map(func(letter rune) rune { return cmp.Or(drawing[letter], letter) }, text)
	}
	start := len(p.cells)
	p.text = append(p.text, text...)
	for _, r := range text {
		switch CellsOf(r) {
		case 0:
			p.marks = append(p.marks, mark{max(len(p.cells)-1, 0), r})
		case 2:
			p.cells = append(p.cells, r, rightHalf)
		default:
			p.cells = append(p.cells, r)
		}
	}
	if p.now == (Style{}) || len(p.cells) == start {
		return
	}
	if n := len(p.runs); n > 0 && p.runs[n-1].end == start && p.runs[n-1].style == p.now {
		p.runs[n-1].end = len(p.cells)
	} else {
		p.runs = append(p.runs, stretch{start, len(p.cells), p.now})
	}
}

func (p *parser) endRow() {
	text := strings.TrimRight(string(p.text), " ")
	cells := make([]rune, lastCell(p.cells))
	copy(cells, p.cells)
	p.rows = append(p.rows, Row{Text: text, cells: cells, marks: p.marks, runs: p.runs})
	p.text, p.cells, p.marks, p.runs = p.text[:0], p.cells[:0], nil, nil
}

// lastCell is the column behind the last cell that is not blank.
func lastCell(cells []rune) int {
	n := len(cells)
	for n > 0 && cells[n-1] == ' ' {
		n--
	}
	return n
}

// drawing is the DEC line drawing set that SO selects, as far as boxes need it.
var drawing = map[rune]rune{
	'j': '┘', 'k': '┐', 'l': '┌', 'm': '└', 'n': '┼', 'q': '─', 't': '├', 'u': '┤', 'v': '┴', 'w': '┬', 'x': '│',
}

func (p *parser) sgr(params string) {
	if params == "" {
		p.now = Style{}
		return
	}
	codes := strings.FieldsFunc(params, func(r rune) bool { return r == ';' || r == ':' })
	for i := 0; i < len(codes); i++ {
		n, err := strconv.Atoi(codes[i])
		if err != nil {
			return
		}
		colour := &p.now.Fg
		var under string // the colour of a line under the text, which is no look of its own
		switch {
		case n >= 40 && n < 50, n >= 100:
			colour = &p.now.Bg
		case n == 58:
			colour = &under
		}
		switch {
		case n == 0:
			p.now = Style{}
		case n == 1:
			p.now.Bold = true
		case n == 2:
			p.now.Dim = true
		case n == 4 || n == 24:
			p.now.Underline = n == 4
		case n == 7:
			p.now.Reverse = true
		case n == 22:
			p.now.Bold, p.now.Dim = false, false
		case n == 27:
			p.now.Reverse = false
		case n == 38 || n == 48 || n == 58:
			var used int
			*colour, used = extended(codes[i+1:])
			i += used
		case n == 39 || n == 49:
			*colour = ""
		case n >= 30 && n <= 47 || n >= 90 && n <= 97 || n >= 100 && n <= 107:
			*colour = codes[i]
		}
	}
}

// extended reads the rest of a 256-colour or RGB code. It returns the colour and the number of codes that it used.
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
