package detect

import "strings"

// goose is Goose, whose lists are drawn by cliclack. It can't be run here: its dialogs are known from other
// projects' sources alone, so they are read by structure, with no key but those that a row prints and a proven
// highlight.
var goose = agent{
	name:    "goose",
	program: program{names: []string{"goose"}},
	dialog:  gooseDialog,
	composer: func(v *view) *Composer {
		for i, l := range v.lowest(2) {
			if starts(l.text, "( O)>") {
				return &Composer{Row: i, Draft: strings.TrimSpace(strings.TrimPrefix(l.text, "( O)>"))}
			}
		}
		return nil
	},
	working: func(v *view) bool { return v.says(6, "(Ctrl+C to interrupt)") },
	mark:    func(v *view) bool { return v.says(30, "oose would like to call the above tool", "( O)>") },
}

// gooseDialog reads the list that cliclack draws: a bar at the left, and a corner with what the marked row does.
func gooseDialog(v *view) (*dialog, *found) {
	v.dropGutter()
	b, ok := v.lastPointed()
	if !ok {
		return nil, nil
	}
	d, ok := v.dialogAt(b, nil)
	if !ok || d.marked < 0 {
		return nil, nil
	}
	d.near()
	if !d.goosed() {
		return nil, nil
	}
	if r := &d.rows[d.marked]; strings.HasSuffix(r.Label, ")") {
		r.Label, r.note, _ = strings.Cut(r.Label, " (") // cliclack explains the marked row, in brackets
	}
	d.scopes()
	return d, &found{
		shape: "tool_confirmation", state: Permission, question: d.question, menu: menu{enter: true}, top: d.top, partial: true,
		subject: d.body(d.top, d.asked-1, 0), narrow: (*row).keep,
	}
}

func (d *dialog) goosed() bool {
	for i := d.first - 1; i >= max(d.first-3, 0); i-- {
		if holds(d.lines[i].text, "would like to call the above tool", "Do you allow this tool call?") {
			d.ask(i, i)
			d.question = strings.TrimSpace(strings.TrimLeft(d.question, "◆◇ "))
			d.call(i)
			return true
		}
	}
	return false
}

// call moves the top of the dialog to the rows above line i that show the call.
func (d *dialog) call(i int) {
	d.top = i
	for d.top > 0 && i-d.top < 40 && !strings.HasPrefix(d.lines[d.top].text, "───") && d.lines[d.top].kind != rule {
		d.top--
	}
}

// dropGutter takes away the bar and the corner at the left of a list.
func (v *view) dropGutter() {
	for i := len(v.lines) - 1; i >= 0; i-- {
		l := &v.lines[i]
		if l.kind != text || l.cells[l.col] != '└' {
			continue
		}
		col := l.col
		for c := range l.cells {
			l.cells[c] = ' '
		}
		l.settle()
		for j := i - 1; j >= 0; j-- {
			up := &v.lines[j]
			if up.kind != text || up.col != col || up.cells[col] != '│' {
				return
			}
			up.cells[col] = ' '
			up.settle()
		}
		return
	}
}
