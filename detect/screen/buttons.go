package screen

import (
	"slices"
	"strings"
)

// Answers that only their drawing proves to be live, whatever they say:
//
//	╭───────╮ ╭──────╮      Migration 42 drops a column.      ╭────────────────────╮
//	│  Yes  │ │  No  │        Migrate    Hold    Later        │ The disk is full.  │
//	╰───────╯ ╰──────╯        (one lit)                       │       [ OK ]       │
//	(a frame each)                                            ╰────────────────────╯

// longestButton is the greatest number of words of such an answer.
const longestButton = 4

// drawnAnswers recognises such answers at the end of a screen without an input box: text of one look may be a drawing in a message. The person
// sees them, and nod presses none.
func (l *Layout) drawnAnswers(m Menu, ok bool) *Dialog {
	m.untyped = true
	below := l.beneath(m.Last, nil)
	if !ok || below.Over || below.Unsure || l.inputBelow(-1) || l.openInput() >= 0 {
		return nil
	}
	d := l.dialogOver(m, below)
	if d.begin(); d.Question == "" && !d.TakeHeading() && !d.askNearest() || d.quoted() {
		return nil
	}
	return d.notice()
}

// lit recognises answers that a ground sets apart, and buttons.
func (l *Layout) lit() *Dialog { return l.drawnAnswers(l.litAnswers()) }

// framedAnswers are the lowest answers with a frame each, side by side or one below the other. Frames that look alike may be a diagram: then one
// says yes once and one no. Frames one below the other may be messages: then one agrees or refuses.
func (l *Layout) framedAnswers() (Menu, bool) {
	m := Menu{Marked: -1, Across: true, knownBy: "the frames around its labels"}
	var group []Region
	for _, b := range slices.Backward(l.boxes) {
		e, ok := l.labelIn(b)
		if n := len(group); n > 0 {
			beside := b.Top == group[n-1].Top && b.Bottom == group[n-1].Bottom
			above := b.Left == group[n-1].Left && b.Bottom < group[n-1].Top && !l.HasWords(b.Bottom+1, group[n-1].Top-1)
			if !ok || n > 1 && above == m.Across || !beside && !above {
				break
			}
			m.Across = beside
		} else if !ok {
			continue
		}
		group, m.Entries = append(group, b), append(m.Entries, e)
	}
	if len(group) < 2 || l.besideBoxes(group) {
		return Menu{}, false
	}
	m.First, m.Last = group[len(group)-1].Top, group[0].Bottom
	slices.Reverse(m.Entries)
	for k := range m.Entries {
		m.Entries[k].Label, _ = splitHints(m.Entries[k].Label)
	}
	m.readScopes()
	speaks := slices.ContainsFunc(m.Entries, func(e Entry) bool { return e.Scope == No || e.Agrees() })
	return m, m.Clear() || l.boxesDiffer(group) && (m.Across || speaks)
}

// labelIn is the answer in a box without a title: a few words, and at most one row that explains it.
func (l *Layout) labelIn(b Region) (Entry, bool) {
	e := Entry{First: b.Top, Last: b.Bottom}
	rows := 0
	for i := b.Top; i <= b.Bottom; i++ {
		text := strings.TrimSpace(rawText(l.Lines[i].row, b.Left+1, b.Right))
		switch {
		case i == b.Top || i == b.Bottom:
			if strings.Trim(text, acrosses) != "" {
				return e, false
			}
		case text == "":
		case rows == 0:
			rows++
			e.Label, e.Col = text, skip(l.Lines[i].row.cells, b.Left+1)
			e.First, e.Last = i, i
		default:
			rows++
		}
	}
	return e, saysSomething(e.Label) && rows <= 2 && strings.Count(e.Label, " ") < longestButton && !strings.ContainsFunc(e.Label, drawsFrame)
}

// besideBoxes reports whether there are words beside the boxes, in their rows.
func (l *Layout) besideBoxes(boxes []Region) bool {
	for _, b := range boxes {
		for i := b.Top; i <= b.Bottom; i++ {
			within := func(c int) bool {
				return slices.ContainsFunc(boxes, func(o Region) bool { return o.Top <= i && i <= o.Bottom && o.Left <= c && c <= o.Right })
			}
			for c, r := range l.Lines[i].row.cells {
				if !blankCell(r) && !in(sides, r) && !within(c) {
					return true
				}
			}
		}
	}
	return false
}

// boxesDiffer reports whether one of the boxes is drawn unlike the others.
func (l *Layout) boxesDiffer(boxes []Region) bool {
	return slices.ContainsFunc(boxes, func(b Region) bool {
		first := boxes[0]
		row, other := l.Lines[b.Top].row, l.Lines[first.Top].row
		return row.at(b.Left) != other.at(first.Left) || row.Style(b.Left) != other.Style(first.Left)
	})
}

// litAnswers are the lowest answers of which one has a ground that the others do not have, or the one button of a frame.
func (l *Layout) litAnswers() (Menu, bool) {
	for i := range l.lowest(listRows) {
		if m, ok := l.buttonRow(i); ok {
			return m, true
		}
		if m, ok := l.litList(i); ok {
			return m, true
		}
	}
	return Menu{}, false
}

