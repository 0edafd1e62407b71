package inbox

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	cells "github.com/charmbracelet/x/ansi"

	"nod/cmd/internal/desk"
	"nod/internal/text/elapsed"
)

// The sizes of the screen's parts.
const (
	sideBySide = 110 // the lowest number of columns for the card to be beside the list
	headRows   = 1
	footRows   = 2
	entryRows  = 4
	mostTitle  = 28
	keyRoom    = 10 // columns of a key in the list of keys
	least      = 4  // the lowest number of rows and columns of each part, however small the terminal is
)

func (m *Model) wide() bool { return m.width >= sideBySide }

// body returns the number of rows between the first line and the footer.
func (m *Model) body() int { return max(m.height-headRows-footRows, least) }

func (m *Model) listWidth() int {
	if m.wide() {
		return m.width * 2 / 5
	}
	return max(m.width, least)
}

func (m *Model) cardWidth() int {
	if m.wide() {
		return m.width - m.listWidth() - 3
	}
	return max(m.width, least)
}

// listRows returns the height of the list. Above the card it is as high as necessary, up to a third of the
// screen.
func (m *Model) listRows() int {
	if m.wide() {
		return m.body()
	}
	return max(min(len(m.list.rows), m.body()/3), 1)
}

// cardRows returns the height of the card.
func (m *Model) cardRows() int {
	rows := m.body()
	if !m.wide() {
		rows -= m.listRows() + 1
	}
	return max(rows, 1)
}

// View draws everything. The terminal only receives the cells that have changed.
func (m *Model) View() tea.View {
	v := tea.NewView(strings.Join(m.lines(), "\n"))
	v.AltScreen = true
	return v
}

