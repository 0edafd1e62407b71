package screen

import (
	"regexp"
	"strconv"
	"strings"
)

// Questions is how an agent draws its model's questions: a single one, or a set, each on a page of its own.
type Questions struct {
	Keys     Keys     // the keys that answer
	Leaves   string   // words in the row about keys if Escape leaves the question; empty: it always does
	Headings Headings // of a set; zero: it draws none
	Titled   bool     // the dialog's first row is the agent's: without headings, the question is below it
	Boxed    bool     // labels are shown with the box of a check list before them
	Drawn    bool     // as Shape.Boxed
	Numbers  bool     // its rows have numbers from 1 which they do not print, the last takes words, and none is a field yet
	More     bool     // more options may be below those that are seen

	Toggles string // words in the row about keys of a check list; empty: none
	Ticks   string // as Keys.Ticks, of a check list
	Paged   bool   // boxes can be ticked only on a page of a set, and on a single page if Alone sends it
	Leads   string // the key that leads on from a check list; empty: none is proven
	Opens   string // the page that reviews the answers, to which that key leads from a single question; empty: none
	Alone   []Step // send a check list that is no page of a set
	Next    string // words in the row about keys of each page but the last, whose Enter sends all answers; empty: there are none
	Review  Review
	Own     *OwnWords // the row for words of one's own; nil: unknown
}

// Headings is how the row of headings of a set looks, one heading for each question.
type Headings struct {
	Turns        string         // words in the row about keys if there are headings
	Row          int            // the last row of the dialog in which it may be, counted from 1 among rows with words; 0: any
	Begins, Ends string         // the beginning and the end of the row
	Boxes        string         // one of these is before each question; empty: gaps part the headings, and the last is no question
	Each         bool           // gaps part the headings, and the last is a question too
	Mark         string         // before the heading of this page; empty: the heading's look marks it
	Counts       *regexp.Regexp // matches the dialog's first row if that is a count instead of headings: this page, all pages
}

// Review is how the page that reviews the answers of a set looks.
type Review struct {
	Foot   string // the beginning of its row about keys, if that identifies it; empty: a label does
	Head   string // the row above the answers
	Sign   rune   // begins each question; the answer follows an arrow below it
	Arrow  int    // how many columns the arrow is right of the sign
	Parted string // between a heading and its answer, if blank rows part the answers
	Dead   bool   // the numbers that it prints are no keys
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
	d.askUser(Shape{Name: "ask_user", State: Question, Keys: keys, Means: (*Entry).ofModel, Boxed: q.Drawn, NoField: q.Numbers})
	d.More = q.More
	for i := range d.Entries {
		if e := &d.Entries[i]; q.Numbers {
			e.Number, e.Own = i+1, i == len(d.Entries)-1
		}
	}
	at, paged := d.headed(q)
	switch {
	case q.Review.Foot != "" && Starts(d.Footer, q.Review.Foot):
		d.Name, d.answers = askReview, d.answered(&q.Review, at)
		if d.Entries[0].Label == "Submit" && len(d.answers) > 0 && len(d.answers) == d.Pages {
			d.Submits = 1
		}
	case d.Name == askReview:
		d.Keys.Digits, d.answers = d.Keys.Digits && !q.Review.Dead, d.answered(&q.Review, at)
	case d.Name == askMulti && Holds(d.Footer, q.Toggles):
		d.ownBoxes(q.Boxed)
		if d.Keys.Sends = d.sends(q, paged); paged || q.Alone != nil || !q.Paged {
			d.Keys.Ticks = q.Ticks
		}
	case q.Own != nil && q.Own.Open == 0:
		d.ownWords(q.Own, paged)
	}
	if q.Own != nil && q.Own.Open > 0 {
		d.openField(q.Own.Open-1, d.Entries[q.Own.Open-1].Label, q.Own.Hint)
	}
	return paged
}

// sends leads on from a check list, or sends it.
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

// ReviewSet makes d, which has no options, the page that reviews the answers to a set; Enter sends them. It reports whether the
// page lists the answers, and below which line it does.
func (d *Dialog) ReviewSet(q *Questions) (at int, lists bool) {
	d.Is(Shape{Name: askReview, State: Question, Ask: q.Review.Head})
	at, paged := d.headed(q)
	if !paged || d.Page > 0 {
		return at, false
	}
	d.answers = d.answered(&q.Review, at)
	if len(d.answers) == 0 || q.Review.Parted != "" && len(d.answers) != d.Pages {
		return at, false
	}
	d.Keys = Keys{Leaves: true, Sends: []Step{{Key: "Enter", Last: true}}}
	return at, true
}

