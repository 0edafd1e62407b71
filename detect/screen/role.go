package screen

import (
	"fmt"
	"slices"
	"strings"
)

// Role is what a row of a dialog is for. A row without a role is subject: it is shown and hashed, so that no row is left out
// because nobody knew it.
type Role uint8

// The roles of rows.
const (
	Unplaced Role = iota // no agent's file mentions it: it belongs to the subject
	Border               // the line in which the dialog begins, or the edge of a frame
	Title                // fixed words of the agent at the head of the dialog or of its subject
	Drawing              // a rule that this agent draws, and nothing else
	Subject              // the command, file or address itself, which comes first
	Note                 // words that the agent sets apart from it, such as a reason
	Button               // a button below a shortened subject; the agent draws it even if nothing was left out
	Repeat               // the subject once more
	Asked                // the question
	Choice               // an option or its note
	Footer               // a row about keys
	Status               // anything else below: a row of status, an input box
	Beside               // a row of a side panel alone, beside the dialog
	Outside              // not a row of the dialog
)

var roleNames = [...]string{"subject", "edge", "title", "drawing", "subject", "note", "button", "repeat", "question", "option", "footer", "status", "beside", ""}

func (r Role) String() string { return roleNames[r] }

// MarshalText writes a role as people read it.
func (r Role) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads a role as MarshalText writes it. If two roles share a name, it is the later one, which says more.
func (r *Role) UnmarshalText(name []byte) error {
	for i, known := range slices.Backward(roleNames[:]) {
		if known == string(name) {
			*r = Role(i)
			return nil
		}
	}
	return fmt.Errorf("%q is no role of a row", name)
}

// place is what an agent's file says of one row.
type place struct {
	role Role
	run  int    // the run of the subject that it belongs to, from 1 in the order in which runs are shown; 0: none
	mark string // the agent's own mark at its beginning, which is no text
	// spins says that the row moves: only the words that stay in it are kept.
	spins bool
}

// Place gives the rows from first to last a role. A row with words never becomes a drawing, and a row with another role is no
// subject. The order of the calls does not matter, but for subjects: their runs are shown in the order in which they are placed.
func (d *Dialog) Place(role Role, first, last int) {
	if role == Subject && first <= last {
		d.runs++
	}
	for i := max(first, 0); i <= min(last, len(d.Lines)-1); i++ {
		p := &d.places[i]
		switch {
		case role == Drawing && !d.draws(i):
		case role != Subject:
			p.role = role
		default:
			p.run = d.runs
		}
	}
}

// roleOf is the role that a row was given, and the run of the subject that it belongs to; 0: none.
func (p place) roleOf() (role Role, run int) {
	switch {
	case p.role == Unplaced && p.run > 0:
		return Subject, p.run
	case p.role == Button:
		return Button, p.run
	}
	return p.role, 0
}

// draws reports whether line i is a line drawn across, without a word in it.
func (l *Layout) draws(i int) bool {
	line := &l.Lines[i]
	return (line.Kind == Rule || line.Kind == Dashed) && strings.Trim(line.text(line.Col, line.End()), string(line.First())) == ""
}

// Mark says that one of the marks, if line i begins with it, is the agent's own, such as "$ ". It reports whether it does.
func (d *Dialog) Mark(i int, marks ...string) bool {
	for _, mark := range marks {
		if strings.HasPrefix(d.Lines[i].Text, mark) {
			if d.places[i].mark = mark; d.said && i == d.Asked {
				d.Question = strings.TrimPrefix(d.Question, mark)
			}
			return true
		}
	}
	return false
}

// Drawn is one row of a screen, as drawn, and its role.
type Drawn struct {
	Role Role   `json:"role"`
	Text string `json:"text"`
}

// Drawn returns the rows of a screen, without trailing blank ones, with the roles that a reading of it gave to rows.
func (s Screen) Drawn(rows []Drawn) []Drawn {
	drawn := make([]Drawn, s.end())
	above := len(drawn) - len(rows)
	for i := range drawn {
		drawn[i] = Drawn{Outside, s.Rows[i].Text}
		if i >= above && rows[i-above].Text == drawn[i].Text {
			drawn[i].Role = rows[i-above].Role
		}
	}
	return drawn
}

// rowsAround is how many rows above a dialog are shown with it.
const rowsAround = 3

// drawn returns the rows of the screen, from just above the dialog on, each with its role.
func (d *Dialog) drawn() []Drawn {
	roles := d.roles()
	first := max(min(d.edge, d.Top)-rowsAround, 0)
	if at := slices.IndexFunc(roles[:first], func(role Role) bool { return role != Outside }); at >= 0 {
		first = at
	}
	drawn := make([]Drawn, 0, len(roles)-first)
	for i, role := range roles[first:] {
		drawn = append(drawn, Drawn{role, d.screen.Rows[first+i].Text})
	}
	return drawn
}

// furniture returns the rows of the dialog that add nothing to its subject: fixed words and repetitions.
func (d *Dialog) furniture() []FixedRow {
	var rows []FixedRow
	last := d.screen.end() - 1
	for i, role := range d.roles() {
		if (role == Title || role == Repeat) && i <= last {
			rows = append(rows, FixedRow{Up: last - i, Text: d.screen.Rows[i].Text})
		}
	}
	return rows
}

// roles returns the role of each row of the screen, from its top.
func (d *Dialog) roles() []Role {
	roles := make([]Role, len(d.Lines))
	for i := range roles {
		switch {
		case i == d.edge && i < d.Top:
			roles[i] = Border
		case d.Top <= i && i < d.First && d.proven && d.Lines[i].Kind == Blank && lastCell(d.screen.Rows[i].cells) > d.beside:
			roles[i] = Beside
		case i < d.Top, i < d.First && d.Lines[i].Kind == Blank:
			roles[i] = Outside
		case len(d.Entries) > 0 && d.First <= i && i <= d.Last:
			roles[i] = Choice
		case i > d.End:
			roles[i] = Status
		case i >= d.First:
			roles[i] = Footer
		case d.Lines[i].Kind != Words:
			role, _ := d.places[i].roleOf()
			roles[i] = max(role, Border)
		}
	}
	for _, r := range d.told().rows {
		roles[r.line] = r.role
	}
	return roles
}
