package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/mattn/go-runewidth"

	"nod/internal/host/ansi"
)

// table prints rows in aligned columns, each in one line, whatever its cells hold. The last column gets the rest of the width and is cut to it; of the
// others only a cell that is far too long is, such as the name of a session.
func table(w io.Writer, columns int, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			if row[i] = ansi.OneLine(cell); i < len(row)-1 {
				row[i] = bothEnds(row[i])
				widths[i] = max(widths[i], runewidth.StringWidth(row[i]))
			}
		}
	}
	for _, row := range rows {
		var line strings.Builder
		last := len(row) - 1
		for i, cell := range row[:last] {
			line.WriteString(runewidth.FillRight(cell, widths[i]) + "  ")
		}
		room := max(columns-runewidth.StringWidth(line.String()), 10)
		line.WriteString(runewidth.Truncate(row[last], room, "…"))
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

// widestCell is as much of a cell as is shown, unless it is the last of its row.
const widestCell = 40

// bothEnds cuts the middle out of a text that is too wide: a pane's place ends with its numbers.
func bothEnds(text string) string {
	width := runewidth.StringWidth(text)
	if width <= widestCell {
		return text
	}
	return runewidth.Truncate(text, widestCell-13, "…") + runewidth.TruncateLeft(text, width-13, "")
}
