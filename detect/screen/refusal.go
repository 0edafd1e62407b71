package screen

import (
	"slices"
	"strings"
)

// The words of a refusal, in the order in which they may stand. Longer phrases are before those that they begin with.
var (
	noes     = []string{"no thanks", "no thank you", "no", "nope", "n"}
	refusals = []string{
		"deny", "denied", "reject", "decline", "disallow", "refuse", "block", "forbid", "cancel", "abort", "skip", "stop", "dismiss", "quit", "exit",
		"keep planning", "go back",
	}
	negated = []string{"allow", "approve", "accept", "run", "proceed", "continue", "permit", "execute", "apply", "trust", "do", "now", "this"}
	objects = []string{
		"tool call", "tool use", "tool", "command", "request", "action", "call", "operation", "changes", "change", "edits", "edit", "file", "permission", "plan", "execution", "it",
	}
	lefts = []string{"running it", "running this", "executing it", "applying it", "permissions", "permission", "it"}
	times = []string{"for now", "right now", "now", "this time", "just this time", "just this once", "this once", "once", "yet"}
)

// refuses reports whether a whole label says no. "Don't trust" does; "don't ask again", "skip permission checks" and "no confirmation
// needed" do not: each word must have its place, and a word that is left over makes it no refusal.
func refuses(words []string) bool {
	rest := after(words, noes...)
	said := len(rest) < len(words)
	if said {
		rest = after(rest, "and", "but")
	}
	tail := refusal(rest)
	if !said && (len(tail) == len(rest) || !firm[words[0]] && slices.ContainsFunc(words, func(w string) bool { return w == "permission" || w == "permissions" })) {
		return false // "Skip permission" and "Proceed without permission" may ask for none
	}
	tail = after(tail, times...)
	return len(tail) == 0 || said && goesOnWithout(tail) || asksBack(after(tail, "and", "but", "&", "+"))
}

// goesOnWithout reports whether words behind a no say that the agent goes on or ends its turn: "No, and keep going", "No, stop here".
func goesOnWithout(words []string) bool {
	return len(after(after(words, "keep going", "go on", "carry on", "move on", "try something else", "stop here", "stop", "end turn"), times...)) == 0
}

// withoutBrackets are the words of a label without the brackets at its end, "No, reject (type to add feedback)", if the words in
// them make nothing last and agree to nothing.
func withoutBrackets(label string) []string {
	at := strings.LastIndexByte(label, '(')
	if at < 1 || !strings.HasSuffix(label, ")") {
		return nil
	}
	said := wordsOf(label[at:])
	if lasting(said) || widens(said) != "" || slices.ContainsFunc(said, func(w string) bool { return agreeing[w] }) {
		return nil
	}
	return wordsOf(label[:at])
}

// refusal is words without the refusal that begins them: "deny", "don't run this command", "continue without running it".
func refusal(words []string) []string {
	if rest := after(words, "do not", "don't", "dont", "not"); len(rest) < len(words) {
		if verb := after(rest, negated...); len(verb) < len(rest) {
			return object(verb)
		}
		return words
	}
	if rest := after(words, "continue without", "proceed without", "go on without"); len(rest) < len(words) {
		if thing := after(rest, lefts...); len(thing) < len(rest) {
			return thing
		}
		return words
	}
	if rest := after(words, refusals...); len(rest) < len(words) {
		return object(rest)
	}
	return words
}

// object is words without the object of a verb that begins them; "this time" is none.
func object(words []string) []string {
	if len(after(words, times...)) < len(words) {
		return words
	}
	return after(after(words, "this", "the", "that"), objects...)
}

// longestName is the greatest number of words in an agent's name: "the GitHub agent".
const longestName = 3

// asksBack reports whether words ask the agent for something else, or end it: "tell Claude what to do differently", "exit".
func asksBack(words []string) bool {
	if len(words) == 0 {
		return false
	}
	switch words[0] {
	case "tell":
		for n := 2; n <= min(len(words)-1, 1+longestName); n++ {
			if len(after(words[n:], "what to do differently", "what to do instead", "what to do next", "what to do", "what to change", "why")) == 0 {
				return true
			}
		}
		return false
	case "ask":
		return len(words) > 1 && len(after(after(words[1:], "again"), "next time", "later")) == 0
	case "exit", "quit", "cancel", "stop", "abort":
		return len(words) == 1
	case "with", "suggest", "propose", "provide", "give", "explain":
		return len(after(words[1:], "changes", "a change", "edits", "feedback", "a reason", "instructions", "why", "something else", "an alternative")) == 0
	}
	return false
}

// tells reports whether a label is "No, and tell X what to do differently", cut off behind the name.
func tells(words []string) bool {
	rest := after(words, "no and tell", "no but tell")
	for n := 1; n <= longestName && len(rest) < len(words) && n < len(rest); n++ {
		if tail := strings.Join(rest[n:], " "); strings.HasPrefix("what to do differently", tail) || strings.HasPrefix("what to do instead", tail) {
			return true
		}
	}
	return false
}

// firm are the refusals that can last.
var firm = set("deny reject block refuse disallow decline forbid")

// lasting reports whether a refusal goes beyond this once.
func lasting(words []string) bool {
	return holdsAny(words, refusedOn) || says(words, "from now", "don't ask", "not ask", "dont ask")
}

// refusedOn are words that make a refusal last.
var refusedOn = set("always never forever permanently future remember session conversation all every everything any anymore blocklist denylist")

// refusesForGood reports whether a label says no now and later: "always deny", "no, and block this host in the future". A word that
// agrees to anything makes it no refusal: "never ask again" allows everything.
func refusesForGood(words []string) bool {
	if !lasting(words) {
		return false
	}
	rest := after(after(words, "no", "nope"), "and", "but") // a word that lasts is left
	said := len(rest) < len(words)
	switch {
	case said && len(after(rest, "don't ask again", "do not ask again", "never ask again")) == 0:
		return true
	case rest[0] == "always":
		rest = rest[1:]
	case rest[0] == "never":
		return len(rest) == 1 || len(after(rest[1:], negated...)) < len(rest)-1
	}
	return len(rest) > 0 && firm[rest[0]] && !slices.ContainsFunc(rest, func(w string) bool { return agreeing[w] })
}

// leaves reports whether a refusal also ends the turn or the program: "Cancel", "No, exit", "No, and stop for now".
func leaves(words []string) bool {
	rest := after(words, "no and", "no")
	return len(rest) > 0 && leaving[rest[0]]
}

var leaving = set("cancel quit exit abort skip dismiss stop")
