// Package words says to people what a reason means: every sentence with its next step, for chat, command line and log. Each kind of
// package reason has its sentence here, and nothing here decides anything.
package words

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"nod/internal/reason"
	"nod/internal/text/elapsed"
)

// sentences are the words of each kind of reason, by where it comes from. {agent} and its like are replaced by the reason's data.
var sentences = []map[reason.Kind]string{reading, delivering, nudging}

// sentenceOf is the sentence of a kind, with holes for its data; empty where there is none.
func sentenceOf(kind reason.Kind) string {
	for _, list := range sentences {
		if said := list[kind]; said != "" {
			return said
		}
	}
	return ""
}

// Why is a reason in words; empty where there is none.
func Why(w reason.Why) string {
	if w.IsZero() || w.Said != "" {
		return w.Said
	}
	sentence := sentenceOf(w.Kind)
	if sentence == "" { // a record of a newer nod
		return fmt.Sprintf("nod has no words for the reason %s: look at the pane.", w.Kind)
	}
	because := ""
	if w.Because != nil {
		because = Why(*w.Because)
	}
	gave := "The key was typed"
	if w.Door {
		gave = "The answer was handed to the agent"
	}
	return strings.NewReplacer(
		"{agent}", cmp.Or(w.Agent, "that program"), "{pane}", w.Pane, "{key}", cmp.Or(w.Key, "the text"), "{what}", w.What,
		"{where}", w.Where, "{nudge}", w.Nudge, "{by}", w.By, "{ago}", elapsed.Short(w.Ago)+" ago",
		"{door}", gave, "{because}", because, "{because inside}", inside(because),
	).Replace(sentence)
}

// Refused says why nothing was typed where no more is known than the word for programs, such as no_key.
func Refused(code string) string {
	if said := codes[code]; said != "" {
		return said
	}
	return "Look at the pane."
}

// inside is a sentence as it may be before another full stop: without its own, begun in lower case unless its first word is
// written in capitals.
func inside(said string) string {
	said = strings.TrimRight(strings.TrimSpace(said), ".")
	first, n := utf8.DecodeRuneInString(said)
	if second, _ := utf8.DecodeRuneInString(said[n:]); unicode.IsUpper(second) {
		return said
	}
	return string(unicode.ToLower(first)) + said[n:]
}
