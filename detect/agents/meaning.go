package agents

import (
	"slices"

	"nod/detect/screen"
)

// What the options of an agent's dialogs do where their words alone do not say it.

// meaning is the scope of labels that begin so.
type meaning struct {
	begins string
	scope  screen.Scope
}

// means returns the scope of labels by their meanings; of any other label, rest's or, if rest is nil, that of its words.
func means(of []meaning, rest func(*screen.Entry) screen.Scope) func(*screen.Entry) screen.Scope {
	return func(e *screen.Entry) screen.Scope {
		for _, m := range of {
			if screen.Starts(e.Label, m.begins) {
				return m.scope
			}
		}
		if rest != nil {
			return rest(e)
		}
		return e.Scope
	}
}

// otherwise is the scope of options that answer nothing which nod decides.
func otherwise(*screen.Entry) screen.Scope { return screen.Other }

// instead replaces the scopes in of by scope.
func instead(of []screen.Scope, scope screen.Scope) func(*screen.Entry) screen.Scope {
	return func(e *screen.Entry) screen.Scope {
		if slices.Contains(of, e.Scope) {
			return scope
		}
		return e.Scope
	}
}

// trustTitles head that question in several agents.
var trustTitles = []string{"o you trust ", "Confirm folder trust"}

// trust is the question whether a folder is trusted. No yes to it is for once.
func trust(keys screen.Keys) screen.Shape {
	return screen.Shape{Name: "trust", State: screen.Question, Verb: "trust", Keys: keys, Means: (*screen.Entry).Lasting}
}
