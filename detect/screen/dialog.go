package screen

import (
	"strings"

	"nod/internal/reason"
)

// Dialog is a list of options that is the last live thing on a screen, and what stands around it. It is read first; then the agent's
// file says which shape it is; then Prompt puts together what is asked. What the agent's file does not say is kept all the same: see subject.go.
type Dialog struct {
	*Layout
	Menu
	Sentence
	Bounds
	Beneath
	Shape // what an agent's file says of it
	Set   // what it says of a question that is one of several

	around *Region            // the frame that it is in; nil: none, or one that holds the options alone
	places []place            // what an agent's file says of its rows, by line
	runs   int                // how many runs of rows were placed as the subject
	doubts []reason.Why       // why a part of what it asks may be missing
	heads  []func(i int) bool // what begins dialogs such as this one, of which none may be above it
}

// Sentence is what a dialog asks.
type Sentence struct {
	Question        string // empty: it is not on the screen
	Asked, AskedEnd int    // its lines; where there is none, First and the line above it
	said            bool   // by who knows the dialog: else it is looked for where the dialog stands
}

// Bounds is where a dialog begins.
type Bounds struct {
	Top       int  // its first line
	TopUnseen bool // its upper end lies above the screen, or can't be told
	edge      int  // the line that its head is drawn in: Top, or the line drawn across above it
}

// Dialog makes a dialog of a list where it is the last live thing on the screen. More says which rows the agent draws below
// a live dialog, besides blank ones, edges and key hints; anything else there means that the list is history.
func (l *Layout) Dialog(m Menu, more func(string) bool) (*Dialog, bool) {
	below := l.beneath(m.Last, more)
	if below.Over || below.Others {
		return nil, false
	}
	return l.dialogOver(m, below), true
}

// DialogAbove is Dialog above more rows than the agent was seen to draw there: Others says that there are such, which agents draw about
// themselves. The dialog then has no keys (AboveRows).
func (l *Layout) DialogAbove(m Menu, more func(string) bool) (*Dialog, bool) {
	below := l.beneath(m.Last, more)
	if below.Over || below.Unsure || below.Others && (l.barBelow(m.Last) || l.InputBelow(m.Last)) {
		return nil, false
	}
	return l.dialogOver(m, below), true
}

// AboveRows leaves a dialog that is told, and not answered from here, where rows stand below it that its agent was not seen to draw there.
func (d *Dialog) AboveRows() {
	if d.Others {
		d.atTerminal(reason.StrangeRows)
	}
}

// Unlisted makes a dialog of what is above line i, which alone says what the keys do: there is no list.
func (l *Layout) Unlisted(i int) *Dialog {
	return l.dialogOf(Menu{First: i, Last: i, Marked: -1}, Beneath{Footer: l.Lines[i].Text, End: i})
}

// KeysAlone is Unlisted above the lowest row with words, which may be wrapped, where that says what keys do and holds one of these, if any;
// nil: it does not.
func (l *Layout) KeysAlone(holds ...string) *Dialog {
	last, _ := l.LowestRow()
	first, footer := -1, ""
	for i := last; i >= 0; i-- {
		keys := l.Paragraph(i, last)
		if (len(holds) == 0 || Holds(keys, holds...)) && IsFooter(keys) && IsFooter(l.Lines[i].Text) {
			first, footer = i, keys
		}
		if !l.wrapped(i) {
			break
		}
	}
	if first < 0 {
		return nil
	}
	d := l.Unlisted(first)
	d.Footer, d.End = footer, last
	return d
}

// dialogOf makes a dialog of a menu and of what is below it, with the upper end that is drawn.
func (l *Layout) dialogOf(m Menu, below Beneath) *Dialog {
	d := &Dialog{Layout: l, Menu: m, Beneath: below, around: l.frameOf(m.First), places: make([]place, len(l.Lines))}
	d.findTop()
	return d
}

// Frame is the frame that the dialog is in; nil: none.
func (d *Dialog) Frame() *Region { return d.around }

// Within says that the dialog is in a frame which its options are below.
func (d *Dialog) Within(f Region) {
	d.around = &f
	d.BeginAt(f.Top + 1)
	d.TopUnseen = f.Open
	if !f.Open && d.Lines[f.Top].Kind == Edge && d.unclosedAbove(&f) { // bars at its sides close nothing above
		d.Doubt(reason.SecondHead)
	}
	d.twinAbove()
	if d.drawnAcross(&f, f.Bottom) && lastCell(d.screen.Rows[f.Bottom].cells) == f.Right+1 {
		d.places[f.Bottom].role = Drawing
	}
}

// findTop looks up from the options for the edge of the dialog: its frame's, or a line drawn across the pane.
func (d *Dialog) findTop() {
	if d.covered {
		d.Doubt(reason.SecondHead)
	}
	if f := d.Frame(); f != nil {
		d.Top, d.TopUnseen, d.edge = f.Top+1, f.Open, f.Top
		if !f.Open && d.unclosedAbove(f) {
			d.Doubt(reason.SecondHead)
		}
		return
	}
	if i := d.LineAbove(d.rulesPane); i >= 0 {
		d.Top, d.TopUnseen, d.edge = i+1, false, i
		return
	}
	d.BeginAbove()
}

// rulesPane reports whether line i is drawn across the whole pane.
func (l *Layout) rulesPane(i int) bool { return l.RuleAtEdge(i) && l.Spans(i) }

