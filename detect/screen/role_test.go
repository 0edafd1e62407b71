package screen

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"nod/internal/reason"
)

// dialogs are screens with what each row is taken for, and, behind "=>", what is told: what comes first, and behind a plus sign the rest.
// A case says which rows an agent's file places: by the first word of their text.
var dialogs = []struct {
	name    string
	shape   Shape
	subject string // the row that comes first, and the last one of these
	drawn   string
	screen  string
	told    string
}{
	{"whatever nobody has placed is subject", Shape{}, "", "", `
          | ● Bash(ls)
edge      | ────────────────────────────────────────
subject   | Bash command
subject   | rm -rf build
subject   | # and more
question  | Run it?
option    | ❯ 1. Yes
option    |   2. No
footer    |
footer    | Esc to cancel`, "Bash command\nrm -rf build\n# and more + Run it?"},
	{"fixed words are title and question", Shape{Titles: []string{"Bash command"}, Asks: []string{"Run it?"}}, "", "", `
edge      | ────────────────────────────────────────
title     | Bash command
subject   | rm -rf build
question  | Run it?
option    | ❯ 1. Yes
option    |   2. No`, "rm -rf build + "},
	{"a title is at the head alone", Shape{Titles: []string{"Bash command"}}, "", "", `
edge      | ────────────────────────────────────────
subject   | rm -rf build
subject   | Bash command
question  | Run it?
option    | ❯ 1. Yes
option    |   2. No`, "rm -rf build\nBash command + Run it?"},
	{"what comes first is told first, all else behind it", Shape{}, "$ rm", "", `
edge      | ────────────────────────────────────────
note      | Remove the build
subject   | $ rm -rf build
note      | Reason: it is old
question  | Run it?
option    | ❯ 1. Yes
option    |   2. No`, "rm -rf build + Remove the build\nReason: it is old\nRun it?"},
	{"a rule is a drawing where one is drawn, and words are none", Shape{}, "", "╌╌ echo", `
edge      | ────────────────────────────────────────
drawing   | ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
subject   | rm -rf build
subject   | echo ╌╌╌
question  | Run it?
option    | ❯ 1. Yes
option    |   2. No`, "rm -rf build\necho ╌╌╌ + Run it?"},
}

// TestRoles gives each row of a dialog its role, and tells every row that has none.
func TestRoles(t *testing.T) {
	for _, c := range dialogs {
		var rows, want []string
		for line := range strings.Lines(strings.TrimPrefix(c.screen, "\n")) {
			role, text, _ := strings.Cut(line, "|")
			rows, want = append(rows, strings.TrimSuffix(strings.TrimPrefix(text, " "), "\n")), append(want, strings.TrimSpace(role))
		}
		l := Lay(Parse(strings.Join(rows, "\n")))
		m, _ := l.Menu(Numbered)
		d, ok := l.Dialog(m, nil, false)
		if !ok {
			t.Fatalf("%s: no dialog", c.name)
		}
		d.Shape = c.shape
		for i, row := range rows {
			for _, begins := range strings.Fields(c.drawn) {
				if strings.HasPrefix(row, begins) {
					d.Place(Drawing, i, i)
				}
			}
			if c.subject != "" && strings.HasPrefix(row, c.subject) && d.Mark(i, "$ ") {
				d.Place(Subject, i, i)
			}
		}
		p := d.Prompt("any")
		told := p.Leading() + " + " + strings.TrimPrefix(strings.TrimPrefix(p.Subject, p.Leading()), "\n")
		if told != c.told {
			t.Errorf("%s: %q is told, want %q", c.name, told, c.told)
		}
		for i, role := range d.roles() {
			if role.String() != want[i] {
				t.Errorf("%s: %q is %q, want %q", c.name, rows[i], role, want[i])
			}
		}
	}
}

