package detect

import "strings"

// cline is the Cline CLI. Its dialogs were captured from 3.0.65.
var cline = agent{
	name:    "cline",
	program: program{names: []string{"cline"}, packages: []string{"cline", "@cline/cli-linux-x64", "@cline/cli-linux-arm64", "@cline/cli-darwin-x64", "@cline/cli-darwin-arm64"}},
	dialog:  clineDialog,
	composer: func(v *view) *Composer {
		return ruledComposer(v, "❯", func(s string) bool { return starts(s, "Ask anything") })
	},
	working:  func(v *view) bool { return v.says(8, "Thinking... (esc to cancel)") },
	volatile: func(l *line) bool { return braille(l) },
	mark: func(v *view) bool {
		return v.says(14, "Cline needs permission", "Auto-approve all disabled", "Auto-approve all enabled")
	},
}

// clineMenu: the letter of an answer acts at once; Escape denies as n does.
var clineMenu = menu{letters: true, escape: true}

// clineDialog reads the one dialog that Cline has for every tool: title, question, the tool's name, and one row of
// what it is called with. More of a command, or what an edit changes, is not shown, and no mark says so.
func clineDialog(v *view) (*dialog, *found) {
	b, typed, ok := v.lastLettered()
	if !ok || typed {
		return nil, nil
	}
	d, ok := v.dialogAt(b, v.statusRow)
	if !ok || v.inputBelow(b.last) {
		return nil, nil
	}
	top := d.first - 1
	for top >= 0 && top > d.first-16 && d.lines[top].text != "Cline needs permission" {
		top--
	}
	if top < 0 || d.lines[top].text != "Cline needs permission" {
		return nil, nil
	}
	d.top, d.cutTop = top, false
	d.findQuestion()
	f := &found{shape: "permission", state: Permission, question: d.question, menu: clineMenu, top: top, partial: true}
	rows := d.body(d.askedEnd+1, d.first-1, d.lines[d.first].col)
	if len(rows) > 0 && rows[0] == "run_commands" {
		rows = rows[1:]
		for len(rows) > 0 && strings.TrimSpace(rows[0]) == "" {
			rows = rows[1:]
		}
		if len(rows) > 0 {
			rows[0] = strings.TrimPrefix(strings.TrimSpace(rows[0]), "$ ")
		}
	} else {
		f.verb = "use"
	}
	f.subject = rows
	return d, f
}
