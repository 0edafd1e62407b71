package actor

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
	"text/template"

	"github.com/mattn/go-runewidth"

	"nod/internal/host/ansi"
)

// The screens are the recorded ones of the real programs (Claude Code 2.1.329, Codex 0.169.0,
// OpenCode 1.18.33 in tmux 3.3a), row by row with their colours; what changes is a template
// action. ␛ stands for the escape character. ⟪rule X⟫ repeats X and ⟪fill⟫ puts blanks up to the
// right edge, ⟪stretch N⟫ on its own row fills the screen's height with N rows at least, ⟪hang N⟫ is
// the indent of the rows that a row wraps into.
//
//go:embed screens
var screenFiles embed.FS

// view is what a template may show.
type view struct {
	Width                                  int
	Dir, Title                             string
	Instruction, Command, Doing, Why, Done string
	Rows                                   []string // the options, or a panel's buttons
	Highlight                              int
	Confirming                             bool // OpenCode's second panel
	Running, Denied, Always                bool
	Turns                                  int
	Draft                                  string
	Tick, Elapsed, Seconds                 int
	Spinner                                []string
	Sheet                                  []string // the page of questions that stands, row by row
	Answers                                []string // what was answered, a line each
}

// Narrow says that OpenCode's hints stand below its buttons (measured at 50 columns, not at 80).
func (v view) Narrow() bool { return v.Width < 70 }

// SevenRows is the command as OpenCode's panel shows it: wrapped, and cut without a mark after the
// seventh row.
func (v view) SevenRows() []string {
	var out []string
	for _, line := range strings.Split("$ "+v.Command, "\n") {
		for _, r := range wrap(line, v.Width-9, 0) {
			out = append(out, r.String())
		}
	}
	return out[:min(len(out), 7)]
}

// Patterns are what OpenCode's "always" would allow: each program with any arguments.
func (v view) Patterns() []string {
	var out []string
	for _, part := range parts(v.Command) {
		program, _, _ := strings.Cut(part, " ")
		out = append(out, program+" *")
	}
	return out
}

// parts are the commands that a shell line runs one after the other.
func parts(command string) []string {
	var out []string
	for _, p := range strings.Split(command, "&&") {
		out = append(out, strings.TrimSpace(p))
	}
	return out
}

func loadScreens(agent string) (*template.Template, error) {
	raw, err := screenFiles.ReadFile("screens/" + agent + ".tmpl")
	if err != nil {
		return nil, fmt.Errorf("no recorded screens of %q: claude, codex and opencode have some", agent)
	}
	funcs := template.FuncMap{
		"inc":   func(i int) int { return i + 1 },
		"lines": func(s string) []string { return strings.Split(s, "\n") },
	}
	t, err := template.New(agent).Funcs(funcs).Parse(strings.ReplaceAll(string(raw), "␛", "\x1b"))
	if err != nil {
		return nil, fmt.Errorf("read the screens of %s: %w", agent, err)
	}
	return t, nil
}

// section executes one template and returns its rows.
func section(t *template.Template, name string, v view) (string, error) {
	var b strings.Builder
	if err := t.ExecuteTemplate(&b, name, v); err != nil {
		return "", fmt.Errorf("draw %s: %w", name, err)
	}
	return b.String(), nil
}

// layout fits a page's rows into a terminal: too long ones are wrapped or cut, a stretch takes the
// rows that are left, and where there are too many the top scrolls away.
func layout(page string, width, height int) []string {
	var rows []string
	stretch := -1
	for _, line := range strings.Split(strings.TrimSuffix(page, "\n"), "\n") {
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

// fit makes one template row the width of the terminal.
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

// spread puts glyphs between two ends up to the width, and cuts what is too long, as a terminal
// program that lays out by columns does.
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

// cell is one character and the escape sequences in front of it.
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

// parseCells takes a row apart. A style behind the last character becomes a cell without one.
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

// wrap breaks a row between words; the rows behind the first are indented by hang and go on in the
// style of the one before.
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
