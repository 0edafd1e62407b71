package screen

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"nod/internal/reason"
)

// doubtPart doubts that a permission is shown whole if a key of it shows more, a scrollbar is beside its rows, one of them ends in dots, or in a
// box over other text they fill all room above answers side by side. Nobody has seen what this agent does with text that does not fit.
func (d *Dialog) doubtPart() {
	if d.State != Permission {
		return
	}
	d.reachUp()
	if d.explains(); slices.ContainsFunc(d.explained, func(s string) bool { return strings.ContainsFunc(s, drawsFrame) }) {
		d.Doubt(reason.TextBeside)
	}
	if showsMore(d.Footer) && !d.roomLeft() {
		d.Doubt(reason.KeyShowsMore)
	}
	if d.Frame() == nil && !d.TopUnseen && d.edge > 0 && d.edge == d.Top-1 && d.mayBePrinted(d.edge) {
		d.Doubt(reason.HeadGuessed)
	}
	full := d.atop && d.Across && d.First-1 > max(d.AskedEnd, d.Top) && d.words(d.First-1) // opencode-ai/opencode 0.0.55 clips what has no room there
	if full || d.besideScrollbar() || slices.ContainsFunc(d.boxes, d.covers) || d.LineFrom(d.Top, d.First, d.endsAtEdge) >= 0 {
		d.Doubt(reason.RowsCutOff)
	}
	_, head := d.Head()
	if d.LineFrom(d.Top, d.First, func(i int) bool {
		line := &d.Lines[i]
		asked := d.Asked <= i && i <= d.AskedEnd
		said, _, cut := strings.Cut(line.Text, "…")
		return d.words(i) && (strings.HasSuffix(line.Text, "...") || saysSomething(said) && cut && !d.places[i].spins || !asked && tellsOfRest(line.Text)) || i > head && !asked && in(down, line.First())
	}) >= 0 {
		d.Doubt(reason.LeftOut)
	}
}

// reachUp takes the last words above a dialog into it that names nothing, as a guess: what it is about may be there. If it may be in a frame
// below, nobody could tell two of them apart.
func (d *Dialog) reachUp() {
	if d.Why != "" || !d.namesNothing() {
		return
	}
	if slices.ContainsFunc(d.frames, func(g Region) bool { return g.Top > d.Last && d.HasWords(g.Top, g.Bottom) }) {
		d.atTerminal(reason.KeysUnsure)
	}
	if d.TopUnseen {
		return
	}
	d.Doubt(reason.OnlyHead)
	last := d.LineBefore(min(d.edge, d.Top), d.words)
	if last < 0 {
		return
	}
	if f := d.Frame(); f != nil {
		d.dropEdge(f)
	}
	d.Place(Drawing, d.edge, d.edge)
	d.Top = d.paragraphBegin(last)
	d.edge = d.Top
	d.still()
}

// namesNothing reports whether a dialog holds nothing but a question in plain words, "Do you want to proceed?".
func (d *Dialog) namesNothing() bool {
	rows, _ := d.rows()
	return !slices.ContainsFunc(rows, func(r row) bool {
		return (r.line < d.Asked || r.line > d.AskedEnd) && !strings.Contains(d.Question, strings.TrimSpace(r.text))
	}) && !slices.ContainsFunc(strings.Fields(d.Question), names)
}

// names reports whether a word of a question may be a part of a command, or the name of something: it has other signs than words have.
func names(word string) bool {
	word = strings.Trim(word, questionMarks+".,:;!…()[]")
	return !letterKeys(word) && (strings.HasPrefix(word, "-") || strings.ContainsFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-'’", r)
	}))
}

