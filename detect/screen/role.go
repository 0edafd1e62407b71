package screen

import (
	"fmt"
	"slices"
	"strings"
)

// Role says what a row of a dialog is. A row without one is subject: it is shown and hashed, so that no row is left out because
// nobody knew it.
type Role uint8

// The roles of rows.
const (
	Unplaced Role = iota // nobody has said what it is: it is a part of what is asked about
	Border               // where the dialog begins, or the side of a frame
	Title                // fixed words of the agent, which head the dialog or its subject
	Drawing              // a rule where this agent draws one, and nothing else
	Subject              // the command, file or address itself, which comes first
	Note                 // what the agent sets apart from it, such as a reason
	Button               // a button that the agent draws under what it shows, whether or not it left anything out
	Repeat               // says the subject once more
	Asked                // the sentence that is asked
	Choice               // an option, and what explains it
	Footer               // what keys do
	Status               // what else is below: a row of status, an input box
	Outside              // no row of the dialog
)

var roleNames = [...]string{"subject", "edge", "title", "drawing", "subject", "note", "button", "repeat", "question", "option", "footer", "status", ""}

func (r Role) String() string { return roleNames[r] }

// MarshalText writes a role as people read it.
func (r Role) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads a role as MarshalText writes it. Of two with one name it is the later one, which says more.
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
	run  int    // which run of rows of the subject it belongs to, in the order in which they are told; 0: none
	mark string // how it begins, which is the agent's mark and no text
	// spins says that only what stays in it is kept.
	spins bool
}

// Place says what the rows from first to last are. Words are no drawing, and a row that is said to be something else is no subject, whatever
// is said first: only the runs of the subject are told in the order in which they are placed.
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

// roleOf is the role that a row was given, which what it is besides a part of the subject tells, and the run of the subject that it belongs
// to; 0: to none.
func (p place) roleOf() (role Role, run int) {
	switch {
	case p.role == Unplaced && p.run > 0:
		return Subject, p.run
	case p.role == Button:
		return Button, p.run
	}
	return p.role, 0
}

// draws reports whether line i is drawn across without a word in it.
func (l *Layout) draws(i int) bool {
	line := &l.Lines[i]
	return (line.Kind == Rule || line.Kind == Dashed) && strings.Trim(line.text(line.Col, line.End()), string(line.First())) == ""
}

// Mark says that line i begins with a mark of the agent's own, such as "$ ", where it does. It reports whether it does.
func (d *Dialog) Mark(i int, marks ...string) bool {
	for _, mark := range marks {
		if strings.HasPrefix(d.Lines[i].Text, mark) {
			d.places[i].mark = mark
			return true
		}
	}
	return false
}

// Drawn is one row of a screen, as it is drawn, and its role.
type Drawn struct {
	Role Role   `json:"role"`
	Text string `json:"text"`
}

// Drawn are the rows of a screen above its trailing blank ones, with the roles that rows, those of a reading of it, have.
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

// rowsAround is how many rows above a dialog are shown with its own.
const rowsAround = 3

// drawn are the rows of the screen from just above the dialog, each with its role.
func (d *Dialog) drawn() []Drawn {
	roles := d.roles()
	first := max(min(d.edge, d.Top)-rowsAround, 0)
	for i, role := range roles[:first] {
		if role != Outside {
			first = i
			break
		}
	}
	drawn := make([]Drawn, 0, len(roles)-first)
	for i, role := range roles[first:] {
		drawn = append(drawn, Drawn{role, d.screen.Rows[first+i].Text})
	}
	return drawn
}

// furniture are the rows of the dialog that say nothing of what is asked about.
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

// roles are the roles of all rows of the screen, from its top.
func (d *Dialog) roles() []Role {
	roles := make([]Role, len(d.Lines))
	for i := range roles {
		switch {
		case i == d.edge && i < d.Top:
			roles[i] = Border
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
