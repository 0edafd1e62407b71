package screen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"nod/internal/reason"
)

// Dialogs read by structure alone: those of unknown agents, and those that a known agent's file does not describe.

// AnyDialog recognises a dialog however it is drawn: in the plain rows of the screen, beside a side panel, behind a bar, or as a
// box over other text. If one of its rows is marked, its keys have to prove themselves.
func (l *Layout) AnyDialog() *Dialog {
	if d := l.drawnDialog(); d != nil {
		return d
	}
	d := l.redrawn()
	if d != nil {
		d.atTerminal(reason.KeysUnsure)
	}
	return d
}

// drawnDialog is a dialog as most programs draw one.
func (l *Layout) drawnDialog() *Dialog {
	main, barred := l.parts()
	in := func(read func(*Layout) *Dialog) func() *Dialog { return func() *Dialog { return l.wherever(read) } }
	readers := []func() *Dialog{
		in((*Layout).LiveDialog), l.overInput, barred.liveUnlisted, main.liveUnlisted, main.heldOpen, in((*Layout).Spelled), in((*Layout).waits), in((*Layout).lit),
		main.headless, main.walled,
	}
	for _, read := range readers {
		if d := read(); d != nil {
			d.proveKeys()
			d.doubtPart()
			return d
		}
	}
	return nil
}

// overInput recognises answers right above an input box, which takes the same keys: each prints its own and one says no
// (cline/2.18.0-bash-100x40), or the empty box offers their numbers, "(1-2 or type)" (cline/2.18.0-question-100x40), or their numbers are typed
// behind a bare sign. The person sees them, and nod presses none.
func (l *Layout) overInput() *Dialog {
	open := l.openInput()
	for _, f := range slices.Concat(l.frames, l.ruled, []Region{{Top: max(open, 0), Bottom: open}}) {
		last, words := l.AboveBlanks(f.Top-1, 0), l.Texts(f.Top+1, f.Bottom-1)
		if f.Open || f.Top == 0 || !l.words(last) {
			continue
		}
		m, ok := l.buttonsIn(last)
		if !ok || !m.distinct() {
			m, ok = l.Above(last + 1).anyMenu(nil)
		}
		offered := m.Numbered && len(words) == 1 && Starts(words[0], fmt.Sprintf("(1-%d or ", len(m.Entries))) ||
			(m.Numbered || m.distinct()) && f.Bottom == open && l.typedBelow(&m, open)
		if !ok || m.Last != last || m.keys != "" || !offered && (!m.distinct() || !l.inputBelow(last) && open <= last) {
			continue
		}
		d := l.dialogOver(m, Beneath{End: last})
		d.readScopes()
		d.boundByGaps()
		if no := d.only(No); !offered && (no < 0 || d.Entries[no].leavesProgram()) || d.quoted() {
			return nil
		}
		if d.Question == "" && !d.TakeHeading() {
			d.askNearest()
		}
		d.Name, d.State, d.Why = "prompt", Question, reason.KeysInBox
		return d
	}
	return nil
}

// typedBelow reports whether the number of an answer is typed behind the sign in line i, which is alone in its row: none is marked, and the row
// above the answers asks, or one says yes once and one no. Other numbers above it are what an agent said last.
func (l *Layout) typedBelow(m *Menu, i int) bool {
	above := l.AboveBlanks(m.First-1, 0)
	m.readScopes()
	bare := m.Marked < 0 && width(l.Lines[i].Text) == 1 && !l.beneath(i, nil).Over && !l.inputBelow(i)
	return bare && (m.Clear() || above >= 0 && l.Lines[above].asks())
}

// LiveDialog recognises a menu that is the last live thing on the screen: a sentence above it, a cursor or printed keys in it,
// and a footer below it or an option that says no.
func (l *Layout) LiveDialog() *Dialog {
	if d := l.Typed(); d != nil {
		return d
	}
	return l.chosen()
}

// chosen is LiveDialog for a menu whose answer is chosen, not typed as words.
func (l *Layout) chosen() *Dialog { return l.choice(false) }