// explains keeps the words of a dialog that are not above its options: what explains them, and what is below them, in its frame.
func (d *Dialog) explains() {
	for _, e := range d.Entries {
		if d.Across && e.Scope == Other { // text beside the options may pass for one more
			d.explained = append(d.explained, e.Label)
		}
		if e.Note != "" && tmuxKey(e.Note) == "" {
			d.explained = append(d.explained, e.Note)
		}
	}
	if f := d.Frame(); f != nil {
		for i := d.Last + 1; i < f.Bottom; i++ {
			if line := &d.Lines[i]; line.Kind == Words && !IsFooter(line.Text) && !(i <= d.End && IsFooter(d.Lines[i-1].Text)) {
				d.explained = append(d.explained, line.Text)
			}
		}
		if foot := inEdge(rawText(&d.screen.Rows[f.Bottom], f.Left, min(f.Right+1, len(d.screen.Rows[f.Bottom].cells)))); foot != "" && !IsFooter(foot) {
			d.explained = append(d.explained, foot)
		}
	}
}

// tellsOfRest reports whether a row says that there is more than what is shown: it is a sign that is no character of code, "⋮", it goes
// on behind its end, "rm -rf […]", it says where it is in the whole, "1-10 of 24", or it counts or encloses in a few words what is left out.
func tellsOfRest(s string) bool {
	sign := func(r rune) bool {
		return r > unicode.MaxLatin1 && unicode.In(r, unicode.So, unicode.Sm) && !drawsFrame(r)
	}
	if !saysSomething(s) && strings.ContainsFunc(s, sign) || in(down+"›»→…", lastRune(strings.TrimRight(s, ")]>"))) || tellsPlace(s) {
		return true
	}
	bare := strings.Trim(s, "─╌-[]()<>（） ")
	words := wordsOf(bare)
	told := slices.ContainsFunc(words, func(w string) bool { return resting[w] })
	return told && len(words) <= restWords+1 && (bare != s || strings.ContainsAny(s, "0123456789") || showing[words[0]])
}

// tellsPlace reports whether a row is the place of what is shown in the whole: "Lines 1-10 of 24", "(1/3)", "42%".
func tellsPlace(s string) bool {
	words := strings.Fields(strings.Trim(s, "()[]<>─ "))
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789-–") == "" }
	n := len(words)
	switch {
	case n == 0 || n > restWords:
		return false
	case n > 2 && words[n-2] == "of":
		return digits(words[n-3]) && digits(words[n-1]) && words[n-3] != words[n-1]
	}
	from, to, _ := strings.Cut(words[n-1], "/")
	return n < 3 && digits(from) && digits(to) && from != to || n == 1 && strings.HasSuffix(s, "%") && digits(strings.TrimRight(words[0], "%"))
}

// down are signs that point down, to more. One before the first row of a dialog may be its own, "↓ Shell pwd".
const down = "↓▼▾▿⌄⏷⇣⬇"

var (
	resting = set("more hidden below above omitted truncated remaining others rest full all")
	showing = set("show view see expand open")
)

// covers reports whether box f is over rows of the dialog above its options, whose words go on beside it.
func (d *Dialog) covers(f Region) bool {
	return f.Top >= d.Top && f.Bottom < d.First && d.screen.cutsWords(f)
}

// endsAtEdge reports whether line i may go on behind the edge of its frame, or of the pane: it fills its room, and no row goes on with it.
func (d *Dialog) endsAtEdge(i int) bool {
	line, next := &d.Lines[i], &d.Lines[i+1]
	if line.Kind != Words || in(questionMarks+".:!。…╱", lastRune(line.Text)) || drawsFrame(lastRune(line.Text)) || Holds(line.Text, "   ", "… ") { // at the right of a title
		return false
	}
	goesOn := next.Kind == Words && i+1 < d.First && i+1 != d.Asked && next.Col >= line.Col
	if f := d.Frame(); f != nil && i > f.Top {
		return !goesOn && line.End() <= f.Right && line.End() >= f.Right-max(d.Lines[d.NextWords(f.Top+1, d.First)].Col-f.Left-1, 0)
	}
	return !goesOn && d.touchesEdge(i)
}

