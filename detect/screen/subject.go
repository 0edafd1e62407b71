package screen

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"nod/internal/reason"
	"nod/internal/text/visible"
)

// What a dialog asks about is every row between its head and its options. An agent's file may say which role a row has (Place), that it
// begins with the agent's own mark (Mark), or which sentences this agent asks. It can't leave a row out because of what it says: all that
// nobody has placed is subject, and is shown and hashed.

// Doubt takes note that a part of what is asked may be missing, and why.
func (d *Dialog) Doubt(kind reason.Kind) { d.doubt(reason.Why{Kind: kind}) }

// DoubtOf is Doubt where the reason is a way of the agent, which is named as its makers write it.
func (d *Dialog) DoubtOf(agent string, kind reason.Kind) {
	d.doubt(reason.Why{Kind: kind, Agent: agent})
}

func (d *Dialog) doubt(why reason.Why) {
	if !slices.Contains(d.doubts, why) {
		d.doubts = append(d.doubts, why)
	}
}

// AnotherHead doubts where the dialog begins if head finds another beginning further up. An answered dialog leaves the screen, so nobody
// draws two; a command may print one, and the real one then is above it.
func (d *Dialog) AnotherHead(head func(i int) bool) { d.heads = append(d.heads, head) }

// headAbove reports whether another beginning is above the one where the dialog begins.
func (d *Dialog) headAbove() bool {
	for i := range min(d.edge, d.First) {
		if slices.ContainsFunc(d.heads, func(head func(i int) bool) bool { return head(i) }) {
			return true
		}
	}
	return false
}

// telling is what a dialog tells: the rows above its options, each with its role.
type telling struct {
	rows []row
	lead []string // what comes first, the rows of a run without the indent that they share
	more string   // what the rows of a Repeat say besides

	beside bool // text is beside them that may belong to them
}

// told gives each row its role. Fixed words of the agent are a title wherever such words head a dialog or its subject, whatever else a row
// is; where nobody has said what comes first, all of it does but the question.
func (d *Dialog) told() telling {
	var t telling
	t.rows, t.beside = d.rows()
	_, head := d.Head()
	runs := max(d.runs, 2)
	for n := range t.rows {
		r := &t.rows[n]
		p := d.places[r.line]
		role, run := p.roleOf()
		asked := d.Asked <= r.line && r.line <= d.AskedEnd
		switch {
		case (r.line == head || role == Title) && slices.Contains(d.Titles, r.text):
			r.role = Title
		case d.runs == 0 && r.line >= d.Top && (!asked || d.askedOn()):
			r.role, r.run = cmp.Or(role, Subject), 1
			if r.line > d.AskedEnd && !d.askedOn() {
				r.run = 2
			}
		case asked && run == 0:
			r.role = Asked
		default:
			r.role, r.run = role, run
		}
		if r.role == Title && !slices.Contains(d.Titles, r.text) {
			r.role = Unplaced // words that are not the agent's
		}
		if r.role == Unplaced {
			r.role = Note // told after what comes first
		}
	}
	for run := 1; run <= runs; run++ {
		t.lead = append(t.lead, d.block(t.rows, run)...)
	}
	d.compareRepeat(&t)
	return t
}

// askedOn reports whether the question goes on behind the sentence that is its head.
func (d *Dialog) askedOn() bool {
	return d.Asked >= 0 && !(d.Asked < d.First && d.places[d.Asked].spins) && d.Paragraph(d.Asked, d.AskedEnd) != d.Question
}

// compareRepeat takes the role from rows that should say the subject once more and say another thing.
func (d *Dialog) compareRepeat(t *telling) {
	var said strings.Builder
	mark := ""
	for _, r := range t.rows {
		if r.role == Repeat {
			said.WriteString(r.text + " ")
			mark = cmp.Or(mark, d.places[r.line].mark)
		}
	}
	more, ok := remainder(strings.TrimPrefix(said.String(), mark), visible.Unspaced(strings.Join(t.lead, "")))
	if ok && mark != "" {
		t.more = more
		return
	}
	for n := range t.rows {
		if t.rows[n].role == Repeat {
			t.rows[n].role = Note
		}
	}
}

