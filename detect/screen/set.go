package screen

import (
	"regexp"
	"strconv"
	"strings"
)

// Questions is how an agent draws what its model asks: one question, or a set of them, of which each is a page.
type Questions struct {
	Keys     Keys     // which keys answer
	Leaves   string   // what its row of keys holds where Escape leaves the question; empty: it always does
	Headings Headings // of a set; zero: it draws none
	Titled   bool     // the dialog's first row is the agent's, so that the question is below that where there are no headings
	Boxed    bool     // labels are told with the box of a check list before them

	Toggles string // what its row of keys holds where boxes are ticked; empty: nothing
	Ticks   string // as Keys.Ticks, of a check list
	Paged   bool   // boxes are ticked on a page of a set alone, and where Alone sends them
	Leads   string // the key that leads on from a check list; empty: none is proven
	Opens   string // the page that reviews the answers, to which it leads where there is one question; empty: none
	Alone   []Step // what sends a check list that is no page of a set
	Next    string // what its row of keys holds on each page but the last, where Enter sends the answers to all; empty: they do not tell
	Review  Review
	Own     *OwnWords // the row for words of one's own; nil where it is not known
}

// Headings is how the row looks that names the questions of a set.
type Headings struct {
	Turns        string         // what the row of keys holds then
	Row          int            // which row of the dialog that holds words it is at most, from 1; 0: any
	Begins, Ends string         // how the row begins and ends
	Boxes        string         // one of these is before each question, and nothing else; empty: the headings stand apart, and the last is no question
	Each         bool           // where they stand apart, the last is a question too
	Mark         string         // is before the heading of this page; empty: its look tells it
	Counts       *regexp.Regexp // the dialog's first row, where that counts the pages and names none: which one stands, and how many there are
}

// Review is how the page looks that reviews the answers of a set.
type Review struct {
	Foot   string // how its row of keys begins, where that tells it; empty: a label does
	Head   string // the row above the answers
	Sign   rune   // begins each question; the answer is behind an arrow below it
	Arrow  int    // how many columns further right than the sign the arrow stands
	Parted string // is between a heading and its answer, where blank rows part the answers
}

// The dialogs of a check list, and of the page that reviews the answers.
const (
	askMulti  = "ask_user_multi"
	askReview = "ask_user_review"
)

// AskSet makes d a question of the model as its agent draws them. It reports whether it is a page of a set.
func (d *Dialog) AskSet(q *Questions) bool {
	keys := q.Keys
	keys.Leaves = keys.Leaves && Holds(d.Footer, q.Leaves)
	if q.Toggles != "" && Holds(d.Footer, q.Toggles) {
		keys = Keys{Leaves: keys.Leaves}
	}
	d.AskUser(keys)
	at, paged := d.headed(q)
	switch {
	case q.Review.Foot != "" && Starts(d.Footer, q.Review.Foot):
		d.Name = askReview
		if d.answered(&q.Review, at); d.Entries[0].Label == "Submit" && len(d.Answers) > 0 && len(d.Answers) == d.Pages {
			d.Submits = 1
		}
	case d.Name == askReview:
		d.answered(&q.Review, at)
	case d.Name == askMulti && Holds(d.Footer, q.Toggles):
		d.ownBoxes(q.Boxed)
		if d.Keys.Sends = d.sends(q, paged); paged || q.Alone != nil || !q.Paged {
			d.Keys.Ticks = q.Ticks
		}
	case q.Own != nil:
		d.ownWords(q.Own, paged)
	}
	return paged
}

// sends is what leads on from a check list, or sends it.
func (d *Dialog) sends(q *Questions, paged bool) []Step {
	switch {
	case q.Next != "" && !Holds(d.Footer, q.Next):
		d.EndsSet = true
		return []Step{{Key: "Enter", Last: true}}
	case q.Next != "":
		return []Step{{Key: q.Leads, Last: true}}
	case !paged:
		return q.Alone
	case q.Leads == "" || d.Pages == 0:
		return nil
	case d.Pages == 1 && q.Opens != "":
		return []Step{{Key: q.Leads, Opens: q.Opens, Reviews: true}}
	}
	return []Step{{Key: q.Leads, Last: true}}
}