// choice is chosen; headless says that what is asked may be above the screen.
func (l *Layout) choice(headless bool) *Dialog {
	list, ok := l.anyMenu(nil)
	if !ok {
		return nil
	}
	if l.markedAbove(list.First) {
		list.doubtLabels()
	}
	answer := l.answerLine(list.Last)
	below := l.beneath(list.Last, func(s string) bool {
		if takesAnswer(s) || namesAnswers(s) {
			list.Typed = true
			return s == answer || countsAnswers(s)
		}
		last := &list.Entries[len(list.Entries)-1]
		return last.Check != "" && (s == "Submit" || s == "Next") // below a check list (claude/2.0.54)
	})
	if below.Over || l.inputBelow(list.Last) {
		return nil
	}
	d := l.dialogOver(list, below)
	d.readScopes()
	guessed := !d.live() // what alone says that they are live is what waits for them
	if guessed && !(d.Clear() && (d.awaited() || d.Numbered && d.Others && !d.Unsure)) {
		return nil
	}
	if d.begin(); d.Question == "" && list.Typed && list.Numbered {
		d.AskAs(answer)
	}
	headed := d.Question != "" || d.TakeHeading()
	if !headed && !headless && (d.awaited() || d.Marked >= 0 && d.Clear()) && d.askNearest() {
		headed, guessed = true, true
	}
	if headed == headless || headless && !d.questionUnseen() || d.isText() && !d.setApart() {
		return nil
	}
	if d.Frame() == nil {
		d.AnotherHead(d.RuleAtEdge)
	}
	d.twinAbove()
	typed := list.Typed || namesAnswers(d.Footer) || d.Marked < 0 && d.entered()
	if d = d.decided(typed); d == nil {
		return nil
	}
	if typed && d.Why == "" {
		d.Why = reason.TypedAnswer
	}
	unsure := guessed || d.State == Permission && d.byControl() || d.besideLine()
	switch newer := below.Unsure || d.Marked < 0 && (d.printsKeys() && l.listAbove(d.First) || d.listBelow()); {
	case d.uniform(), unsure && !newer:
		d.atTerminal(reason.KeysUnsure)
	case newer:
		d.atTerminal(reason.NewerBelow)
	case headless:
		d.atTerminal(reason.QuestionUnseen)
	}
	return d
}

// headlessRows is the greatest number of rows of a menu whose question the pane has no room for, with its keys and status rows.
const headlessRows = 16

// headless recognises a menu at the top of the screen, whose question the pane has no room for.
func (l *Layout) headless() *Dialog {
	if len(l.Lines) > headlessRows {
		return nil
	}
	return l.choice(true)
}

// questionUnseen reports whether what is asked may be above the screen: the answers begin at its top, the keys are below them or a number is
// marked, and one says yes and one no, or the marked one agrees.
func (d *Dialog) questionUnseen() bool {
	if d.LineBefore(d.First, d.words) >= 0 || d.First > 1 {
		return false
	}
	marked, keyed := d.Marked >= 0, IsFooter(d.Footer)
	return d.Clear() && (keyed || marked && d.Numbered) || marked && keyed && d.Entries[d.Marked].Agrees()
}

// listAbove reports whether a numbered option with a cursor is in the words above line first, which may have single blank lines
// between them. Keys that something else prints below that list may mean anything to it.
func (l *Layout) listAbove(first int) bool {
	for i := first - 1; i > 0 && (l.Lines[i].Kind == Words || l.Lines[i].Kind == Blank && l.Lines[i-1].Kind == Words); i-- {
		if l.markedNumber(i) {
			return true
		}
	}
	return false
}

// listBelow reports whether another list or question may be below the options, and take their keys: a switch, numbers that count, a ground
// or a cursor of its own, a kit's question, or rows that explain the last option alone.
func (d *Dialog) listBelow() bool {
	last := len(d.Entries) - 1
	explained := func(e Entry) bool { return e.Last > e.First }
	if !d.Across && last > 0 && explained(d.Entries[last]) && !slices.ContainsFunc(d.Entries[:last], explained) || d.printsKeys() && !d.Numbered && len(d.Entries[last].Hints) == 0 {
		return true
	}
	counted := 0
	return d.LineFrom(d.Last+1, len(d.Lines), func(i int) bool {
		line, s := &d.Lines[i], d.Lines[i].Text
		if line.Kind != Words || i <= d.End && IsFooter(s) {
			return false
		}
		n, _ := strconv.Atoi(strings.Fields(s)[0])
		counts := n > 1 && n == counted+1
		counted = n
		from, to := strings.IndexAny(s, "‹◀◂←⟨▲"), strings.LastIndexAny(s, "›▶▸→⟩▼")
		lit := func(r stretch) bool { return r.style.ground() != "" && r.start < line.End() && r.end > line.Col }
		return counts || from >= 0 && from < to && saysSomething(s[from:to]) || strings.HasSuffix(s, "█") || line.signed() && strings.ContainsAny(s[1:], "?›‣") ||
			slices.ContainsFunc(line.row.runs, lit)
	}) >= 0
}

