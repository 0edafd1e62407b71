package screen

import (
	"slices"
	"strings"
	"unicode"
)

// What a yes or a no means is in the question, where the label does not say it.

// inverted reports whether a yes to the question stops something, "Block this command?", "Exit anyway?", or whether its sense is not sure,
// "Is this a mistake?", and the label of the yes does not say what it does. A no may then run the command, so neither y nor n is an answer.
func (d *Dialog) inverted() bool {
	words := d.asked()
	verb := after(words, offering...)
	switch {
	case len(verb) > 0 && stopping[verb[0]]:
		return true
	case !strings.ContainsAny(d.Question, questionMarks) || !d.onlyYes():
		return false
	case slices.ContainsFunc(words, func(w string) bool { return strings.HasSuffix(w, "n't") || negating[w] }):
		return true
	case len(words) == 0 || len(verb) < len(words) || !asking[words[0]]:
		return false
	}
	rest := slices.DeleteFunc(slices.Clone(words[1:]), func(w string) bool { return pronouns[w] })
	if to := slices.Index(rest, "to"); len(rest) > 0 && (rest[0] == "want" || rest[0] == "like") && to+1 < len(rest) {
		rest = rest[to+1:] // "Do you want Claude to run it?"
		return stopping[rest[0]]
	}
	return len(rest) == 0 || !agreeing[rest[0]]
}

// asked are the words of the last sentence of the question, without names of files.
func (d *Dialog) asked() []string {
	q := strings.ToLower(straight.Replace(d.Question))
	if at := strings.LastIndexByte(q, '?'); at > 1 {
		q = q[:at] // behind it are the answers
	}
	q = strings.TrimRight(q, "?: ")
	if i := max(strings.LastIndex(q, ". "), strings.LastIndex(q, "? "), strings.LastIndex(q, "! ")); i >= 0 {
		q = q[i+2:]
	}
	return wordsOf(strings.Join(slices.DeleteFunc(strings.Fields(q), func(w string) bool { return strings.ContainsAny(w, "/.'\"`_") && !strings.HasSuffix(w, "n't") }), " "))
}

// onlyYes reports whether the label that says yes once says no more than that: "Yes", "OK, proceed".
func (d *Dialog) onlyYes() bool {
	yes := onlyOne(len(d.Entries), func(i int) bool { return d.Entries[i].labelScope() == Once })
	if yes < 0 {
		return false
	}
	words := wordsOf(d.Entries[yes].Label)
	rest := after(words, "yes", "ok", "okay", "sure", "y")
	return len(rest) < len(words) && len(after(rest, "proceed", "continue", "go ahead")) == 0
}

// asksForMore reports whether a yes to the question lasts, "Allow rm for this session?", and the label does not say that it is for once.
func (d *Dialog) asksForMore(e *Entry) bool {
	words := d.asked()
	if !strings.ContainsAny(d.Question, questionMarks) || slices.ContainsFunc(wordsOf(e.Label), func(w string) bool { return w == "once" || w == "time" }) {
		return false
	}
	words = after(words, offering...)
	if len(words) > 0 && switching[words[0]] {
		return true
	}
	to := slices.Index(words, "to")
	if to < 2 || len(object(words[to-2:to])) > 0 { // "Allow this command to run in the current folder?"
		to = len(words)
	}
	if len(words) > 0 && !granting[words[0]] { // "Delete all files in this folder?"
		to = 0
	}
	reaches := func(w string) bool { return reachWords[w] }
	return widens(append(slices.Clone(words[:to]), slices.DeleteFunc(slices.Clone(words[to:]), reaches)...)) != ""
}

// byControl reports whether a row of the dialog that is no option may change what the answers mean: a ticked box, a radio button or a switch,
// "[x] Remember this", a heading right above them that makes them last, "For this session:", or, above buttons that take what is chosen, one
// more answer that lasts: which is chosen may not be seen.
func (d *Dialog) byControl() bool {
	end := len(d.Lines)
	if f := d.Frame(); f != nil {
		end = f.Bottom
	}
	option := func(e Entry) bool {
		return d.Across && strings.HasSuffix(e.Label, ":") || e.Scope != No && slices.Equal(e.Hints, []string{"x"}) && d.boxesOn(e.First)
	}
	heading := func(i int) bool {
		return (i == d.First-1 || i == d.First-2 && !d.words(i+1)) && strings.HasSuffix(d.Lines[i].Text, ":") && !d.Lines[i].asks() && widens(wordsOf(d.Lines[i].Text)) != ""
	}
	takes := d.Across && slices.ContainsFunc(d.Entries, takesChosen)
	chosen := func(i int) bool {
		s := scopeOf(d.Lines[i].Text, "", false)
		return takes && i < d.First && (s == Session || s == Always || s == Mode)
	}
	return slices.ContainsFunc(d.Entries, option) || d.LineFrom(d.Top, end, func(i int) bool {
		if d.First <= i && i <= d.Last {
			return d.Across && d.boxesOn(i)
		}
		asked := d.Asked <= i && i <= d.AskedEnd
		return d.words(i) && (d.setsOn(i) || i < d.First && d.Lines[i].radioOn() || heading(i) || chosen(i) || !asked && d.lasts(i))
	}) >= 0
}

// longestControl is the greatest number of words of a row that sets how long the answers last.
const longestControl = 6

