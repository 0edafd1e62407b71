package agents

import "nod/detect/screen"

var copilotQuestions = []string{"Copilot needs information."}

// copilotAsk is a question of the model, or one page of a set, whose headings stand in a row: "Colour  [Sizes]". In a check list a
// bullet stands before what is not ticked, and Space ticks the marked row. Tab leads on from each page but the last, where Enter
// sends the answers to all of them, and no page reviews these (1.0.102).
func copilotAsk(d *screen.Dialog) bool {
	d.AskUser(screen.Keys{Enter: true, Leaves: screen.Holds(d.Footer, "esc cancel")})
	if _, head := d.Head(); !d.TopUnseen {
		d.Place(screen.Subject, head+1, d.First-1)
	}
	copilotPages(d)
	if !screen.Holds(d.Footer, "space toggle") || !copilotBoxes(d) {
		return true
	}
	d.OwnBoxes()
	if !copilotMarked(d) || !copilotWhole(d) {
		return true
	}
	d.Keys.Ticks, d.Keys.Sends = "Space", []screen.Step{{Key: "Tab", Last: true}}
	if !screen.Holds(d.Footer, "tab next") {
		d.Keys.Sends, d.EndsSet = []screen.Step{{Key: "Enter", Last: true}}, true
	}
	return true
}

// copilotBoxes takes the sign before each row for its box. It reports whether every row has one.
func copilotBoxes(d *screen.Dialog) bool {
	boxes := map[string]string{"•": "[ ]", "✓": "[✓]"}
	for i := range d.Entries {
		e := &d.Entries[i]
		if e.Check = boxes[e.Check]; e.Check == "" {
			return false
		}
	}
	return true
}

// copilotMarked reports whether the mark is the agent's own: a label may hold a row that looks like a marked one, but the colours of
// that are those of the rows around it, or else two rows have a mark.
func copilotMarked(d *screen.Dialog) bool {
	marks := 0
	for i := d.Top; i <= d.Last; i++ {
		if d.Lines[i].Begins("❯") {
			marks++
		}
	}
	for i := range d.Entries {
		if i != d.Marked && d.LabelStyle(i) == d.LabelStyle(d.Marked) {
			return false
		}
	}
	return marks == 1
}

// copilotWhole reports whether no row above the list has the sign of a box: a label with an empty line in it parts the list, and
// what is ticked above that line would be sent unseen.
func copilotWhole(d *screen.Dialog) bool {
	for i := d.Top; i < d.First; i++ {
		if d.Lines[i].Begins("•✓") {
			return false
		}
	}
	return true
}

// copilotPages reads the headings of a set: the one that stands has a ground of its own.
func copilotPages(d *screen.Dialog) {
	for i := d.Top; i < d.First && !d.TopUnseen; i++ {
		if page, pages := d.LitHeadings(i); page > 0 && pages > 1 {
			d.Page, d.Pages = page, pages
			return
		}
	}
}
