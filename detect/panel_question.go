package detect

import "strings"

// panelQuestion is a question of the model, or of the agent: numbered rows and a footer that dismisses.
func panelQuestion(v *view) (*dialog, *found) {
	b, ok := v.lastNumbered()
	if !ok {
		return panelReview(v)
	}
	d, ok := v.dialogAt(b, panelBelow)
	if !ok || !holds(d.footer, "esc dismiss", "enter submit", "enter toggle") || !d.lines[d.first].bar {
		return panelReview(v)
	}
	d.panelTop()
	d.findQuestion()
	d.marked = v.litRow(&d.block)
	d.colour = d.marked >= 0
	f := &found{shape: "ask_user", state: Question, question: d.question, menu: menu{digits: true, enter: true}, narrow: asked, top: d.top}
	if f.question == "" {
		f.question = d.paragraph(max(d.first-2, d.top), d.first-1)
	}
	f.subject = d.body(d.top, d.asked-1, d.lines[d.first].col)
	for _, r := range d.rows {
		if r.check != "" {
			f.shape = "ask_user_multi"
		}
	}
	return d, f
}

// panelTop: a panel reaches up as far as its bar does.
func (d *dialog) panelTop() {
	d.top, d.cutTop = d.first, false
	for d.top > 0 && d.lines[d.top-1].bar {
		d.top--
	}
	d.cutTop = d.top == 0
}

// litRow is the row whose number has a ground of its own; -1 where none is proven.
func (v *view) litRow(b *block) int {
	lit := -1
	for i, r := range b.rows {
		l := &v.lines[r.first]
		here := v.screen.Rows[r.first].styleAt(l.col)
		other := v.screen.Rows[r.first].styleAt(max(l.col-2, 0))
		if here.ground() != other.ground() && here.ground() != "" {
			if lit >= 0 {
				return -1
			}
			lit = i
		}
	}
	return lit
}

// panelReview is the last tab of several questions.
func panelReview(v *view) (*dialog, *found) {
	for i, l := range v.lowest(1) {
		if !l.bar || !isFooter(l.text) || !holds(l.text, "enter submit") {
			break
		}
		d := &dialog{view: v, block: block{first: i, last: i, marked: -1}, end: i, footer: l.text}
		d.panelTop()
		return d, &found{shape: "ask_user_review", state: Question, question: "Review", subject: d.body(d.top, i-1, l.col), top: d.top}
	}
	return nil, nil
}

// panelOverlay: the dialogs that an answer opens are never answered, and so are kept apart from prompts.
func panelOverlay(v *view) string {
	switch {
	case v.says(16, "Do you want to disable Snapshots") && v.says(1, "esc dismiss"):
		return "Kilo's own notice about a slow snapshot, which goes away by itself"
	case v.panelTitle("△ Always allow", v.panelEnd()) >= 0 && v.says(3, "enter confirm"):
		return "asks whether to allow always"
	case v.panelTitle("△ Reject permission", v.panelEnd()) >= 0 && v.says(3, "enter confirm"):
		return "reject"
	}
	return ""
}

// panelComposer: the input box is a panel too, closed by a heavy line, with the status row below it.
func panelComposer(v *view) *Composer {
	for i := len(v.lines) - 1; i > 0 && i > len(v.lines)-14; i-- {
		if l := &v.lines[i]; l.kind != rule || l.cells[l.col] != '╹' {
			continue
		}
		first := i
		for first > 0 && v.lines[first-1].bar {
			first--
		}
		c := &Composer{Row: first}
		last := i - 1
		for last > first && v.lines[last].kind != text {
			last--
		}
		for j := first; j < last; j++ {
			if l := &v.lines[j]; l.kind == text && !starts(l.text, "Ask anything...", "Ask anything…") {
				c.Draft = strings.TrimSpace(c.Draft + "\n" + l.text)
			}
		}
		return c
	}
	return nil
}

func panelWorking(v *view) bool {
	return v.says(2, "esc interrupt", "esc again to interrupt")
}

// panelVolatile: the row with the moving bar, and rows of tools that run.
func panelVolatile(l *line) bool {
	return l.kind == text && (holds(l.text, "esc interrupt", "esc again to interrupt", "⬝") || braille(l))
}

func panelMark(v *view) bool {
	for i := range v.lines {
		l := &v.lines[i]
		if l.bar && starts(l.text, "△ ") || l.kind == rule && l.cells[l.col] == '╹' || l.bar && isFooter(l.text) && holds(l.text, "esc dismiss", "enter confirm") {
			return true
		}
	}
	return false
}
