// Package words turns reasons into sentences for people, each with its next step, for chat, command line and
// log. Each kind of package reason has its sentence here. Nothing here decides anything.
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

// sentences has the sentence of each kind of reason, by topic. {agent} and the like are replaced by the
// reason's data.
var sentences = []map[reason.Kind]string{reading, delivering, nudging, health, asking}

// sentenceOf returns the sentence of a kind, with placeholders for its data; empty if the kind is unknown.
func sentenceOf(kind reason.Kind) string {
	for _, list := range sentences {
		if said := list[kind]; said != "" {
			return said
		}
	}
	return ""
}

// Why returns a reason in words; empty for no reason.
func Why(w reason.Why) string {
	if w.IsZero() || w.Said != "" {
		return w.Said
	}
	sentence := sentenceOf(w.Kind)
	if sentence == "" { // from a record of a newer nod
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
		"{agent}", cmp.Or(w.Agent, "that program"), "{pane}", place(w), "{id}", w.Pane, "{key}", cmp.Or(w.Key, "the text"), "{what}", w.What,
		"{where}", cmp.Or(place(w), "its pane"), "{at}", w.Where, "{nudge}", w.Nudge, "{by}", w.By, "{ago}", elapsed.Short(w.Ago)+" ago",
		"{door}", gave, "{because}", because, "{because inside}", inside(because),
	).Replace(sentence)
}

// longestPlace is the greatest length, in bytes, of a place by which a sentence names a pane.
const longestPlace = 40

// place is where a pane is, "main:2.0", if that is one short word, else its id. A session may have any name, and an agent can give it one:
// it must not read as a sentence of nod's.
func place(w reason.Why) string {
	odd := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_:.", r)
	}
	if w.Where == "" || len(w.Where) > longestPlace || strings.ContainsFunc(w.Where, odd) {
		return w.Pane
	}
	return w.Where
}

// Refused says why nothing was typed if only the program's word for it is known, such as no_key.
func Refused(code string) string {
	if said := codes[code]; said != "" {
		return said
	}
	return "Look at the pane."
}

// inside prepares a sentence for use inside another one: without the full stop, and in lower case unless its
// first word is in capitals.
func inside(said string) string {
	said = strings.TrimRight(strings.TrimSpace(said), ".")
	first, n := utf8.DecodeRuneInString(said)
	if second, _ := utf8.DecodeRuneInString(said[n:]); unicode.IsUpper(second) {
		return said
	}
	return string(unicode.ToLower(first)) + said[n:]
}
