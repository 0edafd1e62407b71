package detect

import "strings"

// opencode is OpenCode. Its dialogs were captured from 1.18.33.
var opencode = agent{
	name:    "opencode",
	closed:  true,
	program: program{names: []string{"opencode"}, packages: []string{"opencode-ai"}},
	tidy:    panelTidy,
	overlay: panelOverlay,
	dialog: func(v *view) (*dialog, *found) {
		return panelDialog(v, opencodeMenu, Session)
	},
	composer: panelComposer,
	working:  panelWorking,
	volatile: panelVolatile,
	mark:     func(v *view) bool { return panelMark(v) && opencodeSays(v) && !kiloSays(v) },
}

// opencodeMenu denies with Escape, which needs no colours to be sure of.
var opencodeMenu = menu{enter: true, escape: true, escapes: true, second: true}

// panel is OpenCode or its fork where nothing on the screen tells which. Escape denies in one of them and
// opens a dialog in the other, so it is no key here.
var panel = agent{
	closed:   true,
	tidy:     panelTidy,
	overlay:  panelOverlay,
	dialog:   func(v *view) (*dialog, *found) { return panelDialog(v, menu{enter: true, second: true}, Always) },
	composer: panelComposer,
	working:  panelWorking,
	volatile: panelVolatile,
	hint:     panelMark,
}

// opencodeSays reports whether a word on the screen is OpenCode's own.
func opencodeSays(v *view) bool {
	for i := range v.lines {
		if l := &v.lines[i]; l.kind == text && (holds(l.text, "OpenCode", "tab agents  ctrl+p commands") || starts(l.text, "▣  Build", "▣  Plan", "Build · ", "Plan · ", "# Shell command")) {
			return true
		}
	}
	return false
}

// panelTidy takes away the bar at the left of each panel and the side panel that wide windows show.
func panelTidy(v *view) {
	if col := sidePanel(v); col > 0 {
		v.dropColumn(col)
	}
	v.dropBar()
}

// sidePanel is the column of the panel at the right of a wide window, which shares the rows with the
// dialog; 0: there is none. Its headings stand in one column, far to the right.
func sidePanel(v *view) int {
	for i := range v.lines {
		cells := v.lines[i].cells
		if len(cells) < 70 {
			continue
		}
		at := headingAt(cells)
		if at > 60 && at > v.width/2 {
			return at - 2
		}
	}
	return 0
}

// headingAt is the column of a side panel's first heading in a row: "Context" at its end, after a gap.
func headingAt(cells []rune) int {
	s := strings.TrimRight(string(cells), " ")
	for _, heading := range []string{"Context", "LSP", "Modified Files", "Todo", "MCP"} {
		if head, ok := strings.CutSuffix(s, "  "+heading); ok {
			return len([]rune(head)) + 2
		}
	}
	return 0
}

// panelDialog reads the permission panel, "△ Permission required", or the question panel.
func panelDialog(v *view, m menu, always Scope) (*dialog, *found) {
	if d, f := panelPermission(v, m, always); f != nil {
		return d, f
	}
	return panelQuestion(v)
}

func panelPermission(v *view, m menu, always Scope) (*dialog, *found) {
	b, ok := v.buttons("Allow once")
	if !ok {
		b, ok = v.buttons("")
	}
	if !ok {
		return nil, nil
	}
	title := v.panelTitle("△ Permission required", b.first)
	if title < 0 {
		return nil, nil
	}
	d, ok := v.dialogAt(b, panelBelow)
	if !ok {
		return nil, nil
	}
	d.top, d.cutTop = title, false
	d.marked = v.litButton(&b)
	d.colour = d.marked >= 0
	f := &found{
		shape: "permission", state: Permission, question: "Permission required", menu: m, top: title,
		narrow: func(r *row) Scope {
			if r.Scope == Always {
				return always
			}
			return r.Scope
		},
	}
	panelSubject(d, f, title)
	return d, f
}

// panelTitle is the highest line with this title in the panel that reaches down to line last; -1: none. A
// command that prints the title stands below the real one.
func (v *view) panelTitle(title string, last int) int {
	found := -1
	for i := last; i >= 0 && v.lines[i].bar; i-- {
		if v.lines[i].text == title {
			found = i
		}
	}
	return found
}

// panelEnd is the last line of the lowest panel; -1: none.
func (v *view) panelEnd() int {
	for i := len(v.lines) - 1; i >= 0; i-- {
		if v.lines[i].bar {
			return i
		}
	}
	return -1
}

