package agents

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// cell is one character of a recorded screen and all that was said of its look.
type cell struct {
	look string
	char rune
}

// canvas is a recorded screen that can be drawn on, cell by cell.
type canvas [][]cell

var lookAt = regexp.MustCompile("^\x1b\\[([0-9;:]*)m|^\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|^\x1b[()].|^[\x0e\x0f]")

// canvasOf reads a capture.
func canvasOf(capture string) canvas {
	var c canvas
	look := ""
	for _, row := range strings.Split(strings.TrimRight(capture, "\n"), "\n") {
		var cells []cell
		for row != "" {
			if strings.IndexByte("\x1b\x0e\x0f", row[0]) >= 0 {
				m := lookAt.FindStringSubmatch(row)
				if m == nil {
					row = row[1:]
					continue
				}
				switch {
				case m[1] == "0" || strings.HasPrefix(m[0], "\x1b[m"):
					look = ""
				case strings.HasPrefix(m[1], "0;"):
					look = "\x1b[" + m[1][2:] + "m"
				case m[1] != "":
					look += m[0]
				}
				row = row[len(m[0]):]
				continue
			}
			r, size := utf8.DecodeRuneInString(row)
			cells = append(cells, cell{look, r})
			row = row[size:]
		}
		c = append(c, cells)
	}
	return c
}

// String writes the capture, each row with looks of its own.
func (c canvas) String() string {
	var b strings.Builder
	for _, row := range c {
		look := ""
		for _, cell := range row {
			if cell.look != look {
				b.WriteString("\x1b[0m" + cell.look)
				look = cell.look
			}
			b.WriteRune(cell.char)
		}
		if look != "" {
			b.WriteString("\x1b[0m")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func (c canvas) clone() canvas {
	copied := slices.Clone(c)
	for i := range copied {
		copied[i] = slices.Clone(copied[i])
	}
	return copied
}

// write draws text from column col of row i on, in the look of what is there.
func (c canvas) write(i, col int, text string) {
	for _, r := range text {
		for len(c[i]) <= col {
			c[i] = append(c[i], cell{char: ' '})
		}
		c[i][col].char = r
		col++
	}
}

// plainRow is a row without looks.
func plainRow(text string) (row []cell) {
	for _, r := range text {
		row = append(row, cell{char: r})
	}
	return row
}

func rowText(row []cell) string {
	var b strings.Builder
	for _, c := range row {
		b.WriteRune(c.char)
	}
	return strings.TrimRight(b.String(), " ")
}

// shows reports whether text is between two columns.
func (c canvas) shows(text string, left, right int) bool {
	for _, row := range c {
		line := rowText(row)
		if at := strings.Index(line, text); at >= 0 {
			col := utf8.RuneCountInString(line[:at])
			return left < col && col+len(text) <= right
		}
	}
	return false
}

func (c canvas) plain() string {
	var b strings.Builder
	for _, row := range c {
		b.WriteString(rowText(row) + "\n")
	}
	return b.String()
}
