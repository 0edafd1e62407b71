package detect

import (
	"slices"
	"strings"
	"unicode"
)

// readUnknown reads the screen of an agent that nobody has catalogued, by structure alone.
func readUnknown(name string, s Screen) Reading {
	v := newView(s)
	r := Reading{Agent: name, State: Silent}
	anonymous := agent{name: name}
	r.Text = anonymous.text(v)
	if d, f := unknownDialog(v); f != nil {
		r.Why = append(r.Why, "the agent is not catalogued: read by structure alone")
		return r.with(d, f)
	}
	if c := unknownComposer(v); c != nil {
		r.Composer = c
		r.State = Idle
		r.Why = append(r.Why, "a live input box")
	}
	if unknownWorking(v) {
		r.State = Working
		r.Why = append(r.Why, "the screen says that the agent is at work")
	}
	if r.State == Silent {
		r.Why = append(r.Why, "nothing known is on the screen")
	}
	return r
}

// unknownDialog recognises a block of answers that is the last live thing on the screen: a sentence above
// it, a cursor or printed keys in it, and a footer below it or an answer that says no.
func unknownDialog(v *view) (*dialog, *found) {
	if d, f := typedDialog(v); f != nil {
		return d, f
	}
	return dialogOver(v, v.statusRow)
}

// dialogOver is unknownDialog with the rows that may stand below the dialog.
func dialogOver(v *view, below func(string) bool) (*dialog, *found) {
	b, typed, ok := v.unknownList()
	if !ok {
		return nil, nil
	}
	d, ok := v.dialogAt(b, func(s string) bool {
		if asksLetter(s) {
			typed = true
			return true
		}
		return below != nil && below(s)
	})
	if !ok || v.inputBelow(b.last) {
		return nil, nil
	}
	d.scopes()
	d.dropStrangers()
	if !d.open() {
		return nil, nil
	}
	d.leaveBox()
	d.near()
	if d.question == "" && !d.titled() || d.quotedIn() {
		return nil, nil
	}
	f := &found{
		shape: "prompt", state: Permission, question: d.question, top: d.top,
		menu:    menu{letters: !typed, enter: !typed && d.marked >= 0, digits: !typed && d.marked < 0 && pressesDigits(d.footer), strict: true},
		subject: d.asks(),
	}
	f.partial = d.cutTop || d.hides(d.top, d.first-1)
	f.narrow = (*row).keep
	if d.lasts(f.subject) {
		f.narrow = lastingYes
		f.state = Question
	}
	if !d.clear() {
		f.state = Question
	}
	switch {
	case f.state == Question && d.picker():
		f.state = Overlay
	case f.state == Question && !d.asksSomething():
		return nil, nil
	}
	return d, f
}

// picker reports whether a list is one that a person opened: a heading of a few words that asks nothing, answers
// that are neither yes nor no, and a way to leave.
func (d *dialog) picker() bool {
	q := d.question
	if strings.ContainsAny(q, "?？:.") || strings.Count(q, " ") > 4 || !holds(strings.ToLower(d.footer), "esc") {
		return false
	}
	for i := range d.rows {
		if s := d.rows[i].keep(); s != Other && s != Text {
			return false
		}
	}
	return true
}

// asks is what stands in the dialog besides the question and the answers; where nothing does, the question says
// it all.
func (d *dialog) asks() []string {
	rows := d.body(d.top, d.asked-1, d.margin())
	rows = append(rows, d.body(d.askedEnd+1, d.first-1, d.margin())...)
	if len(rows) == 0 && d.question != "" {
		rows = []string{d.question}
	}
	return rows
}

// open reports whether the answers can be seen to be live: by a cursor, by keys that they print, or, where one
// says yes and one says no, by a footer below them.
func (d *dialog) open() bool {
	if d.marked >= 0 || printsKeys(d.rows) {
		return true
	}
	return isFooter(d.footer) && d.clear()
}

// asksSomething reports whether a list that is no permission blocks the agent: one of its answers says no, or a
// sentence asks and a footer, a frame or a printed key shows that it is live.
func (d *dialog) asksSomething() bool {
	return d.only(No) >= 0 || isFooter(d.footer) || d.marked >= 0 && d.boxed && strings.ContainsAny(d.question, "?？")
}

// pressesDigits reports whether a footer says that the number of an answer chooses it: "Press 1-3".
func pressesDigits(footer string) bool {
	for piece := range splitPieces(strings.ToLower(footer)) {
		if starts(piece, "press 1", "type 1", "use 1", "1-", "1/2", "number key") {
			return true
		}
	}
	return false
}