// StrangeDialog recognises a dialog of a known agent that its file does not describe. If a row is marked, the keys have to prove
// themselves: in some dialogs of known agents a number only ticks, or moves the mark.
func (l *Layout) StrangeDialog() *Dialog {
	d := l.chosen()
	if d == nil {
		d = l.headless()
	}
	if d == nil || d.uniform() || d.Unsure || d.Others && !l.Coloured() || d.Across && d.Marked < 0 && !d.printsKeys() {
		return nil
	}
	d.Keys.Digits = false
	d.proveKeys()
	d.AboveRows()
	d.doubtPart()
	if d.Frame() == nil {
		d.Doubt(reason.StrangeDialog)
	}
	return d
}

// notice makes a dialog one that the person sees and of which nod presses no key.
func (d *Dialog) notice() *Dialog {
	d.Name, d.State, d.Why = "notice", Question, reason.KeysUnsure
	return d
}

// atTerminal removes the keys of a dialog: the person is told, and answers at the terminal.
func (d *Dialog) atTerminal(why reason.Kind) {
	if d.State == Permission {
		d.State = Question
	}
	d.Keys, d.Why = Keys{}, why
}

// decided decides whether a dialog is a permission, a question or an overlay, and which keys its rows prove; nil: it asks nothing.
func (d *Dialog) decided(typed bool) *Dialog {
	d.Name, d.State = "prompt", Permission
	d.Keys = Keys{Letters: !typed, Enter: !typed && d.Marked >= 0, Digits: !typed && d.Numbered && !d.Radio, Strict: true}
	if d.lastsYes() {
		d.State, d.Means = Question, (*Entry).Lasting
	}
	if !d.Clear() || d.ownAnswer() {
		d.State = Question
	}
	if d.marksWords() {
		// Any key may be a letter of an answer.
		d.State, d.Keys, d.Why = Question, Keys{}, reason.MarkTakesWords
		if e := &d.Entries[d.Marked]; d.Marked > 0 && (e.Scope == No || e.Asks) {
			d.State = Overlay // no list begins with the mark there: a person has moved it to write
		}
		return d
	}
	switch {
	case d.State == Question && (d.picks() && !d.ownAnswer() || d.calledFor() || d.writtenOver()):
		d.State = Overlay
	case d.State == Question && !d.asksSomething():
		if !d.goesOffScreen() {
			return nil
		}
		d.atTerminal(reason.NoYes)
	}
	return d
}

// goesOffScreen reports whether further options may be below the pane's edge: one of them is marked, and the label of the last
// that is seen goes on to the last row.
func (d *Dialog) goesOffScreen() bool {
	last := &d.Entries[len(d.Entries)-1]
	return d.Marked >= 0 && last.Last > last.First && last.Last == len(d.screen.Rows)-1
}

// headingBlanks is the greatest number of blanks in a heading: more make a sentence.
const headingBlanks = 4

// picks reports whether a person opened the list: it has a heading of a few words that asks nothing, options that are neither
// yes nor no, and a key to leave.
func (d *Dialog) picks() bool {
	q := d.Question
	tabs := strings.Contains(q, "  ") // a row of headings
	if strings.ContainsAny(q, questionMarks+".") || strings.HasSuffix(q, ":") || strings.Count(q, " ") > headingBlanks && !tabs || !Holds(strings.ToLower(d.Footer), "esc") {
		return false
	}
	return !slices.ContainsFunc(d.Entries, func(e Entry) bool {
		return e.Scope != Other && e.Scope != Text && e.Scope != Mode || e.Cut && scopeOf(e.Label, "", false) == No
	})
}

// calledFor reports whether a person called for the list: the last row above it is their command, "❯ /login", or it completes the one
// that they type, "/ mo" (mastracode 0.32.1), and it does not have one yes and one no.
func (d *Dialog) calledFor() bool {
	if typed, ok := strings.CutPrefix(d.Question, "/"); ok && !d.Clear() && !strings.ContainsAny(strings.TrimSpace(typed), "/ ") {
		return true
	}
	above := d.LineBefore(d.edge, d.words)
	if d.TopUnseen || above < 0 || d.Clear() {
		return false
	}
	words := strings.Fields(d.Lines[above].Text)
	return d.Lines[above].Begins(composerGlyphs) && len(words) > 1 && len(words[1]) > 1 && words[1][0] == '/'
}