// panelBelow: at some widths the end of a footer is cut off in the middle of a word.
func panelBelow(s string) bool {
	return starts(s, "ctrl+f ", "⇆ ", "enter ") || starts("enter confirm", s) || s == "commands"
}

// buttons reads the lowest row of buttons, of which the first is called first; where that is empty, any row of
// labels of which one says yes once and one says no.
func (v *view) buttons(first string) (block, bool) {
	for i := len(v.lines) - 1; i >= 0 && i > len(v.lines)-8; i-- {
		l := &v.lines[i]
		if l.kind != text || !l.bar || first != "" && !starts(l.text, first+"  ") || isFooter(l.text) {
			continue
		}
		b := block{first: i, last: i, marked: -1, markCol: l.col, across: true}
		for at := l.col; at < len(l.cells); {
			end := gapAt(l.cells, at)
			label := string(l.cells[at:end])
			if starts(label, "ctrl+", "⇆", "enter", "esc") {
				break
			}
			b.rows = append(b.rows, row{Option: Option{Label: label}, first: i, last: i, col: at})
			at = skip(l.cells, end)
		}
		for k := range b.rows {
			b.rows[k].Scope = scopeOf(b.rows[k].Label, "", false)
		}
		if len(b.rows) > 1 && (first != "" || b.only(Once) >= 0 && b.only(No) >= 0) {
			return b, true
		}
	}
	return block{}, false
}

// gapAt is where the next two blanks in a row begin, from column at on.
func gapAt(cells []rune, at int) int {
	for ; at < len(cells); at++ {
		if cells[at] == ' ' && (at+1 == len(cells) || cells[at+1] == ' ') {
			return at
		}
	}
	return at
}

// litButton is the one button whose ground differs from that of all the others; -1 where none is proven.
func (v *view) litButton(b *block) int {
	if len(b.rows) < 3 {
		return -1
	}
	grounds := make([]string, len(b.rows))
	for i, r := range b.rows {
		row := v.screen.Rows[r.first]
		grounds[i] = row.styleAt(r.col).ground()
		if row.styleAt(r.col+len([]rune(r.Label))-1).ground() != grounds[i] {
			return -1
		}
	}
	lit := -1
	for i := range grounds {
		alike := 0
		for _, g := range grounds {
			if g == grounds[i] {
				alike++
			}
		}
		switch {
		case alike == 1 && lit < 0 && grounds[i] != "":
			lit = i
		case alike != len(grounds)-1:
			return -1
		}
	}
	return lit
}

// panelSubject reads what stands between the title and the buttons. The panel shows seven rows and cuts
// the rest without a mark.
func panelSubject(d *dialog, f *found, title int) {
	head := title + 1
	for head < d.first && d.lines[head].kind == blank {
		head++
	}
	margin := d.lines[title].col
	what := d.lines[head].text
	body := d.body(head+1, d.first-1, margin)
	spare := 0
	for i := d.first - 1; i > head && d.lines[i].kind == blank; i-- {
		spare++
	}
	f.partial = len(body) >= 7 && spare <= 2 || d.hides(head, d.first-1)
	switch kindOf := firstRune(what); kindOf {
	case '#':
		if len(body) > 0 {
			body[0] = strings.TrimPrefix(body[0], "$ ")
		}
		f.subject = body
	case '→', '←':
		f.verb = "edit"
		name := strings.TrimSpace(strings.TrimLeft(what, "→← "))
		if starts(name, "Access external directory") {
			f.verb = "access"
		}
		f.subject = append([]string{strings.TrimPrefix(strings.TrimPrefix(name, "Edit "), "Access external directory ")}, body...)
	case '%':
		f.verb = "fetch"
		f.subject = append([]string{strings.TrimPrefix(what, "% WebFetch ")}, body...)
	case '⚙':
		f.verb = "use"
		panelCall(d, f, what, body, title)
	default:
		f.subject = append([]string{what}, body...)
	}
}

func firstRune(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}

// panelCall adds the arguments of an MCP tool, which stand only in the transcript above the panel.
func panelCall(d *dialog, f *found, what string, body []string, title int) {
	name := strings.TrimPrefix(what, "⚙ Call tool ")
	f.subject = append([]string{name}, body...)
	for i := title - 1; i >= 0; i-- {
		l := &d.lines[i]
		if l.kind != text || !starts(l.text, "⚙ "+name) {
			continue
		}
		end := d.paragraphEnd(i)
		f.subject = append(f.subject, d.body(i, end, l.col)...)
		f.partial = f.partial || !strings.HasSuffix(d.lines[end].text, "]") && holds(d.lines[i].text, "[") || d.hides(i, end)
		return
	}
	f.partial = true
}
