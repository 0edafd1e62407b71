package screen

import (
	"slices"
	"strings"
	"unicode"
)

// labelScope is the scope of an entry by its label and note alone.
func (e *Entry) labelScope() Scope { return scopeOf(e.Label, e.Note, e.Cut) }

// scopeOf reads the scope of an option from its label. A yes is Once only if every word of the label is known to be harmless: one
// unknown word, and it is no plain yes. The agent and the question may only narrow the scope further.
func scopeOf(label, note string, cut bool) Scope {
	words := wordsOf(label)
	if len(words) == 0 {
		return Other
	}
	s := wholeScope(words, strings.ToLower(label))
	switch {
	case cut && tells(words):
		return No
	case cut && (s == Once || s == No):
		return Other
	case s == Once && (keeps(wordsOf(note)) || strings.Contains(label, "?")): // a question is no answer
		return Other
	case s == No && lasting(wordsOf(note)):
		return NoAlways
	}
	return s
}

// inSentence reports whether a text begins as no sentence does, "from now on", "(sticky)": it may be the rest of the label before it.
func inSentence(s string) bool {
	inside, brackets := strings.CutPrefix(s, "(")
	return unicode.IsLower(firstRune(inside)) && !(brackets && strings.IndexByte(inside, ')') < 2) // "(x)" is a key or a box
}

// wholeScope is the scope of a whole label.
func wholeScope(words []string, label string) Scope {
	switch {
	case asksForWords(words, label):
		return Text
	case refusesForGood(words):
		return NoAlways
	case refuses(words), refuses(withoutBrackets(label)):
		return No
	}
	wide := widens(words)
	switch {
	case wide == Mode, wide == Always && (words[0] == "don't" || words[0] == "add"):
		return wide
	case !agreeing[words[0]] && !slices.Contains([]string{"always", "just", "only", "once", "for"}, words[0]):
		return Other
	case wide != "":
		return wide
	case plainYes(words):
		return Once
	}
	return Other
}

// straight makes the quotes of labels alike: agents write "don't" with either kind.
var straight = strings.NewReplacer("’", "'", "‘", "'")

