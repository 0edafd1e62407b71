package screen

import (
	"cmp"
	"slices"
	"strings"
)

// What a dialog asks about is every row between its head and its options. An agent's file may say of a row that it is a drawing (a rule where
// that agent draws one), that it begins with the agent's own mark ("$ "), or that it is one of the fixed sentences that this agent
// asks; it may say which rows come first. It can't leave a row out because of what it says: all that nobody has placed is
// subject, and is shown and hashed.

// Reasons why a part of what is asked may be missing.
const (
	headUnseen  = "Where it begins is not on the screen."
	secondHead  = "What looks like the beginning of another question stands above it, so it may begin there."
	textBeside  = "Text stands beside it that may belong to it."
	headGuessed = "Where it begins is a guess: nothing is drawn around it."
	aboveHead   = "What stands right above its head may belong to it."
	leftOut     = "The agent says that it shows only a part of it."
	mayBeCut    = "It holds characters that show nothing, for which an agent may have cut others."
)

// Doubt takes note, as a sentence, that a part of what is asked may be missing.
func (d *Dialog) Doubt(why string) {
	if !slices.Contains(d.doubts, why) {
		d.doubts = append(d.doubts, why)
	}
}

// DoubtHead doubts where the dialog begins.
func (d *Dialog) DoubtHead() { d.Doubt(secondHead) }

// Lead puts the lines from first to last before the other ones: the command, file or address itself.
func (d *Dialog) Lead(first, last int) {
	if first <= last {
		d.lead = append(d.lead, span{first, last})
	}
}

// Drawing says that line i is a drawing of the agent's, at a place where that agent draws it. What holds words is none.
func (d *Dialog) Drawing(i int) {
	line := &d.Lines[i]
	if line.Kind != Rule && line.Kind != Dashed || strings.Trim(line.text(line.Col, line.End()), string(line.First())) != "" {
		return
	}
	if d.drawn == nil {
		d.drawn = map[int]bool{}
	}
	d.drawn[i] = true
}

// Mark says that line i begins with a mark of the agent's own, such as "$ ", where it does. It reports whether it does.
func (d *Dialog) Mark(i int, mark string) bool {
	if !strings.HasPrefix(d.Lines[i].Text, mark) {
		return false
	}
	if d.marks == nil {
		d.marks = map[int]int{}
	}
	d.marks[i] = width(mark)
	return true
}

// AnotherHead doubts where the dialog begins if head finds another beginning further up. An answered dialog leaves the screen, so nobody
// draws two; a command may print one, and the real one then stands above it.
func (d *Dialog) AnotherHead(head func(i int) bool) {
	for i := range min(d.edge, d.First) {
		if head(i) {
			d.Doubt(secondHead)
			return
		}
	}
}

// OneHead doubts where the dialog begins if head finds another beginning anywhere above the options.
func (d *Dialog) OneHead(head func(i int) bool) {
	for i := range d.First {
		if i != d.edge && head(i) {
			d.Doubt(secondHead)
			return
		}
	}
}

// tell fills in what is asked about.
func (d *Dialog) tell(p *Prompt) {
	rows := d.rows()
	lead := d.leading(rows)
	p.Subject, p.Lead = strings.Join(lead, "\n"), len(lead)
	if notes := d.notes(rows, lead); len(notes) > 0 {
		if p.Subject != "" {
			p.Subject += "\n"
		}
		p.Subject += strings.Join(notes, "\n")
	}
	if p.Subject == "" {
		p.Subject = d.Question
	}
	for _, r := range rows {
		if d.fixed(r) {
			p.Title = strings.TrimSpace(p.Title + " " + r.text)
		}
		p.Rows = append(p.Rows, r.raw)
		if r.hides {
			d.Doubt(mayBeCut)
		}
	}
	for _, e := range d.Entries {
		p.Rows = append(p.Rows, e.Label)
	}
	p.Width = cmp.Or(d.screen.Columns, d.width)
	if d.TopUnseen {
		d.Doubt(headUnseen)
	}
	if d.leavesOut(rows, lead) {
		d.Doubt(leftOut)
	}
	p.Doubts, p.Partial = d.doubts, len(d.doubts) > 0
}

// leading are the rows that come first, with the blank ones between them; where nobody has said which do, all of them but the
// fixed ones.
func (d *Dialog) leading(rows []row) []string {
	spans := d.lead
	switch {
	case spans == nil && d.Asked >= 0 && d.Paragraph(d.Asked, d.AskedEnd) != d.Question: // it goes on behind the question
		spans = []span{{d.Top, d.First - 1}}
	case spans == nil:
		spans = []span{{d.Top, d.Asked - 1}, {d.AskedEnd + 1, d.First - 1}}
	}
	var lines []string
	for _, s := range spans {
		lines = append(lines, d.block(rows, s)...)
	}
	return lines
}