// lasts reports whether line i, no option and no question, may set that the answers last: below them, or beside a sign, in a few plain words and
// without an empty box, "✓ Remember this", or, if it is a part of the dialog, in one word behind a colon, "Scope: [Session]", "tab scope: session".
// So may a row that names once and something longer, "[once] [session*]": either may be set.
func (d *Dialog) lasts(i int) bool {
	line, keys := &d.Lines[i], IsFooter(d.Lines[i].Text)
	for _, piece := range footerPieces(line.Text) {
		label, value, _ := strings.Cut(piece, ": ")
		value, _, _ = strings.Cut(value, " (")
		if said := wordsOf(value); len(said) == 1 && widens(said) != "" && (i < d.First || d.Frame() != nil) && (strings.Contains(label, " ") || !keys) {
			return true
		}
	}
	words := wordsOf(line.Text)
	if keys || len(words) > longestControl {
		return false
	}
	bare := strings.FieldsFunc(strings.Join(words, " "), func(r rune) bool { return r == ' ' || isCode(r) })
	if slices.Contains(bare, "once") && (holdsAny(bare, sessionWords) || holdsAny(bare, alwaysWords)) {
		return true
	}
	first, last := line.First(), lastRune(line.Text)
	signed := first > unicode.MaxLatin1 && line.beginsWithSign() || last > unicode.MaxLatin1 && unicode.Is(unicode.So, last)
	lasting := holdsAny(words, alwaysWords) || says(words, "don't ask", "dont ask", "not ask", "stop asking") || signed && says(words, "this session")
	return (i > d.Last || signed) && lasting && plainWords(words) && !Holds(line.Text, "[ ]") && !strings.ContainsAny(line.Text, strings.TrimSpace(emptyBoxes)+hollow)
}

// boxesOn reports whether a ticked box is in line i.
func (l *Layout) boxesOn(i int) bool {
	c := l.Lines[i].cells
	for at := l.Lines[i].Col; at < len(c); at++ {
		box, _ := checkBox(c, at)
		if box == "☑" || len(box) > 2 && box[0] == '[' && strings.ContainsAny(box, filled+"✓✔") && (at == 0 || blankCell(c[at-1])) {
			return true
		}
	}
	return false
}

// setsOn reports whether line i begins or ends with a ticked box, begins with radio buttons, or ends in a switch, "Scope: ‹ session ›".
func (l *Layout) setsOn(i int) bool {
	line := &l.Lines[i]
	_, value, _ := strings.Cut(line.Text, ": ")
	_, radios := l.radiosIn(i)
	_, _, on, button := radioAt(line.cells, line.Col)
	return line.lead.box != "" && l.boxesOn(i) || line.endsInTick() || line.Begins("◉") || radios || button && on || between(value)
}

// endsInTick reports whether a row ends with a ticked box: "Remember this [x]".
func (l *Line) endsInTick() bool {
	last := []rune(l.Text[strings.LastIndexByte(l.Text, ' ')+1:])
	return string(last) == "☑" || len(last) == 3 && last[0] == '[' && in(filled+"✓✔", last[1]) && last[2] == ']'
}

// radioOn reports whether radio buttons stand behind other words of a row, "Scope: ○ once ● session", and one of them is the chosen one. A
// letter in brackets is a key if no other button is in the row.
func (l *Line) radioOn() bool {
	chosen, other := false, false
	for at := l.Col; at < l.end; at++ {
		if at > 0 && !blankCell(l.cells[at-1]) {
			continue
		}
		_, button, on, ok := radioAt(l.cells, at)
		if on && !unicode.IsLetter(l.cells[button+1]) {
			return true
		}
		alone := blankCell(l.at(at + 1))
		chosen, other = chosen || on || alone && in(cursors, l.cells[at]), other || ok && !on || alone && in(hollow, l.cells[at])
	}
	return chosen && other
}

var (
	offering = []string{
		"are you sure you want to", "do you want to", "do you want me to", "would you like to", "would you like me to", "do you really want to", "should i", "shall i", "may i", "can i",
		"really", "ok to", "okay to", "want to", "ready to", "is it ok to", "is it okay to",
	}
	// stopping are verbs by which a thing is not done, or stays as it is.
	stopping = set("block deny cancel stop reject abort refuse disallow prevent forbid exit quit discard decline kill terminate interrupt skip " +
		"keep leave wait hold pause stay ask abandon postpone defer delay")
	negating  = set("not never instead rather")
	asking    = set("is are was were does did has have had any which what why who how when where will would could should do")
	pronouns  = set("you i we me it this that the")
	writing   = set("type write enter other custom chat")
	granting  = set("allow approve accept permit grant trust authorize add always skip let")
	switching = set("enable disable turn switch activate deactivate")
)

// ownAnswer reports whether an option takes words of one's own and refuses nothing: a model made up such a list, whatever its
// other answers say.
func (d *Dialog) ownAnswer() bool {
	return slices.ContainsFunc(d.Entries, func(e Entry) bool {
		words, low := wordsOf(e.Label), strings.ToLower(e.Label)
		return !e.Asks && len(words) > 0 && !Holds(low, "differently", "instead") &&
			(writing[words[0]] || Starts(low, "something else", "none of these", "my own", "own answer"))
	})
}

// marksWords reports whether the marked option asks for words, alone or beside a refusal: "No, and tell Codex what to do differently".
func (d *Dialog) marksWords() bool {
	if d.Marked < 0 {
		return false
	}
	e := &d.Entries[d.Marked]
	return e.Scope == Text || slices.Contains(wordsOf(e.Label), "tell")
}
