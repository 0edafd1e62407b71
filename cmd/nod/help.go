package main

import (
	"cmp"
	"strings"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"

	"nod/internal/text/wrap"
)

// widestHelp is the largest width of help in columns.
const widestHelp = 80

// help returns a command's help text, wrapped to a terminal with that many columns. cobra wraps nothing.
func help(c *cobra.Command, columns int) string {
	columns = min(columns, widestHelp)
	usage := c.UsageString()
	whole := strings.TrimRight(c.LocalFlags().FlagUsages(), " \n")
	usage = strings.Replace(usage, whole, strings.TrimRight(c.LocalFlags().FlagUsagesWrapped(columns), " \n"), 1)
	return paragraphs(cmp.Or(c.Long, c.Short), columns) + "\n\n" + hung(usage, columns)
}

// hung wraps the rows of a list of commands, with their descriptions below each other, and sentences.
func hung(usage string, columns int) string {
	rows := strings.Split(usage, "\n")
	for i, row := range rows {
		name, says, listed := strings.Cut(strings.TrimPrefix(row, "  "), "  ")
		says = strings.TrimLeft(says, " ")
		switch {
		case runewidth.StringWidth(row) <= columns:
		case !strings.HasPrefix(row, " "):
			rows[i] = wrap.Text(row, 0, columns)
		case listed && strings.IndexByte(name, ' ') < 0 && name[0] != '-':
			indent := len(row) - len(says)
			rows[i] = row[:indent] + wrap.Text(says, indent, columns)
		}
	}
	return strings.Join(rows, "\n")
}

// paragraphs wraps text into rows. It leaves indented lines unchanged.
func paragraphs(text string, columns int) string {
	var rows, open []string
	end := func() {
		if open != nil {
			rows = append(rows, wrap.Text(strings.Join(open, " "), 0, columns))
		}
		open = nil
	}
	for line := range strings.SplitSeq(strings.TrimRight(text, " \n"), "\n") {
		if line != "" && !strings.HasPrefix(line, " ") {
			open = append(open, line)
			continue
		}
		end()
		rows = append(rows, line)
	}
	end()
	return strings.Join(rows, "\n")
}
