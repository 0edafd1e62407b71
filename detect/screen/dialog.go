package screen

import (
	"cmp"
	"strings"

	"nod/internal/reason"
)

// Dialog is a menu that is the last live thing on a screen, with the rows around it. First it is found; then the agent's file
// says which shape it is; then Prompt puts the question together. Rows that no file mentions are kept: see subject.go.
type Dialog struct {
	*Layout
	Menu
	Sentence
	Bounds
	Beneath
	Shape // from the agent's file
	Set   // from the agent's file, if the question is one of several

	around    *Region            // the frame around it; nil: none, or a frame around the options alone
	places    []place            // what the agent's file says of its rows, by line
	runs      int                // the number of runs of rows that were placed as the subject
	doubts    []reason.Why       // why a part of the subject may be missing
	explained []string           // words that are not above the options, and belong to the subject
	heads     []func(i int) bool // recognise the first row of such a dialog: none may be above this one
}

// Sentence is the question of a dialog.
type Sentence struct {
	Question        string // empty: it is not on the screen
	Asked, AskedEnd int    // its lines; if there are none, First and the line above it
	said            bool   // the agent's file gave it, so that it is not looked for
}

// Bounds is where a dialog begins.
type Bounds struct {
	Top       int  // its first line
	TopUnseen bool // its upper end is above the screen, or unknown
	edge      int  // the line of its head: Top, or the line drawn across above it
}

// Dialog makes a dialog of a menu if it is the last live thing on the screen. more says which rows the agent draws below a
// live dialog, besides blank rows, edges and key hints. Any other row there means that the menu is history, unless others allows
// rows that agents draw about themselves: Others is set then, and the dialog gets no keys (AboveRows).
func (l *Layout) Dialog(m Menu, more func(string) bool, others bool) (*Dialog, bool) {
	below := l.beneath(m.Last, more)
	if below.Over || below.Unsure || below.Others && (!others || l.barBelow(m.Last) || l.inputBelow(m.Last)) {
		return nil, false
	}
	return l.dialogOver(m, below), true
}

// Untouched leaves a dialog without keys, since nobody can tell whose they are.
func (d *Dialog) Untouched() { d.atTerminal(reason.KeysUnsure) }

// AboveRows leaves a dialog without keys if rows are below it that its agent was not seen to draw there.
func (d *Dialog) AboveRows() {
	if d.Others {
		d.atTerminal(reason.StrangeRows)
	}
}

// Typing makes a dialog without a menu of the lines from first to last, in whose field words are typed.
func (l *Layout) Typing(first, last int, s Shape, words string) *Dialog {
	d := l.unlisted(last)
	d.BeginAt(first)
	d.Is(s)
	d.Words = words
	return d
}

// unlisted makes a dialog without a menu of the rows above line i, which names the keys.
func (l *Layout) unlisted(i int) *Dialog {
	return l.dialogOf(Menu{First: i, Last: i, Marked: -1}, Beneath{Footer: l.Lines[i].Text, End: i})
}

// KeysAlone is unlisted above the lowest row with words, which may be wrapped, if it is about keys and holds one of the parts,
// if any are given; else nil.
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
	d := l.unlisted(first)
	d.Footer, d.End = footer, last
	return d
}

// dialogOf makes a dialog of a menu and the rows below it, and finds its upper end.
func (l *Layout) dialogOf(m Menu, below Beneath) *Dialog {
	d := &Dialog{Layout: l, Menu: m, Beneath: below, around: l.frameOf(m.First), places: make([]place, len(l.Lines))}
	d.findTop()
	return d
}

// Frame is the frame around the dialog; nil: none.
func (d *Dialog) Frame() *Region { return d.around }

// Within says that the dialog is in frame f, although its options are below f.
func (d *Dialog) Within(f Region) {
	d.around = &f
	d.BeginIn(f.Top+1, f.Open)
	if !f.Open && d.Lines[f.Top].Kind == Edge && d.unclosedAbove(&f) {
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
		if !f.Open && d.Lines[f.Top].Kind == Edge && d.unclosedAbove(f) { // bars at its sides close nothing above
			d.Doubt(reason.SecondHead)
		}
		return
	}
	if i := d.LineAbove(func(i int) bool { return d.RuleAtEdge(i) && d.Lines[i].End() >= d.width-freeColumns }); i >= 0 {
		d.Top, d.TopUnseen, d.edge = i+1, false, i
		return
	}
	d.BeginAt(-1)
}

// freeColumns is how many columns a line across the pane may leave free at the right.
const freeColumns = 2

// RuleAtEdge reports whether line i is a line of any length drawn from the left edge.
func (l *Layout) RuleAtEdge(i int) bool { return l.Lines[i].Kind == Rule && l.Lines[i].Col == 0 }

// BeginAt makes line i the dialog's first one; i < 0: that is above the screen.
func (d *Dialog) BeginAt(i int) { d.BeginIn(i, i < 0) }

