package agents

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"nod/detect/screen"
)

// Taught is one dialog of an agent as a person has taught it, and as its file in TOML has it: how it is known again, and what its answers mean.
type Taught struct {
	Name   string            `toml:"-"` // that of its file
	Agent  string            `toml:"agent"`
	Head   string            `toml:"head"`            // the row that it begins with
	Labels []string          `toml:"labels"`          // of its answers, in order
	Once   string            `toml:"once,omitempty"`  // the label that means yes, for this once; empty: none
	No     string            `toml:"no,omitempty"`    // the label that means no; empty: none
	Below  []string          `toml:"below,omitempty"` // the rows under its answers that nod can't place: a hint in words of its own
	On     time.Time         `toml:"taught"`
	Keys   map[string]string `toml:"keys,omitempty"` // the key that chooses a label at once, where the screen does not show one
}

// Check reports why a dialog can't be taught so. The rules are those that hold for every other dialog: what approves must mean
// yes to this once.
func (t Taught) Check() error {
	switch {
	case t.Agent == "":
		return errors.New("it names no agent")
	case t.Head == "":
		return errors.New("it has no head")
	case len(t.Labels) < 2:
		return errors.New("it has fewer than two labels")
	case t.On.IsZero():
		return errors.New("it does not say when it was taught")
	case t.Once == "" && t.No == "":
		return errors.New("none of its labels means yes for this once, and none means no")
	case t.Once == t.No:
		return errors.New("one label can't mean yes and no")
	}
	for i, label := range t.Labels {
		if slices.Contains(t.Labels[:i], label) {
			return fmt.Errorf("two of its labels are %q", label)
		}
	}
	if err := t.checkKeys(); err != nil {
		return err
	}
	for _, m := range []struct {
		label, says string
		scope       screen.Scope
	}{{t.Once, "yes for this once", screen.Once}, {t.No, "no", screen.No}} {
		switch err := screen.CanMean(m.label, m.scope); {
		case m.label == "":
		case !slices.Contains(t.Labels, m.label):
			return fmt.Errorf("%q is none of its labels", m.label)
		case err != nil:
			return fmt.Errorf("%q can't mean %s: %w", m.label, m.says, err)
		}
	}
	return nil
}

// checkKeys reports why its keys can't be those of its labels.
func (t Taught) checkKeys() error {
	used := map[string]bool{}
	for label, key := range t.Keys {
		switch err := screen.CanBeKey(key, t.scope(label)); {
		case !slices.Contains(t.Labels, label):
			return fmt.Errorf("a key is for %q, which is none of its labels", label)
		case err != nil:
			return fmt.Errorf("%q can't be the key of %q: %w", key, label, err)
		case used[key]:
			return fmt.Errorf("two labels have the key %q", key)
		}
		used[key] = true
	}
	return nil
}

// scope is what a label means. What was not said to mean yes or no is neither.
func (t Taught) scope(label string) screen.Scope {
	switch label {
	case "":
		return screen.Other
	case t.Once:
		return screen.Once
	case t.No:
		return screen.No
	}
	return screen.Other
}

// ReadTaught is Read for somebody who has been taught dialogs. What nod reads as a permission by itself, with keys to approve and deny, it
// reads so; of several dialogs that were taught and fit, none does. A screen on which it fails keeps nobody from reading all others.
func ReadTaught(taught []Taught, name string, s screen.Screen) screen.Reading {
	return spared(name, func() screen.Reading { return readTaught(taught, name, s) })
}

// spared is what was read, or that the reader failed.
func spared(name string, read func() screen.Reading) (r screen.Reading) {
	defer func() {
		if fault := recover(); fault != nil {
			r = screen.Reading{Agent: name, State: screen.Silent, Fault: fmt.Sprint(fault), Why: []string{fmt.Sprintf("nod itself fails on this screen: %v", fault)}}
		}
	}()
	return read()
}

func readTaught(taught []Taught, name string, s screen.Screen) screen.Reading {
	r := Read(name, s)
	if r.State == screen.Permission && len(r.Prompt.Approve) > 0 && len(r.Prompt.Deny) > 0 {
		return r
	}
	var found *screen.Dialog
	var by Taught
	for _, t := range taught {
		if t.Agent != name || t.Check() != nil {
			continue
		}
		if d := t.on(s); d != nil {
			if found != nil {
				r.Why = append(r.Why, "two dialogs that were taught fit, "+by.Name+" and "+t.Name+": neither is used")
				return r
			}
			found, by = d, t
		}
	}
	if found == nil {
		if r.State == screen.Question && !byName(name).known() {
			r.Why = append(r.Why, "nod teach tells nod which of its answers means yes for this once, and which no")
		}
		return r
	}
	asked := screen.Reading{Agent: r.Agent, Text: r.Text, Why: []string{"the dialog was taught on " + by.Day() + " as " + by.Name}}.Asking(found)
	asked.Prompt.Taught = by.Day()
	return asked
}

// Day is when it was taught, as messages say it.
func (t Taught) Day() string { return t.On.Format("2 Jan") }

// Found is the dialog as it is on a screen, whether or not it is known by now what its answers mean; nil where it is not there.
func (t Taught) Found(s screen.Screen) *screen.Prompt {
	d := t.on(s)
	if d == nil {
		return nil
	}
	return screen.Reading{Agent: t.Agent}.Asking(d).Prompt
}

// Unplaced are the rows under the answers of the dialog that do not say what keys do.
func (t Taught) Unplaced(s screen.Screen) []string {
	return screen.Lay(s).Unplaced(t.form())
}

// on recognises the dialog on a screen; nil where it is not there.
func (t Taught) on(s screen.Screen) *screen.Dialog { return screen.Lay(s).Find(t.form()) }

// form is the dialog as package screen knows it again.
func (t Taught) form() *screen.Form {
	f := &screen.Form{
		Head: t.Head, Labels: t.Labels, Hints: t.Keys, Below: t.Below,
		Shape: screen.Shape{Name: t.Name, State: screen.Question, Titles: []string{t.Head}, Keys: screen.Keys{Letters: true, Digits: true, Enter: true}, Means: t.means},
	}
	if t.Once != "" {
		f.State = screen.Permission
	}
	return f
}

// means is what an answer does. What was not said to mean yes or no is what its words say, if they say neither.
func (t Taught) means(e *screen.Entry) screen.Scope {
	taught := t.scope(e.Label)
	if taught == screen.Other && e.Scope != screen.Once && e.Scope != screen.No {
		return e.Scope
	}
	return taught
}
