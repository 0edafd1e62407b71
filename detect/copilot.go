package detect

import "strings"

// copilot is the GitHub Copilot CLI. Its dialogs were captured from 1.0.102.
var copilot = agent{
	name:     "copilot",
	program:  program{names: []string{"copilot"}, packages: []string{"@github/copilot"}},
	overlay:  copilotOverlay,
	dialog:   copilotDialog,
	composer: func(v *view) *Composer { return ruledComposer(v, "❯>", copilotHint) },
	working:  copilotWorking,
	volatile: copilotVolatile,
	mark:     copilotMark,
}

// copilotMenu: a digit chooses its row at once, but the row that begins with No opens a text field: only
// Escape denies.
var copilotMenu = menu{digits: true, enter: true, escape: true, escapes: true}

func copilotDialog(v *view) (*dialog, *found) {
	b, ok := v.list()
	if !ok {
		return nil, nil
	}
	d, ok := v.dialogAt(b, nil)
	if !ok || !d.pointed("❯") {
		return nil, nil
	}
	if !d.numbered {
		return copilotAsk(d)
	}
	if f := trustFound(d, menu{enter: true}); f != nil {
		f.narrow = func(r *row) Scope {
			if r.Scope == Once {
				return Session
			}
			return r.Scope
		}
		return d, f
	}
	if !d.boxed || !holds(d.footer, "esc to", "Esc to", "Cancel with Esc") {
		return nil, nil
	}
	if !d.askWith("Do you want to ", "Allow ") && d.question == "" && !d.cutTop {
		return nil, nil
	}
	if !d.agreeable() {
		return d, copilotChoice(d)
	}
	return d, copilotTool(d)
}

// agreeable reports whether one of the answers says yes or no: the model's own questions look like permissions
// otherwise, in 1.0.47.
func (d *dialog) agreeable() bool {
	for _, r := range d.rows {
		if agrees(r.Label) {
			return true
		}
	}
	return d.refusable()
}

// copilotChoice is a question of the model with numbered answers, as 1.0.47 draws it.
func copilotChoice(d *dialog) *found {
	return &found{shape: "ask_user", state: Question, question: d.question, menu: menu{enter: true}, narrow: asked, top: d.top}
}

func copilotTool(d *dialog) *found {
	f := &found{
		shape: "tool_confirmation", state: Permission, question: d.question, menu: copilotMenu, top: d.top, partial: d.cutTop || d.hides(d.top, d.asked-1),
		narrow: func(r *row) Scope {
			if starts(r.Label, "No, and tell ") {
				return Text
			}
			return r.Scope
		},
	}
	title, at := d.title()
	margin := d.lines[d.first].col
	if d.asked < d.first {
		margin = d.lines[d.asked].col
	}
	switch q := d.question; {
	case d.cutTop:
		at--
	case holds(q, "create "):
		f.verb = "create"
	case holds(q, "edit ", "modify"):
		f.verb = "edit"
	case holds(q, "use this tool"):
		f.verb = "use"
		f.subject = []string{title}
	case holds(q, "allow this"):
		f.verb = "allow"
	}
	f.subject = append(f.subject, inner(d.body(at+1, d.asked-1, margin))...)
	if d.cutTop && holds(d.question, "create ", "edit ") {
		f.subject = append([]string{lastField(d.question)}, f.subject...)
	}
	return f
}

// lastField is the last word of a question, the file that it asks about.
func lastField(question string) string {
	words := strings.Fields(strings.TrimSuffix(question, "?"))
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

// copilotAsk is a question of the model: rows without numbers between two lines.
func copilotAsk(d *dialog) (*dialog, *found) {
	if !holds(d.footer, "enter accept", "enter to select", "enter submit", "space toggle", "enter to accept") {
		return nil, nil
	}
	title, at := d.title()
	f := &found{shape: "ask_user", state: Question, question: d.question, menu: menu{enter: true}, narrow: asked, top: d.top}
	if starts(title, "Copilot needs") {
		f.subject = d.body(at+1, d.asked-1, 1)
	}
	if f.question == "" {
		f.question = d.paragraph(max(d.first-2, d.top), d.first-1)
	}
	for _, r := range d.rows {
		if r.check != "" {
			f.shape = "ask_user_multi"
		}
	}
	return d, f
}

func copilotHint(s string) bool { return starts(s, "Enter @ to mention", "Describe a task") }

func copilotMark(v *view) bool {
	for i := range v.lines {
		if holds(v.lines[i].text, "tell Copilot", "Copilot needs information", "GitHub Copilot", "Copilot v", "[Current]  Sessions", "← open sidebar", "Manual Approval · ", "Confirm folder trust", "Allow directory access") {
			return true
		}
	}
	return false
}

// copilotOverlay: the row that begins with No becomes a text field when the highlight reaches it. Keys are
// letters of the feedback then.
func copilotOverlay(v *view) string {
	b, ok := v.lastNumbered()
	if !ok || b.marked < 0 || !starts(b.rows[b.marked].Label, "No, and tell ") {
		return ""
	}
	if _, ok := v.dialogAt(b, nil); ok {
		return "feedback is being typed"
	}
	return ""
}

func copilotWorking(v *view) bool {
	return v.says(2, "esc interrupt", "Working ·", "esc esc edit prompt", "(Esc to cancel")
}

func copilotVolatile(l *line) bool {
	return l.kind == text && holds(l.text, "Working ·", "esc interrupt")
}
