package screen

import (
	"slices"
	"strconv"
)

// Menu says how the list of one shape is answered. It is what was proven of the agent, or what its rows
// print; nothing here is assumed from a position.
type Menu struct {
	Digits  bool   // a printed number chooses its row at once
	Letters bool   // a key that a row prints chooses it at once
	Enter   bool   // Enter takes the marked row
	Escape  bool   // Escape denies, in this agent and shape
	Denies  []Step // how this shape is denied, where that takes more than Escape
	Tells   []Step // how it is denied with words for the agent; "#" is the number of the one row that takes them
	Escapes bool   // Escape is how this shape is denied even where a row says no
	Second  bool   // a lasting yes opens a second dialog
	Strict  bool   // a row that says neither yes nor no may be no option, so no way leads past it
	Opens   string // the shape that Enter on the row that says no opens, where another Enter denies
	Leaves  bool   // Escape leaves a question unanswered and does nothing else
	Ticks   string // the key that ticks the marked row; "#" is the row's own number, wherever the mark stands among the boxes
	Sends   []Step // what leads on from a check list
}

// keyOf is the key that chooses an entry at once; empty where it takes moving.
func (m Menu) keyOf(e *Entry) string {
	if e.Check != "" || e.Scope == Text {
		return ""
	}
	if m.Letters {
		for _, k := range e.Hints {
			if k != "Enter" && k != "Tab" && k != "BTab" && !e.numbersAnother(k) {
				return k
			}
		}
	}
	if m.Digits && e.Number > 0 && e.Number < 10 {
		return strconv.Itoa(e.Number)
	}
	return ""
}

// numbersAnother reports whether a key is a digit that another row of e's list bears, so that only what e says names it.
func (e *Entry) numbersAnother(key string) bool {
	n, err := strconv.Atoi(key)
	return err == nil && e.Number > 0 && n != e.Number
}

// steps is how entry i is chosen from this very screen; nil where that is not proven.
func (m Menu) steps(list *List, i int) []Step {
	e := &list.Entries[i]
	if e.Key != "" {
		return []Step{{Key: e.Key, Last: true}}
	}
	if !m.Enter || list.Marked < 0 || e.Scope == Text || e.Check != "" {
		return nil
	}
	if m.Strict && list.unclear(list.Marked, i) {
		return nil
	}
	steps := list.moves(i)
	if m.Opens != "" && e.Scope == No {
		steps = append(steps, Step{Key: "Enter", Opens: m.Opens})
	}
	return append(steps, Step{Key: "Enter", Last: true})
}

// moves are the keys that bring the mark to entry i.
func (list *List) moves(i int) []Step {
	next, prev := "Down", "Up"
	if list.Across {
		next, prev = "Right", "Left"
	}
	var steps []Step
	for at := list.Marked; at < i; at++ {
		steps = append(steps, Step{Key: next})
	}
	for at := list.Marked; at > i; at-- {
		steps = append(steps, Step{Key: prev})
	}
	return steps
}

// unclear reports whether a row that may be no option, but explain one, stands between two entries of a list
// without numbers.
func (list *List) unclear(from, to int) bool {
	if list.Numbered || list.Across {
		return false
	}
	for i := min(from, to); i <= max(from, to); i++ {
		if e := &list.Entries[i]; e.Scope == Other && !e.Leaves {
			return true
		}
	}
	return false
}

// deny is how the shape is denied from this very screen.
func (m Menu) deny(list *List) []Step {
	if m.Denies != nil {
		return m.Denies
	}
	if i := list.Only(No); i >= 0 && !m.Escapes {
		if steps := m.steps(list, i); steps != nil {
			return steps
		}
	}
	return m.leave()
}

// tell is how the shape is denied with words from this very screen.
func (m Menu) tell(list *List) []Step {
	if len(m.Tells) == 0 || m.Tells[0].Key != "#" {
		return m.Tells
	}
	i := list.Only(Text)
	if i < 0 || list.Entries[i].Number < 1 || list.Entries[i].Number > 9 {
		return nil
	}
	steps := slices.Clone(m.Tells)
	steps[0].Key = strconv.Itoa(list.Entries[i].Number)
	return steps
}

// leave is how the shape is denied by Escape, if that denies.
func (m Menu) leave() []Step {
	if m.Escape {
		return []Step{{Key: "Escape", Last: true}}
	}
	return nil
}

// keysOf lists the keys of steps.
func keysOf(steps []Step) []string {
	var keys []string
	for _, s := range steps {
		keys = append(keys, s.Key)
	}
	return keys
}
