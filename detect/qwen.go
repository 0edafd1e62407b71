package detect

import "strings"

// qwen is Qwen Code. Its dialogs were captured from 0.24.4.
var qwen = agent{
	name:     "qwen",
	program:  program{names: []string{"qwen"}, packages: []string{"@qwen-code/qwen-code"}},
	dialog:   qwenDialog,
	overlay:  qwenOverlay,
	composer: func(v *view) *Composer { return ruledComposer(v, ">!*", geminiHint) },
	working:  qwenWorking,
	volatile: qwenVolatile,
	mark:     qwenMark,
}

// qwenMenu: the number of a row chooses it at once, Escape denies in every shape.
var qwenMenu = menu{digits: true, enter: true, escape: true}

func qwenDialog(v *view) (*dialog, *found) {
	b, ok := v.lastNumbered()
	if !ok {
		return nil, nil
	}
	d, ok := v.dialogAt(b, qwenBelow)
	if !ok || !d.pointed("›❯") {
		return nil, nil
	}
	if f := trustFound(d, menu{enter: true}); f != nil && (d.boxed || d.qwenTitle() < 0) {
		return d, f
	}
	at := d.qwenTitle()
	d.top, d.cutTop = max(at, 0), at < 0
	if f := qwenAsk(d, at); f != nil {
		return d, f
	}
	d.askWith("Allow execution of", "Apply this change", "Do you want to ", "Would you like to ")
	if d.question == "" || !d.refusable() || !d.waits() {
		return nil, nil
	}
	return d, qwenTool(d, at)
}

// qwenBelow: the row that says that the agent waits, in whatever language, and the titles of calls that
// wait for their turn.
func qwenBelow(s string) bool {
	r := []rune(s)
	return r[0] > 0x2800 && r[0] < 0x2900 || starts(s, "? ")
}

// waits reports whether the row that says so stands below the answers, in whatever language: it begins with a
// spinner's glyph.
func (d *dialog) waits() bool {
	for i := d.last + 1; i < len(d.lines); i++ {
		if braille(&d.lines[i]) {
			return true
		}
	}
	return false
}

// qwenTitle is the line of the dialog's title, which stands further left than any row of its subject;
// -1 where it is not on the screen.
func (d *dialog) qwenTitle() int {
	for i := d.first - 1; i >= 0; i-- {
		l := &d.lines[i]
		if l.kind != text || l.col > 2 {
			continue
		}
		if starts(l.text, "? ") {
			return i
		}
		return -1
	}
	return -1
}

func qwenAsk(d *dialog, at int) *found {
	if !(at >= 0 && starts(d.lines[at].text, "? AskUserQuestion")) && !holds(d.footer, "Enter: Select", "Space: Toggle") {
		return nil
	}
	f := &found{shape: "ask_user", state: Question, menu: qwenMenu, narrow: asked, top: d.top, question: d.question}
	if f.question == "" {
		f.question = d.paragraph(max(d.first-2, d.top), d.first-1)
	}
	f.subject = d.body(at+1, d.asked-1, d.lines[d.first].col)
	for _, r := range d.rows {
		if r.check != "" {
			f.shape = "ask_user_multi"
		} else if starts(r.Label, "Submit answers") {
			f.shape = "ask_user_review"
		}
	}
	return f
}

// qwenTool is the confirmation of one tool call.
func qwenTool(d *dialog, at int) *found {
	f := &found{shape: "tool_confirmation", state: Permission, question: d.question, menu: qwenMenu, top: d.top}
	change := starts(d.question, "Apply this change")
	f.narrow = func(r *row) Scope {
		if change && (r.Scope == Session || r.Scope == Always) {
			return Mode
		}
		return r.Scope
	}
	f.partial = at < 0 || d.hides(at+1, d.first-1) || d.says(3, "to show more lines") || d.clipped(max(at, 0), d.asked-1)
	if at < 0 {
		f.subject = qwenUntitled(d)
		return f
	}
	end := d.paragraphEnd(at)
	title := make([]string, 0, end-at+1)
	for i := at; i <= end && (i < d.asked || i == at); i++ {
		title = append(title, strings.TrimSpace(strings.Replace(d.lines[i].text, "←", "", 1)))
	}
	name, rest, _ := strings.Cut(strings.TrimPrefix(title[0], "? "), " ")
	body := inner(d.body(end+1, d.asked-1, d.lines[d.asked].col))
	switch {
	case name == "Shell" && len(body) > 0:
		f.subject = body
	case name == "WebFetch" && len(body) > 0:
		f.verb, f.subject = "fetch", body
	case change:
		f.verb, f.subject = "edit", append(append([]string{strings.TrimPrefix(rest, "Writing to ")}, title[1:]...), body...)
	default:
		f.verb, f.subject = "use", append(append([]string{strings.TrimSpace(name + " " + rest)}, title[1:]...), body...)
	}
	return f
}

// qwenUntitled is the subject where the first row of the title is above the screen. A shell's title repeats its
// command, so what is seen of it is no beginning: it is left out where the command stands below it whole, and
// follows it where rows of it are hidden, for then its end may be told by the title alone.
func qwenUntitled(d *dialog) []string {
	margin := d.lines[d.asked].col
	end := -1
	for i := 0; i < d.asked; i++ {
		if l := &d.lines[i]; l.kind == text && l.col < margin+2 { // a command stands two columns further in
			end = d.paragraphEnd(i)
		}
	}
	if !starts(d.question, "Allow execution of: ") || end+1 >= d.asked {
		return d.body(0, d.asked-1, margin)
	}
	command := inner(d.body(end+1, d.asked-1, margin))
	if !d.hides(end+1, d.asked-1) {
		return command
	}
	return append(command, inner(d.body(0, end, margin))...)
}

// clipped reports whether a row may go on under the scrollbar: Qwen cuts rows that it wrapped before the
// scrollbar appeared.
func (d *dialog) clipped(first, last int) bool {
	if d.scrolled == 0 {
		return false
	}
	for i := first; i <= last; i++ {
		if l := &d.lines[i]; l.kind == text && cellsOf(l.cells[:l.end()]) > d.scrolled-6 && !strings.HasSuffix(l.text, "←") {
			return true
		}
	}
	return false
}

func qwenMark(v *view) bool {
	for i := range v.lines {
		l := &v.lines[i]
		if holds(l.text, "Qwen Code", "QWEN.md", "Waiting for user confirmation", "? AskUserQuestion", "Enter to steer", "qwen --continue", "Press ctrl-s to show more lines") {
			return true
		}
		if l.kind == text && l.col <= 3 && starts(l.text, "➜ ") && i > len(v.lines)-5 {
			return true
		}
	}
	return false
}

func qwenOverlay(v *view) string {
	if v.says(4, "Esc to close", "Tab to change focus") {
		return "picker"
	}
	return ""
}

// qwenWorking: the row with the timer may wrap, so its end is looked for alone; the status row changes too.
func qwenWorking(v *view) bool {
	for i := range v.lines {
		l := &v.lines[i]
		if l.kind == text && i > len(v.lines)-14 && (holds(l.text, "· esc to cancel)", "· esc to") || starts(l.text, "Enter to steer") || braille(l)) {
			return true
		}
	}
	return false
}

func qwenVolatile(l *line) bool {
	return braille(l) || l.kind == text && holds(l.text, "· esc to cancel)")
}