// mayBePrinted reports whether a command may have printed line i and text above it: the text runs into the line, or the line has no look of
// its own, which commands can't give to theirs.
func (l *Layout) mayBePrinted(i int) bool {
	return l.words(i-1) || l.screen.Rows[i].Style(l.Lines[i].Col) == Style{} && l.HasWords(0, i-1)
}

// showsMore reports whether a footer names a key that scrolls, or draws larger or whole what it is about.
func showsMore(footer string) bool {
	return anyPiece(footer, func(_, piece string) bool {
		return Holds(piece+" ", "scroll", "pgup", "pgdn", "page", "fullscreen", "full screen", "expand", "maximize", " more", " all ", " details", " view", " preview", " show", " full", " diff", " inspect", " zoom", " wrap")
	})
}

// fullGap is the greatest number of blank lines between the options and the block above them in a box that may be full.
const fullGap = 2

// roomLeft reports whether more of the block above the options would have fitted: blank lines are left below it, or it is one short row.
func (d *Dialog) roomLeft() bool {
	end := d.First
	if d.Asked <= d.AskedEnd && d.HasWords(d.Top, d.Asked-1) {
		end = d.Asked // the question is whole
	}
	last := d.AboveBlanks(end-1, d.Top)
	if last < 1 || end-1-last > fullGap {
		return last > 0
	}
	widest := d.Lines[d.First].End()
	for i := d.Top; i < d.First; i++ {
		widest = max(widest, d.Lines[i].End())
	}
	return last > d.Top && d.Lines[last-1].Kind == Blank && d.Lines[last].End()+wrapSlack < widest
}

// besideScrollbar reports whether two rows of the dialog, one below the other, end in one column in a scrollbar, and one of them in its thumb.
func (d *Dialog) besideScrollbar() bool {
	bar := func(i, at int) bool {
		line := &d.Lines[i]
		return line.Kind == Words && line.End()-1 == at && track(line.at(at)) && (at == line.Col || blankCell(line.at(at-1)))
	}
	return d.LineFrom(d.Top+1, d.First, func(i int) bool {
		at := d.Lines[i].End() - 1
		return bar(i-1, at) && bar(i, at) && (d.Lines[i-1].at(at) != '│' || d.Lines[i].at(at) != '│')
	}) >= 0
}

// elided reports whether s says that the agent left something out: it ends in dots, or begins with dots and goes on with words about the
// rest, "… output clipped", "[... 12 rows]", or counts the rest, "(39 rows)", "+39 lines", or has words that agents use for it.
func elided(s string) bool {
	low := strings.ToLower(s)
	if Holds(low, "lines hidden", "more lines", " hidden (ctrl", "view all", "show details", "lines omitted", "(truncated", "lines truncated", "to expand") ||
		strings.HasSuffix(s, "…") {
		return true
	}
	s = strings.TrimLeft(s, "└⎿─ ")
	bare := strings.TrimLeft(s, "[(<+ ")
	rest, dots := strings.CutPrefix(bare, "…")
	if !dots {
		rest, dots = strings.CutPrefix(bare, "... ")
	}
	if next := firstRune(strings.TrimLeft(rest, " +(")); dots {
		return unicode.IsLetter(next) || unicode.IsDigit(next)
	}
	count, what, _ := strings.Cut(strings.TrimRight(bare, ")]>"), " ")
	_, err := strconv.Atoi(count)
	return err == nil && bare != s && what != "" && plainWords(strings.Fields(what)) && strings.Count(what, " ") < restWords
}

// countedBehind reports whether s ends in a count of what it begins, in brackets: "set -e (42 lines)".
func countedBehind(s string) bool {
	at := strings.LastIndexByte(s, '(')
	if at < 1 || !strings.HasSuffix(s, ")") {
		return false
	}
	count, what, ok := strings.Cut(s[at+1:len(s)-1], " ")
	n, err := strconv.Atoi(count)
	return ok && err == nil && n > 1 && !strings.Contains(what, " ") && plainWords([]string{what})
}
