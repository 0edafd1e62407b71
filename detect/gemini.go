package detect

import "strings"

// gemini is the Gemini CLI. Its dialogs were captured from 0.61.0.
var gemini = agent{
	name:     "gemini",
	program:  program{names: []string{"gemini"}, packages: []string{"@google/gemini-cli"}},
	overlay:  geminiOverlay,
	dialog:   geminiDialog,
	composer: geminiComposer,
	working:  geminiWorking,
	volatile: geminiVolatile,
	mark:     geminiMark,
}

// geminiMenu: the number of a row chooses it at once, Escape denies in every shape.
var geminiMenu = menu{digits: true, enter: true, escape: true}

func geminiDialog(v *view) (*dialog, *found) {
	b, ok := v.lastNumbered()
	if !ok {
		return geminiReview(v)
	}
	d, ok := v.dialogAt(b, nil)
	if !ok || !d.pointed("●") || !d.boxed {
		return geminiReview(v)
	}
	if f := trustFound(d, menu{enter: true}); f != nil {
		return d, f
	}
	if f := geminiAsk(d); f != nil {
		return d, f
	}
	if !d.refusable() || !d.askWith("Allow ", "Apply ", "Do you want to ") && d.question == "" && !d.cutTop {
		return nil, nil
	}
	return d, geminiTool(d)
}

// trustFound is the question whether a folder is trusted, which no yes answers only once.
func trustFound(d *dialog, m menu) *found {
	for i := d.top; i < d.first; i++ {
		s := d.lines[i].text
		if holds(s, "o you trust ", "Confirm folder trust") {
			q := d.question
			if q == "" {
				q = s
			}
			return &found{
				shape: "trust", state: Question, question: q, subject: d.body(d.top, d.first-1, d.lines[i].col), menu: m,
				narrow: lastingYes, top: d.top, verb: "trust",
			}
		}
	}
	return nil
}

func geminiAsk(d *dialog) *found {
	title, at := d.title()
	if !starts(title, "Answer Questions") && !holds(d.footer, "Enter to select") {
		return nil
	}
	f := &found{shape: "ask_user", state: Question, question: d.question, menu: geminiMenu, narrow: asked, top: d.top}
	if f.question == "" {
		f.question = d.paragraph(max(d.first-2, at), d.first-1)
	}
	f.subject = d.body(at+1, d.asked-1, d.lines[at].col)
	for _, r := range d.rows {
		if r.check != "" {
			f.shape = "ask_user_multi"
		}
	}
	return f
}

// geminiTool is the confirmation of one tool call: a title with the tool's name, the subject, the question.
func geminiTool(d *dialog) *found {
	f := &found{shape: "tool_confirmation", state: Permission, question: d.question, menu: geminiMenu, top: d.top}
	change := starts(d.question, "Apply this change")
	f.narrow = func(r *row) Scope {
		if change && (r.Scope == Session || r.Scope == Always) {
			return Mode
		}
		return r.Scope
	}
	margin := d.lines[d.first].col
	if d.asked < d.first {
		margin = d.lines[d.asked].col
	}
	f.partial = d.cutTop || d.hides(d.top, d.first-1)
	name, rest, at := d.toolTitle()
	if at < 0 {
		f.partial = true
		f.subject = inner(d.body(d.top, d.asked-1, margin))
		return f
	}
	body := d.body(at+1, d.asked-1, margin)
	body = inner(body)
	switch {
	case name == "Shell" && len(body) > 0:
		f.subject = body
		f.partial = d.cutTop || d.hides(at+1, d.asked-1)
	case change:
		f.verb = "edit"
		f.subject = append([]string{strings.TrimPrefix(rest, "Writing to ")}, body...)
	case name == "WebFetch":
		f.verb = "fetch"
		f.subject = body
		f.partial = d.cutTop || d.hides(at+1, d.asked-1)
	default:
		f.verb = "use"
		f.subject = append([]string{strings.TrimSpace(name + " " + rest)}, body...)
	}
	return f
}

