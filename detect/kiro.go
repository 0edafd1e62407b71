package detect

import "strings"

// kiro is the Kiro CLI. It can't be run without an account: its dialogs are known from fixtures that other
// projects published.
var kiro = agent{
	name:    "kiro-cli",
	program: program{names: []string{"kiro-cli", "kiro-cli-chat", "kiro"}},
	dialog:  kiroDialog,
	composer: func(v *view) *Composer {
		for i, l := range v.lowest(4) {
			if l.cells[l.col] == '›' || holds(strings.ToLower(l.text), "ask a question or describe a task") {
				return v.composed(i, i, func(s string) bool {
					return holds(strings.ToLower(s), "question or describe a task", "Kiro is working")
				})
			}
		}
		return nil
	},
	working:  func(v *view) bool { return v.says(6, "Kiro is working", "Thinking...") },
	volatile: func(l *line) bool { return l.kind == text && holds(l.text, "Kiro is working", "Thinking...") },
	mark: func(v *view) bool {
		return v.says(30, "Yes, single permission", "Trust, always allow in this session", "Kiro is working", "kiro_default", "sk a question or describe a task", "Allow this action? Use 't' to trust")
	},
}

// kiroMenu: Enter takes the marked row, Escape closes the dialog, which denies.
var kiroMenu = menu{enter: true, escape: true, escapes: true}

func kiroDialog(v *view) (*dialog, *found) {
	if v.says(4, "Allow this action? Use 't' to trust") {
		return typedDialog(v.upTo("Allow this action?"))
	}
	b, ok := v.lastPointed()
	if !ok {
		return nil, nil
	}
	d, ok := v.dialogAt(b, v.statusRow)
	if _, _, _, counted := numberedRow(&v.lines[b.first]); !ok || d.marked < 0 || counted {
		return nil, nil
	}
	at := -1
	for i := d.first - 1; i >= max(d.first-2, 0); i-- {
		if strings.HasSuffix(d.lines[i].text, "requires approval") {
			at = i
			break
		}
	}
	if at < 0 {
		return nil, nil
	}
	d.ask(at, at)
	f := &found{shape: "approval", state: Permission, question: d.question, menu: kiroMenu, top: d.top}
	f.subject = d.body(d.top, at-1, d.lines[at].col)
	f.partial = d.cutTop || len(f.subject) == 0 || d.hides(d.top, at-1)
	if len(f.subject) > 0 {
		f.subject[0] = kiroCall(f.subject[0])
	}
	if !starts(d.question, "shell ") {
		f.verb = "use"
	}
	return d, f
}

// upTo is the screen down to the lowest line that begins with s, with nothing but an empty input line below.
func (v *view) upTo(s string) *view {
	for i, l := range v.lowest(4) {
		if starts(l.text, s) {
			cut := *v
			cut.lines = v.lines[:i+1]
			return &cut
		}
		if strings.Trim(l.text, ">❯! ") != "" {
			return v
		}
	}
	return v
}

// kiroCall takes the arrow and the tool's name off the row that shows the call: "↓ Shell pwd".
func kiroCall(s string) string {
	s = strings.TrimSpace(strings.TrimLeft(s, "↓↑▸● "))
	return strings.TrimPrefix(s, "Shell ")
}