// TestRolesAreReadAsTheyAreWritten: rows with their roles cross the socket.
func TestRolesAreReadAsTheyAreWritten(t *testing.T) {
	for role := Unplaced; role <= Outside; role++ {
		name, err := role.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var read Role
		if err := read.UnmarshalText(name); err != nil || read.String() != role.String() {
			t.Errorf("%q is read as %v, %v", name, read, err)
		}
	}
	var read Role
	if err := read.UnmarshalText([]byte("owner")); err == nil {
		t.Errorf("an unknown name is read as %v", read)
	}
}

// TestWhatIsSaidOfADialogComesInAnyOrder: where it begins, what heads another one, its rows, its question, its doubts, its field and its shape
// are one description, so that nobody who adds an agent has to know which of them is said first.
func TestWhatIsSaidOfADialogComesInAnyOrder(t *testing.T) {
	lay := Lay(Parse(strings.Join([]string{
		"● Bash(ls)", "────────────", "Run a command", "Go on?", "Run a command", "Reason: it is old", "╌╌╌╌╌╌╌╌╌╌╌╌", "$ rm -rf build", "+ Show details",
		"│ and more", "─────────────────", "› Run it?", "│ Really?", "> soon", "❯ 1. Yes", "  2. No", "", "Esc to cancel",
	}, "\n")))
	m, _ := lay.Menu(Numbered)
	shape := Shape{Name: "run", State: Permission, Titles: []string{"Run a command"}, Asks: []string{"Run it?", "May I?", "Really?"}, Keys: Keys{Digits: true}}
	named := shape
	named.Ask = "May I?"
	says := []func(d *Dialog){
		func(d *Dialog) { d.BeginAt(4) },
		func(d *Dialog) { d.AnotherHead(func(i int) bool { return lay.Lines[i].Text == "Run a command" }) },
		func(d *Dialog) { d.Place(Subject, 6, 10) },
		func(d *Dialog) { d.Place(Drawing, 6, 6); d.Place(Drawing, 10, 10); d.Place(Button, 8, 8) },
		func(d *Dialog) { d.Mark(7, "$ ") },
		func(d *Dialog) { d.Mark(11, "› ") },
		func(d *Dialog) { d.Unbar(func(i int, _ *Line) bool { return i == 9 || i == 12 }) },
		func(d *Dialog) { d.Doubt(reason.DiffShort) },
		func(d *Dialog) { d.Field(13, 14) },
	}
	for _, c := range []struct {
		asks     string
		question []func(d *Dialog)
	}{
		{"Really?", []func(d *Dialog){func(d *Dialog) { d.Is(shape) }}},
		{"May I?", []func(d *Dialog){func(d *Dialog) { d.Is(named) }}},
		{"Run it?", []func(d *Dialog){func(d *Dialog) { d.Is(named) }, func(d *Dialog) { d.Ask(11, 11) }}},
		{"Run it?", []func(d *Dialog){func(d *Dialog) { d.Is(shape) }, func(d *Dialog) { d.AskFrom(11) }}},
		{"Well?", []func(d *Dialog){func(d *Dialog) { d.Is(named) }, func(d *Dialog) { d.AskAs("Well?") }}},
	} {
		first, all := "", slices.Concat(says, c.question)
		for range 500 {
			d, _ := lay.Dialog(m, nil, false)
			order := rand.Perm(len(all))
			for _, n := range order {
				all[n](d)
			}
			p := d.Prompt("any")
			now := fmt.Sprintf("%+v", *p)
			if first == "" {
				first = now
				if p.Leading() != "rm -rf build\n+ Show details\n and more" || p.Title != "Run a command" || p.Question != c.asks || len(p.Doubts) != 2 || p.Typed != "soon" {
					t.Fatalf("%s\n%+v", c.asks, *p)
				}
			}
			if now != first {
				t.Fatalf("%s: said in the order %v it is\n%s\nand else\n%s", c.asks, order, now, first)
			}
		}
	}
}
