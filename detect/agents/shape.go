package agents

import (
	"cmp"
	"slices"
	"strings"

	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/text/lazy"
)

// An agent's dialogs are values: how it draws a menu, and the shapes of the dialogs with such a menu. A shape that values can't describe
// has a function.

// asking is one way in which an agent asks: a kind of menu that is the last live thing on the screen.
type asking struct {
	menu   screen.Like                                   // how its options begin; 0: it has none, and is known only by the row of keys at the bottom
	list   func(l *screen.Layout) (screen.Menu, bool)    // its options, where menu does not say it
	popup  func(l *screen.Layout) bool                   // it is in a box over the screen's text, headed by title; rows below that make this true
	part   func(l *screen.Layout) *screen.Layout         // what of the screen it is drawn in; nil: all
	below  func(l *screen.Layout, row string) bool       // which rows may be below it, besides the keys; nil: none
	cursor string                                        // the glyphs that mark the chosen option; empty: any, or none
	framed bool                                          // it is in a frame
	inset  bool                                          // it begins below the rows at the left edge: none of it but its options is there
	barred bool                                          // it is in a panel, behind a bar, and begins with that
	title  string                                        // the words that head the panel or the box; empty: any do
	head   string                                        // the words of the row that begins it: another one further up is doubted; empty: none does
	only   bool                                          // options that are drawn so belong to none of the dialogs after these
	told   bool                                          // above rows that the agent was not seen to draw it is told without keys
	fits   func(l *screen.Layout, d *screen.Dialog) bool // whether it is drawn so, where the values above do not say it; nil: the shapes say it
	titles []string                                      // the words that head these dialogs
	asks   []string                                      // the sentences that they ask
	shapes []shape                                       // which dialog it is: the first that fits
}

// shape is one kind of dialog.
type shape struct {
	screen.Shape
	titled    []string                      // what its first row holds, or its question, where no command can print: one of these at least
	keys      []string                      // what its row of keys holds, one of these at least
	foot      []string                      // how the lowest row of the screen begins
	ask       []string                      // how its question begins
	asks      []string                      // how its question may begin: another one is it too, and none where the dialog's upper end is not seen
	framed    bool                          // it is in a frame
	refusable bool                          // one of its options says no
	set       *screen.Questions             // it is a question of the model as the agent draws those, one page of a set maybe
	lit       func(d *screen.Dialog) bool   // marks the option that a ground shows, if it proves one
	proves    bool                          // where the screen has colours, such a ground proves it
	review    *screen.Questions             // it is the page that reviews the answers to a set, without options
	verbs     []verb                        // what is asked for: the first that fits
	fits      func(d *screen.Dialog) bool   // whether it is this shape, where the values above do not say it; it may place rows
	fix       func(d *screen.Dialog) string // places its rows, and says what is asked for; empty: what verbs, or the Shape, say
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
	if l = a.drawnIn(l); l == nil {
		return nil, false
	}
	m, ok := a.options(l)
	if !ok {
		return nil, false
	}
	for i := range a.shapes {
		d := a.asked(l, m, &a.shapes[i])
		if d == nil && a.unlisted() {
			continue
		}
		if d == nil || !a.isDrawn(l, d) {
			return nil, false
		}
		if !a.shapes[i].fit(d, a) {
			continue
		}
		if a.told {
			d.AboveRows()
		}
		return d, true
	}
	return nil, a.only
}

// drawnIn is the part of a screen that it is drawn in; nil: that is not there.
func (a *asking) drawnIn(l *screen.Layout) *screen.Layout {
	switch {
	case a.popup != nil:
		return l.PopUp(a.title, a.popup)
	case a.part != nil:
		return a.part(l)
	}
	return l
}

// unlisted reports whether its dialogs have no options.
func (a *asking) unlisted() bool { return a.menu == 0 && a.list == nil }

// options are those on a screen; ok is false where it has some, and none are there.
func (a *asking) options(l *screen.Layout) (m screen.Menu, ok bool) {
	switch {
	case a.unlisted():
		return m, true
	case a.list != nil:
		m, ok = a.list(l)
	default:
		m, ok = l.Menu(a.menu)
	}
	return m, ok && !m.Typed
}

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
func (a *asking) isDrawn(l *screen.Layout, d *screen.Dialog) bool {
	switch {
	case a.cursor != "" && !d.PointedBy(a.cursor), a.framed && d.Frame() == nil, a.barred && !a.panelled(d), a.head != "" && !a.headed(d):
		return false
	}
	if a.inset {
		above := atEdge(d, d.First)
		d.BeginIn(above+1, above < 0)
	}
	return a.fits == nil || a.fits(l, d)
}

// atEdge is the nearest row above line i that begins at the left edge; -1: none is seen.
func atEdge(d *screen.Dialog, i int) int {
	return d.LineBefore(i, func(i int) bool { return d.Lines[i].Kind == screen.Words && d.Lines[i].Col == 0 })
}

