package detect

import "strings"

// pi is Pi with its permission gate, an extension: Pi itself asks nothing. Captured from 0.73.1.
var pi = agent{
	name:    "pi",
	program: program{names: []string{"pi"}, packages: []string{"@mariozechner/pi-coding-agent"}},
	dialog:  piDialog,
	composer: func(v *view) *Composer {
		for i := len(v.lines) - 1; i > 1; i-- {
			if v.lines[i].kind != rule {
				continue
			}
			for j := i - 1; j >= 0 && j > i-12; j-- {
				if v.lines[j].kind == rule {
					return &Composer{Row: j + 1, Draft: strings.Join(v.body(j+1, i-1, 0), "\n")}
				}
			}
			return nil
		}
		return nil
	},
	working: func(v *view) bool { return v.says(12, "Working...") },
	volatile: func(l *line) bool {
		return braille(l) || l.kind == text && starts(l.text, "↑") && holds(l.text, "%/")
	},
	mark: func(v *view) bool {
		for _, l := range v.lowest(3) {
			if starts(l.text, "↑") && holds(l.text, "%/") || starts(l.text, "↑↓ navigate  enter select  escape/ctrl+c cancel") || holds(l.text, "%/128k (auto)", "%/200k (auto)") {
				return true
			}
		}
		return false
	},
}

// piMenu: Enter takes the marked row, Escape denies.
var piMenu = menu{enter: true, escape: true, escapes: true}

func piDialog(v *view) (*dialog, *found) {
	b, ok := v.lastPointed()
	if !ok {
		return nil, nil
	}
	d, ok := v.dialogAt(b, func(s string) bool { return starts(s, "↑", "/", "~") })
	if !ok || !holds(d.footer, "escape/ctrl+c cancel") {
		return nil, nil
	}
	f := &found{shape: "select", state: Question, question: d.question, menu: menu{enter: true}, top: d.top, partial: d.cutTop}
	if d.question == "" && !d.titled() {
		return nil, nil
	}
	f.question = d.question
	title, at := d.title()
	if d.cutTop {
		at = d.top - 1
	} else if !holds(title, "Dangerous command") {
		at--
	}
	f.subject = d.body(at+1, d.asked-1, 3)
	d.scopes()
	if d.clear() {
		f.shape, f.state, f.menu = "tool_confirmation", Permission, piMenu
	}
	return d, f
}
