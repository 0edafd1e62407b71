package screen

// A dialog without a menu is known by the row below it that names its keys, or by a bar beside it that ends in a corner alone:
//
//	Paste the code from your browser:          ◆  Name of the project?
//	                                           │  api
//	enter submit · esc cancel                  └

// unlistedRows is the least number of rows, wrapped ones joined, of a dialog without options and question: one with fewer is a
// field that a person opened, with its title, its caption and the words typed into it (kilo/7.7.2-run+words-50x30).
const unlistedRows = 4

// liveUnlisted recognises a dialog without a menu: the last words on the screen name its keys, one of which submits or confirms
// and one leaves. The person sees them, and nod presses none.
func (l *Layout) liveUnlisted() *Dialog {
	if l == nil {
		return nil
	}
	d := l.KeysAlone()
	if d == nil || l.inputBelow(0) {
		return nil
	}
	above := d.LineAbove(func(i int) bool { return d.Lines[i].Kind != Blank || d.Lines[i].Bar })
	barred := above >= 0 && (d.Lines[above].Bar || in(bars, d.Lines[above].First())) && !between(d.Lines[above].Text)
	gives := anyPiece(d.Footer, submits) || d.LineAbove(d.markedNumber) >= d.Top // of a list, the rest of which has no room (claude/2.1.332-run-100x9)
	leaves := anyPiece(d.Footer, func(key, _ string) bool { return Starts(key, "esc", "ctrl-c", "ctrl+c", "^c") })
	if !gives || !leaves && !barred {
		return nil
	}
	if !d.beginWithBar() {
		d.boundByBlanks()
	}
	d.findQuestion()
	d.still()
	if d.Question == "" && (leaves && d.rowsBegun() < unlistedRows || !d.TakeHeading()) || d.isText() {
		return nil
	}
	return d.notice()
}

// rowsBegun is the number of rows of the dialog above its keys, wrapped ones joined.
func (d *Dialog) rowsBegun() (n int) {
	for i := d.Top; i < d.First; i++ {
		if d.words(i) && !d.wrapped(i) {
			n++
		}
	}
	return n
}

// submits reports whether a part of a footer is about Enter, and that it gives an answer.
func submits(key, piece string) bool {
	return confirms(key, piece) && !Holds(piece, "select", "open", "choose", "view", "resume", "expand", "send")
}

// heldOpen recognises a dialog of which only the bar shows that it waits: it begins in a row that heads the bar, and ends in a
// corner alone in the lowest row, as kits for prompts draw it until the answer is given (@clack/prompts 1.9.0). The person sees
// it, and nod presses no key.
func (l *Layout) heldOpen() *Dialog {
	last, row := l.LowestRow()
	n := len(l.bars) - 1
	if n < 0 || l.bars[n].Bottom != last-1 || !l.cornered(&l.bars[n]) || row.End() != row.Col+1 {
		return nil
	}
	top := l.bars[n].Top - 1
	if !l.signs(top) || l.Lines[top].Col != row.Col {
		return nil
	}
	d := l.withoutBars(func(b Region) bool { return b == l.bars[n] }).unlisted(last)
	d.BeginAt(top)
	d.Ask(top, top)
	return d.notice()
}
