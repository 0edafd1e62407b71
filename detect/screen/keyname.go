package screen

import (
	"strings"
	"unicode"
)

// How the rows about keys name them.

var (
	keyNames = set("esc escape enter return tab space spacebar arrow arrows up/down pgup pgdn pageup pagedown backspace del ⇆ ⏎ ↵ ⇥ ⎋ ␛ " +
		"arrow-keys number digits")
	modifiers = set("ctrl shift alt cmd opt option meta control")
)

// longestArrows is how long a word with arrows in it may be, in bytes: "↑↓←→", "↑/↓/j/k".
const longestArrows = 23

// keyWord reports whether a word in lower case names a key or several.
func keyWord(s string) bool {
	s = strings.TrimLeft(s, "⇧⌃⌥⌘") // "⇧⏎"
	switch {
	case keyNames[s], letterKeys(s), numberKeys(s), functionKey(s):
		return true
	case strings.ContainsAny(s, "↑↓←→") && len(s) <= longestArrows:
		return true
	}
	if head, tail, ok := strings.Cut(s, "/"); ok { // "esc/q", "alt/option+e"
		return (keyWord(head) || modifiers[head]) && (keyWord(tail) || len(tail) == 1)
	}
	return modifiers[s[:max(strings.IndexAny(s, "+-"), 0)]] // "shift+tab"
}

// letterKeys reports whether s names keys of one letter or digit each: three or more, "y/a/p/n", or the pairs "y/n" and "j/k".
func letterKeys(s string) bool {
	parts := strings.Split(s, "/")
	for _, part := range parts {
		if len(part) != 1 || !unicode.IsLetter(rune(part[0])) && !unicode.IsDigit(rune(part[0])) {
			return false
		}
	}
	return len(parts) > 2 || strings.EqualFold(s, "y/n") || s == "j/k"
}

// numberKeys reports whether s names keys that are numbers: "1/2/3/4", "1-4", "1–4".
func numberKeys(s string) bool { return len(s) > 2 && strings.Trim(s, "0123456789/-–") == "" }

// functionKey reports whether s names a key of two or three characters: "^p", "f1", "f10".
func functionKey(s string) bool {
	if len(s) != 2 && len(s) != 3 {
		return false
	}
	return s[0] == '^' || s[0] == 'f' && s[1] >= '0' && s[1] <= '9'
}
