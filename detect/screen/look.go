package screen

import "slices"

// Headings and entries that only their look marks as the chosen one.

// markSingled marks the one entry that differs in its look, if that proves it.
func (l *Layout) markSingled(m *Menu) { l.markLit(m, func(s Style) Style { return s }) }

// markLit marks the one entry that is lit, judged by the part of its look that of returns.
func (l *Layout) markLit(m *Menu, of func(Style) Style) {
	looks := make([]Style, len(m.Entries))
	for i, e := range m.Entries {
		line := &l.Lines[e.First]
		end := e.Col + width(e.Label) - 1
		if e.Last != e.First {
			end = e.Col
		}
		looks[i] = of(line.Style(end))
		if line.Style(e.Col).ground() != looks[i].ground() {
			m.Marked, m.Colour = -1, false
			return
		}
	}
	m.Marked = lit(looks, l.groundAround(m), m.Across)
	if m.Marked >= 0 && m.asks == "" && l.setOffAbove(m, looks[(m.Marked+1)%len(looks)], of) {
		m.Marked = -1
	}
	m.Colour = m.Marked >= 0
}

// lit is the look that marks: of three or more, the one with a ground that the others do not have; of two, if the other has the ground
// of what is around them, and side by side only in reversed colours: a button may lose its own ground when it is chosen (whiptail
// --fullbuttons, newt 0.52). The others must look exactly alike: otherwise one of them may be the marked one. -1: none is proven.
func lit(looks []Style, around string, across bool) int {
	return onlyOne(len(looks), func(i int) bool {
		others := slices.Delete(slices.Clone(looks), i, i+1)
		alike := len(others) > 0 && !slices.ContainsFunc(others, func(s Style) bool { return s != others[0] || s.ground() == looks[i].ground() })
		return alike && looks[i].ground() != around && (len(others) > 1 || others[0].ground() == around && (!across || looks[i].ground() == "reverse"))
	})
}

// groundAround is the ground around a menu: that of the row above it.
func (l *Layout) groundAround(m *Menu) string {
	return l.Lines[max(m.First-1, 0)].Style(m.Entries[0].Col).ground()
}

// onlyOne is the only i below n for which is holds; -1 if there is none or more than one.
func onlyOne(n int, is func(i int) bool) int {
	found := -1
	for i := range n {
		if is(i) {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

// setOffAbove reports whether a row right above the list, below what is asked, differs in its look from the unmarked entries: that row may be the
// marked one.
func (l *Layout) setOffAbove(m *Menu, look Style, of func(Style) Style) bool {
	asked := l.LineBefore(m.First, func(i int) bool { return l.Lines[i].asks() })
	return l.LineFrom(max(l.paragraphBegin(m.First), asked+1), m.First, func(i int) bool { return of(l.Lines[i].Style(l.Lines[i].Col)) != look }) >= 0
}

// look is the look of an entry's first character.
func (l *Layout) look(e Entry) Style { return l.Lines[e.First].Style(e.Col) }

// varied reports whether the entries differ in their looks: quoted or pasted text looks the same throughout.
func (d *Dialog) varied() bool {
	return slices.ContainsFunc(d.Entries, func(e Entry) bool { return d.look(e) != d.look(d.Entries[0]) })
}

// setOff reports whether the marked entry differs in its look from all the others.
func (d *Dialog) setOff() bool {
	return d.Marked >= 0 && onlyOne(len(d.Entries), func(i int) bool { return d.look(d.Entries[i]) == d.look(d.Entries[d.Marked]) }) >= 0
}

// MarkButton marks the one button whose ground differs from all the others'. It reports whether there is one.
func (d *Dialog) MarkButton() bool {
	if d.Marked, d.Colour = -1, false; len(d.Entries) > 2 {
		d.markLit(&d.Menu, func(s Style) Style { return Style{Bg: s.ground()} })
	}
	return d.Colour
}

// MarkNumber marks the one entry whose number has a ground of its own. It reports whether there is one.
func (d *Dialog) MarkNumber() bool {
	d.Marked = onlyOne(len(d.Entries), func(i int) bool {
		line := &d.Lines[d.Entries[i].First]
		here := line.Style(line.Col).ground()
		return here != "" && here != line.Style(max(line.Col-2, 0)).ground()
	})
	d.Colour = d.Marked >= 0
	return d.Colour
}
