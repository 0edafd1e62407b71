package screen

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// The bounds of a row about keys: a longer one is text.
const (
	longestSentence = 99 // bytes of a sentence about keys
	pieceWords      = 9  // words about one key
	letterWords     = 4  // words about a key that is a letter, which may also begin a sentence
	restWords       = 4  // words in the second row of a wrapped footer
)

// IsFooter reports whether s is a row about keys, as dialogs have it under their options: "Esc to cancel · Tab to amend",
// "↑/↓: Navigate | Enter: Select", "⇆ select  enter confirm".
func IsFooter(s string) bool {
	if Holds(s, "^X Exit", "^G Help") {
		return false // an editor's
	}
	if low := strings.ToLower(s); Holds(low, "↑↓ keys", "arrow keys") && Holds(low, "enter") && len(low) <= longestSentence {
		return true // "Confirm with number keys or ↑↓ keys and Enter, Cancel with Esc"
	}
	s, colon := strings.CutSuffix(s, ":")
	pieces, proof, last, moves := 0, false, "", strings.Contains(s, "↑↓") || strings.Contains(s, "↑/↓")
	for _, piece := range footerPieces(strings.ToLower(s)) {
		last = piece
		if pieces++; pieces > 1 && (piece == "…" || piece == "...") { // the rest is cut off
			continue
		}
		named, strong := keyPiece(piece)
		named = named || moves && foreign(piece)
		if !named && !(pieces > 1 && (keyWord(piece) || proof && len(piece) == 1)) { // "… | Esc:", the rest is wrapped
			return false
		}
		proof = proof || strong
	}
	if pieces == 1 && strings.HasPrefix(s, "→ ") || colon && (pieces == 1 || answerKeys(last)) {
		return false // Cursor's input box, or a row behind which an answer is typed
	}
	return proof
}

// foreign reports whether a piece beside arrows may name a key in any language: "Entrée valider".
func foreign(piece string) bool {
	words := strings.Fields(piece)
	return len(words) > 1 && len(words) <= 3 && plainWords(words)
}

// namesAnswers reports whether rows about keys only name the answers, "[y/a/n]", end with them, "Choose [y/n]", count them, "Select with
// numbers [1-4]. Then Enter", or say to write one, "Type y or n and press Enter": then it is typed into a line.
func namesAnswers(footer string) bool {
	for row := range strings.SplitSeq(strings.ToLower(footer), "  ") {
		words := slices.DeleteFunc(strings.FieldsFunc(row, func(r rune) bool { return r == ' ' || r == ',' }), func(word string) bool { return word == "or" })
		if len(words) == 0 {
			continue
		}
		if countsAnswers(row) {
			return true
		}
		last := words[len(words)-1]
		if inner := unbracketed(last); inner != last && len(inner) > 1 && answerKeys(inner) && words[0] != "press" {
			return true
		}
		written := len(words) > 1 && (words[0] == "type" || words[0] == "enter")
		if written {
			words = words[1:]
		}
		other := slices.IndexFunc(words, func(word string) bool { return !answerKeys(unbracketed(word)) })
		if other < 0 && (written || len(words) > 1 || len(unbracketed(words[0])) > 1) || other > 0 && written {
			return true
		}
	}
	return false
}

// countsAnswers reports whether a row holds a range of numbers in brackets that begins with one, "[1-4]", and does not begin with a key to
// press.
func countsAnswers(row string) bool {
	words := strings.Fields(strings.ToLower(row))
	return len(words) > 0 && words[0] != "press" && slices.ContainsFunc(words, func(word string) bool {
		count, ok := strings.CutPrefix(unbracketed(word), "1-")
		_, err := strconv.Atoi(count)
		return ok && err == nil && strings.ContainsAny(word[:1], "[(")
	})
}

// unbracketed is a word of a row about keys without what encloses or ends it.
func unbracketed(word string) string { return strings.Trim(word, "()[]{}<>.:?!'\"`") }

// answerKeys reports whether s names keys of one letter or number each, and nothing that they do: "y", "y/a/n", "1-3".
func answerKeys(s string) bool {
	from, to, _ := strings.Cut(s, "-")
	return len(s) == 1 && tmuxKey(s) != "" || letterKeys(s) || from == "1" && len(to) == 1 && tmuxKey(to) != ""
}

// movesAndChooses reports whether a row about keys names some that move a cursor up and down and one that chooses.
func movesAndChooses(footer string) bool {
	moves := func(key, _ string) bool { return Holds(key, "↑", "↓", "arrow", "up/down", "j/k") }
	return anyPiece(footer, moves) && anyPiece(footer, confirms)
}

// confirms reports whether a part of a footer is about Enter.
func confirms(key, _ string) bool { return Holds(key, "enter", "return", "↵", "⏎") }

// anyPiece reports whether is holds for one part of a footer, in lower case, and for its first word.
func anyPiece(footer string, is func(key, piece string) bool) bool {
	for _, piece := range footerPieces(strings.ToLower(footer)) {
		if key, _, _ := strings.Cut(strings.TrimPrefix(piece, "press "), " "); is(key, piece) {
			return true
		}
	}
	return false
}

// atSign reports whether line i may be the rest of the row about keys in the line above, wrapped before the sign that parts its keys:
// "↑↓ navigate • enter select" and "• esc cancel". It may as well be a message of an agent that begins with such a sign.
func (l *Layout) atSign(i int) bool {
	above, line := &l.Lines[i-1], &l.Lines[i]
	sign, rest, ok := strings.Cut(line.Text, " ")
	return ok && in("·•|", firstRune(sign)) && strings.Contains(above.Text, " "+sign+" ") && line.Col >= above.Col && IsFooter(rest) &&
		len(strings.Fields(rest)) <= restWords
}