// buttonRow reads line i as buttons side by side, in angle brackets or each on a ground, or as the last row of a frame, in which one button is
// alone or lit, or as one that asks for any key. Where one agrees and one says no, square brackets or the ground of one are enough.
func (l *Layout) buttonRow(i int) (Menu, bool) {
	if m, ok := l.enclosedIn(i, "<", ">", "the angle brackets of its buttons"); ok && l.labelled(&m) {
		return m, true
	}
	line, f := &l.Lines[i], l.frameOf(i)
	if low := strings.ToLower(line.Text); (Holds(low, "press any key", "hit any key") || goesOnWithEnter(low)) && len(low) <= longestSentence {
		key := Entry{Option: Option{Label: line.Text}, First: i, Last: i, Col: line.Col}
		return Menu{Entries: []Entry{key}, First: i, Last: i, Marked: -1, knownBy: "the key that it asks for"}, true
	}
	last := f != nil && !f.Open && !l.HasWords(i+1, f.Bottom-1) && l.HasWords(f.Top+1, i-1)
	m, ok := l.gapped(i)
	squares, squared := l.enclosedIn(i, "[", "]", m.knownBy)
	label, alone := betweenBrackets(line.Text)
	switch {
	case alone:
		m.Entries, ok = []Entry{{Option: Option{Label: label}, First: i, Last: i, Col: line.Col}}, true
	case squared:
		m, ok = squares, true
	}
	if !ok || !l.labelled(&m) || m.keys != "" {
		return Menu{}, false
	}
	m.Marked, m.knownBy = -1, "the drawing of its buttons"
	if len(m.Entries) == 1 {
		return m, last && (alone || l.litAlone(line, f))
	}
	grounds := map[string]int{}
	for _, e := range m.Entries {
		grounds[line.Style(e.Col).ground()]++
	}
	d, decides := Dialog{Layout: l, Menu: m}, m.agreeing() >= 0 && m.only(No) >= 0
	return m, len(grounds) == 2 && (last || d.buttons() || decides) || decides && squared
}

// goesOnWithEnter reports whether a row in lower case says to press Enter and no more, "-- hit ENTER to continue --", "Press [Return] to continue...".
func goesOnWithEnter(low string) bool {
	words := wordsOf(strings.NewReplacer("<", "", ">", "").Replace(strings.Trim(low, "- ")))
	return len(words) > 3 && len(words) <= longestControl && low[0] != '>' && (words[0] == "press" || words[0] == "hit") && confirms(words[1], "") && words[2] == "to" && submits(words[1], strings.Join(words[3:], " "))
}

// labelled reports whether each entry says something, in a few words.
func (l *Layout) labelled(m *Menu) bool {
	return !slices.ContainsFunc(m.Entries, func(e Entry) bool {
		return len(wordsOf(e.Label)) == 0 || width(e.Label) < 2 || strings.Count(e.Label, " ") >= longestButton
	})
}

// betweenBrackets is the label between brackets with blanks in them that a row is: "[ OK ]", "<   Ok   >".
func betweenBrackets(s string) (label string, ok bool) {
	inner := strings.Trim(s, "[]<>")
	return strings.TrimSpace(inner), Starts(s, "[ ", "< ") && len(inner) == len(s)-2 && strings.HasSuffix(inner, " ") && !strings.ContainsAny(inner, "[]<>")
}

// litAlone reports whether a row is on a ground that begins and ends between the sides of its frame.
func (l *Layout) litAlone(line *Line, f *Region) bool {
	ground := func(col int) string { return line.Style(col).ground() }
	g, end := ground(line.Col), line.End()-1
	return g != "" && ground(end) == g && ground(f.Left+1) != g && ground(f.Right-1) != g
}

// litList reads the rows around line i as a list in one column, if that line alone is on a ground.
func (l *Layout) litList(i int) (Menu, bool) {
	first, last := l.run(i, 0, func(j int) bool { return l.besideLit(j, i) })
	m := Menu{First: first, Last: last, MarkCol: l.Lines[i].Col, knownBy: "the ground of one of its rows"}
	for j := first; j <= last; j++ {
		m.Entries = append(m.Entries, Entry{First: j, Last: j, Col: l.Lines[j].Col, Option: Option{Label: l.Lines[j].rest(l.Lines[j].Col)}})
	}
	l.markLit(&m, func(s Style) Style { return Style{Bg: s.ground()} })
	lit := m.Marked
	m.Marked, m.Colour = -1, false
	return m, lit == i-first
}

// besideLit reports whether line j may be a row of the list whose lit row is line i.
func (l *Layout) besideLit(j, i int) bool {
	line := &l.Lines[j]
	return line.Kind == Words && line.Col == l.Lines[i].Col && line.frame == l.Lines[i].frame && line.End()-line.Col <= longestLabel && !IsFooter(line.Text) && !line.beginsWithSign() && !line.moves()
}