// lines returns the rows of the screen, at most as many as the terminal has.
func (m *Model) lines() []string {
	lines := []string{fit(m.head(), m.width)}
	left, right := m.listLines(), m.right()
	if m.pane.help {
		help := inSight(m.helpLines(), m.pane.helped, m.body())
		for i := range m.body() {
			lines = append(lines, fit(at(help, i), m.width))
		}
	} else if m.wide() {
		for i := range m.body() {
			lines = append(lines, fit(at(left, i), m.listWidth())+faint.Render(" │ ")+fit(at(right, i), m.cardWidth()))
		}
	} else {
		for i := range m.listRows() {
			lines = append(lines, fit(at(left, i), m.width))
		}
		lines = append(lines, faint.Render(strings.Repeat("─", m.width)))
		for i := range m.cardRows() {
			lines = append(lines, fit(at(right, i), m.width))
		}
	}
	for _, line := range m.foot() {
		lines = append(lines, fit(line, m.width))
	}
	return lines[:min(len(lines), m.height)]
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// fit cuts or fills a row to exactly this width.
func fit(row string, width int) string {
	row = cells.Truncate(row, width, "…")
	return row + strings.Repeat(" ", max(width-cells.StringWidth(row), 0))
}

// head returns the first line: how many cards wait, and what is wrong.
func (m *Model) head() string {
	if !m.bot.up {
		return red.Bold(true).Render(oneLine(m.bot.why))
	}
	counts := map[desk.Section]int{}
	for _, c := range m.list.cards {
		counts[c.Section]++
	}
	var parts []string
	for _, s := range desk.Sections {
		n, name := counts[s], s.Name()
		if n > 1 && s == desk.Needs {
			name = "need you"
		}
		if n > 0 {
			parts = append(parts, sectionStyle(s).Render(fmt.Sprintf("%d %s", n, name)))
		}
	}
	text := bold.Render("nod") + "  " + strings.Join(parts, faint.Render(" · "))
	if m.list.filter != "" {
		text += faint.Render("  only: " + oneLine(m.list.filter))
	}
	if problems := m.bot.health.Problems; len(problems) > 0 {
		text += "  " + yellow.Render("! "+oneLine(strings.Join(problems, " ")))
	}
	return text
}

func sectionStyle(s desk.Section) lipgloss.Style {
	switch s {
	case desk.Needs:
		return magenta.Bold(true)
	case desk.Denied:
		return yellow
	case desk.Idle:
		return green
	}
	return plain
}

// listLines returns the visible rows of the list.
func (m *Model) listLines() (lines []string) {
	for _, r := range m.list.window(m.listRows()) {
		if r.card == nil {
			lines = append(lines, m.sectionLine(r))
		} else {
			lines = append(lines, m.cardLine(r.card))
		}
	}
	return lines
}

func (m *Model) sectionLine(r row) string {
	return sectionStyle(r.section).Render(strings.ToUpper(oneLine(r.section.Name()))) + faint.Render(fmt.Sprintf(" %d", r.count))
}

// cardLine returns a card as one row: who, what, and since when.
func (m *Model) cardLine(c *desk.Card) string {
	width := m.listWidth()
	age := elapsed.Short(m.now.Sub(c.Since))
	mark := " "
	switch {
	case m.waits[c.ID]:
		mark = "…"
	case c.Asks != nil && (c.Asks.Stuck || len(c.Asks.Minds) > 0):
		mark = "!"
	}
	title := fit(oneLine(c.Title), min(max(width/3, least), mostTitle))
	rest := fit("  "+c.Leading(), max(width-cells.StringWidth(title)-len(age)-4, least)) + " " + age
	if c.ID == m.list.id {
		return reversed.Render("›" + mark + " " + title + rest)
	}
	return yellow.Render(" "+mark+" ") + title + faint.Render(rest)
}

// right returns the card, below the open box or entry.
func (m *Model) right() []string {
	rows, top := m.cardRows(), m.overCard()
	if len(top) > rows {
		return top[:rows]
	}
	rows -= len(top)
	lines := m.cardLines(m.cardWidth())
	return append(top, inSight(lines, m.pane.scroll, rows)...)
}

// inSight returns the visible rows of lines that are scrolled. The last row says how many are below it.
func inSight(lines []string, scrolled, rows int) []string {
	from := min(scrolled, max(len(lines)-rows, 0))
	seen := lines[from:min(from+rows, len(lines))]
	if below := len(lines) - from - len(seen); below > 0 && len(seen) > 1 {
		seen = append(seen[:len(seen)-1:len(seen)-1], faint.Render(fmt.Sprintf("↓ %d more rows: pgdn", below+1)))
	}
	return seen
}

// overCard returns the open box or entry.
func (m *Model) overCard() []string {
	p := &paper{width: m.cardWidth()}
	switch {
	case m.entry != nil:
		p.prose(bold, m.entry.title)
		p.lines = append(p.lines, strings.Split(m.entry.View(), "\n")...)
		p.prose(faint, m.entry.legend())
	case m.asked != nil:
		p.prose(yellow.Bold(true), m.asked.text)
		p.prose(bold, m.asked.legend)
	default:
		return nil
	}
	return append(p.lines, faint.Render(strings.Repeat("─", p.width)))
}

// helpLines returns all problems, which the head only begins to show, and all keys.
func (m *Model) helpLines() []string {
	p := &paper{width: m.width}
	for _, problem := range m.bot.health.Problems {
		p.hang(yellow, "! ", oneLine(problem))
	}
	var helps []move
	for i, d := range desk.Deeds {
		switch {
		case i == 0 || desk.Deeds[i-1].Key != d.Key:
			helps = append(helps, move{key: d.Key, help: d.Help})
		case d.Help != "":
			helps[len(helps)-1].help += ", or " + d.Help
		}
	}
	for _, h := range append(helps, moves...) {
		first := len(p.lines)
		p.hang(plain, strings.Repeat(" ", keyRoom), h.help)
		p.lines[first] = bold.Render(fit(h.key, keyRoom)) + p.lines[first][keyRoom:]
	}
	return p.lines
}

// foot returns the keys that work now, and in grey the keys that are refused. Below them it shows the last
// action or, without one, why keys are refused.
func (m *Model) foot() []string {
	if m.entry != nil || m.asked != nil || m.pane.help {
		keys := bold.Render("ctrl+c") + " quit"
		if m.pane.help {
			keys = bold.Render("any key") + " back   " + keys
		}
		return []string{keys, m.said.line()}
	}
	card := m.list.selected()
	if card == nil {
		card = &desk.Card{}
	}
	var keys, reasons []string
	refused := map[string][]string{} // the refused keys by reason
	for _, d := range desk.Deeds {
		at := slices.IndexFunc(card.Actions, func(a desk.Action) bool { return a.Do == d.Act })
		if at < 0 {
			continue
		}
		key, why := keyOf(d, card), m.standing(card, &card.Actions[at])
		if why == "" {
			keys = append(keys, bold.Render(key)+" "+d.Name)
			continue
		}
		keys = append(keys, faint.Render(key+" "+d.Name))
		if refused[why] == nil {
			reasons = append(reasons, why)
		}
		refused[why] = append(refused[why], key)
	}
	for _, b := range moves {
		if b.name != "" && (b.key != "g" || card.Pane != "") {
			keys = append(keys, bold.Render(b.key)+" "+b.name)
		}
	}
	for i, why := range reasons {
		reasons[i] = strings.Join(refused[why], " ") + ": " + oneLine(why)
	}
	second := faint.Render(strings.Join(reasons, "  "))
	if m.said.text != "" {
		second = m.said.line()
	}
	return []string{inRow(keys, m.width), second}
}

// line returns a remark as a row.
func (n remark) line() string {
	if n.text == "" {
		return ""
	}
	return n.style().Render(n.mark() + oneLine(n.text))
}

// inRow joins as many parts as fit into a row. The first of the moves, which shows all keys, is always
// included.
func inRow(parts []string, width int) string {
	all := bold.Render(moves[0].key) + " " + moves[0].name
	text := ""
	for _, part := range parts {
		if part != all && cells.StringWidth(text+"  "+part+"  "+all) <= width {
			text += part + "  "
		}
	}
	return text + all
}

// keyOf returns the key of a deed as the footer names it, and for options the numbers that exist.
func keyOf(d desk.Deed, card *desk.Card) string {
	key, n := d.Key, len(options(card))
	if d.Act == desk.Choose || d.Act == desk.Tick {
		if key = "1"; n > 1 {
			key = fmt.Sprintf("1…%d", min(n, 9))
		}
		switch {
		case d.Act == desk.Tick:
			key += " space"
		case n > 9:
			key += " → enter"
		}
	}
	return key
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// entryStyles are the styles of the entry, where text is shown as it is.
func entryStyles(s textarea.Styles) textarea.Styles {
	s.Focused.CursorLine, s.Focused.Text, s.Focused.Prompt, s.Focused.Base = plain, plain, faint, plain
	s.Cursor.Blink = false
	return s
}
