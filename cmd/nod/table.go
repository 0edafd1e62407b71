package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
)

// table prints rows in aligned columns. The last column gets the rest of the width and is cut to it; the
// others are never cut.
func table(w io.Writer, columns int, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], runewidth.StringWidth(cell))
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