// inner takes one blank off rows that all begin with one: the inside of a box that stands in the dialog.
func inner(rows []string) []string {
	least := -1
	for _, r := range rows {
		if r == "" {
			continue
		}
		if n := len(r) - len(strings.TrimLeft(r, " ")); least < 0 || n < least {
			least = n
		}
	}
	if least < 1 {
		return rows
	}
	for i, r := range rows {
		if r != "" {
			rows[i] = r[min(least, 2):]
		}
	}
	return rows
}

// toolTitle reads the row that names the tool: "? Shell  touch x", "?  rig_touch (rigmcp MCP Server) {…}". The
// line is -1 where it is not on the screen. How many calls wait ("1 of 2") is left out.
func (d *dialog) toolTitle() (name, rest string, at int) {
	for i := d.top; i < d.first && i < d.top+4; i++ {
		s, ok := strings.CutPrefix(d.lines[i].text, "? ")
		if !ok {
			continue
		}
		s = strings.TrimSpace(s)
		if head, tail, ok := cutLast(s, "  "); ok && waiting(tail) {
			s = strings.TrimSpace(head)
		}
		name, rest, _ = strings.Cut(s, " ")
		return name, strings.TrimSpace(rest), i
	}
	return "", "", -1
}

func cutLast(s, sep string) (string, string, bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// waiting reports whether s is "1 of 2".
func waiting(s string) bool {
	words := strings.Fields(s)
	return len(words) == 3 && words[1] == "of" && len(words[0]) < 3 && len(words[2]) < 3
}

// geminiReview is the last tab of several questions: no list, only what Enter does.
func geminiReview(v *view) (*dialog, *found) {
	for i, l := range v.lowest(1) {
		if !isFooter(l.text) || !starts(l.text, "Enter to submit") || l.box == 0 {
			break
		}
		d := &dialog{view: v, block: block{first: i, last: i, marked: -1}, end: i, footer: l.text}
		d.findTop()
		return d, &found{
			shape: "ask_user_review", state: Question, question: "Review your answers:", subject: d.body(d.top, i-1, l.col), top: d.top,
		}
	}
	return nil, nil
}

func geminiMark(v *view) bool {
	for i := range v.lines {
		if holds(v.lines[i].text, "GEMINI.md", "Gemini CLI", "No, suggest changes (esc)", "Allow execution of [", "Answer Questions", "workspace (/directory)", "Trust folder (") &&
			!holds(v.lines[i].text, "QWEN") {
			return !qwenMark(v)
		}
	}
	return false
}

func geminiOverlay(v *view) string {
	if v.says(4, "Tab to change focus, Esc to close", "Enter to select, Tab to change focus", "change focus, Esc to close") {
		return "picker"
	}
	return ""
}

func geminiComposer(v *view) *Composer {
	if c := boxedComposer(v, ">!*", geminiHint); c != nil {
		return c
	}
	for i, l := range v.lowest(8) {
		if l.col > 2 || !strings.ContainsRune(">!*", l.cells[l.col]) || len(l.cells) > l.col+1 && l.cells[l.col+1] != ' ' {
			continue
		}
		for j := i - 1; j >= 0 && j > i-6; j-- {
			if v.lines[j].kind == rule {
				return v.composed(i, i, geminiHint)
			}
		}
		return nil
	}
	return nil
}

func geminiHint(s string) bool { return starts(s, "Type your message") }

// geminiWorking: "⠼ Thinking... (esc to cancel, 3s)", "⠼ Executing Hooks: …".
func geminiWorking(v *view) bool {
	for _, l := range v.lowest(12) {
		if holds(l.text, "(esc to cancel") || braille(l) {
			return true
		}
	}
	return false
}

// braille reports whether a line begins with a spinner's glyph.
func braille(l *line) bool {
	return l.kind == text && l.cells[l.col] > 0x2800 && l.cells[l.col] < 0x2900
}

func geminiVolatile(l *line) bool { return braille(l) || holds(l.text, "(esc to cancel") }