// BeginIn makes line i the first one that is seen of the dialog; unseen says that more of it may be above.
func (d *Dialog) BeginIn(i int, unseen bool) {
	if d.Top, d.TopUnseen = max(i, 0), unseen; i >= 0 {
		d.edge = i
	}
	d.findQuestion()
}

// findQuestion looks for the sentence with a question mark nearest above the options, unless the agent's file says which rows the question is
// in, or gives it in words.
func (d *Dialog) findQuestion() {
	if d.said {
		return
	}
	d.Sentence = Sentence{Asked: d.First, AskedEnd: d.First - 1}
	for i := d.First - 1; i >= d.Top; i-- {
		line := &d.Lines[i]
		if !line.asks() {
			continue
		}
		first := i
		for first > d.Top && d.Lines[first-1].Kind == Words && d.Lines[first-1].Col == line.Col && d.wrapped(first) {
			first--
		}
		d.Sentence = Sentence{d.Paragraph(first, i), first, i, false}
		break
	}
	d.Question = cmp.Or(d.Shape.Ask, d.Question)
}

// asks reports whether a row asks: it ends in a question mark, but for a colon or words in brackets, or begins with one.
func (l *Line) asks() bool {
	return l.Kind == Words && (asksAtEnd(l.Text) || strings.HasSuffix(l.Text, "?:") || Holds(l.Text, "? (", "? [") || l.signed())
}

// questionMarks end a question: as wide as a letter, as Chinese and Japanese have it, and as Arabic has it.
const questionMarks = "?？؟"

// asksAtEnd reports whether s ends in a question mark.
func asksAtEnd(s string) bool { return in(questionMarks, lastRune(s)) }

// signed reports whether a question mark heads a row, as kits for prompts draw it there until the question is answered
// (@inquirer/prompts 8.7, enquirer 2.4.1, prompts 2.4.2).
func (l *Line) signed() bool { return l.Kind == Words && l.Col == 0 && Starts(l.Text, "? ") }

// Ask makes the lines from first to last the question, without the agent's own mark before the first.
func (d *Dialog) Ask(first, last int) {
	d.Sentence = Sentence{strings.TrimPrefix(d.Paragraph(first, last), d.places[first].mark), first, last, true}
}

// AskAs gives the question if no row is it; empty: there is none on the screen.
func (d *Dialog) AskAs(question string) { d.Sentence = Sentence{question, d.First, d.First - 1, true} }

// sentenceEnd is the last line of the question that begins in line i: the first line with a question mark at its end, else the
// last before a gap.
func (d *Dialog) sentenceEnd(i int) int {
	for i+1 < d.First && !asksAtEnd(d.Lines[i].Text) && d.Lines[i+1].Kind == Words {
		i++
	}
	return i
}

// AskFrom makes the sentence that begins in line i the question.
func (d *Dialog) AskFrom(i int) { d.Ask(i, d.sentenceEnd(i)) }

// askNearest makes the run of words right above the options the question, even if the dialog seemed to begin below it. It
// reports whether there is such a run.
func (d *Dialog) askNearest() bool {
	last := d.LineAbove(d.words)
	if last < 0 {
		return false
	}
	first := d.paragraphBegin(last)
	if first < d.Top {
		d.BeginAt(first)
		d.Doubt(reason.SecondHead)
	}
	d.Ask(first, last)
	return true
}

// AskWith makes the lowest paragraph that begins with one of the openings the question. It reports whether there is one.
func (d *Dialog) AskWith(openings ...string) bool {
	for i := d.First - 1; i >= d.Top; i-- {
		if d.Lines[i].Kind != Words || !Starts(d.Lines[i].Text, openings...) {
			continue
		}
		last := d.sentenceEnd(i)
		if whole := d.Paragraph(i, last); asksAtEnd(whole) || strings.HasSuffix(whole, "…") {
			d.Ask(i, last)
			return true
		}
	}
	return false
}

// PointedBy reports whether the cursor is one of the glyphs.
func (d *Dialog) PointedBy(glyphs string) bool {
	if d.Marked < 0 {
		return false
	}
	line := &d.Lines[d.Entries[d.Marked].First]
	return line.Kind == Words && in(glyphs, line.First())
}

// Head is the first line of the dialog that holds words, and its text; First if none does.
func (d *Dialog) Head() (text string, line int) {
	if line = d.NextWords(d.Top, d.First); line < d.First {
		text = d.Lines[line].Text
	}
	return text, line
}

// LineAbove is the nearest line above the options for which is holds; -1: none.
func (d *Dialog) LineAbove(is func(i int) bool) int { return d.LineBefore(d.First, is) }

// Texts are the texts of the lines from first to last that hold words.
func (l *Layout) Texts(first, last int) []string {
	var texts []string
	for i := max(first, 0); i <= last && i < len(l.Lines); i++ {
		if l.Lines[i].Kind == Words {
			texts = append(texts, l.Lines[i].Text)
		}
	}
	return texts
}
