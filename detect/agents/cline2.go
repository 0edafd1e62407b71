package agents

import (
	"slices"
	"strings"

	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/text/lazy"
)

// Cline 2 draws its answers as two buttons right above the input box, in which words can be typed all the while. Its dialogs
// were captured from 2.18.0. With a draft in the box a number is a letter of it, so there is no dialog then.

// cline2Buttons are the buttons of each kind of call.
var cline2Buttons = [][]string{{"Run Command", "Reject"}, {"Approve", "Reject"}, {"Save", "Reject"}}

// cline2Offer is what the empty box says where a number answers.
var cline2Offer = lazy.MustCompile(`^\(1-\d+ or type\)$`)

// cline2Spinner are the rows in which the spinner turns, above the box and the rows below that (cline/2.18.0-wide+approve-80x24).
const cline2Spinner = 11

const cline2Head = "⏺ Cline wants to "

// cline2Calls are the heads of calls, and the verb of each.
var cline2Calls = []verb{
	{head: cline2Head + "execute this command: "},
	{head: cline2Head + "edit this file: ", verb: "edit"},
	{head: cline2Head + "create a new file: ", verb: "edit"},
	{head: cline2Head + "read this file: ", verb: "read"},
	{head: cline2Head + "use MCP: ", verb: "use"},
}

// cline2Asks: the number of a button chooses it at once, and so does that of an answer to a question of the model while the box is empty.
// Escape does nothing. Answered calls keep their heads, so that a lower message is what is asked, and all but the first of a screen ask for
// consent. Below both stand the box and its four rows.
var cline2Asks = []asking{
	{
		menu: screen.Numbered, below: beginning(""),
		fits: func(l *screen.Layout, d *screen.Dialog) bool {
			box, ok := cline2Box(l)
			if !ok || !cline2Offers(l, box) || d.Last >= box.Top || l.HasWords(d.Last+1, box.Top-1) || !cline2Heads(d, "⏺ ") {
				return false
			}
			d.AskFrom(d.Top)
			return true
		},
		shapes: []shape{{set: &screen.Questions{Keys: screen.Keys{Digits: true}}}},
	},
	{
		list: cline2List, below: beginning(""),
		fits: func(_ *screen.Layout, d *screen.Dialog) bool { return cline2Heads(d, cline2Head) },
		shapes: []shape{{
			Shape: screen.Shape{Name: "approval", State: screen.Permission, Ask: "Cline asks", Keys: screen.Keys{Letters: true}}, fix: cline2Call,
		}},
	},
}

// cline2Heads begins a dialog with the lowest message above the options, as all that Cline says is one. It reports whether that begins so.
func cline2Heads(d *screen.Dialog, begins string) bool {
	head := d.LineAbove(func(i int) bool { return d.Lines[i].Col == 1 && d.Lines[i].Begins("⏺") })
	if head < 0 || !d.Mark(head, begins) {
		return false
	}
	d.BeginAt(head)
	if begins == cline2Head {
		d.AnotherHead(func(i int) bool { return strings.HasPrefix(d.Lines[i].Text, cline2Head) })
	}
	return true
}

// cline2Offers reports whether the box says that a number answers, which it does while it is empty.
func cline2Offers(l *screen.Layout, box screen.Region) bool {
	row := &l.Lines[box.Top+1]
	return cline2Offer().MatchString(cline2Draft(l, box)) && (!l.Coloured() || row.Style(row.Col).Fg == "5;153")
}

// cline2Call places what is asked for, which is behind the colon of the head and in the rows below it. Where the head
// is another one, or broken by the pane, all of it is the subject.
func cline2Call(d *screen.Dialog) string {
	head := d.Top
	last := d.AboveBlanks(d.First-1, head)
	d.Place(screen.Subject, head, last)
	if strings.HasSuffix(d.Lines[last].Text, "...") {
		d.DoubtOf("Cline", reason.CutsLong)
	}
	call := called(d, head, cline2Calls)
	if call.head == "" {
		return "use"
	}
	d.AskAs(strings.TrimPrefix(strings.TrimSuffix(call.head, ": "), "⏺ "))
	return call.verb
}

// cline2Box is the frame of the input box: its status rows stand below it and nothing else does.
func cline2Box(l *screen.Layout) (screen.Region, bool) {
	for _, f := range l.Frames() {
		if f.Open || f.Left != 0 || f.Bottom+1 >= len(l.Lines) {
			continue
		}
		if below := &l.Lines[f.Bottom+1]; below.Col == 1 && screen.Starts(below.Text, "/ for commands · @ for files") && l.Ends("Auto-approve all ") {
			return f, true
		}
	}
	return screen.Region{}, false
}

func cline2Draft(l *screen.Layout, box screen.Region) string {
	return strings.TrimSpace(strings.Join(l.Texts(box.Top+1, box.Bottom-1), "\n"))
}

// cline2List is the row of buttons right above the empty box. Each has a ground, which no words of the model have.
func cline2List(l *screen.Layout) (screen.Menu, bool) {
	box, ok := cline2Box(l)
	if !ok || cline2Draft(l, box) != "" {
		return screen.Menu{}, false
	}
	list, ok := l.Abreast(func(m *screen.Menu) bool {
		return m.Last == box.Top-1 && slices.ContainsFunc(cline2Buttons, func(labels []string) bool { return m.Labelled(labels...) })
	})
	for i := range list.Entries {
		e := &list.Entries[i]
		ok = ok && slices.Equal(e.Hints, []string{string(rune('1' + i))}) && (!l.Coloured() || l.Lines[list.First].Style(e.Col).Bg != "")
	}
	return list, ok
}

// cline2Composer is the input box where no buttons are above it.
func cline2Composer(l *screen.Layout) *screen.Composer {
	box, ok := cline2Box(l)
	if !ok {
		return nil
	}
	if _, asks := cline2List(l); asks || cline2Offers(l, box) {
		return nil
	}
	return &screen.Composer{Row: box.Top + 1, Draft: cline2Draft(l, box)}
}

// cline2Working: a spinner is before what it does, a few rows above the box.
var cline2Working = shows(sign{within: cline2Spinner, spins: true, ends: "esc to interrupt)"})
