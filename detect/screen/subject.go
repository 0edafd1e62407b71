package screen

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"nod/internal/reason"
	"nod/internal/text/visible"
)

// The subject of a dialog is every row between its head and its options. An agent's file may give rows a role (Place), name the
// agent's own mark before a row (Mark), and list the sentences that the agent asks. It can't leave a row out: a row without a
// role is subject, and is shown and hashed.

// Doubt records why a part of the subject may be missing.
func (d *Dialog) Doubt(kind reason.Kind) { d.doubt(reason.Why{Kind: kind}) }

// DoubtOf is Doubt for a reason that is peculiar to an agent, named as its makers write it.
func (d *Dialog) DoubtOf(agent string, kind reason.Kind) {
	d.doubt(reason.Why{Kind: kind, Agent: agent})
}

func (d *Dialog) doubt(why reason.Why) {
	if !slices.Contains(d.doubts, why) {
		d.doubts = append(d.doubts, why)
	}
}

// AnotherHead doubts the head of the dialog if head holds for a line further up. An agent draws one dialog at a time, but a
// command may print another, and then the real head is above the printed one.
func (d *Dialog) AnotherHead(head func(i int) bool) { d.heads = append(d.heads, head) }

// headAbove reports whether the head of another dialog is above this one's.
func (d *Dialog) headAbove() bool {
	return slices.ContainsFunc(d.heads, func(head func(i int) bool) bool { return d.LineFrom(0, min(d.edge, d.First), head) >= 0 })
}

// telling is the rows above the options, each with its role.
type telling struct {
	rows []row
	lead []string // the rows that come first; each run without its common indent
	more string   // the words of Repeat rows that are not in the subject

	beside bool // text beside the rows may belong to them
}

// told gives each row its role. The agent's fixed words at the head of the dialog or of its subject are a title, whatever else
// the row is. If no rows were placed as the subject, all rows but the question are.
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
			r.role = Unplaced // these words are not the agent's
		}
		if r.role == Unplaced {
			r.role = Note // shown after the lead
		}
	}
	for run := 1; run <= runs; run++ {
		t.lead = append(t.lead, d.block(t.rows, run)...)
	}
	d.compareRepeat(&t)
	return t
}

// askedOn reports whether the question's lines hold more than the question.
func (d *Dialog) askedOn() bool {
	return d.Asked >= 0 && !(d.Asked < d.First && d.places[d.Asked].spins) && d.Paragraph(d.Asked, d.AskedEnd) != d.Question
}

// compareRepeat turns Repeat rows into notes if they do not repeat the subject.
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

// remainder is the rest of a text behind want. The text must begin with want, whole or cut off by dots; blanks do not count.
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

// tell fills in the subject, title, rows and doubts of p.
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

// inDoubt is why a part of the subject may be missing: the doubts of the agent's file, and those that the rows give.
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
		{reason.LeftOut, slices.ContainsFunc(t.rows, func(r row) bool {
			return r.role != Button && r.role != Repeat && (elided(r.text) || d.State == Permission && countedBehind(r.text))
		})},
	} {
		if why := (reason.Why{Kind: doubt.kind}); doubt.is && !slices.Contains(doubts, why) {
			doubts = append(doubts, why)
		}
	}
	return doubts
}

// block is the rows of one run of the subject without their common indent, with one blank line for each gap between them.
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
		if last >= 0 && d.LineFrom(last+1, r.line, func(i int) bool { return d.Lines[i].Kind == Blank }) >= 0 {
			lines = append(lines, "")
		}
		lines = append(lines, strings.Repeat(" ", r.indent-margin)+r.text)
		last = r.line
	}
	return lines
}

// notes are the rows outside of the lead, with wrapped rows joined. The question is among them unless it is one of the agent's
// fixed sentences.
func (d *Dialog) notes(t *telling) []string {
	fixed := slices.ContainsFunc(d.Asks, func(ask string) bool { return matchesAsk(ask, d.Question, t.lead) })
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
	notes = append(notes, d.explained...)
	if d.asks != "" { // its row is that of the options
		notes = append(notes, d.asks)
	}
	return notes
}

// matchesAsk reports whether a question matches ask. The % in ask matches a line of the subject, or the end of a path in it.
func matchesAsk(ask, question string, subject []string) bool {
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