// ReviewSet makes d, which has no options, the page that reviews the answers to a set, which Enter sends. It reports whether it lists
// them, and below which line it stands.
func (d *Dialog) ReviewSet(q *Questions) (at int, lists bool) {
	d.Is(Shape{Name: askReview, State: Question, Ask: q.Review.Head})
	at, paged := d.headed(q)
	if !paged || d.Page > 0 {
		return at, false
	}
	d.answered(&q.Review, at)
	if len(d.Answers) == 0 || q.Review.Parted != "" && len(d.Answers) != d.Pages {
		return at, false
	}
	d.Keys = Keys{Leaves: true, Sends: []Step{{Key: "Enter", Last: true}}}
	return at, true
}

// headed reads the row of headings, below which the question stands, or below the agent's own row. It gives that line, and whether there
// are headings.
func (d *Dialog) headed(q *Questions) (at int, paged bool) {
	_, at = d.Head()
	if m := q.Headings.counted(d.Lines[at].Text); m != nil {
		d.Page, d.Pages = m[0], m[1]
		return at, m[1] > 0
	}
	if q.Headings == (Headings{}) || d.TopUnseen && q.Headings.Begins == "" {
		return at, false
	}
	rows := 0
	for i := at; i < d.First && (q.Headings.Row == 0 || rows < q.Headings.Row) && !paged; i++ {
		if d.Lines[i].Kind != Words {
			continue
		}
		if rows++; q.Headings.in(d, i) {
			at, paged = i, true
		}
	}
	if paged {
		d.Tabs = d.Lines[at].Text
	}
	if paged || q.Titled && !d.TopUnseen {
		d.Place(Subject, at+1, d.First-1)
	}
	return at, paged
}

// counted reads which page stands and how many there are, as a row counts them; nil: it does not, 0: wrongly.
func (h *Headings) counted(row string) []int {
	if h.Counts == nil {
		return nil
	}
	m := h.Counts.FindStringSubmatch(row)
	if m == nil {
		return nil
	}
	page, _ := strconv.Atoi(m[1])
	pages, _ := strconv.Atoi(m[2])
	if page < 1 || page > pages {
		return []int{0, 0}
	}
	return []int{page, pages}
}

// in reports whether line i is the row of headings, and reads which page stands, and how many there are.
func (h *Headings) in(d *Dialog, i int) bool {
	line := &d.Lines[i]
	if !Holds(d.Footer, h.Turns) || !strings.HasPrefix(line.Text, h.Begins) || !strings.HasSuffix(line.Text, h.Ends) || !strings.Contains(line.Text, h.Mark) {
		return false
	}
	switch {
	case h.Mark != "":
		d.Page, d.Pages = markedTab(line.Text, h.Mark)
		return true
	case h.Boxes != "":
		d.Page, d.Pages = d.boxedTab(i, h.Boxes)
		return true
	}
	lit, n := d.litHeading(i)
	switch {
	case h.Each && (lit == 0 || n < 2):
		return false
	case h.Each:
		d.Page, d.Pages = lit, n
	case lit > 0 && n > 1:
		d.Page, d.Pages = lit%n, n-1
	}
	return true
}

// markedTab reads headings of which the one that stands is marked; behind each that is answered stands a sign. The last is no question.
func markedTab(row, mark string) (page, pages int) {
	before, _, _ := strings.Cut(row, mark)
	headings := func(s string) (n int) {
		for heading := range strings.SplitSeq(strings.NewReplacer("✓", "  ", mark, "  ").Replace(s), "  ") {
			if strings.TrimSpace(heading) != "" {
				n++
			}
		}
		return n
	}
	n := headings(row)
	return (headings(before) + 1) % n, n - 1
}