// goesOn reports whether s is the wrapped rest of the footer row above it, which breaks off: "… · esc to" and "cancel". full says
// that the first word of s had no room above.
func goesOn(above, s string, full bool) bool {
	dangling := full && unicode.IsLower(firstRune(s))
	for _, end := range []string{" to", ":", "·", "|", ",", " or"} {
		dangling = dangling || strings.HasSuffix(above, end)
	}
	words := strings.Fields(s)
	return dangling && len(words) <= restWords && plainWords(words) || dangling && IsFooter("esc "+s)
}

// plainWords reports whether words may be about keys: they are no path, prompt or code.
func plainWords(words []string) bool {
	for _, w := range words {
		w = strings.Trim(w, "[]<>=:→")
		if keyWord(w) {
			continue
		}
		for _, r := range w {
			if !unicode.IsLetter(r) && !strings.ContainsRune("-/().,'…&+", r) {
				return false
			}
		}
	}
	return true
}

// footerPieces yields the parts of a footer, such as "esc to cancel", and the byte with which each begins.
func footerPieces(s string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for from := 0; from < len(s); {
			end, n := len(s), 0
			for _, sep := range []string{"·", "・", " | ", "│", "  ", ", ", " • ", " or ", "; "} {
				if i := strings.Index(s[from:], sep); i >= 0 && from+i < end {
					end, n = from+i, len(sep)
				}
			}
			if piece := strings.TrimSpace(s[from:end]); piece != "" && !yield(from+strings.Index(s[from:], piece), piece) {
				return
			}
			from = end + n
		}
	}
}

// keyPiece reports whether one part of a footer names a key and its effect. strong says that no sentence begins with that key.
func keyPiece(s string) (named, strong bool) {
	words := strings.Fields(s)
	if len(words) > 2 && words[0] == "type" && words[1] == "to" || len(words) == 2 && words[0] == "type" && len(words[1]) > 1 && !keyWord(words[1]) {
		return plainWords(words), false // "Type to search", "type answer"
	}
	told := len(words) > 0 && (words[0] == "press" || words[0] == "use" || words[0] == "type")
	for len(words) > 1 && (words[0] == "or" || words[0] == "type" || words[0] == "press" || words[0] == "use" || words[0] == "hit" || words[0] == "(use" || words[0] == "(press") {
		words = words[1:]
	}
	if told && len(words) > 1 && (words[0] == "a" || words[0] == "the" || words[0] == "any") {
		words = words[1:] // "Press a number"
	}
	if len(words) == 0 || len(words) > pieceWords {
		return false, false
	}
	if key, what, ok := strings.Cut(words[0], ":"); ok && what != "" && keyWord(key) && strings.Trim(key, "0123456789") != "" {
		words = append([]string{key, what}, words[1:]...) // "Tab:next option"
	}
	first := strings.ReplaceAll(strings.Trim(words[0], "()[]<>:`'"), "]/[", "/") // "[Up]/[Down]"
	switch {
	case strings.HasPrefix(first, "~/") || strings.HasPrefix(first, "/") && first != "//":
		return true, false
	case told && len(words) == 1 && len(first) == 1:
		return true, true // "Press 1, 2 or 3"
	case keyWord(first):
		return plainWords(words[1:]) && (told || len(words) > 1 || strings.ContainsAny(first, "/+↑↓")), true
	case len(first) == 1 && len(words) > 1 && len(words) <= letterWords:
		return plainWords(words[1:]), false
	}
	return false, false
}

// keyWord reports whether s names a key or several: "esc", "enter", "shift+tab", "↑/↓", "^p", "⇧⏎".
func keyWord(s string) bool {
	s = strings.TrimLeft(s, "⇧⌃⌥⌘")
	switch {
	case keyNames[s], strings.ContainsAny(s, "↑↓←→") && len(s) < 24, letterKeys(s):
		return true
	case strings.Trim(s, "0123456789/-") == "" && len(s) > 2: // "1/2/3/4", "1-4"
		return true
	case len(s) == 2 || len(s) == 3: // "^p", "f1", "f10"
		if s[0] == '^' || s[0] == 'f' && s[1] >= '0' && s[1] <= '9' {
			return true
		}
	}
	if head, tail, ok := strings.Cut(s, "/"); ok {
		return keyWord(head) && (keyWord(tail) || len(tail) == 1)
	}
	return modifiers[s[:max(strings.IndexAny(s, "+-"), 0)]]
}

var (
	keyNames = set("esc escape enter return tab space spacebar arrow arrows up/down pgup pgdn pageup pagedown backspace del ⇆ ⏎ ↵ ⇥ ⎋ ␛ " +
		"arrow-keys number digits")
	modifiers = set("ctrl shift alt cmd opt option meta control")
)

// letterKeys reports whether s names keys of one letter each: three or more, "y/a/p/n", or the pairs "y/n" and "j/k".
func letterKeys(s string) bool {
	parts := strings.Split(s, "/")
	for _, part := range parts {
		if len(part) != 1 || !unicode.IsLetter(rune(part[0])) && !unicode.IsDigit(rune(part[0])) {
			return false
		}
	}
	return len(parts) > 2 || strings.EqualFold(s, "y/n") || s == "j/k"
}
