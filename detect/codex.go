package detect

import (
	"fmt"
	"strings"
)

// codex is the Codex CLI. Its dialogs were captured from 0.61.0 and 0.169.0.
var codex = agent{
	name:     "codex",
	program:  program{names: []string{"codex"}, packages: []string{"@openai/codex"}},
	overlay:  codexOverlay,
	dialog:   codexDialog,
	composer: codexComposer,
	working:  codexWorking,
	volatile: codexVolatile,
	mark:     codexMark,
	hint:     codexHinted,
}

// codexMenu: the letter or number of a row acts at once, Escape denies in every shape.
var codexMenu = menu{digits: true, letters: true, enter: true, escape: true}

func codexDialog(v *view) (*dialog, *found) {
	if d, f := codexForm(v); f != nil {
		return d, f
	}
	b, ok := v.lastNumbered()
	if !ok {
		return nil, nil
	}
	d, ok := v.dialogAt(b, nil)
	if !ok || !d.pointed("›") {
		return nil, nil
	}
	d.codexTop()
	for _, shape := range []func(*dialog) *found{codexTrust, codexField, codexApproval} {
		if f := shape(d); f != nil {
			return d, f
		}
	}
	return nil, nil
}

// codexTop: a dialog has no frame. It reaches up to the transcript, whose rows begin at the left edge.
func (d *dialog) codexTop() {
	d.top, d.cutTop = 0, true
	for i := d.first - 1; i >= 0; i-- {
		if l := &d.lines[i]; l.kind == text && l.col == 0 {
			d.top, d.cutTop = i+1, false
			return
		}
	}
}

// highest moves the question to the highest line of the dialog that begins with one of the openings: a
// command that prints the same sentence stands below the real one.
func (d *dialog) highest(openings ...string) bool {
	for i := d.top; i < d.first; i++ {
		if l := &d.lines[i]; l.kind == text && starts(l.text, openings...) {
			last := i
			for last+1 < d.first && !strings.HasSuffix(d.lines[last].text, "?") && d.lines[last+1].kind == text {
				last++
			}
			d.ask(i, last)
			d.top, d.cutTop = i, false
			return true
		}
	}
	return false
}

// codexApproval is the layout of commands, edits, grants and hosts: question, subject, answers at the left edge.
func codexApproval(d *dialog) *found {
	known := d.highest("Would you like to ", "Do you want to ", "Allow ", "Approve ")
	if d.markCol != 0 || !holds(d.footer, "esc to cancel") && !d.refusable() {
		return nil
	}
	if !known && !(d.cutTop && holds(d.footer, "esc to cancel")) {
		return nil
	}
	f := &found{
		shape: "exec", state: Permission, question: d.question, menu: codexMenu, top: d.top, partial: d.cutTop,
		narrow: func(r *row) Scope { return codexScope(d.question, r) },
	}
	if !known {
		f.question = ""
	}
	from := d.askedEnd + 1
	if !known {
		from = d.top
	}
	f.subject = codexBody(d, from)
	f.partial = f.partial || d.hides(from, d.first-1)
	switch q := d.question; {
	case holds(q, "make the following edits"):
		f.shape, f.verb = "edit", "edit"
		codexDiff(d, f)
	case holds(q, "grant these permissions"):
		f.shape, f.verb = "permission_grant", "grant"
		f.why = "Every yes here lasts the whole turn or longer."
		f.menu.escapes = true
	case holds(q, "network access"):
		f.shape, f.verb = "network", "connect"
		f.subject = append([]string{quoted(q)}, f.subject...)
	case holds(q, "send input to"):
		f.shape, f.verb = "terminal_input", "input"
	}
	return f
}

func codexScope(question string, r *row) Scope {
	switch {
	case (r.Scope == Once || r.Scope == Mode) && holds(question, "grant these permissions", "trust"):
		return Session
	case r.Scope == Always && !r.cut && starts(r.Label, "Yes, and don't ask again for this command", "Yes, and don't ask again for these files"):
		return Session
	case r.Scope == Always && r.cut && !holds(r.Label, "commands that start"):
		return Other
	case starts(r.Label, "Back to "):
		return No
	}
	return r.Scope
}

// quoted is the part of s between its first and last double quote.
func quoted(s string) string {
	first, last := strings.IndexByte(s, '"'), strings.LastIndexByte(s, '"')
	if first < 0 || last <= first {
		return s
	}
	return s[first+1 : last]
}

// codexBody is what stands between the question and the answers, without what only the model says of it.
func codexBody(d *dialog, from int) []string {
	var rows []string
	reason := false
	for _, r := range d.body(from, d.first-1, 2) {
		switch {
		case starts(r, "Reason: "):
			reason = true
			continue
		case r == "":
			reason = false
		case reason, r == "Environment: local", starts(r, "Description: "):
			continue
		}
		if len(rows) == 0 {
			if r == "" {
				continue
			}
			r = strings.TrimPrefix(strings.TrimPrefix(r, "$ "), "Destination: ")
		}
		rows = append(rows, r)
	}
	return rows
}

// codexDiff adds the diff, which newer versions leave in the transcript above the question.
func codexDiff(d *dialog, f *found) {
	for _, r := range f.subject {
		if holds(r, " (+") {
			return
		}
	}
	for i := d.asked - 1; i >= 0; i-- {
		l := &d.lines[i]
		if l.kind != text || l.col != 0 {
			continue
		}
		if !starts(l.text, "• ") || !holds(l.text, "(+") {
			break
		}
		rows := d.body(i+1, d.asked-1, 2)
		if n := len(rows); n > 0 && strings.TrimSpace(rows[n-1]) == "+ Show details" && wholeDiff(l.text, rows[:n-1]) {
			rows = rows[:n-1] // the row stands there whether lines are left out or not
		} else {
			f.partial = f.partial || d.hides(i, d.asked-1)
		}
		f.subject = append(append(f.subject, strings.TrimPrefix(l.text, "• ")), rows...)
		f.top = i
		return
	}
	f.subject = append(f.subject, d.body(d.top0(), d.asked-1, 2)...)
	f.partial = true
}

