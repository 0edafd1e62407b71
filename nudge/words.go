package nudge

import (
	"slices"
	"strings"

	"nod/detect/screen"
)

// wordsOf are the words that decide. A reply is attached to its message, so it may be shorter than a fresh
// message, which could be part of a conversation.
var wordsOf = map[Way]map[string]screen.Decision{
	ByReply:   replyWords,
	ByCommand: replyWords,
	ByFresh:   freshWords,
}

var replyWords = map[string]screen.Decision{
	"y": screen.Approve, "yes": screen.Approve, "approve": screen.Approve, "a": screen.Approve,
	"n": screen.Deny, "no": screen.Deny, "deny": screen.Deny, "d": screen.Deny,
}

var freshWords = map[string]screen.Decision{
	"y": screen.Approve, "yes": screen.Approve, "allow": screen.Approve,
	"n": screen.Deny, "no": screen.Deny, "deny": screen.Deny,
}

// ParseWord parses a whole message, trimmed and in lower case, as an answer: exactly one of the words for
// that way, or such a word and the id of a nudge, as in "y k3f" or "y #k3f". It returns the decision and the
// id, if there is one; false for anything else, however close.
func ParseWord(text string, way Way) (screen.Decision, string, bool) {
	fields := strings.Fields(strings.ToLower(text))
	if len(fields) == 0 || len(fields) > 2 {
		return "", "", false
	}
	decision, ok := wordsOf[way][fields[0]]
	if !ok {
		return "", "", false
	}
	if len(fields) == 1 {
		return decision, "", true
	}
	id := strings.TrimPrefix(fields[1], "#")
	if !isID(id) {
		return "", "", false
	}
	return decision, id, true
}

// loose are words that people use for yes and no but that decide nothing.
var loose = []string{
	"yeah", "yep", "yup", "ya", "ja", "ok", "okay", "sure", "go", "do", "fine", "lgtm", "allow", "approve",
	"approved", "confirm", "accept", "1", "nope", "nah", "nein", "don't", "dont", "stop", "reject", "cancel",
	"👍", "👎", "✅", "❌", "a", "d",
}

// NearMiss reports whether text looks like an answer that ParseWord rejects, such as "yeah sure" or "y
// please", so that its writer gets a hint instead of silence.
func NearMiss(text string) bool {
	fields := strings.Fields(strings.ToLower(text))
	if len(fields) == 0 || len(fields) > 4 {
		return false
	}
	if _, _, ok := ParseWord(text, ByReply); ok {
		return false
	}
	first := strings.TrimRight(fields[0], ".,!?;:")
	_, known := replyWords[first]
	return known || slices.Contains(loose, first)
}
