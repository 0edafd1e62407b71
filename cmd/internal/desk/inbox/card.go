package inbox

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"
	cells "github.com/charmbracelet/x/ansi"

	"nod/cmd/internal/desk"
	"nod/detect/screen"
	"nod/internal/text/elapsed"
	"nod/internal/text/plural"
)

// The styles use the sixteen colours that every terminal has and its owner has chosen. Bold and reversed text
// and the marks carry the same meaning without colours.
var (
	plain    = lipgloss.NewStyle()
	bold     = plain.Bold(true)
	faint    = plain.Foreground(lipgloss.BrightBlack)
	red      = plain.Foreground(lipgloss.Red)
	green    = plain.Foreground(lipgloss.Green)
	yellow   = plain.Foreground(lipgloss.Yellow)
	cyan     = plain.Foreground(lipgloss.Cyan)
	magenta  = plain.Foreground(lipgloss.Magenta)
	reversed = plain.Reverse(true)
)

// paper collects the lines of a card, wrapped to its width.
type paper struct {
	width int
	lines []string
}

// code writes text as it is: a row that is too long continues on the next one, and no blank is lost.
func (p *paper) code(style lipgloss.Style, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		for _, row := range strings.Split(cells.Hardwrap(line, p.width, true), "\n") {
			p.lines = append(p.lines, style.Render(row))
		}
	}
}

// goesOn begins the continuation rows of a long line of a diff or of a plan's code. It looks like no sign of
// a diff, in any colours.
const goesOn = "↪"

// signed writes a line of a diff or of a plan's code after its sign.
func (p *paper) signed(style lipgloss.Style, sign, line string) {
	rest := goesOn + sign[1:]
	for _, row := range strings.Split(cells.Hardwrap(line, max(p.width-len(sign), least), true), "\n") {
		p.lines = append(p.lines, style.Render(sign+row))
		sign = rest
	}
}

// prose writes sentences, wrapped between words.
func (p *paper) prose(style lipgloss.Style, text string) { p.hang(style, "", text) }

// hang writes sentences after a mark, with a hanging indent.
func (p *paper) hang(style lipgloss.Style, mark, text string) {
	for row := range strings.SplitSeq(lipgloss.Wrap(text, max(p.width-len(mark), least), ""), "\n") {
		p.lines = append(p.lines, style.Render(strings.TrimRight(mark+row, " ")))
		mark = strings.Repeat(" ", len(mark))
	}
}

// gap writes an empty line, but never two in a row.
func (p *paper) gap() {
	if n := len(p.lines); n > 0 && p.lines[n-1] != "" {
		p.lines = append(p.lines, "")
	}
}

// part writes a heading and the text below it, if there is text.
func (p *paper) part(head, text string) {
	if strings.TrimSpace(text) != "" {
		p.head(head)
		p.prose(plain, strings.Trim(text, "\n"))
	}
}

func (p *paper) head(head string) {
	p.gap()
	p.prose(faint, head)
}

// cardLines returns all lines of the selected card.
func (m *Model) cardLines(width int) []string {
	card := m.list.selected()
	p := &paper{width: width}
	if card == nil {
		return m.emptyLines(p)
	}
	m.writeHead(p, card)
	if card.Asks != nil {
		m.writeAsks(p, card.Asks)
	}
	if card.Did != nil {
		writeDid(p, card.Did)
	}
	for _, a := range card.Actions {
		if d := a.Do.Deed(); a.Refused != "" {
			p.gap()
			p.prose(faint, d.Key+" "+d.Name+": "+a.Refused)
		}
	}
	m.writeScreen(p, card.Screen)
	return p.lines
}

func (m *Model) emptyLines(p *paper) []string {
	switch {
	case m.list.filter != "":
		p.prose(faint, "No card has these words. Esc in / shows all again.")
	case len(m.list.cards) == 0 && m.bot.up:
		p.prose(faint, "Nothing waits for you, and no agent is at work.")
	}
	for i, a := range m.bot.answered {
		if i == 0 {
			p.gap()
			p.prose(faint, "answered last")
		}
		p.prose(plain, strings.Join(strings.Fields(fmt.Sprintf("%s %s: %s %s", a.At.Local().Format("15:04"), a.Title, a.Answer, a.Subject)), " "))
	}
	return p.lines
}

// writeHead writes who asks, since when, and the result of the last answer.
func (m *Model) writeHead(p *paper, card *desk.Card) {
	p.prose(bold, card.Title)
	state := fmt.Sprintf("%s for %s", card.State, elapsed.Short(m.now.Sub(card.Since)))
	if card.Asks != nil && card.Asks.Stuck {
		state += ", stuck"
	}
	for _, more := range []string{card.Where, card.Pane} {
		if more != "" {
			state += " · " + more
		}
	}
	p.prose(faint, state)
	if m.waits[card.ID] {
		p.prose(faint, "… your answer is on its way")
	}
	if said := m.outcomes[card.ID]; said.text != "" && (card.Asks == nil || card.Asks.Nudge == said.of) {
		p.prose(said.style(), said.mark()+said.text)
	}
	if card.Note != "" {
		p.prose(yellow, card.Note)
	}
}

func (n remark) style() lipgloss.Style {
	if n.bad {
		return red
	}
	return green
}

func (n remark) mark() string {
	if n.bad {
		return "✗ "
	}
	return "✓ "
}