// wholeDiff reports whether as many rows were added and removed as the head of a diff counts, "(+2 -0)".
func wholeDiff(head string, rows []string) bool {
	added, removed := 0, 0
	for _, r := range rows {
		mark := strings.TrimLeft(strings.TrimSpace(r), "0123456789")
		switch {
		case starts(mark, " +"):
			added++
		case starts(mark, " -"):
			removed++
		}
	}
	return strings.HasSuffix(head, fmt.Sprintf("(+%d -%d)", added, removed))
}

// top0 is the first line under the transcript's last row above the question.
func (d *dialog) top0() int {
	for i := d.asked - 1; i >= 0; i-- {
		if l := &d.lines[i]; l.kind == text && l.col == 0 {
			return i + 1
		}
	}
	return 0
}

// codexField is the layout of MCP tools, elicitations and the model's own questions: a counter, a text, answers.
func codexField(d *dialog) *found {
	at := -1
	for i := d.top; i < d.first; i++ {
		if starts(d.lines[i].text, "Field ", "Question ") && holds(d.lines[i].text, "/") {
			at = i
			break
		}
	}
	mcp := false
	for i := max(at+1, d.top); i < d.first && !mcp; i++ {
		if starts(d.lines[i].text, "Allow ") && d.highestFrom(i, "Allow ") {
			mcp = holds(d.question, " MCP server to run tool ")
		}
		if d.lines[i].kind == text {
			break
		}
	}
	submits := holds(d.footer, "enter to submit")
	if !submits || at < 0 && d.markCol == 0 {
		return nil
	}
	f := &found{state: Question, menu: codexMenu, top: max(at, d.top), partial: at < 0 || d.hides(at, d.first-1)}
	f.menu.letters = false
	switch {
	case mcp:
		f.shape, f.state, f.verb, f.question = "mcp", Permission, "use", d.question
		f.subject = append([]string{quoted(d.question)}, d.body(d.askedEnd+1, d.first-1, 2)...)
		return f
	case at >= 0 && starts(d.lines[at].text, "Question "):
		f.shape, f.narrow = "ask_user", asked
	default:
		f.shape = "elicitation"
	}
	f.question = d.paragraph(at+1, d.paragraphEndBefore(at+1))
	f.subject = d.body(d.paragraphEndBefore(at+1)+1, d.first-1, 2)
	return f
}

// highestFrom asks with the paragraph that begins in line i.
func (d *dialog) highestFrom(i int, openings ...string) bool {
	if !starts(d.lines[i].text, openings...) {
		return false
	}
	last := i
	for last+1 < d.first && !strings.HasSuffix(d.lines[last].text, "?") && d.lines[last+1].kind == text {
		last++
	}
	d.ask(i, last)
	return true
}

// paragraphEndBefore is the last line of the paragraph that begins in line i, above the answers.
func (d *dialog) paragraphEndBefore(i int) int {
	return min(d.paragraphEnd(max(i, 0)), d.first-1)
}

// codexForm is an elicitation whose answer is typed: no list, only the form's own footer.
func codexForm(v *view) (*dialog, *found) {
	for i, l := range v.lowest(1) {
		if !isFooter(l.text) || !holds(l.text, "enter to submit answer") {
			return nil, nil
		}
		for at := i - 1; at >= 0 && at > i-30; at-- {
			if !starts(v.lines[at].text, "Field ", "Question ") {
				continue
			}
			if _, ok := v.lastNumberedFrom(at); ok {
				return nil, nil
			}
			end := v.paragraphEnd(at + 1)
			d := &dialog{view: v, block: block{first: i, last: i, marked: -1}, top: at, end: i, footer: l.text}
			return d, &found{
				shape: "elicitation_form", state: Question, question: v.paragraph(at+1, end), top: at, text: true,
				subject: v.body(end+1, i-1, 2),
			}
		}
	}
	return nil, nil
}

// lastNumberedFrom is the lowest numbered list, if it stands below line at.
func (v *view) lastNumberedFrom(at int) (block, bool) {
	b, ok := v.lastNumbered()
	return b, ok && b.first > at
}

func codexTrust(d *dialog) *found {
	for i := 0; i < d.first; i++ {
		s := d.lines[i].text
		if !starts(s, "Trust this folder?", "Do you trust the contents of this directory?") {
			continue
		}
		m := codexMenu
		m.digits = !holds(d.footer, "enter continue")
		first := i
		for first > 0 && d.lines[first-1].kind != rule && i-first < 5 && !starts(d.lines[first].text, "Folder access", "> You are in") {
			first--
		}
		return &found{
			shape: "trust", state: Question, question: firstSentence(d.paragraph(i, d.paragraphEndBefore(i))), verb: "trust",
			subject: d.body(first, i-1, 2), menu: m, top: first,
			narrow: func(r *row) Scope { return codexScope("", &row{Option: Option{Label: r.Label, Scope: lastingYes(r)}}) },
		}
	}
	return nil
}

func firstSentence(s string) string {
	if head, _, ok := strings.Cut(s, "?"); ok {
		return head + "?"
	}
	return s
}
