package agents

import (
	"cmp"
	"slices"

	"nod/detect/screen"
	"nod/internal/text/lazy"
)

// An agent's dialogs are values: how it draws a menu, and the shapes of the dialogs with such a menu. A shape that values can't describe
// has a function.

// asking is one way in which an agent asks: a kind of menu that is the last live thing on the screen.
type asking struct {
	// Its options.
	menu   screen.Like                                // how they begin; 0: it has none, and is known only by the row of keys at the bottom
	list   func(l *screen.Layout) (screen.Menu, bool) // finds them, where menu does not say it
	cursor string                                     // the glyphs that mark the chosen one; empty: any, or none
	only   bool                                       // options that are drawn so belong to none of the dialogs after these

	// Where it is drawn.
	part   func(l *screen.Layout) *screen.Layout // in this part of the screen; nil: all
	framed bool                                  // in a frame
	inset  bool                                  // below the rows at the left edge: none of it but its options is there
	barred bool                                  // in a panel, behind a bar, and begins with that
	title  string                                // the words that head the panel; empty: any do
	head   string                                // the words of the row that begins it: another one further up is doubted; empty: none does

	// What is below it, besides the keys.
	below func(l *screen.Layout, row string) bool // which rows may be; nil: none
	told  bool                                    // above others it is told without keys

	// Which it is.
	fits   func(d *screen.Dialog) bool // whether it is drawn so, where the values above do not say it; nil: the shapes say it
	titles []string                    // the words that head these dialogs
	asks   []string                    // the sentences that they ask
	shapes []shape                     // the first that fits is the one
}

// shape is one kind of dialog.
type shape struct {
	screen.Shape

	// How it is known.
	titled    []string                    // its first row, or its question, holds one of these, where no command can print
	keys      []string                    // its row of keys holds one of these
	foot      []string                    // the lowest row of the screen begins so
	ask       []string                    // its question begins so
	asks      []string                    // its question may begin so: another one is it too, and none where the dialog's upper end is not seen
	framed    bool                        // it is in a frame
	refusable bool                        // one of its options says no
	lit       func(d *screen.Dialog) bool // marks the option that a ground shows, if it proves one
	fits      func(d *screen.Dialog) bool // whether it is this shape, where the values do not say it; it may place rows

	// What it asks.
	set    *screen.Questions             // a question of the model as the agent draws those, one page of a set maybe
	review *screen.Questions             // whether to send the answers to a set, which it lists, without options
	verbs  []verb                        // to do this with the subject: the first that fits
	fix    func(d *screen.Dialog) string // places its rows, and says what is asked for; empty: what verbs, or the Shape, say
}

// verb is what is asked for where the row that names it begins so, or the question says so.
type verb struct {
	head, asks, verb string
	below            bool // what it is called with is below that row, which says it once more
}

// called is the first of the verbs with which line i begins, as the agent's own mark; zero: it begins with none.
func called(d *screen.Dialog, i int, of []verb) verb {
	for _, v := range of {
		if d.Mark(i, v.head) {
			return v
		}
	}
	return verb{}
}

// dialogs finds the first of these dialogs on a screen; nil: none.
func dialogs(of ...asking) func(l *screen.Layout) *screen.Dialog {
	return func(l *screen.Layout) *screen.Dialog {
		for i := range of {
			if d, drawn := of[i].on(l); drawn {
				return d
			}
		}
		return nil
	}
}

// on is the dialog on a screen; nil: none. drawn says that a menu of this kind is there.
func (a *asking) on(l *screen.Layout) (d *screen.Dialog, drawn bool) {
	if a.part != nil {
		l = a.part(l)
	}
	if l == nil {
		return nil, false
	}
	m, ok := screen.Menu{}, true
	switch {
	case a.list != nil:
		m, ok = a.list(l)
	case a.menu != 0:
		m, ok = l.Menu(a.menu)
	}
	if !ok || m.Typed {
		return nil, false
	}
	for i := range a.shapes {
		d := a.asked(l, m, &a.shapes[i])
		if d == nil && a.unlisted() {
			continue
		}
		if d == nil || !a.isDrawn(d) {
			return nil, false
		}
		if !a.shapes[i].fit(d, a) {
			continue
		}
		d.AboveRows()
		return d, true
	}
	return nil, a.only
}

// unlisted reports whether its dialogs have no options.
func (a *asking) unlisted() bool { return a.menu == 0 && a.list == nil }

// asked is a new dialog of the options, or of the row of keys that a shape has; nil: they are not the last live thing on the screen.
func (a *asking) asked(l *screen.Layout, m screen.Menu, s *shape) *screen.Dialog {
	if a.unlisted() {
		return l.KeysAlone(s.keys...)
	}
	m.Entries = slices.Clone(m.Entries)
	d, _ := l.Dialog(m, func(row string) bool { return a.below != nil && a.below(l, row) }, a.told)
	return d
}

// isDrawn reports whether a dialog is drawn as these are. It begins the dialog with what does.
func (a *asking) isDrawn(d *screen.Dialog) bool {
	switch {
	case a.cursor != "" && !d.PointedBy(a.cursor),
		a.framed && d.Frame() == nil,
		a.barred && !a.panelled(d),
		a.head != "" && begin(d, func(i int) bool { return d.Lines[i].Text == a.head }) < 0:
		return false
	}
	if a.inset {
		above := atEdge(d, d.First)
		d.BeginIn(above+1, above < 0)
	}
	return a.fits == nil || a.fits(d)
}

