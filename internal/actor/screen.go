package actor

import (
	"strconv"
	"strings"

	"github.com/mattn/go-runewidth"

	"nod/internal/host/ansi"
)

// screens draws one agent as it was recorded (Claude Code 2.1.329, Codex 0.169.0, OpenCode 1.18.33 in tmux
// 3.3a). Each field returns the rows of one part of the screen, with colours. In a row, ⟪rule X⟫ repeats X,
// ⟪fill⟫ inserts blanks up to the right edge, and ⟪hang N⟫ is the indent of wrapped rows. ⟪stretch N⟫ as a
// row of its own fills the height of the screen, with at least N rows.
type screens struct {
	head                          func(view) []string // above all turns
	turn, ran, denied             func(view) []string // for the turns so far
	ask, idle, working            func(view) []string // below the turns
	questions, answered, declined func(view) []string // only for Claude Code
}

// view is the data for a screen.
type view struct {
	width                                  int
	dir, title                             string
	instruction, command, doing, why, done string
	rows                                   []string // or a panel's buttons
	highlight                              int
	confirming                             bool // OpenCode's second panel
	running, denied, always                bool
	turns                                  int
	draft                                  string
	elapsed, seconds                       int
	spinner                                string
	sheet                                  []string // the current page of questions, row by row
	answers                                []string // the answers, one per line
}

// narrow reports whether OpenCode's hints are below its buttons (measured: at 50 columns, not at 80).
func (v view) narrow() bool { return v.width < 70 }

// sevenRows returns the command as in OpenCode's panel: wrapped, and cut off after the seventh row without a
// mark.
func (v view) sevenRows() []string {
	var out []string
	for _, line := range strings.Split("$ "+v.command, "\n") {
		for _, r := range wrap(line, v.width-9, 0) {
			out = append(out, r.String())
		}
	}
	return out[:min(len(out), 7)]
}

// patterns returns what OpenCode's "always" would allow: each program with any arguments.
func (v view) patterns() []string {
	var out []string
	for _, part := range parts(v.command) {
		program, _, _ := strings.Cut(part, " ")
		out = append(out, program+" *")
	}
	return out
}

// prefixed puts first before the first line, and rest before the others.
func prefixed(first, rest string, lines []string) []string {
	var out []string
	for i, line := range lines {
		if i == 0 {
			out = append(out, first+line)
		} else {
			out = append(out, rest+line)
		}
	}
	return out
}

// parts returns the commands of a shell line, in order.
func parts(command string) []string {
	var out []string
	for _, p := range strings.Split(command, "&&") {
		out = append(out, strings.TrimSpace(p))
	}
	return out
}

// layout fits a page into a terminal: it splits rows at newlines, wraps or cuts long rows, gives the
// remaining rows to a stretch, and drops rows from the top if there are too many.
func layout(page []string, width, height int) []string {
	var rows []string
	stretch := -1
	for _, line := range strings.Split(strings.Join(page, "\n"), "\n") {
		if n, ok := directive(line, "stretch"); ok {
			stretch = len(rows)
			rows = append(rows, make([]string, n)...)
			continue
		}
		rows = append(rows, fit(line, width)...)
	}
	if missing := height - len(rows); missing > 0 && stretch >= 0 {
		rows = append(rows[:stretch:stretch], append(make([]string, missing), rows[stretch:]...)...)
	}
	return rows[max(0, len(rows)-height):]
}

func directive(line, name string) (int, bool) {
	rest, ok := strings.CutPrefix(line, "⟪"+name+" ")
	digits, _, closed := strings.Cut(rest, "⟫")
	if !ok || !closed {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil
}

// fit fits one row into the width of the terminal.
func fit(line string, width int) []string {
	if before, after, ok := strings.Cut(line, "⟪fill⟫"); ok {
		return []string{spread(before, " ", strings.ReplaceAll(after, "⟪fill⟫", ""), width)}
	}
	if before, after, ok := strings.Cut(line, "⟪rule "); ok {
		glyph, after, _ := strings.Cut(after, "⟫")
		return []string{spread(before, glyph, after, width)}
	}
	hang := len(line) - len(strings.TrimLeft(line, " "))
	if n, ok := directive(line, "hang"); ok {
		hang = n
		_, line, _ = strings.Cut(line, "⟫")
	}
	var out []string
	for _, r := range wrap(line, width, hang) {
		out = append(out, r.String())
	}
	return out
}

// spread repeats glyph between two ends up to the width, and cuts a row that is too long, like a program that
// lays out by columns.
func spread(before, glyph, after string, width int) string {
	left, right := parseCells(before), parseCells(after)
	n := max(0, width-left.width()-right.width())
	all := append(left, parseCells(strings.Repeat(glyph, n))...)
	all = append(all, right...)
	for all.width() > width && len(all) > 0 {
		all = all[:len(all)-1]
	}
	return all.String()
}

// cell is one character and the escape sequences before it.
type cell struct {
	style string
	r     rune
}

type cells []cell

func (c cells) width() (n int) {
	for _, x := range c {
		n += runewidth.RuneWidth(x.r)
	}
	return n
}

func (c cells) String() string {
	var b strings.Builder
	for _, x := range c {
		b.WriteString(x.style)
		if x.r != 0 {
			b.WriteRune(x.r)
		}
	}
	return b.String()
}

// parseCells splits a row into cells. A style after the last character becomes a cell without a character.
func parseCells(s string) cells {
	var out cells
	style := ""
	for t := range ansi.Tokens(s) {
		if t.Kind != ansi.Text {
			style += t.Raw
			continue
		}
		for _, r := range t.Raw {
			out = append(out, cell{style, r})
			style = ""
		}
	}
	if style != "" {
		out = append(out, cell{style: style})
	}
	return out
}

// wrap wraps a row between words. Further rows are indented by hang and continue the style.
func wrap(line string, width, hang int) []cells {
	rest := parseCells(line)
	var out []cells
	style := ""
	for {
		limit := width
		if len(out) > 0 {
			limit = max(1, width-hang)
		}
		row, more := breakRow(rest, limit)
		if len(out) > 0 {
			row = append(parseCells(strings.Repeat(" ", hang)+style), row...)
		}
		out = append(out, row)
		if len(more) == 0 {
			return out
		}
		for _, c := range rest[:len(rest)-len(more)] {
			style += c.style
		}
		rest = more
	}
}

func breakRow(all cells, limit int) (row, more cells) {
	used, blank := 0, -1
	for i, c := range all {
		w := runewidth.RuneWidth(c.r)
		if c.r == ' ' && i > 0 {
			blank = i
		}
		if used+w > limit && w > 0 {
			if c.r == ' ' {
				return all[:i], all[i+1:]
			}
			if blank > 0 && strings.TrimSpace(all[:blank].String()) != "" {
				return all[:blank], all[blank+1:]
			}
			return all[:max(i, 1)], all[max(i, 1):]
		}
		used += w
	}
	return all, nil
}
