package agents

import (
	"slices"
	"strings"

	"nod/detect/screen"
	"nod/internal/reason"
)

// Cline 2 draws its answers as two buttons right above the input box, in which words can be typed all the while. Its dialogs
// were captured from 2.18.0. With a draft in the box a number is a letter of it, so there is no dialog then.

// cline2Shape: the number of a button chooses it at once. Escape does nothing.
var cline2Shape = screen.Shape{Name: "approval", State: screen.Permission, Verb: "use", Ask: "Cline asks", Keys: screen.Keys{Letters: true}}

// cline2Buttons are the buttons of each kind of call.
var cline2Buttons = [][]string{{"Run Command", "Reject"}, {"Approve", "Reject"}, {"Save", "Reject"}}

const (
	// cline2Offer is how long what the empty box says of numbers is at most, "(1-10 or type)": words of a person are longer.
	cline2Offer = 15
	// cline2Off is how many half cells the middle of a button stands off that of its half of the box: both are rounded.
	cline2Off = 4
	// cline2Spinner are the lines above the box in which the spinner turns (cline/2.18.0-wide+approve-80x24).
	cline2Spinner = 6
)

const cline2Head = "⏺ Cline wants to "

// cline2Calls are the heads of calls, and the verb of each.
var cline2Calls = []struct{ head, verb string }{
	{cline2Head + "execute this command: ", ""},
	{cline2Head + "edit this file: ", "edit"},
	{cline2Head + "create a new file: ", "edit"},
	{cline2Head + "read this file: ", "read"},
	{cline2Head + "use MCP: ", "use"},
}

func cline2Dialog(l *screen.Layout) *screen.Dialog {
	box, ok := cline2Box(l)
	if !ok {
		return nil
	}
	if cline2Offers(l, box) {
		return cline2Question(l, box)
	}
	if cline2Draft(l, box) != "" {
		return nil
	}
	list, ok := cline2List(l, box)
	if !ok {
		return nil
	}
	d, ok := l.Dialog(list, func(string) bool { return true }) // below it stand the box and its four rows
	if !ok {
		return nil
	}
	head := cline2Message(d)
	if head < 0 || !strings.HasPrefix(l.Lines[head].Text, cline2Head) {
		return nil // answered calls keep their heads, so a lower message is what is asked
	}
	d.BeginAt(head)
	// Answered calls stay above, so that all but the first of a screen ask for consent.
	d.AnotherHead(func(i int) bool { return strings.HasPrefix(l.Lines[i].Text, cline2Head) })
	d.Is(cline2Shape)
	d.End = d.Last
	cline2Call(d, head)
	return d
}

// cline2Question is a question of the model, with numbers that act at once while the box is empty.
func cline2Question(l *screen.Layout, box screen.Frame) *screen.Dialog {
	list, ok := l.Menu(screen.Numbered)
	if !ok || list.Last >= box.Top || l.HasWords(list.Last+1, box.Top-1) {
		return nil
	}
	d, ok := l.Dialog(list, func(string) bool { return true })
	if !ok {
		return nil
	}
	head := cline2Message(d)
	if head < 0 || !d.Mark(head, "⏺ ") {
		return nil
	}
	d.BeginAt(head)
	d.AskFrom(head)
	d.Question, d.End = strings.TrimPrefix(d.Question, "⏺ "), d.Last
	return d.AskUser(screen.Keys{Digits: true})
}

// cline2Offers reports whether the box says that a number answers, which it does while it is empty.
func cline2Offers(l *screen.Layout, box screen.Frame) bool {
	draft := cline2Draft(l, box)
	return screen.Starts(draft, "(1-") && strings.HasSuffix(draft, " or type)") && len(draft) <= cline2Offer &&
		(!l.Coloured() || l.Lines[box.Top+1].Style(l.Lines[box.Top+1].Col).Fg == "5;153")
}

// cline2Message is the line above the options that begins a message, as all that Cline says does; -1: none.
func cline2Message(d *screen.Dialog) int {
	return d.LineAbove(func(i int) bool { return d.Lines[i].Col == 1 && d.Lines[i].Begins("⏺") })
}

// cline2Call places what is asked for, which stands behind the colon of the head and in the rows below it. Where the head
// is another one, or broken by the pane, all of it is the subject.
func cline2Call(d *screen.Dialog, head int) {
	last := d.AboveBlanks(d.First-1, head)
	d.Place(screen.Subject, head, last)
	if strings.HasSuffix(d.Lines[last].Text, "...") {
		d.DoubtOf("Cline", reason.CutsLong)
	}
	for _, call := range cline2Calls {
		if d.Mark(head, call.head) {
			d.Question, d.Verb = strings.TrimPrefix(strings.TrimSuffix(call.head, ": "), "⏺ "), call.verb
		}
	}
}

// cline2Box is the frame of the input box: its status rows stand below it and nothing else does.
func cline2Box(l *screen.Layout) (screen.Frame, bool) {
	for _, f := range l.Frames() {
		if f.Open || f.Left != 0 || f.Bottom+1 >= len(l.Lines) {
			continue
		}
		if below := &l.Lines[f.Bottom+1]; below.Col == 1 && screen.Starts(below.Text, "/ for commands · @ for files") && l.Ends("Auto-approve all ") {
			return f, true
		}
	}
	return screen.Frame{}, false
}

func cline2Draft(l *screen.Layout, box screen.Frame) string {
	return strings.TrimSpace(strings.Join(l.Texts(box.Top+1, box.Bottom-1), "\n"))
}

// cline2List is the row of buttons right above the box, each in the middle of its half of it.
func cline2List(l *screen.Layout, box screen.Frame) (screen.Menu, bool) {
	for _, labels := range cline2Buttons {
		list, ok := l.Abreast(func(m *screen.Menu) bool { return m.Labelled(labels...) })
		if !ok || list.Last != box.Top-1 {
			continue
		}
		for i := range list.Entries {
			e := &list.Entries[i]
			number := string(rune('1' + i))
			middle, want := e.Col*2+len(e.Label+" (1)"), (box.Left+box.Right)*(2*i+1)/2
			if middle < want-cline2Off || middle > want+cline2Off || l.Coloured() && l.Lines[list.First].Style(e.Col).Bg == "" {
				return screen.Menu{}, false
			}
			if !slices.Equal(e.Hints, []string{number}) {
				return screen.Menu{}, false
			}
		}
		return list, true
	}
	return screen.Menu{}, false
}

// cline2Composer is the input box where no buttons stand above it.
func cline2Composer(l *screen.Layout) *screen.Composer {
	box, ok := cline2Box(l)
	if !ok {
		return nil
	}
	draft := cline2Draft(l, box)
	if _, asks := cline2List(l, box); asks && draft == "" || cline2Offers(l, box) {
		return nil
	}
	return &screen.Composer{Row: box.Top + 1, Draft: draft}
}

// cline2Working: a spinner stands before what it does, a few rows above the box.
func cline2Working(l *screen.Layout) bool {
	box, ok := cline2Box(l)
	if !ok {
		return false
	}
	for i := box.Top - 1; i >= max(0, box.Top-cline2Spinner); i-- {
		if l.Lines[i].Spinner() && strings.HasSuffix(l.Lines[i].Text, "esc to interrupt)") {
			return true
		}
	}
	return false
}