// writtenOver reports whether a person moved the mark to the last option, the only one that is no yes, and writes there: no list
// begins with the mark on such an option.
func (d *Dialog) writtenOver() bool {
	last := len(d.Entries) - 1
	if d.Marked < 1 || d.Marked != last || d.only(Once) < 0 || d.Entries[last].Scope != Other || d.Entries[last].Cut {
		return false
	}
	return !slices.ContainsFunc(d.Entries[:last], func(e Entry) bool {
		return !slices.Contains([]Scope{Once, Session, Always, Mode}, e.Scope)
	})
}

// live reports whether the screen proves that the options are live: by a cursor, printed keys, or a footer; or, if one says yes
// and one no, by a frame, a bar, or the different look of one option.
func (d *Dialog) live() bool {
	return d.Marked >= 0 || d.printsKeys() || d.Footer != "" || d.entered() || d.Clear() && (d.Frame() != nil || d.Lines[d.First].Bar || d.varied())
}

// awaited reports whether a row below the options says that the agent waits for its person.
func (d *Dialog) awaited() bool {
	return d.LineFrom(d.Last+1, len(d.Lines), func(i int) bool { return d.words(i) && d.Lines[i].awaits() }) >= 0
}

// asksSomething reports whether a list that is no permission blocks the agent: an option says no, even if its label may go on, or it has a footer, or a
// sentence asks, or the marked option agrees, and a frame, a bar, the look of that option or rows of status below show that the list is live.
func (d *Dialog) asksSomething() bool {
	refuses := func(e Entry) bool { return e.Cut && scopeOf(e.Label, "", false) == No }
	shown := d.Frame() != nil || d.Lines[d.First].Bar || d.setOff() || d.Others && !d.Unsure
	asked := strings.ContainsAny(d.Question, questionMarks)
	return d.only(No) >= 0 || d.Footer != "" || d.entered() || asked && d.Marked < 0 && d.distinct() || d.Marked >= 0 && (slices.ContainsFunc(d.Entries, refuses) ||
		shown && (asked || d.Entries[d.Marked].Agrees()))
}

// entered reports whether the list is one of a kit for prompts, which waits: a sign heads its question, or the number of an
// option is typed below it: right below, or behind a colon.
func (d *Dialog) entered() bool {
	return d.Lines[d.Asked].signed() || d.Menu.Typed && d.Numbered && (d.words(d.Last+1) || strings.HasSuffix(d.answerLine(d.Last), ":"))
}

// statusRows is the greatest number of rows of status below an input box that nothing encloses.
const statusRows = 2

// openInput is the line of an input box that nothing encloses: a sign or a bar with nothing or a hint behind it, and below it only rows of
// status; -1: none. A message of a person's, which begins with such a sign too, is no hint.
func (l *Layout) openInput() int {
	rows := 0
	for i := len(l.Lines) - 1; i >= 0; i-- {
		line := &l.Lines[i]
		switch at := skip(line.cells, line.Col+1); {
		case line.Kind != Words:
		case line.Begins(composerGlyphs + bars):
			if at < len(line.cells) && !line.hinted(at) {
				return -1
			}
			return i
		case rows == statusRows || !line.statusSign():
			return -1
		default:
			rows++
		}
	}
	return -1
}

// trustRows are the lines above the options in which a question about trust is looked for.
const trustRows = 15

// lastsYes reports whether the dialog asks for trust in a folder, or confirms a yes that lasts: no yes to it is for once. Words
// about trust count even a little above the dialog, since its upper end is a guess.
func (d *Dialog) lastsYes() bool {
	words := strings.ToLower(d.Question + " " + d.Paragraph(d.Top, d.First-1))
	if Holds(words, "permanently", "from now on", "always allow", "restarted") {
		return true
	}
	if slices.ContainsFunc(d.Entries, func(e Entry) bool { return e.Scope == No && e.leavesProgram() }) {
		return true // a no that leaves the program answers a question about all of it
	}
	return d.LineFrom(max(d.First-trustRows, 0), d.First, func(i int) bool {
		return Holds(strings.ToLower(d.Lines[i].Text), "you trust", "trust this", "trust the", "safety check")
	}) >= 0
}
