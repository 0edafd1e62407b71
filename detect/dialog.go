package detect

import "strings"

// dialog is a list of answers that is the last live thing on the screen, and what stands around it.
type dialog struct {
	*view
	block
	question string // the sentence that is asked; empty: it is not on the screen
	asked    int    // its first line; block.first when there is none
	askedEnd int    // its last line
	top      int    // the first line of the dialog
	cutTop   bool   // its upper end lies above the screen
	footer   string // the keys that stand below the answers
	end      int    // the last line of the dialog, footer included
	boxed    bool
}

// dialogAt makes a dialog of the list b where it is the last live thing on the screen. More says which rows the agent draws below
// a live dialog, besides blank ones, edges and key hints; anything else there means that the list is history.
func (v *view) dialogAt(b block, more func(string) bool) (*dialog, bool) {
	footer, end, ok := v.below(b.last, more)
	if !ok {
		return nil, false
	}
	d := &dialog{view: v, block: b, footer: footer, end: end}
	d.findTop()
	d.findQuestion()
	return d, true
}

// list is the lowest list of answers on the screen.
func (v *view) list() (block, bool) {
	n, okN := v.lastNumbered()
	p, okP := v.lastPointed()
	switch {
	case okN && okP && p.first <= n.last:
		return n, true
	case okP:
		return p, true
	}
	return n, okN
}

// below reads what stands under the answers, which end in line last: the footer, the line where the dialog
// ends with it, and whether nothing else stands there.
func (v *view) below(last int, more func(string) bool) (footer string, end int, ok bool) {
	end = last
	for i := last + 1; i < len(v.lines); {
		l := &v.lines[i]
		if l.kind != text {
			i++
			continue
		}
		switch t := l.text; {
		case isFooter(t), i-1 == end && end > last && goesOn(v.lines[end].text, t, v.wrapped(i)):
			footer, end = strings.TrimSpace(footer+"  "+t), i
		case more != nil && more(t):
		default:
			return "", 0, false
		}
		i++
	}
	return footer, end, true
}

// findTop looks up from the answers for the edge of the dialog: its box's, a line drawn across, or the
// point where the transcript ends.
func (d *dialog) findTop() {
	if id := d.lines[d.first].box; id > 0 {
		b := d.boxes[id-1]
		d.top, d.cutTop, d.boxed = b.top+1, b.open, true
		return
	}
	for i := d.first - 1; i >= 0; i-- {
		if l := &d.lines[i]; l.kind == rule && (l.col == 0 && l.end() >= d.width-2 || l.col == 2 && l.end() == d.width-2) {
			d.top = i + 1
			return
		}
	}
	d.top, d.cutTop = 0, true
}

// findQuestion looks for the sentence with a question mark that stands nearest above the answers.
func (d *dialog) findQuestion() {
	d.asked, d.askedEnd = d.first, d.first-1
	for i := d.first - 1; i >= d.top; i-- {
		l := &d.lines[i]
		if l.kind != text || !strings.HasSuffix(l.text, "?") && !strings.HasSuffix(l.text, "?:") && !strings.Contains(l.text, "? (") {
			continue
		}
		first := i
		for first > d.top && d.lines[first-1].kind == text && d.lines[first-1].col == l.col && d.wrapped(first) {
			first--
		}
		d.ask(first, i)
		return
	}
}

func (d *dialog) ask(first, last int) {
	d.asked, d.askedEnd = first, last
	d.question = d.paragraph(first, last)
}

// askWith moves the question to the lowest paragraph that holds one of these openings, which agents
// put above what is asked about. It reports whether there is one.
func (d *dialog) askWith(openings ...string) bool {
	for i := d.first - 1; i >= d.top; i-- {
		l := &d.lines[i]
		if l.kind != text {
			continue
		}
		for _, o := range openings {
			if !strings.HasPrefix(l.text, o) {
				continue
			}
			last := i
			for last+1 < d.first && !strings.HasSuffix(d.lines[last].text, "?") && d.lines[last+1].kind == text {
				last++
			}
			if whole := d.paragraph(i, last); strings.HasSuffix(whole, "?") || strings.HasSuffix(whole, "…") {
				d.ask(i, last)
				return true
			}
		}
	}
	return false
}

// pointed reports whether the cursor is drawn with one of the glyphs, as this agent does.
func (d *dialog) pointed(glyphs string) bool {
	if d.marked < 0 {
		return false
	}
	l := &d.lines[d.rows[d.marked].first]
	return l.kind == text && strings.ContainsRune(glyphs, l.cells[l.col])
}

// title is the first line of the dialog that holds words.
func (d *dialog) title() (string, int) {
	for i := d.top; i < d.first; i++ {
		if d.lines[i].kind == text {
			return d.lines[i].text, i
		}
	}
	return "", d.top
}

// has reports whether a row has this scope, and count how many have.
func (b *block) count(s Scope) int {
	n := 0
	for _, r := range b.rows {
		if r.Scope == s {
			n++
		}
	}
	return n
}

// only is the index of the one row of scope s; -1 where there is none or more than one.
func (b *block) only(s Scope) int {
	found := -1
	for i, r := range b.rows {
		if r.Scope == s {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

// starts reports whether s begins with one of the prefixes.
func starts(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// holds reports whether s contains one of the parts.
func holds(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}
