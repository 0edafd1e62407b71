package screen

import (
	"slices"
	"strconv"
)

// Keys says which keys answer the menu of one shape: those that were proven on the agent, or that its rows print. None is
// assumed from a position.
type Keys struct {
	Digits  bool   // a printed number chooses its row at once
	Letters bool   // a key that a row prints chooses it at once
	Enter   bool   // Enter takes the marked row
	Escape  bool   // Escape denies, in this agent and shape
	Denies  []Step // deny this shape, if that takes more than Escape
	Tells   []Step // deny with words for the agent; "#" is the number of the one row that takes them
	Escapes bool   // Escape denies this shape, even if a row that says no has a key
	Second  bool   // a lasting yes opens a second dialog
	Strict  bool   // a row that says neither yes nor no may be no option, so the mark never moves past it
	Proves  bool   // the keys prove themselves: the mark is moved and seen to follow, key by key, before Enter takes it
	Opens   string // the shape that Enter opens on the row that says no; another Enter there denies
	Writes  string // opens the field of the one row that takes words of one's own, and Enter gives them: Number or Move; empty: not proven
	Leaves  bool   // Escape leaves a question unanswered and does nothing else
	Ticks   string // ticks the marked row; "#" is a row's own number, wherever the mark is among the boxes
	Sends   []Step // lead on from a check list
}

// keyOf is the key that chooses an entry at once; empty if the mark has to move.
func (k Keys) keyOf(e *Entry) string {
	if e.Check != "" || e.Scope == Text {
		return ""
	}
	if k.Proves && e.Scope == No && e.takesWords() && slices.Contains(e.Hints, "Escape") {
		return "Escape"
	}
	if k.Letters {
		for _, hint := range e.Hints {
			if hint != "Enter" && hint != "Tab" && hint != "BTab" && !e.numbersAnother(hint) {
				return hint
			}
		}
	}
	if k.Digits && e.Number > 0 && e.Number < 10 {
		return strconv.Itoa(e.Number)
	}
	return ""
}

// numbersAnother reports whether a key is a digit other than e's own number: another row may bear it.
func (e *Entry) numbersAnother(key string) bool {
	n, err := strconv.Atoi(key)
	return err == nil && e.Number > 0 && n != e.Number
}

// steps chooses entry i from this very screen; nil if that is not proven.
func (k Keys) steps(menu *Menu, i int) []Step {
	e := &menu.Entries[i]
	if e.Key != "" {
		return []Step{{Key: e.Key, Last: true}}
	}
	if !k.Enter || menu.Marked < 0 || e.Scope == Text || e.Check != "" {
		return nil
	}
	if k.Proves && e.Scope == No && e.takesWords() { // Enter may open a field for them
		return nil
	}
	if k.Strict && menu.unclear(menu.Marked, i) {
		return nil
	}
	if k.Proves {
		return menu.provenMoves(i)
	}
	steps := menu.moves(i)
	if k.Opens != "" && e.Scope == No {
		steps = append(steps, Step{Key: "Enter", Opens: k.Opens})
	}
	return append(steps, Step{Key: "Enter", Last: true})
}

// takesWords reports whether a refusal also asks for words for the agent.
func (e *Entry) takesWords() bool {
	return slices.ContainsFunc(wordsOf(e.Label), func(w string) bool {
		return w == "tell" || w == "feedback" || w == "instructions"
	})
}

// opensField reports whether the mark may open a field for words in an option as soon as it is on it.
func (e *Entry) opensField() bool { return e.Scope == Text || e.Scope == No && e.takesWords() }

// provenMoves brings the mark to entry i, each key with the entry that must be marked after it, and then presses Enter. If
// entry i is marked already, the mark goes one entry away and back; it avoids an entry that may be no option, and never goes to one that
// takes words: Letta Code opens a field there, and the dialog is no longer the one that was asked about. No key goes beyond the first or
// the last entry.
func (menu *Menu) provenMoves(i int) []Step {
	if len(menu.Entries) < 2 {
		return nil
	}
	way := []int{i}
	if i == menu.Marked {
		next := i + 1
		if next == len(menu.Entries) || i > 0 && (menu.Entries[next].opensField() || menu.unclear(i, next)) {
			next = i - 1
		}
		if menu.Entries[next].opensField() {
			return nil
		}
		way = []int{next, i}
	}
	steps, at := menu.moves(way...), menu.Marked
	for n := range steps {
		if at--; steps[n].Key == "Down" || steps[n].Key == "Right" {
			at += 2
		}
		steps[n].Lights = at + 1
	}
	return append(steps, Step{Key: "Enter", Last: true})
}

// proveKeys makes the keys prove themselves if an option is marked, whatever the rows print: in an unknown agent a printed
// number may do nothing, and a glyph that looks like the mark may be none.
func (d *Dialog) proveKeys() {
	if d.Marked >= 0 && d.Keys.Enter {
		d.Keys.Letters, d.Keys.Digits, d.Keys.Proves = false, false, true
	}
}

// moves brings the mark to the entries of way, one after the other.
func (menu *Menu) moves(way ...int) []Step {
	next, prev := "Down", "Up"
	if menu.Across {
		next, prev = "Right", "Left"
	}
	var steps []Step
	at := menu.Marked
	for _, to := range way {
		for ; at < to; at++ {
			steps = append(steps, Step{Key: next})
		}
		for ; at > to; at-- {
			steps = append(steps, Step{Key: prev})
		}
	}
	return steps
}

// unclear reports whether a row that may be the note of an option is between two entries, or one of them, in a menu without
// numbers and keys.
func (menu *Menu) unclear(from, to int) bool {
	if menu.Numbered || menu.Across || menu.distinct() {
		return false
	}
	return slices.ContainsFunc(menu.Entries[min(from, to):max(from, to)+1], func(e Entry) bool { return e.Scope == Other && !e.Leaves })
}

// deny denies the shape from this very screen: by the key of the option that says no, else by Escape, which needs no proof of a mark.
func (k Keys) deny(menu *Menu) []Step {
	i := menu.only(No)
	switch {
	case k.Denies != nil:
		return k.Denies
	case i >= 0 && !k.Escapes && (menu.Entries[i].Key != "" || !k.Escape):
		return k.steps(menu, i)
	}
	return k.leave()
}

// tell denies the shape with words from this very screen.
func (k Keys) tell(menu *Menu) []Step {
	if len(k.Tells) == 0 || k.Tells[0].Key != "#" {
		return k.Tells
	}
	i := menu.only(Text)
	if i < 0 || menu.Entries[i].Number < 1 || menu.Entries[i].Number > 9 {
		return nil
	}
	steps := slices.Clone(k.Tells)
	steps[0].Key = strconv.Itoa(menu.Entries[i].Number)
	return steps
}

// leave denies the shape by Escape; nil if that does not deny.
func (k Keys) leave() []Step {
	if k.Escape {
		return []Step{{Key: "Escape", Last: true}}
	}
	return nil
}

// keysOf are the keys of steps.
func keysOf(steps []Step) []string {
	var keys []string
	for _, s := range steps {
		keys = append(keys, s.Key)
	}
	return keys
}
