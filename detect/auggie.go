package detect

import "strings"

// auggie is Augment's CLI. It can't be run without an account: both dialogs are known from fixtures that
// another project published.
var auggie = agent{
	name:     "auggie",
	program:  program{names: []string{"auggie"}, packages: []string{"@augmentcode/auggie"}},
	dialog:   auggieDialog,
	composer: unknownComposer,
	working:  func(v *view) bool { return v.says(10, "esc to interrupt") },
	volatile: func(l *line) bool { return l.kind == text && (braille(l) || holds(l.text, "esc to interrupt")) },
	mark: func(v *view) bool {
		return v.says(30, "Always index this workspace", "Tool Approval Required", "Augment")
	},
}

func auggieDialog(v *view) (*dialog, *found) {
	b, typed, ok := v.lastLettered()
	if !ok || typed {
		return nil, nil
	}
	d, ok := v.dialogAt(b, nil)
	if !ok {
		return nil, nil
	}
	if starts(d.rows[0].Label, "Always index this workspace") {
		return d, auggieConsent(d)
	}
	return d, auggieTool(d)
}

// auggieTool: a box with the call, and the answers below it.
func auggieTool(d *dialog) *found {
	for i := len(d.boxes) - 1; i >= 0; i-- {
		b := d.boxes[i]
		if b.open || b.bottom >= d.first || d.first-b.bottom > 2 {
			continue
		}
		for at := b.top + 1; at < b.bottom; at++ {
			if d.lines[at].text != "Tool Approval Required" {
				continue
			}
			d.ask(at, at)
			subject := d.body(at+1, b.bottom-1, d.lines[at].col)
			f := &found{
				shape: "tool_approval", state: Permission, question: d.question, menu: menu{letters: true}, top: b.top,
				subject: subject, partial: d.hides(at+1, b.bottom-1) || len(subject) == 0,
			}
			if len(subject) > 0 {
				if cmd, ok := strings.CutPrefix(subject[0], "Terminal: "); ok {
					subject[0] = cmd
				} else {
					f.verb = "use"
				}
			}
			return f
		}
	}
	return nil
}

// auggieConsent is the one dialog without a narrower yes than one for the session: that one is the yes, by
// name. The others last for good.
func auggieConsent(d *dialog) *found {
	d.titled()
	return &found{
		shape: "consent", state: Permission, question: d.question, verb: "index", top: d.top,
		subject: auggieWorkspace(d), menu: menu{letters: true, escape: true, escapes: true}, sessionYes: true,
		narrow: func(r *row) Scope {
			switch {
			case starts(r.Label, "Always "):
				return Always
			case starts(r.Label, "Never "):
				return NoAlways
			case starts(r.Label, "Index this workspace for this session"):
				return Session
			case starts(r.Label, "Skip "):
				return No
			}
			return Other
		},
	}
}

func auggieWorkspace(d *dialog) []string {
	for i := d.first - 1; i >= 0; i-- {
		if name, ok := strings.CutPrefix(d.lines[i].text, "Workspace: "); ok {
			return []string{strings.TrimSpace(name)}
		}
	}
	return nil
}