// asksLetter reports whether s is a line under the answers into which a letter is typed: "Choice [o/s/a/D]:".
func asksLetter(s string) bool {
	return starts(s, "Choice", "Your choice", "Select", "Enter choice") && strings.HasSuffix(s, ":") && len(s) < 40
}

// inputBelow reports whether an input box stands below line last, drawn as one of the known agents does.
func (v *view) inputBelow(last int) bool {
	for i := last + 1; i < len(v.lines); i++ {
		if l := &v.lines[i]; l.kind == rule && l.cells[l.col] == '╹' {
			return true
		}
	}
	c := unknownComposer(v)
	return c != nil && c.Row > last || v.emptyBelow(last)
}

// unknownList is the lowest list of answers in any layout.
func (v *view) unknownList() (b block, typed, ok bool) {
	b, ok = v.list()
	if !ok || b.marked < 0 {
		if a, okA := v.asciiList(); okA && (!ok || a.last >= b.last) {
			b, ok = a, true
		}
	}
	if l, t, okL := v.lastLettered(); okL && (!ok || l.last > b.last || l.last == b.last && !b.numbered) {
		return l, t, true
	}
	if a, okA := v.lastAcross(); okA && (!ok || a.last > b.last) {
		return a, false, true
	}
	if ok && b.marked < 0 && !printsKeys(b.rows) {
		b.marked = v.litAnswer(&b)
		b.colour = b.marked >= 0
	}
	if k, okK := v.keyRow(); okK && (!ok || b.marked < 0 || k.first < b.first) {
		return k, false, true
	}
	return b, false, ok
}

func printsKeys(rows []row) bool {
	for _, r := range rows {
		if len(r.hints) > 0 {
			return true
		}
	}
	return false
}

func allHinted(rows []row) bool {
	for _, r := range rows {
		if len(r.hints) == 0 {
			return false
		}
	}
	return true
}

// lastAcross finds a row of answers side by side of which one carries a cursor, "❯ Approve   Deny", or which
// all print their keys, "Allow (a)   Deny (d)".
func (v *view) lastAcross() (block, bool) {
	for i, l := range v.lowest(6) {
		b := block{first: i, last: i, marked: -1, markCol: l.col, across: true}
		for at := l.col; at < len(l.cells); {
			end := gapAt(l.cells, at)
			start := at
			if cursorRune(l.cells[at]) && end > at+2 {
				if b.marked >= 0 {
					return block{}, false
				}
				b.marked = len(b.rows)
				start = skip(l.cells, at+1)
			}
			r := row{Option: Option{Label: strings.Trim(string(l.cells[start:end]), "[]<> ")}, first: i, last: i, col: start}
			r.Label, r.hints = splitHints(r.Label)
			if !strings.ContainsFunc(r.Label, unicode.IsLetter) || isFooter(r.Label) {
				break
			}
			b.rows = append(b.rows, r)
			at = skip(l.cells, end)
		}
		if b.marked < 0 && !allHinted(b.rows) || len(b.rows) < 2 || len(b.rows) > 6 {
			continue
		}
		for k := range b.rows {
			b.rows[k].Scope = scopeOf(b.rows[k].Label, "", false)
		}
		if b.count(Once) == 1 && b.count(No) >= 1 {
			return b, true
		}
	}
	return block{}, false
}

// scopes reads the scope of every row. Where one answer says no and another leaves, the one that leaves is
// none of both.
func (d *dialog) scopes() {
	for i := range d.rows {
		r := &d.rows[i]
		r.Scope = scopeOf(r.Label, r.note, r.cut)
	}
	if d.count(No) < 2 {
		return
	}
	for i := range d.rows {
		r := &d.rows[i]
		if w := wordsOf(r.Label); r.Scope == No && leaves[w[0]] && d.count(No) > 1 {
			r.leaves = true
			r.Scope = Other
		}
	}
	for i := range d.rows {
		r := &d.rows[i]
		if r.Scope == No && d.count(No) > 1 && holds(strings.ToLower(r.Label), "feedback", "tell ", "suggest", "instruct", "explain", "comment") {
			r.asks, r.Scope = true, Text
		}
	}
}

