package detect

import (
	"slices"
	"strings"
)

// cursor is the Cursor CLI. It can't be run without an account: its dialogs are known from the sources and
// captures that other projects published (the box "Not in allowlist:", and since 2025 "Run this command?").
var cursor = agent{
	name:     "cursor",
	program:  program{names: []string{"cursor-agent"}, packages: []string{"cursor-agent"}, paths: []string{"/cursor-agent/"}},
	dialog:   cursorDialog,
	composer: cursorComposer,
	working:  cursorWorking,
	volatile: func(l *line) bool { return cursorSpins(l) },
	mark: func(v *view) bool {
		for i := range v.lines {
			if holds(v.lines[i].text, "Cursor Agent", "Not in allowlist:", "Shell allowlist is empty", "Workspace Trust Required", "→ Add a follow-up", "→ Plan, search, build anything",
				"Run Everything (shift+tab)", "Skip & tell the agent", "Reject & propose changes") {
				return true
			}
		}
		return false
	},
}

// cursorMenu: the letter of a row acts wherever the cursor stands. Escape declines. Tab and Shift+Tab widen,
// and Enter is never pressed.
var cursorMenu = menu{letters: true, escape: true, escapes: true}

var cursorAsks = []string{
	"Run this command", "Run this MCP tool", "Write to this file", "Delete this file", "Read this file", "Edit this file",
	"Allow this web search", "Allow this web fetch", "Proceed with this edit", "Not in allowlist:", "Waiting for decision", "Run this tool", "Fetch this",
}

func cursorDialog(v *view) (*dialog, *found) {
	if d, f := cursorOther(v); f != nil {
		return d, f
	}
	b, ok := v.list()
	if !ok {
		return nil, nil
	}
	d, ok := v.dialogAt(b, func(s string) bool { return holds(s, "ctrl+r to review", "ctrl+r") || v.statusRow(s) })
	if !ok || d.marked < 0 {
		return nil, nil
	}
	if starts(d.question, "Ready to build") || d.refusablePlan() {
		return d, &found{shape: "plan", state: Question, question: d.question, subject: d.body(d.top, d.asked-1, 1), menu: menu{letters: true}, top: d.top, narrow: planned, verb: "plan"}
	}
	at := -1
	for i := d.top; i < d.first; i++ {
		if starts(d.lines[i].text, cursorAsks...) {
			at = i
			break
		}
	}
	if at < 0 || !printsKeys(d.rows) || !d.skippable() {
		return nil, nil
	}
	d.ask(at, at)
	f := &found{shape: "approval", state: Permission, question: d.question, menu: cursorMenu, top: d.top, partial: d.cutTop && at == d.top}
	f.narrow = func(r *row) Scope {
		switch {
		case starts(r.Label, "Keep"):
			return No
		case starts(r.Label, "Skip", "Reject"):
			return No
		case starts(r.Label, "Add "):
			return Always
		case starts(r.Label, "Run Everything", "Auto-run all", "Auto "):
			return Mode
		}
		return r.Scope
	}
	f.subject = cursorSubject(d, at)
	f.partial = f.partial || len(f.subject) == 0 || d.hides(d.top, d.first-1)
	switch q := strings.ToLower(d.question); {
	case holds(q, "write", "edit"):
		f.verb = "edit"
	case holds(q, "delete"):
		f.verb = "delete"
	case holds(q, "read"):
		f.verb = "read"
	case holds(q, "fetch"):
		f.verb = "fetch"
	case holds(q, "search"):
		f.verb = "search"
	case holds(q, "mcp"):
		f.verb = "use"
	}
	return d, f
}

// skippable reports whether one of the answers prints a key that declines.
func (d *dialog) skippable() bool {
	for _, r := range d.rows {
		if slices.Contains(r.hints, "n") || slices.Contains(r.hints, "Escape") {
			return true
		}
	}
	return false
}

// refusablePlan reports whether the answers are those to a plan.
func (d *dialog) refusablePlan() bool {
	for _, r := range d.rows {
		if starts(r.Label, "Yes, build", "No, propose changes") {
			return true
		}
	}
	return false
}

// planned is the scope of an answer to a plan: a yes to it starts work on its own.
func planned(r *row) Scope {
	if r.Scope == Once || r.Scope == Other && agrees(r.Label) {
		return Mode
	}
	return r.Scope
}

// cursorSubject is what stands above the question, without the folder, and what stands below it.
func cursorSubject(d *dialog, at int) []string {
	if d.cutTop {
		top := at
		for top > d.top && !(d.lines[top-1].kind == blank && top < at) && !holds(d.lines[top-1].text, "Waiting for approval") {
			top--
		}
		d.top = top
	}
	rows := d.body(d.top, at-1, d.lines[at].col)
	if len(rows) > 0 {
		rows[0] = strings.TrimSpace(strings.TrimPrefix(rows[0], "$ "))
	}
	rows = append(rows, d.body(at+1, d.first-1, d.lines[at].col)...)
	if starts(d.question, "Not in allowlist:") {
		rows = append([]string{strings.TrimSpace(strings.TrimPrefix(d.question, "Not in allowlist:"))}, rows...)
	}
	return rows
}

// cursorOther: whether a folder is trusted, and the field that a refusal opens.
func cursorOther(v *view) (*dialog, *found) {
	for i, l := range v.lowest(3) {
		if holds(l.text, "Tell the agent what to do instead (Enter to send") {
			d := &dialog{view: v, block: block{first: i, last: i, marked: -1}, end: i}
			d.findTop()
			return d, &found{shape: "skip_reason", state: Question, question: strings.TrimLeft(l.text, "→ "), subject: d.body(d.top, i-1, l.col), top: d.top, text: true}
		}
	}
	b, _, ok := v.lastLettered()
	if !ok {
		return nil, nil
	}
	d, ok := v.dialogAt(b, nil)
	if !ok || d.marked < 0 && !d.boxed {
		return nil, nil
	}
	d.near()
	if f := trustFound(d, menu{}); f != nil {
		return d, f
	}
	return nil, nil
}

func cursorComposer(v *view) *Composer {
	for i, l := range v.lowest(6) {
		if l.cells[l.col] == '→' && l.col <= 4 {
			return v.composed(i, i, func(s string) bool { return starts(s, "Add a follow-up", "Plan, search, build anything") })
		}
	}
	return nil
}

func cursorWorking(v *view) bool {
	for _, l := range v.lowest(10) {
		if cursorSpins(l) {
			return true
		}
	}
	return false
}

func cursorSpins(l *line) bool {
	return l.kind == text && (holds(l.text, "ctrl+c to stop") || strings.ContainsRune("⬡⬢", l.cells[l.col]) || braille(l))
}
