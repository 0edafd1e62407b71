// Package words says to people what a reason means: every sentence with its next step, for chat, command line and log. Each kind of
// package reason has its sentence here, and nothing here decides anything.
package words

import (
	"fmt"
	"strings"

	"nod/internal/reason"
)

// Why is a reason in words; empty where there is none.
func Why(w reason.Why) string {
	if w.IsZero() || w.Said != "" {
		return w.Said
	}
	sentence, ok := sentences[w.Kind]
	if !ok { // a record of a newer nod
		return fmt.Sprintf("nod has no words for the reason %s: look at the pane.", w.Kind)
	}
	return strings.NewReplacer("{agent}", w.Agent, "{what}", w.What).Replace(sentence)
}