// remainder is what a text says besides want, which it must say first: whole, or up to the dots that cut it off. Blanks do not count.
func remainder(text, want string) (more string, ok bool) {
	for i, c := range text {
		switch rest, same := strings.CutPrefix(want, string(c)); {
		case unicode.IsSpace(c):
		case want == "":
			return strings.TrimSpace(text[i:]), true
		case c == '…' && strings.TrimSpace(text[i:]) == "…":
			return "", true
		case !same:
			return "", false
		default:
			want = rest
		}
	}
	return "", want == ""
}

// tell fills in what is asked about.
func (d *Dialog) tell(p *Prompt) {
	t := d.told()
	p.Lead = len(t.lead)
	p.Subject = cmp.Or(strings.Join(append(t.lead, d.notes(&t)...), "\n"), d.Question)
	for _, r := range t.rows {
		if r.role == Title {
			p.Title = strings.TrimSpace(p.Title + " " + r.text)
		}
		p.Rows = append(p.Rows, r.raw)
	}
	for _, e := range d.Entries {
		p.Rows = append(p.Rows, e.Label)
	}
	p.Width = cmp.Or(d.screen.Columns, d.width)
	p.Doubts = d.inDoubt(&t)
	p.Partial = len(p.Doubts) > 0
}

// inDoubt is why a part of what is asked may be missing: what an agent's file doubts, and what the rows themselves show.
func (d *Dialog) inDoubt(t *telling) []reason.Why {
	doubts := slices.Clone(d.doubts)
	if second := (reason.Why{Kind: reason.SecondHead}); !slices.Contains(doubts, second) && d.headAbove() {
		doubts = slices.Insert(doubts, 0, second)
	}
	if d.scrolled > 0 && !d.Scrolls.IsZero() {
		doubts = append(doubts, d.Scrolls)
	}
	for _, doubt := range []struct {
		kind reason.Kind
		is   bool
	}{
		{reason.RowsCutOff, slices.ContainsFunc(t.rows, d.underScrollbar)},
		{reason.TextBeside, t.beside},
		{reason.MayBeCut, slices.ContainsFunc(t.rows, func(r row) bool { return r.hides })},
		{reason.HeadUnseen, d.TopUnseen},
		{reason.LeftOut, slices.ContainsFunc(t.rows, func(r row) bool { return r.role != Button && r.role != Repeat && elided(r.text) })},
	} {
		if why := (reason.Why{Kind: doubt.kind}); doubt.is && !slices.Contains(doubts, why) {
			doubts = append(doubts, why)
		}
	}
	return doubts
}

// block is the rows of one run of the subject, without the indent that they share, and with one blank line where some was between them.
func (d *Dialog) block(rows []row, run int) []string {
	margin, last := -1, -1
	for _, r := range rows {
		if r.run == run && (margin < 0 || r.indent < margin) {
			margin = r.indent
		}
	}
	var lines []string
	for _, r := range rows {
		if r.run != run {
			continue
		}
		if last >= 0 && d.gap(last, r.line) {
			lines = append(lines, "")
		}
		lines = append(lines, strings.Repeat(" ", r.indent-margin)+r.text)
		last = r.line
	}
	return lines
}

// gap reports whether a blank line is between two lines.
func (d *Dialog) gap(above, below int) bool {
	for i := above + 1; i < below; i++ {
		if d.Lines[i].Kind == Blank {
			return true
		}
	}
	return false
}

// notes are the rows that nobody has placed, and the question where it is none of the agent's own, those that a wrap has broken joined.
func (d *Dialog) notes(t *telling) []string {
	fixed := slices.ContainsFunc(d.Asks, func(ask string) bool { return asks(ask, d.Question, t.lead) })
	var notes []string
	last := -2
	for _, r := range t.rows {
		switch {
		case r.run > 0, r.role == Title, r.role == Repeat, r.role == Asked && fixed:
			continue
		case last == r.line-1 && d.wrapped(r.line):
			notes[len(notes)-1] += " " + r.text
		default:
			notes = append(notes, r.text)
		}
		last = r.line
	}
	if t.more != "" {
		notes = append(notes, t.more)
	}
	return notes
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

// elided reports whether s is how an agent says that it left lines out.
func elided(s string) bool {
	low := strings.ToLower(s)
	return Holds(low, "lines hidden", "more lines", " hidden (ctrl", "view all", "[… ", "show details", "lines omitted", "(truncated", "lines truncated", "to expand") ||
		Starts(s, "… +", "…+") || strings.HasSuffix(s, "…")
}
