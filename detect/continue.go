package detect

import "strings"

// continueCLI is the Continue CLI, cn. Its dialogs were captured from 1.5.47.
var continueCLI = agent{
	name:    "continue",
	program: program{names: []string{"cn"}, packages: []string{"@continuedev/cli"}},
	dialog:  continueDialog,
	composer: func(v *view) *Composer {
		return boxedComposer(v, "●❯>", func(s string) bool { return holds(s, "Ask anything, @ for") })
	},
	working:  func(v *view) bool { return v.says(10, "esc to interrupt") },
	volatile: func(l *line) bool { return l.kind == text && (braille(l) || holds(l.text, "esc to interrupt")) },
	mark:     func(v *view) bool { return v.says(40, "Continue CLI", "tell Continue what") },
}

// continueMenu: Enter takes the marked row, Escape denies. Shift+Tab, which the second row prints, never is a key.
var continueMenu = menu{enter: true, escape: true, escapes: true}

func continueDialog(v *view) (*dialog, *found) {
	b, ok := v.lastPointed()
	if !ok {
		return nil, nil
	}
	d, ok := v.dialogAt(b, func(s string) bool { return holds(s, "Continue CLI") })
	if !ok || !d.boxed {
		return nil, nil
	}
	if holds(d.footer, "Enter select") {
		f := &found{shape: "ask_user", state: Question, question: strings.TrimPrefix(d.question, "? "), menu: menu{enter: true}, narrow: asked, top: d.top}
		return d, f
	}
	if !d.askWith("Would you like to continue?") || !d.refusable() {
		return nil, nil
	}
	f := &found{shape: "tool_confirmation", state: Permission, question: d.question, menu: continueMenu, top: d.top}
	f.subject, f.partial = continueSubject(d)
	if len(f.subject) > 0 && starts(f.subject[0], "Edit(", "Write(") {
		f.verb = "edit"
	}
	return d, f
}

// continueSubject: the title holds the whole call unless it ends in dots; what follows may be cut too.
func continueSubject(d *dialog) (rows []string, partial bool) {
	rows = d.body(d.top, d.asked-1, d.lines[d.asked].col)
	call := strings.Join(rows, "\n")
	title, rest, _ := strings.Cut(call, "\n⎿")
	whole := strings.HasSuffix(strings.TrimSpace(title), ")") && !strings.HasSuffix(strings.TrimSpace(title), "...)")
	partial = d.cutTop || !whole || counted(rest)
	if whole && !d.cutTop && starts(title, "Bash(") {
		title = strings.TrimSuffix(strings.TrimSpace(strings.TrimPrefix(title, "Bash(")), ")")
		return append(strings.Split(title, "\n"), "⎿"+rest), partial
	}
	return rows, partial
}

// counted reports whether a preview tells how many arguments a call has and not what they are, as Continue does
// for tools that it has no preview of: "Will call append_line with 1 argument". Its title then holds one of them
// at most, a path without its folder; a call without arguments says nothing of them.
func counted(preview string) bool {
	words := strings.Fields(preview)
	n := len(words)
	return n > 4 && words[0] == "Will" && words[1] == "call" && words[n-3] == "with" && starts(words[n-1], "argument")
}