// freeColumns are how many columns at the right of a pane what is drawn across it may leave free.
const freeColumns = 2

// Spans reports whether line i reaches from the left edge of the pane to the right one.
func (l *Layout) Spans(i int) bool {
	return l.Lines[i].Col == 0 && l.Lines[i].End() >= l.width-freeColumns
}

// RuleAtEdge reports whether line i is a line drawn from the left edge on, of whatever length.
func (l *Layout) RuleAtEdge(i int) bool { return l.Lines[i].Kind == Rule && l.Lines[i].Col == 0 }

// BeginAt makes line i the dialog's first one.
func (d *Dialog) BeginAt(i int) {
	d.Top, d.TopUnseen, d.edge = i, false, i
	d.findQuestion()
}

// BeginAbove says that the dialog's first line is above the screen.
func (d *Dialog) BeginAbove() {
	d.Top, d.TopUnseen = 0, true
	d.findQuestion()
}

// BeginBelow says that the dialog begins below line i; above the screen where no such line is seen, i < 0.
func (d *Dialog) BeginBelow(i int) {
	if i < 0 {
		d.BeginAbove()
		return
	}
	d.BeginAt(i + 1)
}

// findQuestion looks for the sentence with a question mark that stands nearest above the options, unless somebody has said what is asked.
func (d *Dialog) findQuestion() {
	if d.said {
		return
	}
	d.Sentence = Sentence{Asked: d.First, AskedEnd: d.First - 1}
	for i := d.First - 1; i >= d.Top; i-- {
		line := &d.Lines[i]
		if line.Kind != Words || !strings.HasSuffix(line.Text, "?") && !strings.HasSuffix(line.Text, "?:") && !strings.Contains(line.Text, "? (") {
			continue
		}
		first := i
		for first > d.Top && d.Lines[first-1].Kind == Words && d.Lines[first-1].Col == line.Col && d.wrapped(first) {
			first--
		}
		d.Sentence = Sentence{d.Paragraph(first, i), first, i, false}
		return
	}
}

// Ask makes the lines from first to last the question.
func (d *Dialog) Ask(first, last int) {
	d.Sentence = Sentence{d.Paragraph(first, last), first, last, true}
}

// AskAs says what is asked, where no row is the question; empty: that is not on the screen.
func (d *Dialog) AskAs(question string) { d.Sentence = Sentence{question, d.First, d.First - 1, true} }

// sentenceEnd is the last line of the question that begins in line i: the first that ends in a question mark, or the last
// before a gap.
func (d *Dialog) sentenceEnd(i int) int {
	for i+1 < d.First && !strings.HasSuffix(d.Lines[i].Text, "?") && d.Lines[i+1].Kind == Words {
		i++
	}
	return i
}

// AskFrom makes the sentence that begins in line i the question.
func (d *Dialog) AskFrom(i int) { d.Ask(i, d.sentenceEnd(i)) }

// askNearest makes the run of words right above the options the question, also where the dialog seemed to begin below it.
// It reports whether there is one.
func (d *Dialog) askNearest() bool {
	last := d.LineAbove(d.words)
	if last < 0 {
		return false
	}
	first := d.ParagraphBegin(last)
	if first < d.Top {
		d.BeginAt(first)
		d.Doubt(reason.SecondHead)
	}
	d.Ask(first, last)
	return true
}

// AskWith moves the question to the lowest paragraph that begins with one of these openings. It reports whether there is one.
func (d *Dialog) AskWith(openings ...string) bool {
	for i := d.First - 1; i >= d.Top; i-- {
		if d.Lines[i].Kind != Words || !Starts(d.Lines[i].Text, openings...) {
			continue
		}
		last := d.sentenceEnd(i)
		if whole := d.Paragraph(i, last); strings.HasSuffix(whole, "?") || strings.HasSuffix(whole, "…") {
			d.Ask(i, last)
			return true
		}
	}
	return false
}

// PointedBy reports whether the cursor is drawn with one of the glyphs.
func (d *Dialog) PointedBy(glyphs string) bool {
	if d.Marked < 0 {
		return false
	}
	line := &d.Lines[d.Entries[d.Marked].First]
	return line.Kind == Words && in(glyphs, line.First())
}

// Head is the first line of the dialog that holds words, and its text; First where none does.
func (d *Dialog) Head() (text string, line int) {
	if line = d.NextWords(d.Top, d.First); line < d.First {
		text = d.Lines[line].Text
	}
	return text, line
}

// LineAbove is the nearest line above the options of which is says yes; -1 where there is none.
func (d *Dialog) LineAbove(is func(i int) bool) int {
	at := d.First - 1
	for at >= 0 && !is(at) {
		at--
	}
	return at
}

// AskTrust reports whether one of the dialog's lines holds one of the phrases with which it asks whether a folder is trusted.
func (d *Dialog) AskTrust(phrases ...string) bool {
	for i := max(d.Top, 0); i < d.First; i++ {
		if !Holds(d.Lines[i].Text, phrases...) {
			continue
		}
		if d.Question == "" {
			d.Ask(i, i)
		}
		return true
	}
	return false
}

// Texts are the words of the lines from first to last.
func (l *Layout) Texts(first, last int) []string {
	var texts []string
	for i := max(first, 0); i <= last && i < len(l.Lines); i++ {
		if l.Lines[i].Kind == Words {
			texts = append(texts, l.Lines[i].Text)
		}
	}
	return texts
}