// saysSomething reports whether s has a letter or a digit.
func saysSomething(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// wordsOf splits a label into lower-case words without punctuation.
func wordsOf(s string) []string {
	// An emoji before a label may carry a variation selector, which is no word.
	s = strings.ReplaceAll(strings.ToLower(straight.Replace(s)), "<u+fe0f>", " ")
	return strings.FieldsFunc(s, func(r rune) bool {
		switch r {
		case ' ', ',', '.', '!', '·', ';', ':', '(', ')', '[', ']', '"', '“', '”', '`', '—', '–', '…', '?', '✓', '✔', '✗', '✅', '❌':
			return true
		}
		return r >= 0x2300 && unicode.Is(unicode.So, r) // signs that agents put before a label
	})
}

var agreeing = set("yes ok okay sure allow approve approved accept run proceed continue confirm permit execute grant " +
	"trust apply enable use go do")

// Words that make a yes last, whatever they are said of.
var (
	modeWords = set("mode auto-accept auto-approve auto-run autopilot yolo bypass auto-edit autonomous unattended " +
		"unrestricted manually autorun autoapprove autoaccept allow-all")
	alwaysWords = set("always forever permanently permanent future remember never allowlist whitelist allow-list persist persistent persistently")
	reachWords  = set("trust trusted save saved settings config configuration global globally everything anything every " +
		"all any access commands workspace project repo repository directory folder user machine similar prefix")
	sessionWords = set("session conversation turn thread chat until rest duration today hour hours minute minutes day temporarily remaining restart restarted")
)

// widens is how long or how far a yes with these words reaches; empty: none of them says that it lasts.
func widens(words []string) Scope {
	switch {
	case says(words, "every session"):
		return Always
	case holdsAny(words, modeWords), says(words, "full access", "switch to", "accept edits"), len(words) > 0 && slices.Contains(words[:len(words)-1], "auto"):
		return Mode
	case holdsAny(words, sessionWords):
		return Session
	case holdsAny(words, alwaysWords), holdsAny(words, reachWords), says(words, "from now", "for commands", "stop asking", "not ask", "not asking", "not prompt",
		"don't ask", "don't prompt", "dont ask", "dont prompt", "without ask", "without asking", "without prompt"):
		return Always
	}
	return ""
}

// keeps reports whether a note with these words may say that its yes lasts. It is written freely, so a word counts in any form.
func keeps(words []string) bool {
	keeping := func(w string) bool { return Starts(w, "remember", "persist", "rule", "polic", "sav", "stor", "stick") }
	return widens(words) != "" || lasting(words) || slices.ContainsFunc(words, keeping) ||
		says(words, "for good", "won't ask", "won't be", "not be", "no more", "no further", "no longer", "stops asking")
}

// holdsAny reports whether one of the words is in a set.
func holdsAny(words []string, of map[string]bool) bool {
	return slices.ContainsFunc(words, func(w string) bool { return of[w] })
}

// says reports whether one of the phrases, of two words each, is among the words.
func says(words []string, phrases ...string) bool {
	for i := 1; i < len(words); i++ {
		for _, phrase := range phrases {
			if first, second, _ := strings.Cut(phrase, " "); words[i-1] == first && words[i] == second {
				return true
			}
		}
	}
	return false
}

// asksForWords reports whether choosing the label opens a text field.
func asksForWords(words []string, label string) bool {
	switch words[0] {
	case "type", "enter", "write", "tell", "describe", "edit", "custom", "provide":
		return len(words) > 1
	case "other":
		return true
	}
	return strings.Contains(label, "start typing") || strings.HasPrefix(label, "yes, and tell ") || strings.Contains(label, "type your ")
}

// plainYes reports whether a label that begins with a yes is nothing more: "Yes", "Allow once", "Yes, run this command", "Yes, just this once".
// Every word must have its place; a word that is left over makes it no plain yes.
func plainYes(words []string) bool {
	rest := after(words, "yes", "ok", "okay", "sure")
	verb := after(rest, "go ahead", "do it", "single permission", "allow", "approve", "approved", "accept", "proceed", "continue", "permit")
	if doing := after(rest, doings...); len(doing) < len(rest) {
		verb = after(doing, "this tool", "the tool", "this file", "the file", "this patch", "the patch", "this script", "the script")
	}
	rest = after(verb, "this", "the")
	rest = after(rest, "tool call", "command", "request", "action", "call", "operation", "execution", "changes", "change", "edits", "edit", "it", "time")
	rest = after(rest, "just this once", "only this once", "this once", "just this time", "only this time", "this time", "one time", "only once", "just once", "once", "now")
	return len(after(rest, "but ask again next time")) == 0
}

// doings are the verbs of a yes that does the thing itself, once, and allows nothing.
var doings = []string{"run", "execute", "apply", "perform", "write", "create", "delete", "remove", "send", "fetch", "call"}

// after is words without the first of the phrases that begins them.
func after(words []string, phrases ...string) []string {
	for _, p := range phrases {
		n := strings.Count(p, " ") + 1
		if len(words) >= n && strings.Join(words[:n], " ") == p {
			return words[n:]
		}
	}
	return words
}

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// Lasting is the scope of an option of a question about trust: no yes to it is for once.
func (e *Entry) Lasting() Scope {
	if e.Scope == Once || e.Scope == Other && e.Agrees() {
		return Always
	}
	return e.Scope
}

// Agrees reports whether a label begins with a yes of any kind.
func (e *Entry) Agrees() bool {
	words := wordsOf(e.Label)
	return len(words) > 0 && agreeing[words[0]]
}

// ofModel is the scope of an answer that a model made up: Text or Other.
func (e *Entry) ofModel() Scope {
	if e.Own || e.labelScope() == Text {
		return Text
	}
	return Other
}

// leavesProgram reports whether a label says that choosing it leaves the program.
func (e *Entry) leavesProgram() bool {
	words := wordsOf(e.Label)
	return slices.Contains(words, "quit") || slices.Contains(words, "exit")
}
