package detect

// claudePlan: no answer to a plan is for once. Each switches a mode.
func claudePlan(d *dialog) *found {
	plan := holds(d.question, "Exit plan mode?", "Would you like to proceed?")
	for _, r := range d.rows {
		plan = plan || holds(r.Label, "keep planning", "manually approve edits", "Tell Claude what to change")
	}
	if !plan || !d.numbered {
		return nil
	}
	margin := d.lines[d.first].col
	if d.askedEnd >= d.asked {
		margin = d.lines[d.asked].col
	}
	top, whole := d.planTop()
	subject := d.body(top, d.asked-1, margin)
	subject = append(subject, d.body(d.askedEnd+1, d.first-1, margin)...)
	m := claudeMenu
	return &found{
		shape: "plan", state: Question, question: d.question, subject: subject, partial: !whole, menu: m, top: min(top, d.top),
		narrow: func(r *row) Scope {
			if r.Scope == Once || r.Scope == Session || r.Scope == Always {
				return Mode
			}
			return r.Scope
		},
		verb: "plan",
	}
}

// planTop is the first line of the plan, and whether it is on the screen: the question may stand under a line of
// its own, with the plan above it between two broken lines.
func (d *dialog) planTop() (top int, whole bool) {
	if d.boxed {
		return d.top, !d.cutTop
	}
	broken, first := 0, 0
	for i := d.first - 1; i >= 0; i-- {
		switch l := &d.lines[i]; {
		case l.kind == dashed:
			broken, first = broken+1, i
		case l.kind == rule && (i < d.top-1 || broken > 0):
			return i + 1, true
		}
	}
	if broken > 1 {
		return first + 1, true
	}
	return 0, false
}