// headed reads the row of headings. It returns the line below which the question is, the headings or the agent's own row, and
// whether there are headings.
func (d *Dialog) headed(q *Questions) (at int, paged bool) {
	_, at = d.Head()
	if page, pages, counts := q.Headings.counted(d.Lines[at].Text); counts {
		d.Page, d.Pages = page, pages
		return at, pages > 0
	}
	if q.Headings == (Headings{}) || d.TopUnseen && q.Headings.Begins == "" {
		return at, false
	}
	rows := 0
	for i := at; i < d.First && (q.Headings.Row == 0 || rows < q.Headings.Row) && !paged; i++ {
		if d.Lines[i].Kind != Words {
			continue
		}
		rows++
		if page, pages, heads := q.Headings.in(d, i); heads {
			at, paged, d.Page, d.Pages, d.Tabs = i, true, page, pages, d.Lines[i].Text
		}
	}
	if paged || q.Titled && !d.TopUnseen {
		d.Place(Subject, at+1, d.First-1)
	}
	return at, paged
}

// counted reads this page and the number of pages from a row; zeros: it counts wrongly.
func (h *Headings) counted(row string) (page, pages int, ok bool) {
	if h.Counts == nil {
		return 0, 0, false
	}
	m := h.Counts.FindStringSubmatch(row)
	if m == nil {
		return 0, 0, false
	}
	page, _ = strconv.Atoi(m[1])
	pages, _ = strconv.Atoi(m[2])
	if page < 1 || page > pages {
		return 0, 0, true
	}
	return page, pages, true
}

// in reports whether line i is the row of headings, and reads this page and the number of pages from it; 0: it does not prove them.
func (h *Headings) in(d *Dialog, i int) (page, pages int, ok bool) {
	line := &d.Lines[i]
	if !Holds(d.Footer, h.Turns) || !strings.HasPrefix(line.Text, h.Begins) || !strings.HasSuffix(line.Text, h.Ends) || !strings.Contains(line.Text, h.Mark) {
		return 0, 0, false
	}
	if h.Mark != "" {
		page, pages = markedTab(line.Text, h.Mark)
		return page, pages, true
	}
	if h.Boxes != "" {
		page, pages = d.boxedTab(i, h.Boxes)
		return page, pages, true
	}
	switch lit, n := d.litHeading(i); {
	case h.Each:
		return lit, n, lit > 0 && n > 1
	case lit > 0 && n > 1:
		return lit % n, n - 1, true
	}
	return 0, 0, true
}

// markedTab reads headings with a mark before this page's, and a sign behind each answered one. The last is no question.
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

// boxedTab reads headings in line i, each behind one of the boxes. This page's has a ground of its own or is underlined. It
// returns this page, from 1, and the number of pages; 0: another heading is lit, or it is not proven.
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

// litHeading reads headings in line i that gaps part. It returns the one with a ground of its own, from 1, and the number of
// headings; 0: none, or more than one.
func (l *Layout) litHeading(i int) (lit, n int) {
	line := &l.Lines[i]
	var cols []int
	for col := range line.pieces() {
		cols = append(cols, col)
	}
	lit = 1 + onlyOne(len(cols), func(k int) bool { return line.Style(cols[k]).ground() != line.Style(cols[k]-2).ground() })
	return lit, len(cols)
}

// answered are the answers on the page that reviews them, below line at.
func (d *Dialog) answered(r *Review, at int) (answers []string) {
	if r.Sign != 0 {
		return d.behindArrows(r)
	}
	if at = d.NextWords(at+1, d.First); at == d.First || d.Lines[at].Text != r.Head {
		return nil
	}
	for i := at + 1; i < d.First; i++ {
		end := i
		if r.Parted != "" && d.Lines[i].Kind == Words {
			end = d.ParagraphEnd(i)
		}
		if _, answer, ok := strings.Cut(d.Paragraph(i, end), r.Parted); ok && d.Lines[i].Kind == Words {
			answers = append(answers, answer)
		}
		i = end
	}
	return answers
}

// behindArrows are the answers behind arrows. Wrapped rows are further right.
func (d *Dialog) behindArrows(r *Review) (answers []string) {
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
				answers = append(answers, strings.TrimSpace(strings.TrimPrefix(line.Text, "→")))
			}
		case going:
			answers[len(answers)-1] += " " + line.Text
		}
	}
	return answers
}

// askUser makes d a question of the model, who made up its answers. A question without a question mark is right above them.
func (d *Dialog) askUser(s Shape) {
	d.Is(s)
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
}

// ownBoxes puts the agent's own box before each label that the model began with a box, so that Name strips the agent's; if all,
// before every label.
func (d *Dialog) ownBoxes(all bool) {
	for i := range d.Entries {
		e := &d.Entries[i]
		if o := (Option{Label: e.Label, Tick: e.tick()}); all && e.Check != "" || o.Name() != o.Label {
			e.Label = e.Check + " " + e.Label
		}
	}
}