// headed begins a dialog with its head. It reports whether that is there.
func (a *asking) headed(d *screen.Dialog) bool {
	return begin(d, func(i int) bool { return d.Lines[i].Text == a.head }) >= 0
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
	if s.framed && d.Frame() == nil || len(s.keys) > 0 && !screen.Holds(d.Footer, s.keys...) || s.refusable && !d.Refusable() || len(s.ask) > 0 && !d.AskWith(s.ask...) ||
		len(s.asks) > 0 && !(d.AskWith(s.asks...) || d.Question != "" || d.TopUnseen) || len(s.foot) > 0 && !screen.Starts(lowest(d.Layout), s.foot...) ||
		len(s.titled) > 0 && !titledSo(d, s.titled) {
		return false
	}
	d.Shape = screen.Shape{Titles: a.titles, Asks: a.asks}
	d.Is(s.Shape)
	if s.lit != nil && !s.lit(d) && s.proves && d.Coloured() {
		return false
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
	return true
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

// cutOffBy finds a dialog that is known by a row of its agent alone, where no menu of it can be read. It is drawn in a part of the screen;
// nil: all. Below the row there are none but those about keys, and further options.
func cutOffBy(part func(l *screen.Layout) *screen.Layout, rows ...sign) func(l *screen.Layout) *screen.Dialog {
	return func(l *screen.Layout) *screen.Dialog {
		if part != nil {
			l = part(l)
		}
		if l == nil {
			return nil
		}
		other := func(i int) bool {
			line := &l.Lines[i]
			return line.Kind == screen.Words && !screen.IsFooter(line.Text) && !numberedRow().MatchString(line.Text)
		}
		for _, row := range rows {
			if at := row.on(l); at >= 0 && l.LineFrom(at+1, len(l.Lines), other) < 0 {
				return cutOff(l, -1, at)
			}
		}
		return nil
	}
}

// numberedRow is a row with an option that has a number.
var numberedRow = lazy.MustCompile(`^\d+\. `)

// cutOffUnder finds a dialog by a row of it where the pane has no room for its menu. Between that row and the lowest one of the screen
// there is nothing that is drawn apart, such as an input box.
func cutOffUnder(row, lowest sign) func(l *screen.Layout) *screen.Dialog {
	return func(l *screen.Layout) *screen.Dialog {
		at, end := row.on(l), lowest.on(l)
		rule := func(i int) bool { return l.Lines[i].Kind == screen.Rule }
		if at < 0 || end < at || l.LineFrom(at, end, rule) >= 0 {
			return nil
		}
		first := at
		for _, f := range l.Frames() {
			if f.Top > at {
				return nil
			}
			if at < f.Bottom {
				first = min(first, f.Top+1)
			}
		}
		return cutOff(l, first, end)
	}
}

// cutOff makes a dialog without a menu of the lines from first to last, of which the last is about it. The rest of it is not on the screen.
func cutOff(l *screen.Layout, first, last int) *screen.Dialog {
	d := l.Typing(first, last, screen.Shape{Name: "cut_off", State: screen.Question, Why: reason.OptionsUnseen}, "")
	d.Doubt(reason.RowsCutOff)
	if row := l.Lines[last].Text; strings.HasSuffix(row, "?") {
		d.AskAs(row)
	}
	return d
}

// trustTitles head that question in several agents.
var trustTitles = []string{"o you trust ", "Confirm folder trust"}

// trust is the question whether a folder is trusted. No yes to it is for once.
func trust(keys screen.Keys) screen.Shape {
	return screen.Shape{Name: "trust", State: screen.Question, Verb: "trust", Keys: keys, Means: (*screen.Entry).Lasting}
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

// meaning is the scope of labels that begin so.
type meaning struct {
	begins string
	scope  screen.Scope
}

// means returns the scope of labels by their meanings; of any other label, rest's or, if rest is nil, that of its words.
func means(of []meaning, rest func(*screen.Entry) screen.Scope) func(*screen.Entry) screen.Scope {
	return func(e *screen.Entry) screen.Scope {
		for _, m := range of {
			if screen.Starts(e.Label, m.begins) {
				return m.scope
			}
		}
		if rest != nil {
			return rest(e)
		}
		return e.Scope
	}
}

// otherwise is the scope of options that answer nothing which nod decides.
func otherwise(*screen.Entry) screen.Scope { return screen.Other }

// instead replaces the scopes in of by scope.
func instead(of []screen.Scope, scope screen.Scope) func(*screen.Entry) screen.Scope {
	return func(e *screen.Entry) screen.Scope {
		if slices.Contains(of, e.Scope) {
			return scope
		}
		return e.Scope
	}
}

// The shapes of a dialog whose field takes the words of a denial: with nothing in the field, and with words.
const (
	rejects = "reject"
	tells   = "reject_words"
)

// tellsBy is how words are given with a denial where the number of a row opens their field and Enter sends what is there.
func tellsBy(agent string) []screen.Step {
	return []screen.Step{{Key: screen.Number, Opens: agent + "." + rejects}, {Key: "Enter", Words: agent + "." + tells, Last: true}}
}

// denialField is the prompt of a dialog between two lines whose field takes the words of a denial, which asks so, with what is typed there.
func denialField(l *screen.Layout, first, last int, agent, asks, typed string) *screen.Prompt {
	name := rejects
	if typed != "" {
		name = tells
	}
	return l.Typing(first, last, screen.Shape{Name: name, State: screen.Overlay, Ask: asks}, typed).Prompt(agent)
}