// boxedTab reads headings in line i, each behind one of the boxes; the one that stands is set off by its ground or a line under it.
// It gives which one that is, from 1, and how many there are; 0: another heading, or nothing proves it.
func (l *Layout) boxedTab(i int, boxes string) (page, pages int) {
	line := &l.Lines[i]
	lits := 0
	lit := func(col int) bool { s := line.Style(col); return s.ground() != "" || s.Underline }
	for col := line.Col; col < line.End(); col++ {
		if lit(col) && (col == 0 || !lit(col-1)) {
			lits++
		}
		if !in(boxes, line.at(col)) || !blankCell(line.at(col-1)) || !blankCell(line.at(col+1)) {
			continue
		}
		pages++
		if lit(col + 2) { // the first character of its text
			page = pages
		}
	}
	if lits != 1 {
		page = 0
	}
	return page, pages
}

// litHeading is which of the headings that stand apart in line i has a ground which the row around it has not, and how many there
// are; 0: none, or more than one.
func (l *Layout) litHeading(i int) (lit, n int) {
	line := &l.Lines[i]
	var cols []int
	for col := range line.pieces() {
		cols = append(cols, col)
	}
	lit = 1 + onlyOne(len(cols), func(k int) bool { return line.Style(cols[k]).ground() != line.Style(cols[k]-2).ground() })
	return lit, len(cols)
}

// answered reads the answers on the page that reviews them, below line at.
func (d *Dialog) answered(r *Review, at int) {
	if r.Sign != 0 {
		d.behindArrows(r)
		return
	}
	if at = d.NextWords(at+1, d.First); at == d.First || d.Lines[at].Text != r.Head {
		return
	}
	for i := at + 1; i < d.First; i++ {
		end := i
		if r.Parted != "" && d.Lines[i].Kind == Words {
			end = d.ParagraphEnd(i)
		}
		if _, answer, ok := strings.Cut(d.Paragraph(i, end), r.Parted); ok && d.Lines[i].Kind == Words {
			d.Answers = append(d.Answers, answer)
		}
		i = end
	}
}

// behindArrows reads the answers that are behind arrows. What is wrapped is further right.
func (d *Dialog) behindArrows(r *Review) {
	arrow, going := -1, false
	for i := d.Top; i < d.First; i++ {
		line := &d.Lines[i]
		if arrow < 0 && line.Begins(string(r.Sign)) {
			arrow = line.Col + r.Arrow
		}
		switch {
		case arrow < 0 || line.Kind != Words || line.Col < arrow:
			going = false
		case line.Col == arrow:
			if going = line.Begins("→"); going {
				d.Answers = append(d.Answers, strings.TrimSpace(strings.TrimPrefix(line.Text, "→")))
			}
		case going:
			d.Answers[len(d.Answers)-1] += " " + line.Text
		}
	}
}

// AskUser makes d a question of the model: its options are answers that the model made up. Where the question has no question
// mark, it is right above them.
func (d *Dialog) AskUser(keys Keys) *Dialog {
	d.Is(Shape{Name: "ask_user", State: Question, Keys: keys, Means: (*Entry).OfModel})
	if d.Question == "" {
		d.Question = d.Paragraph(max(d.First-2, d.Top, 0), max(d.First-1, 0))
	}
	for i := range d.Entries {
		switch e := &d.Entries[i]; {
		case e.Check != "":
			d.Name = askMulti
		case Starts(e.Label, "Submit answers"):
			d.Name, d.Submits = askReview, i+1
		}
	}
	return d
}

// ownBoxes puts the agent's own box before each label that a model began with one, so that Name takes away the agent's; before any, if all
// labels are told so.
func (d *Dialog) ownBoxes(all bool) {
	for i := range d.Entries {
		e := &d.Entries[i]
		if o := (Option{Label: e.Label, Tick: e.tick()}); all && e.Check != "" || o.Name() != o.Label {
			e.Label = e.Check + " " + e.Label
		}
	}
}