// writeAsks writes a question: first what may be dangerous, and then everything that is asked about.
func (m *Model) writeAsks(p *paper, a *desk.Asks) {
	for _, mind := range a.Minds {
		p.hang(yellow.Bold(true), "! ", mind)
	}
	p.gap()
	asked := func() {
		if a.Question != "" {
			p.prose(plain, a.Question)
		}
	}
	first := a.Kind == "question" // for other kinds the subject is more important than the question
	if first {
		asked()
	}
	if a.Verb != "" {
		p.prose(faint, a.Verb)
	}
	if a.Subject != "" {
		p.subject(strings.Split(a.Subject, "\n"), a.Lead)
	}
	if !first {
		asked()
	}
	about := func() {
		p.part("it said", a.Says)
		p.diff("what it changes", a.Diff)
		p.plan(a.Plan)
	}
	yes := actionOf("y", m.list.selected()) != nil
	if yes { // it is answered by y and n, so the subject matters more than the options
		about()
	}
	if len(a.Options) > 0 {
		p.gap()
	}
	for i, o := range a.Options {
		if yes {
			o.Refused = ""
		}
		writeOption(p, o, i+1 == m.marked(m.list.selected()))
	}
	if !yes {
		about()
	}
}

// subject writes what a question is about: the command itself as code, and the words about it as prose.
func (p *paper) subject(lines []string, lead int) {
	for i, line := range lines {
		switch {
		case i < lead:
			p.code(bold, line)
		case lead == 0: // it is not known which lines are the command
			p.code(plain, line)
		default:
			p.prose(plain, line)
		}
	}
}

func writeOption(p *paper, o desk.Option, marked bool) {
	mark, style := "  ", plain
	if o.Ticked != nil {
		if mark = "[ ] "; *o.Ticked {
			mark = "[x] "
		}
	}
	if marked {
		style = reversed
	}
	mark += fmt.Sprint(o.Number, ". ")
	p.hang(style, mark, o.Label)
	mark = strings.Repeat(" ", len(mark))
	if o.Note != "" {
		p.hang(faint, mark, o.Note)
	}
	if o.Lasts != "" {
		p.hang(yellow, mark+"! ", o.Lasts)
	}
	if o.Refused != "" {
		p.hang(faint, mark, o.Refused)
	}
}

func writeDid(p *paper, d *desk.Did) {
	p.part("it said", d.Words)
	p.diff(fmt.Sprintf("it changed %s, +%d -%d", plural.Of(d.Files, "file", "files"), d.Added, d.Removed), d.Diff)
}

// diff writes lines with their signs, in the colours of the signs.
func (p *paper) diff(head string, files []desk.File) {
	if files != nil {
		p.head(head)
	}
	all := func(style lipgloss.Style, sign string, lines []string) {
		for _, line := range lines {
			p.signed(style, sign, line)
		}
	}
	for _, f := range files {
		if f.Name != "" {
			p.code(bold, f.Name)
		}
		for _, part := range f.Parts {
			if part.Head != "" {
				p.code(cyan, part.Head)
			}
			all(plain, " ", part.Same)
			all(red, "-", part.Old)
			all(green, "+", part.New)
		}
	}
}

// plan writes an agent's plan: headings in bold, code in colour.
func (p *paper) plan(blocks []desk.Block) {
	if blocks != nil {
		p.head("its plan")
	}
	for i, b := range blocks {
		var text strings.Builder
		for _, s := range b.Spans {
			if s.Is == "code" {
				s.Text = "`" + s.Text + "`" // also shown without colours
			}
			text.WriteString(spanStyles[s.Is].Render(s.Text))
		}
		if i > 0 && (b.Is != "li" || blocks[i-1].Is != "li") {
			p.gap()
		}
		switch b.Is {
		case "pre":
			if b.Mark != "" {
				p.prose(faint, b.Mark)
			}
			for line := range strings.SplitSeq(strings.TrimRight(text.String(), "\n"), "\n") {
				p.signed(cyan, "  ", line)
			}
		case "hr":
			p.code(faint, strings.Repeat("─", p.width))
		case "li":
			p.hang(plain, strings.Repeat("  ", b.Depth)+b.Mark+" ", text.String())
		case "p":
			p.prose(plain, text.String())
		default:
			p.prose(bold, text.String())
		}
	}
}

// spanStyles are the styles of a plan's pieces of text.
var spanStyles = map[string]lipgloss.Style{"": plain, "code": cyan, "b": bold, "i": plain.Italic(true)}

// roleStyles are the styles of a screen's rows by their role.
var roleStyles = map[screen.Role]lipgloss.Style{
	screen.Unplaced: yellow, screen.Subject: yellow, screen.Note: yellow, screen.Button: yellow, screen.Title: cyan, screen.Asked: green, screen.Choice: magenta,
}

// writeScreen writes the pane's screen as nod last read it, each row cut to the card's width.
func (m *Model) writeScreen(p *paper, rows []screen.Drawn) {
	if len(rows) == 0 {
		return
	}
	p.gap()
	p.lines = append(p.lines, faint.Render("── its screen "+strings.Repeat("─", max(p.width-14, 0))))
	for _, row := range rows {
		text := strings.ReplaceAll(row.Text, "\n", " ")
		if m.pane.roles {
			text = roleStyles[row.Role].Render(fmt.Sprintf("%-8s", row.Role)) + " │ " + text
		}
		p.lines = append(p.lines, cells.Truncate(text, p.width, "…"))
	}
}
