package agents

import (
	"cmp"
	"slices"
	"strings"

	"nod/detect/screen"
	"nod/internal/reason"
)

// OpenCode 1.0 asks inside of the conversation: the box of the call gets a bar at its right, a question and a row of keys. Of several the
// others wait for their turn. The input box below stays drawn and takes no key meanwhile. Captured from 1.0.152.
//
//	┃                                                  ┃    the box that acts
//	┃  # Shell command                                 ┃    the head
//	┃                                                  ┃
//	┃  $ touch made.txt                                ┃    the call
//	┃                                                  ┃
//	┃  Permission required to run this tool:           ┃    inlineAsk
//	┃                                                  ┃
//	┃  enter accept  a accept always  d deny           ┃    inlineKeys
//	┃                                                  ┃
//
//	┃
//	┃  Build  the model
//	╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀     panelEnd
//	  /tmp/proj:main      ◉ 1 Permission  ⊙ 1 MCP  /status   inlineStatus

const (
	inlineAsk  = "Permission required to run this tool:"
	inlineKeys = "enter accept  a accept always  d deny"
)

// inlineRow is the line of the row of keys that acts, while the status row says that a permission is asked for; -1: none. Of
// several boxes the one whose turn it is has a bar at its right.
func inlineRow(l *screen.Layout) int {
	if !inlinePending(l) {
		return -1
	}
	at := -1
	for i := range l.Lines {
		line := &l.Lines[i]
		if text, ok := strings.CutSuffix(line.Text, "┃"); !ok || !line.Bar || strings.TrimRight(text, " ") != inlineKeys {
			continue
		}
		if at >= 0 {
			return -1 // one of them was printed by something else
		}
		at = i
	}
	return at
}

// inlineStatus is the status row below the input box, which narrow panes break, while a permission is asked for.
var inlineStatus = sign{holds: []string{"◉ 1 Permission ", " Permissions "}, last: true}

// inlinePending reports whether a permission is asked for: the status row says so, and nothing drawn is below it.
func inlinePending(l *screen.Layout) bool {
	end := panelEnd.on(l)
	drawn := func(line screen.Line) bool {
		return line.Kind != screen.Words && line.Kind != screen.Blank || line.Begins("❯›>")
	}
	return end >= 0 && inlineStatus.on(l) > end && !slices.ContainsFunc(l.Lines[end+1:], drawn)
}

// inlineBox is the box around line i, which is between two bars, and l without the right one and without what is below the box. Its first and
// last rows are empty; if the first is not on the screen, the box is open.
func inlineBox(l *screen.Layout, i int) (screen.Region, *screen.Layout) {
	box := l.Panel(i)
	box.Right = l.Lines[i].End() - 1
	outside := func(i int) bool {
		line := &l.Lines[i]
		return !line.Bar || line.End()-1 != box.Right || !strings.HasSuffix(line.Text, "┃")
	}
	box.Top = l.LineBefore(i, outside) + 1
	if below := l.LineFrom(i+1, box.Bottom+1, outside); below >= 0 {
		box.Bottom = below - 1
	}
	box.Open = box.Top == 0 || l.Lines[box.Top].Col != box.Right
	return box, l.Above(box.Bottom + 1).Without(func(j int, _ *screen.Line) (from, to int) {
		if j < box.Top {
			return 0, 0
		}
		return box.Right, box.Right + 1
	})
}

// inlinePermission is the permission that the box with the row of keys asks for; nil: there is none.
func inlinePermission(l *screen.Layout) *screen.Dialog {
	row := inlineRow(l)
	if row < 0 {
		return nil
	}
	box, l := inlineBox(l, row)
	list, ok := inlineList(l, row, box)
	if !ok {
		return nil
	}
	d, _ := l.Dialog(list, nil, false)
	ask := l.AboveBlanks(row-1, box.Top)
	d.Within(box)
	if ask >= box.Top && l.Lines[ask].Text == inlineAsk {
		d.Ask(ask, ask)
	} else if !box.Open {
		return nil
	}
	// A call that is not asked about has no bar at its right, so that rows with one above the box are a part that was cut off.
	d.AnotherHead(func(i int) bool { return i < box.Top && strings.HasSuffix(l.Lines[i].Text, "┃") })
	d.Is(screen.Shape{
		Name: "permission_inline", State: screen.Permission, Ask: inlineAsk, Titles: []string{"# Shell"}, Asks: []string{inlineAsk},
		Keys: screen.Keys{Letters: true, Enter: true, Second: true}, // they act at once
	})
	if box.Open {
		d.Doubt(reason.BoxTopUnseen)
	} else {
		d.Verb = inlineCall(d, box.Top)
	}
	return d
}

// inlineList is the row of keys as a list. In colours both bars of the box that acts are drawn alike, and in a colour.
func inlineList(l *screen.Layout, row int, box screen.Region) (screen.Menu, bool) {
	line := &l.Lines[row]
	list := screen.Menu{First: row, Last: row, Across: true, MarkCol: line.Col, Marked: -1}
	if l.Coloured() {
		if left, right := line.Style(box.Left), line.Style(box.Right); left.Fg == "" || left.Fg != right.Fg {
			return screen.Menu{}, false
		}
		list.Marked = 0 // what Enter takes, as the row says
	}
	for _, e := range []struct{ label, key string }{{"accept", "Enter"}, {"accept always", "a"}, {"deny", "d"}} {
		list.Entries = append(list.Entries, screen.Entry{
			Option: screen.Option{Label: e.label}, Hints: []string{e.key}, First: row, Last: row, Col: line.Col,
		})
	}
	return list, true
}

// inlineCall places the call, which is above the question.
func inlineCall(d *screen.Dialog, top int) (verb string) {
	head := d.NextWords(top, d.Asked)
	if head == d.Asked {
		d.Doubt(reason.BoxHidesCall)
		return ""
	}
	switch sign := d.Lines[head].First(); sign {
	case '#':
		if i := shellRow(d, head+1); i >= 0 {
			d.Place(screen.Subject, i, d.Asked-1)
			return ""
		}
	case '←', '→', '%', '⚙', '✱', '◈', '◇':
		verb = cmp.Or(panelVerbs[sign], "use")
		d.Mark(head, "% WebFetch ")
		if sign == '⚙' {
			d.Doubt(reason.ArgumentsLacked)
		}
	default: // a part of the call, whose head is above the screen
		d.Doubt(reason.BoxTopUnseen)
	}
	if len(d.Texts(head, d.Asked-1)) == 1 && !strings.Contains(d.Lines[head].Text, " [") {
		d.Doubt(reason.OneRowOfCall)
	}
	return verb
}
