package detect

import "strings"

// claude is Claude Code. Its dialogs were captured from 1.0.128, 2.0.54 and 2.1.329.
var claude = agent{
	name:     "claude",
	program:  program{names: []string{"claude"}, packages: []string{"@anthropic-ai/claude-code"}},
	overlay:  claudeOverlay,
	dialog:   claudeDialog,
	composer: claudeComposer,
	working:  claudeWorking,
	volatile: claudeVolatile,
	mark:     claudeMark,
	hint:     claudeHinted,
}

// claudeMenu: a digit takes its row at once, Enter the marked one, Escape denies in every shape.
var claudeMenu = menu{digits: true, enter: true, escape: true}

func claudeDialog(v *view) (*dialog, *found) {
	if d, f := claudeNotice(v); f != nil {
		return d, f
	}
	b, ok := v.list()
	if !ok {
		return nil, nil
	}
	d, ok := v.dialogAt(b, claudeBelow)
	if !ok || !d.pointed("❯") && !v.says(2, "❯ Chat about this") {
		return nil, nil
	}
	for _, shape := range []func(*dialog) *found{claudeSetup, claudeTrust, claudeAsk, claudePlan, claudeElicitation, claudeTool} {
		if f := shape(d); f != nil {
			return d, f
		}
	}
	return nil, nil
}

// claudeBelow: a dialog may be taller than the window, and says so above its footer. 2.1.10 has the last answer to
// a question below a line of its own, without a number.
func claudeBelow(s string) bool {
	return strings.TrimPrefix(s, "❯ ") == "Chat about this" || strings.HasPrefix(s, "↑ ") && strings.HasSuffix(s, " more lines") || starts(s, "Auto-selecting in ")
}

// claudeTool is the confirmation of one tool call: title, subject, question, answers, footer.
func claudeTool(d *dialog) *found {
	if d.question == "" || d.markCol < 1 && d.footer == "" || holds(d.footer, "to navigate") || !d.adjacent() {
		return nil
	}
	if !d.refusable() && !holds(d.footer, "Esc to cancel", "Esc to exit") {
		return nil
	}
	f := &found{
		shape: "tool_confirmation", state: Permission, question: d.question, menu: claudeMenu, top: d.top,
		narrow: func(r *row) Scope {
			if starts(r.Label, "Yes, and don't ask again for", "Yes, and don’t ask again for") {
				return Always
			}
			return r.Scope
		},
	}
	f.menu.digits, f.menu.escapes = d.numbered, !d.numbered
	if holds(d.question, "API key", "trust") {
		f.shape, f.state = "consent", Question
		f.narrow = lastingYes
	}
	title, at := d.title()
	f.verb = claudeVerb(title, d.question)
	f.subject, f.partial = claudeSubject(d, title, at)
	if d.cutTop && f.verb != "" && f.verb != "mcp" {
		if name := lastWord(d.question); name != "" && holds(d.question, "make this edit to ", "want to create ", "want to overwrite ") {
			f.subject = append([]string{name}, f.subject...)
		}
	}
	return f
}

// lastWord is what a question like "Do you want to create F?" asks about.
func lastWord(question string) string {
	for _, before := range []string{"edit to ", "create ", "overwrite "} {
		if _, name, ok := strings.Cut(question, before); ok {
			return strings.TrimSuffix(name, "?")
		}
	}
	return ""
}

// adjacent reports whether only blank lines stand between the question and the answers.
func (d *dialog) adjacent() bool {
	for i := d.askedEnd + 1; i < d.first; i++ {
		if d.lines[i].kind != blank {
			return false
		}
	}
	return true
}

// refusable reports whether one of the answers says no.
func (d *dialog) refusable() bool {
	for _, r := range d.rows {
		if s := scopeOf(r.Label, r.note, r.cut); s == No || s == NoAlways {
			return true
		}
	}
	return false
}

// lastingYes narrows the answers of a question about trust: no yes to it is for once.
func lastingYes(r *row) Scope {
	if r.Scope == Once || r.Scope == Other && agrees(r.Label) {
		return Always
	}
	return r.Scope
}

// agrees reports whether a label begins with a yes of any kind.
func agrees(label string) bool {
	words := wordsOf(label)
	return len(words) > 0 && agreeing[words[0]]
}

