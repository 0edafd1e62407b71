package detect

import "strconv"

// menu says how the list of one shape is answered. It is what was proven of the agent, or what its rows
// print; nothing here is assumed from a position.
type menu struct {
	digits  bool   // a printed number chooses its row at once
	letters bool   // a key that a row prints chooses it at once
	enter   bool   // Enter takes the marked row
	escape  bool   // Escape denies, in this agent and shape
	denies  []Step // how this shape is denied, where that takes more than Escape
	escapes bool   // Escape is how this shape is denied even where a row says no
	second  bool   // a lasting yes opens a second dialog
	strict  bool   // a row that says neither yes nor no may be no answer, so no way leads past it
	opens   string // the shape that Enter on the row that says no opens, where another Enter denies
}

// keyOf is the key that chooses row i at once; empty where it takes moving.
func (m menu) keyOf(r *row) string {
	if r.check != "" || r.Scope == Text {
		return ""
	}
	if m.letters {
		for _, k := range r.hints {
			if k != "Enter" && k != "Tab" && k != "BTab" {
				return k
			}
		}
	}
	if m.digits && r.number > 0 && r.number < 10 {
		return strconv.Itoa(r.number)
	}
	return ""
}

// steps is how row i is chosen from this very screen; nil where that is not proven.
func (m menu) steps(b *block, i int) []Step {
	r := &b.rows[i]
	if r.Key != "" {
		return []Step{{Key: r.Key, Last: true}}
	}
	if !m.enter || b.marked < 0 || r.Scope == Text || r.check != "" {
		return nil
	}
	next, prev := "Down", "Up"
	if b.across {
		next, prev = "Right", "Left"
	}
	if m.strict && b.unclear(b.marked, i) {
		return nil
	}
	var steps []Step
	for at := b.marked; at < i; at++ {
		steps = append(steps, Step{Key: next})
	}
	for at := b.marked; at > i; at-- {
		steps = append(steps, Step{Key: prev})
	}
	if m.opens != "" && r.Scope == No {
		steps = append(steps, Step{Key: "Enter", Opens: m.opens})
	}
	return append(steps, Step{Key: "Enter", Last: true})
}

// unclear reports whether a row that may be no answer, but explain one, stands between two rows of a list
// without numbers.
func (b *block) unclear(from, to int) bool {
	if b.numbered || b.across {
		return false
	}
	for i := min(from, to); i <= max(from, to); i++ {
		if r := &b.rows[i]; r.Scope == Other && !r.leaves {
			return true
		}
	}
	return false
}

// deny is how the shape is denied from this very screen.
func (m menu) deny(b *block) []Step {
	if m.denies != nil {
		return m.denies
	}
	if i := b.only(No); i >= 0 && !m.escapes {
		if steps := m.steps(b, i); steps != nil {
			return steps
		}
	}
	if m.escape {
		return []Step{{Key: "Escape", Last: true}}
	}
	return nil
}

// leave is how the shape is denied while one of its rows is a text field: by Escape alone, if that denies.
func (m menu) leave() []Step {
	if m.escape {
		return []Step{{Key: "Escape", Last: true}}
	}
	return nil
}

// flat lists the keys of steps.
func flat(steps []Step) []string {
	var keys []string
	for _, s := range steps {
		keys = append(keys, s.Key)
	}
	return keys
}

// Steps is how decision d is carried out, key by key, from the very screen that p was read from; nil
// where there is no way that is proven. It is known only to a prompt that Read returned.
func (p *Prompt) Steps(d Decision) []Step {
	switch d {
	case Approve:
		return p.approve
	case Deny:
		return p.deny
	}
	return nil
}

// Choose is how option i is chosen from the very screen that p was read from: its own key, or the
// highlight moved to it and Enter. It is nil where that is not proven, where the option asks for words, and
// where it opens a second dialog.
func (p *Prompt) Choose(i int) []Step {
	if i < 0 || i >= len(p.choices) {
		return nil
	}
	return p.choices[i]
}