// lasts reports whether the dialog asks for trust in a folder, or confirms a yes that lasts: no yes to it is
// for once. What asks for trust is looked for beyond the dialog's bounds too, which are a guess.
func (d *dialog) lasts(subject []string) bool {
	words := strings.ToLower(d.question + " " + strings.Join(subject, " "))
	if holds(words, "permanently", "from now on", "always allow", "restarted") {
		return true
	}
	for _, r := range d.rows {
		if w := wordsOf(r.Label); r.Scope == No && (slices.Contains(w, "quit") || slices.Contains(w, "exit")) {
			return true // a no that leaves the program answers a question about all of it
		}
	}
	for i := max(d.first-15, 0); i < d.first; i++ {
		if holds(strings.ToLower(d.lines[i].text), "you trust", "trust this", "trust the", "safety check") {
			return true
		}
	}
	return false
}

// dropStrangers takes rows off the upper end of a list without numbers that say neither yes nor no: what is
// asked about may stand right above the answers, in the same column.
func (d *dialog) dropStrangers() {
	n := 0
	for !d.numbered && !d.across && n < d.marked && len(d.rows)-n > 2 && d.rows[n].Scope == Other {
		n++
	}
	if n == 0 || d.only(Once) < n || d.only(No) < n {
		return
	}
	d.rows, d.marked, d.first = d.rows[n:], d.marked-n, d.rows[n].first
}

var leaves = set("cancel quit exit abort skip dismiss stop")

// clear reports whether exactly one answer says yes once and exactly one says no.
func (d *dialog) clear() bool { return d.only(Once) >= 0 && d.only(No) >= 0 }

// leaveBox looks above a box that holds the answers alone.
func (d *dialog) leaveBox() {
	if !d.boxed {
		return
	}
	for i := d.top; i < d.first; i++ {
		if d.lines[i].kind == text {
			return
		}
	}
	d.boxed, d.top, d.cutTop = false, 0, true
	d.findQuestion()
}

// near bounds a dialog without an edge: it reaches up over few rows, not into the transcript.
func (d *dialog) near() {
	if d.boxed || !d.cutTop {
		return
	}
	blanks := 0
	for i := d.first - 1; i >= 0; i-- {
		l := &d.lines[i]
		if l.kind == blank {
			if blanks++; blanks > 1 && i < d.first-2 {
				d.stopAt(i + 1)
				return
			}
			continue
		}
		blanks = 0
		if l.kind == rule || l.kind == text && l.col <= 2 && transcriptRune(l.cells[l.col]) {
			d.stopAt(i + 1)
			return
		}
	}
}

func (d *dialog) stopAt(i int) {
	d.top, d.cutTop = i, false
	if d.asked < i {
		d.findQuestion()
	}
}

// transcriptRune begins the rows in which agents tell what they did.
func transcriptRune(r rune) bool { return strings.ContainsRune("●•⏺✦◆⎿✓✗›❯>", r) }

// titled takes the paragraph above the answers for the question, where it is a heading of a few words.
func (d *dialog) titled() bool {
	nearest := -1
	for i := d.first - 1; i >= d.top && i > d.first-30; i-- {
		l := &d.lines[i]
		if l.kind != text {
			continue
		}
		if strings.ContainsRune("├└│", l.cells[l.col]) {
			continue // a branch of a tree is no heading
		}
		if nearest < 0 && d.first-i < 6 && (d.boxed || isFooter(d.footer)) {
			nearest = i
		}
		low := strings.ToLower(l.text)
		if strings.HasSuffix(l.text, ":") || holds(low, "permission", "approv", "confirm", "allow", "requires", "required", "dangerous", "choose", "select") {
			d.ask(i, i)
			return true
		}
	}
	if d.boxed {
		if t := d.boxes[d.lines[d.first].box-1].title; t != "" {
			d.question = t
			return true
		}
	}
	if nearest >= 0 {
		d.question = d.lines[nearest].text // which is a part of what is asked about
		if !d.cutTop {
			d.question, _ = d.title()
		}
	}
	return nearest >= 0
}

// margin is the column that the dialog's words begin in.
func (d *dialog) margin() int {
	if d.askedEnd >= d.asked && d.asked < len(d.lines) {
		return d.lines[d.asked].col
	}
	return d.lines[d.first].col
}

// unknownComposer finds an input box as most agents draw it.
func unknownComposer(v *view) *Composer {
	if c := ruledComposer(v, "❯>›", nil); c != nil {
		return c
	}
	return boxedComposer(v, "❯>›", nil)
}

// unknownWorking: a spinner's glyph, or the offer to interrupt.
func unknownWorking(v *view) bool {
	for _, l := range v.lowest(10) {
		low := strings.ToLower(l.text)
		if braille(l) || holds(low, "esc to interrupt", "ctrl+c to interrupt", "ctrl+c to stop", "esc to stop", "esc interrupt") {
			return true
		}
	}
	return false
}