// block is the rows of a span, those that head the dialog aside, without the indent that they share.
func (d *Dialog) block(rows []row, s span) []string {
	var of []row
	for _, r := range rows {
		if s.first <= r.line && r.line <= s.last && !d.fixed(r) {
			of = append(of, r)
		}
	}
	if len(of) == 0 {
		return nil
	}
	margin := slices.MinFunc(of, func(a, b row) int { return cmp.Compare(a.indent, b.indent) }).indent
	var lines []string
	for n, r := range of {
		if n > 0 && d.gap(of[n-1].line, r.line) {
			lines = append(lines, "")
		}
		lines = append(lines, strings.Repeat(" ", r.indent-margin)+r.text)
	}
	return lines
}

// gap reports whether a blank line stands between two lines.
func (d *Dialog) gap(above, below int) bool {
	for i := above + 1; i < below; i++ {
		if d.Lines[i].Kind == Blank {
			return true
		}
	}
	return false
}

// notes are the rows that nobody has placed, those that a wrap has broken joined.
func (d *Dialog) notes(rows []row, lead []string) []string {
	var notes []string
	skipped, more := d.repeated(rows, lead)
	last := -2
	for _, r := range rows {
		if d.placed(r.line) || d.fixed(r) || d.asked(r.line, lead) || skipped.first <= r.line && r.line <= skipped.last {
			continue
		}
		if last == r.line-1 && d.wrapped(r.line) {
			notes[len(notes)-1] += " " + r.text
		} else {
			notes = append(notes, r.text)
		}
		last = r.line
	}
	if more != "" {
		notes = append(notes, more)
	}
	return notes
}

// repeated are the lines that say the subject once more, and what they say besides; an empty span where they say another thing.
func (d *Dialog) repeated(rows []row, lead []string) (span, string) {
	if d.repeats != nil {
		if more, ok := d.repeats.remainder(rows, lead); ok {
			return d.repeats.span, more
		}
	}
	return span{0, -1}, ""
}

// placed reports whether a line is among those that come first.
func (d *Dialog) placed(line int) bool {
	if d.lead == nil {
		return d.Top <= line && (line < d.Asked || line > d.AskedEnd)
	}
	return slices.ContainsFunc(d.lead, func(s span) bool { return s.first <= line && line <= s.last })
}

// fixed reports whether a row is the words that head dialogs of this agent.
func (d *Dialog) fixed(r row) bool {
	_, head := d.Head()
	return (r.line == head || d.heading > 0 && r.line == d.heading) && slices.Contains(d.Titles, r.text)
}

// asked reports whether a line belongs to the question, and that is a sentence that this agent asks, of what the subject says.
func (d *Dialog) asked(line int, subject []string) bool {
	if line < d.Asked || line > d.AskedEnd {
		return false
	}
	return slices.ContainsFunc(d.Asks, func(ask string) bool { return asks(ask, d.Question, subject) })
}

// asks reports whether a question is ask, whose % stands for something that a line of the subject says, or ends with as a path does.
func asks(ask, question string, subject []string) bool {
	before, behind, hole := strings.Cut(ask, "%")
	if !hole {
		return question == ask
	}
	part, ok := strings.CutPrefix(question, before)
	if !ok || !strings.HasSuffix(part, behind) || len(part) <= len(behind) {
		return false
	}
	part = strings.TrimSuffix(part, behind)
	return slices.ContainsFunc(subject, func(s string) bool { return s == part || strings.HasSuffix(s, "/"+part) })
}

// leavesOut reports whether a row of the dialog says that the agent shows only part of what is asked.
func (d *Dialog) leavesOut(rows []row, lead []string) bool {
	copied, _ := d.repeated(rows, lead)
	return slices.ContainsFunc(rows, func(r row) bool {
		return !d.buttons[r.line] && !(copied.first <= r.line && r.line <= copied.last) && elided(r.text)
	})
}

// elided reports whether s is how an agent says that it left lines out.
func elided(s string) bool {
	low := strings.ToLower(s)
	return Holds(low, "lines hidden", "more lines", " hidden (ctrl", "view all", "[… ", "show details", "lines omitted", "(truncated", "lines truncated", "to expand") ||
		Starts(s, "… +", "…+") || strings.HasSuffix(s, "…")
}

// Button says that line i is a button that the agent draws under what it shows, whether or not it left anything out: its words
// stay, but they are no word that a part is missing.
func (d *Dialog) Button(i int) {
	if d.buttons == nil {
		d.buttons = map[int]bool{}
	}
	d.buttons[i] = true
}

// Also takes the lines from first to last, above the dialog, for a part of what it asks about.
func (d *Dialog) Also(first, last int) { d.also = append(d.also, span{first, last}) }

// Heading says that line i heads the subject, so that it may be one of the Titles too.
func (d *Dialog) Heading(i int) { d.heading = i }