func claudeVerb(title, question string) string {
	switch {
	case starts(title, "Edit notebook"), holds(question, "make this edit to"):
		return "edit"
	case holds(question, "want to create "):
		return "create"
	case holds(question, "want to overwrite "):
		return "overwrite"
	case starts(title, "Fetch"), holds(question, "fetch this content"):
		return "fetch"
	case starts(title, "Read"), holds(question, "Allow this read"):
		return "read"
	case starts(title, "Web search", "Web Search"):
		return "search"
	case starts(title, "Tool use"):
		return "use"
	}
	return ""
}

// claudeSubject reads what stands between the title, in line at, and the question. From 2.1 on the
// subject of most dialogs stands between two broken lines; before, nothing sets it apart.
func claudeSubject(d *dialog, title string, at int) (subject []string, partial bool) {
	partial = d.cutTop || d.says(3, " more lines") || d.hides(d.top, d.asked-1)
	first, last := -1, -1
	for i := d.top; i < d.asked; i++ {
		if d.lines[i].kind == dashed && d.lines[i].col == 0 {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if d.cutTop {
		at = d.top - 1
		if first >= 0 && first == last {
			first = d.top - 1
		}
	}
	margin := d.lines[d.asked].col
	if last < 0 {
		if !d.cutTop {
			subject = claudeTitled(title)
			if at+1 < d.asked && starts(d.lines[at+1].text, "Tip: ") {
				at = d.paragraphEnd(at + 1) // 2.1.260 has no line between its tip and the command
			}
		}
		subject = append(subject, claudeCalled(d.dedent(at+1, d.asked-1, margin))...)
		if len(subject) == 0 && !d.cutTop {
			subject = []string{title}
		}
		return subject, partial
	}
	if !d.cutTop && !starts(title, "Bash command", "Fetch", "Read") {
		subject = claudeTitled(title)
		for _, r := range d.body(at+1, first-1, margin) {
			if !strings.HasPrefix(r, "│ ") { // what the tool says of itself
				subject = append(subject, r)
			}
		}
	}
	return append(subject, claudeCalled(claudeMarked(d.body(first+1, last-1, margin)))...), partial
}

// claudeCalled takes off the first row what only names the kind of call: "Read(/etc/hosts)", "url: http://…".
func claudeCalled(rows []string) []string {
	if len(rows) == 0 {
		return rows
	}
	rows[0] = strings.TrimPrefix(rows[0], "url: ")
	if file, ok := strings.CutPrefix(rows[0], "Read("); ok && len(rows) == 1 && strings.HasSuffix(file, ")") {
		rows[0] = strings.TrimSuffix(file, ")")
	}
	return rows
}

// claudeTitled is the file name that 2.0.54 writes into the title.
func claudeTitled(title string) []string {
	for _, verb := range []string{"Edit file ", "Create file ", "Overwrite file ", "Edit notebook "} {
		if name, ok := strings.CutPrefix(title, verb); ok {
			return []string{name}
		}
	}
	return nil
}

// claudeMarked takes off the mark at the left that rows of a subject with several lines carry.
func claudeMarked(rows []string) []string {
	for _, r := range rows {
		if r != "│" && !strings.HasPrefix(r, "│ ") {
			return rows
		}
	}
	for i, r := range rows {
		rows[i] = strings.TrimPrefix(strings.TrimPrefix(r, "│"), " ")
	}
	return rows
}

// dedent is body with the indent that all rows share taken off, as far as it goes beyond margin.
func (d *dialog) dedent(first, last, margin int) []string {
	least := -1
	for i := max(first, 0); i <= last; i++ {
		if l := &d.lines[i]; l.kind == text && (least < 0 || l.col < least) {
			least = l.col
		}
	}
	return d.body(first, last, max(margin, min(least, margin+2)))
}

// hides reports whether a row from first to last says that the agent shows only part of what is asked.
func (v *view) hides(first, last int) bool {
	for i := max(first, 0); i <= last && i < len(v.lines); i++ {
		if l := &v.lines[i]; l.kind == text && elided(l.text) {
			return true
		}
	}
	return false
}

// elided reports whether s is how an agent says that it left lines out.
func elided(s string) bool {
	low := strings.ToLower(s)
	return holds(low, "lines hidden", "more lines", " hidden (ctrl", "view all", "[… ", "show details", "lines omitted", "(truncated", "lines truncated", "to expand") ||
		starts(s, "… +", "…+") || strings.HasSuffix(s, "…")
}

// claudeAsk is the dialog in which the model itself asks: tabs, or a footer that selects.
func claudeAsk(d *dialog) *found {
	title, at := d.title()
	tabs := strings.ContainsAny(title, "☐☒") || starts(title, "←  ")
	selects := holds(d.footer, "Enter to select") && !d.boxed
	if !tabs && !selects {
		return nil
	}
	f := &found{
		shape: "ask_user", state: Question, question: d.question, menu: claudeMenu, top: d.top, narrow: asked,
	}
	if tabs {
		f.subject = d.body(at+1, d.asked-1, 0)
	}
	if d.question == "" {
		f.question = d.paragraph(max(d.first-2, d.top), d.first-1)
	}
	for i := range d.rows {
		if r := &d.rows[i]; r.check != "" {
			r.Label = r.check + " " + r.Label
			f.shape = "ask_user_multi"
		} else if starts(r.Label, "Submit answers") {
			f.shape = "ask_user_review"
		}
	}
	return f
}

// asked is the scope of an answer to a question that the model makes up: none but words.
func asked(r *row) Scope {
	if r.Scope == Text || starts(r.Label, "[ ] Type something") {
		return Text
	}
	return Other
}

// claudeTrust: the dialogs at start. Digits do nothing there, and Enter takes a row that leaves.
func claudeTrust(d *dialog) *found {
	for i := d.top; i < d.first; i++ {
		switch s := d.lines[i].text; {
		case starts(s, "Accessing workspace"), starts(s, "Quick safety check"), holds(s, "Do you trust the files"):
			m := claudeMenu
			m.digits = d.numbered
			return &found{
				shape: "trust", state: Question, question: firstSentence(d.question), subject: d.body(d.top, d.first-1, 1), menu: m,
				narrow: lastingYes, top: d.top, verb: "trust",
			}
		case starts(s, "WARNING: Claude Code running in Bypass Permissions mode"):
			return &found{
				shape: "bypass_warning", state: Question, question: s, subject: d.body(d.top, d.first-1, 2),
				menu: menu{enter: true, escape: true}, top: d.top, verb: "accept",
				narrow: func(r *row) Scope {
					if agrees(r.Label) {
						return Mode
					}
					return r.Scope
				},
			}
		}
	}
	return nil
}

// claudeSetup are the lists at the very first start, which have no footer: how it looks, and who pays.
func claudeSetup(d *dialog) *found {
	i := d.first - 1
	for i > d.top && d.lines[i].kind != text {
		i--
	}
	if i < 0 || d.footer != "" || !d.numbered || !starts(d.lines[i].text, "Select login method", "To change this later, run /theme", "Choose the text style") {
		return nil
	}
	return &found{shape: "setup", state: Question, question: d.lines[i].text, menu: claudeMenu, narrow: asked, top: i}
}

// claudeElicitation: an MCP server asks for input through Claude.
func claudeElicitation(d *dialog) *found {
	for i := d.top; i < d.first; i++ {
		if holds(d.lines[i].text, "requests your input") {
			return &found{
				shape: "elicitation", state: Question, question: d.lines[i].text, subject: d.body(i+1, d.first-1, 1),
				menu: claudeMenu, top: d.top, narrow: asked,
			}
		}
	}
	return nil
}

// claudeNotice is a dialog without answers: only its footer says what the keys do.
func claudeNotice(v *view) (*dialog, *found) {
	for i, l := range v.lowest(1) {
		if !starts(l.text, "Enter to stay in auto mode") {
			return nil, nil
		}
		d := &dialog{view: v, block: block{first: i, last: i, marked: -1}, end: i, footer: l.text}
		d.findTop()
		title, _ := d.title()
		return d, &found{
			shape: "auto_mode_notice", state: Question, question: title, subject: claudeCall(v, d.top), top: d.top,
		}
	}
	return nil, nil
}

// claudeCall is the last tool call of the transcript above line top.
func claudeCall(v *view, top int) []string {
	for i := top - 1; i >= 0; i-- {
		if l := &v.lines[i]; l.kind == text && starts(l.text, "● ") {
			return append([]string{strings.TrimPrefix(l.text, "● ")}, v.body(i+1, v.paragraphEnd(i), 2)...)
		}
	}
	return nil
}
