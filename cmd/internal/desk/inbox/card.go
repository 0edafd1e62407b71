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

// The styles use the sixteen colours that every terminal has and its owner has chosen. Without any, what is bold, reversed or
// marked with a sign still tells the same.
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

// paper takes the lines of a card, each as wide as it is at most.
type paper struct {
	width int
	lines []string
}

// code writes text as it is: rows that are too long go on in the next one, and no blank is lost.
func (p *paper) code(style lipgloss.Style, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		for _, row := range strings.Split(cells.Hardwrap(line, p.width, true), "\n") {
			p.lines = append(p.lines, style.Render(row))
		}
	}
}

// prose writes sentences, broken between words.
func (p *paper) prose(style lipgloss.Style, text string) { p.hang(style, "", text) }

// hang writes sentences behind a mark: the rows that they go on in begin below its end.
func (p *paper) hang(style lipgloss.Style, mark, text string) {
	for row := range strings.SplitSeq(cells.Wrap(text, max(p.width-len(mark), least), ""), "\n") {
		p.lines = append(p.lines, style.Render(strings.TrimRight(mark+row, " ")))
		mark = strings.Repeat(" ", len(mark))
	}
}

// gap writes an empty line, but never a second one.
func (p *paper) gap() {
	if n := len(p.lines); n > 0 && p.lines[n-1] != "" {
		p.lines = append(p.lines, "")
	}
}

// part writes a head and text below it, if there is any.
func (p *paper) part(head, text string, write func(lipgloss.Style, string)) {
	if strings.TrimSpace(text) == "" {
		return
	}
	p.gap()
	p.prose(faint, head)
	write(plain, strings.Trim(text, "\n"))
}

// cardLines are all lines of the selected card.
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

// writeHead writes who asks, since when, and what became of the last answer.
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

func (n notice) style() lipgloss.Style {
	if n.bad {
		return red
	}
	return green
}

func (n notice) mark() string {
	if n.bad {
		return "✗ "
	}
	return "✓ "
}

// writeAsks writes a question: what may be dangerous before anything else, and the whole of what is asked about.
func (m *Model) writeAsks(p *paper, a *desk.Asks) {
	for _, mind := range a.Minds {
		p.hang(yellow.Bold(true), "! ", mind)
	}
	p.gap()
	asked := func() {
		if !strings.HasPrefix(a.Subject, a.Question) { // else it is there already
			p.prose(plain, a.Question)
		}
	}
	first := a.Kind == "question" // else what is asked about says more than the question
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
	if len(a.Options) > 0 {
		p.gap()
	}
	for i, o := range a.Options {
		if actionOf("y", m.list.selected()) != nil {
			o.Refused = "" // y and n answer it
		}
		writeOption(p, o, i+1 == m.marked(m.list.selected()))
	}
	p.part("it said", a.Says, p.prose)
	p.part("what it changes", a.Diff, p.diff)
	p.part("its plan", a.Plan, p.plan)
}

// subject writes what a question is about: the command itself as it is, and what is said of it as sentences.
func (p *paper) subject(lines []string, lead int) {
	for i, line := range lines {
		switch {
		case i < lead:
			p.code(bold, line)
		case lead == 0: // nothing tells which part it is
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
	p.part("it said", d.Words, p.prose)
	if d.Files > 0 {
		p.part(fmt.Sprintf("it changed %s, +%d -%d", plural.Of(d.Files, "file", "files"), d.Added, d.Removed), d.Diff, p.diff)
	}
}

// diff writes lines with their signs, each in the colour of its sign.
func (p *paper) diff(_ lipgloss.Style, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		p.code(diffStyle(line), line)
	}
}

func diffStyle(line string) lipgloss.Style {
	switch {
	case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
		return bold
	case strings.HasPrefix(line, "+"):
		return green
	case strings.HasPrefix(line, "-"):
		return red
	case strings.HasPrefix(line, "@@"):
		return cyan
	}
	return plain
}

// plan writes Markdown as it is, its heads bold and its code coloured.
func (p *paper) plan(_ lipgloss.Style, text string) {
	code := false
	for line := range strings.SplitSeq(text, "\n") {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		switch {
		case fence || code:
			p.code(cyan, line)
		case strings.HasPrefix(line, "#"):
			p.prose(bold, line)
		default:
			p.prose(plain, line)
		}
		code = code != fence
	}
}

// roleStyles are those of what the rows of a screen are taken for.
var roleStyles = map[screen.Role]lipgloss.Style{
	screen.Unplaced: yellow, screen.Subject: yellow, screen.Note: yellow, screen.Button: yellow, screen.Title: cyan, screen.Asked: green, screen.Choice: magenta,
}

// writeScreen writes what nod read last of the pane, each row cut where the card ends.
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
