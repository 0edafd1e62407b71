package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"
)

// table prints rows in aligned columns. The last column takes what is left of the width and is cut
// there; the others are never cut.
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

// ago is a duration for people: its largest unit, or two where one would be coarse.
func ago(d time.Duration) string {
	switch {
	case d < 0:
		return "0s"
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 24*time.Hour:
		hours, minutes := int(d.Hours()), int(d.Minutes())%60
		if minutes == 0 {
			return fmt.Sprintf("%dh", hours)
		}
		return fmt.Sprintf("%dh%dm", hours, minutes)
	}
	return fmt.Sprintf("%dd", int(d.Hours())/24)
}
