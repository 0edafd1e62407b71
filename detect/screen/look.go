package screen

import "slices"

// What only the looks of a row tell: which heading or which entry is the one that is chosen.

// markSingled marks the entry that its look alone marks, if one is proven to be.
func (l *Layout) markSingled(m *Menu) {
	m.Marked = l.singled(m)
	m.Colour = m.Marked >= 0
}

// singled is the entry that its look alone marks; -1 where none is proven. Of three or more it is the one with a ground that the others
// have not, of two the one in reversed colours, for a button may have a ground whether it is chosen or not. The others must look
// alike in every way: else one of them may be what is marked, and this one is drawn in a colour of its own.
func (l *Layout) singled(m *Menu) int {
	looks := make([]Style, len(m.Entries))
	for i, e := range m.Entries {
		line := &l.Lines[e.First]
		end := e.Col + width(e.Label) - 1
		if e.Last != e.First {
			end = e.Col
		}
		looks[i] = line.Style(end)
		if line.Style(e.Col).ground() != looks[i].ground() {
			return -1
		}
	}
	lit := -1
	for i := range looks {
		others := slices.Delete(slices.Clone(looks), i, i+1)
		alike := len(others) > 0 && !slices.ContainsFunc(others, func(s Style) bool { return s != others[0] || s.ground() == looks[i].ground() })
		if !alike || looks[i].ground() == "" || len(others) == 1 && looks[i].ground() != "reverse" {
			continue
		}
		if lit >= 0 {
			return -1
		}
		lit = i
	}
	if lit >= 0 && l.setOffAbove(m, looks[(lit+1)%len(looks)]) {
		return -1
	}
	return lit
}

// setOffAbove reports whether a row right above the list looks otherwise than its entries that are not marked: it may be the one
// that is, and none of those that were read as options.
func (l *Layout) setOffAbove(m *Menu, look Style) bool {
	for i := m.First - 1; i >= 0 && l.Lines[i].Kind == Words; i-- {
		if line := &l.Lines[i]; line.Style(line.Col) != look {
			return true
		}
	}
	return false
}

// varied reports whether the entries do not all look alike: text that was quoted or pasted looks the same throughout.
func (d *Dialog) varied() bool {
	look := func(e Entry) Style { return d.Lines[e.First].Style(e.Col) }
	return slices.ContainsFunc(d.Entries, func(e Entry) bool { return look(e) != look(d.Entries[0]) })
}

// SetOff reports whether the marked entry looks otherwise than all the others do.
func (d *Dialog) SetOff() bool {
	look := func(i int) Style {
		e := &d.Entries[i]
		return d.Lines[e.First].Style(e.Col)
	}
	for i := range d.Entries {
		if d.Marked < 0 || i != d.Marked && look(i) == look(d.Marked) {
			return false
		}
	}
	return d.Marked >= 0
}