// atEdge is the nearest row above line i that begins at the left edge; -1: none is seen.
func atEdge(d *screen.Dialog, i int) int {
	return d.LineBefore(i, func(i int) bool { return d.Lines[i].Kind == screen.Words && d.Lines[i].Col == 0 })
}

// panelled begins a dialog with the panel that its options are in. It reports whether there is one, with that title.
func (a *asking) panelled(d *screen.Dialog) bool {
	if !d.Lines[d.First].Bar {
		return false
	}
	top := d.Panel(d.First).Top
	if a.title != "" {
		top, _ = d.PanelTitled(d.First+1, a.title)
		d.AnotherHead(func(i int) bool { return d.Lines[i].Bar && d.Lines[i].Text == a.title })
	}
	d.BeginAt(top)
	return top >= 0
}

// fit reports whether d is of this shape, and gives d the shape.
func (s *shape) fit(d *screen.Dialog, a *asking) bool {
	if !s.looks(d) {
		return false
	}
	d.Shape = screen.Shape{Titles: a.titles, Asks: a.asks}
	d.Is(s.Shape)
	if s.lit != nil {
		s.lit(d)
	}
	if s.set != nil {
		d.AskSet(s.set)
	}
	if s.review != nil {
		d.ReviewSet(s.review)
	}
	if s.fits != nil && !s.fits(d) {
		return false
	}
	s.nameVerb(d)
	return true
}

// looks reports whether the values of a shape fit what d looks like.
func (s *shape) looks(d *screen.Dialog) bool {
	switch {
	case s.framed && d.Frame() == nil,
		len(s.keys) > 0 && !screen.Holds(d.Footer, s.keys...),
		s.refusable && !d.Refusable(),
		len(s.ask) > 0 && !d.AskWith(s.ask...),
		len(s.asks) > 0 && !d.AskWith(s.asks...) && d.Question == "" && !d.TopUnseen,
		len(s.foot) > 0 && !screen.Starts(lowest(d.Layout), s.foot...),
		len(s.titled) > 0 && !titledSo(d, s.titled):
		return false
	}
	return true
}

// nameVerb gives d the first of the verbs that fits, unless the shape's own function places its rows and names another one.
func (s *shape) nameVerb(d *screen.Dialog) {
	head, _ := d.Head()
	for _, v := range s.verbs {
		if v.head != "" && !d.TopUnseen && screen.Starts(head, v.head) || v.asks != "" && screen.Holds(d.Question, v.asks) {
			d.Verb = v.verb
			break
		}
	}
	if s.fix != nil {
		d.Verb = cmp.Or(s.fix(d), d.Verb)
	}
}

// namedFirst places the question first, which names the file, and then the rows above it: for a dialog whose head is above the screen.
func namedFirst(d *screen.Dialog) {
	d.Place(screen.Subject, d.Asked, d.AskedEnd)
	d.Place(screen.Subject, d.Top, d.Asked-1)
}

// lowest is the lowest row of the screen.
func lowest(l *screen.Layout) string {
	_, line := l.LowestRow()
	return line.Text
}

// titledSo reports whether the first row of a dialog, if it is on the screen, or its question holds one of the phrases. If there is no
// question, the row with the phrase becomes it.
func titledSo(d *screen.Dialog, phrases []string) bool {
	title, at := d.Head()
	titled := !d.TopUnseen && screen.Holds(title, phrases...)
	if titled && d.Question == "" {
		d.Ask(at, at)
	}
	return titled || screen.Holds(d.Question, phrases...)
}

// popUp is what is in a box over the screen's text that these words head, with a row below it for which below holds; nil: there is no box.
func popUp(title string, below func(l *screen.Layout) bool) func(l *screen.Layout) *screen.Layout {
	return func(l *screen.Layout) *screen.Layout { return l.PopUp(title, below) }
}

// buttons are options side by side, each with a ground of its own and the letter that chooses it, which have these labels in order. Without
// colours they are found by the labels alone, and have no keys.
func buttons(labels ...string) func(l *screen.Layout) (screen.Menu, bool) {
	return func(l *screen.Layout) (screen.Menu, bool) {
		m, ok := l.Buttons()
		if !ok && !l.Coloured() {
			m, ok = l.Abreast(func(m *screen.Menu) bool { return m.Labelled(labels...) })
		}
		return m, ok && m.Labelled(labels...)
	}
}

// beginning accepts a row below a dialog that begins with one of the prefixes.
func beginning(prefixes ...string) func(*screen.Layout, string) bool {
	return func(_ *screen.Layout, row string) bool { return screen.Starts(row, prefixes...) }
}

// rowLike accepts a row below a dialog that matches the regular expression.
func rowLike(words string) func(*screen.Layout, string) bool {
	like := lazy.MustCompile(words)
	return func(_ *screen.Layout, row string) bool { return like().MatchString(row) }
}

// statusRows accepts the status rows below a dialog if the last one holds these words.
func statusRows(words string) func(*screen.Layout, string) bool {
	return func(l *screen.Layout, row string) bool { return l.Ends(words) && l.Says(screen.StatusRows, row) }
}

// begin begins a dialog with the nearest line above its options for which heads holds, and doubts it if heads holds further up too. It
// returns the line; -1: it is above the screen.
func begin(d *screen.Dialog, heads func(i int) bool) int {
	at := d.LineAbove(heads)
	d.BeginAt(at)
	d.AnotherHead(heads)
	return at
}

// shellRow is the first row from line from on that begins with a shell's sign, the agent's own mark before a command; -1: none.
func shellRow(d *screen.Dialog, from int) int {
	return d.LineFrom(from, d.First, func(i int) bool { return d.Mark(i, "$ ") })
}
