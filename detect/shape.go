package detect

import "strings"

// found is what an agent's file makes of a dialog: which shape it is, and what of it counts.
type found struct {
	shape    string // without the agent's name
	state    State
	verb     string
	question string
	subject  []string
	partial  bool
	menu     menu
	// narrow takes from an option what its label alone seems to grant. It never gives.
	narrow     func(r *row) Scope
	sessionYes bool   // the yes for this session stands for the yes that the dialog lacks
	text       bool   // a text field of the dialog has the focus
	why        string // why there is no yes, where the options do not say it
	top        int    // the dialog's first line
}

// prompt makes the prompt of a dialog that an agent's file has recognised.
func (d *dialog) prompt(agent string, f found) *Prompt {
	for i := range d.rows {
		r := &d.rows[i]
		r.Scope = scopeOf(r.Label, r.note, r.cut)
		if f.narrow != nil {
			r.Scope = f.narrow(r)
		}
		r.Key = f.menu.keyOf(r)
	}
	d.distinctKeys()
	p := &Prompt{
		Agent: agent, Shape: agent + "." + f.shape, Question: f.question, Verb: f.verb,
		Subject: strings.Join(f.subject, "\n"), Partial: f.partial,
		Highlighted: d.marked, Colour: d.colour, TextField: f.text,
		First: f.top, Last: d.end, Why: f.why,
	}
	if agent == "" {
		p.Shape = "unknown." + f.shape
	}
	for i := range d.rows {
		p.Options = append(p.Options, d.rows[i].Option)
		var steps []Step
		if !(f.menu.second && d.rows[i].Scope != Once && d.rows[i].Scope != No) {
			steps = f.menu.steps(&d.block, i)
		}
		p.choices = append(p.choices, steps)
	}
	if f.state == Permission {
		d.decide(p, f)
	}
	p.Fingerprint = fingerprint(p)
	return p
}

// distinctKeys takes away keys that two rows claim.
func (d *dialog) distinctKeys() {
	count := map[string]int{}
	for _, r := range d.rows {
		count[r.Key]++
	}
	for i := range d.rows {
		if count[d.rows[i].Key] > 1 {
			d.rows[i].Key = ""
		}
	}
}

// decide fills in how p is approved and denied.
func (d *dialog) decide(p *Prompt, f found) {
	p.deny = f.menu.deny(&d.block)
	p.Deny = flat(p.deny)
	yes := d.only(Once)
	if f.sessionYes {
		yes = d.only(Session)
	}
	if d.marked >= 0 && d.rows[d.marked].Scope == Text {
		p.TextField, p.deny, p.Deny = true, f.menu.leave(), flat(f.menu.leave())
		p.Why = "Words are being typed into one of the options, so a key would be a letter of them."
		return
	}
	if yes >= 0 {
		p.approve = f.menu.steps(&d.block, yes)
		p.Approve = flat(p.approve)
	}
	switch {
	case len(p.Approve) > 0 || p.Why != "":
	case d.count(Once) > 1:
		p.Why = "Two of the options say yes once, so nod can't tell which one is meant."
	case yes < 0:
		p.Why = "None of the options says yes to this one invocation and no more."
	case d.marked < 0:
		p.Why = "nod can't see which option is highlighted, so Enter could take another one."
	default:
		p.Why = "The option that says yes prints no key of its own, and how to reach it is not proven."
	}
}
