package screen

import (
	"iter"
	"slices"
	"strings"
	"unicode"
)

// Dialogs have a row about keys under their options. It has pieces, and each names a key and what that does:
//
//	Esc to cancel · Tab to amend        ↑/↓: Navigate | Enter: Select        ⇆ select  enter confirm
//	╰── piece ──╯   ╰─ piece ──╯
//	key  what it does
//
// In this file the row is recognised, from the whole to its parts: the row, its pieces, a piece. Then comes the rest of such a row, which a
// narrow pane wraps. What the name of a key is, is in keyname.go; rows that name answers which are typed are in typedanswer.go.

// The bounds of a row about keys: a longer one is text.
const (
	longestSentence = 99 // bytes of a sentence about keys
	pieceWords      = 9  // words about one key
	letterWords     = 4  // words about a key that is a letter, which may also begin a sentence
	foreignWords    = 3  // words about a key in another language
	restWords       = 4  // words in the second row of a wrapped footer
)

// IsFooter reports whether s is a row about keys.
func IsFooter(s string) bool {
	switch {
	case Holds(s, "^X Exit", "^G Help"): // an editor's
		return false
	case saysKeys(strings.ToLower(s)):
		return true
	}
	body, colon := strings.CutSuffix(s, ":")
	pieces, proven := keyPieces(body)
	switch {
	case !proven:
		return false
	case len(pieces) == 1 && strings.HasPrefix(body, "→ "): // Cursor's input box
		return false
	case colon && (len(pieces) == 1 || answerKeys(pieces[len(pieces)-1])): // an answer is typed behind it
		return false
	}
	return true
}

// saysKeys reports whether a row in lower case is a sentence about keys: "confirm with number keys or ↑↓ keys and enter, cancel with esc".
func saysKeys(low string) bool {
	return Holds(low, "↑↓ keys", "arrow keys") && Holds(low, "enter") && len(low) <= longestSentence
}

// keyPieces are the pieces of a row, in lower case. proven says that each of them is about a key, and one of them could not be words.
func keyPieces(row string) (pieces []string, proven bool) {
	arrows := Holds(row, "↑↓", "↑/↓")
	for _, s := range footerPieces(strings.ToLower(row)) {
		first := len(pieces) == 0
		pieces = append(pieces, s)
		if cut := strings.HasSuffix(s, "…") || strings.HasSuffix(s, "..."); !first && cut && !strings.Contains(s, " ") { // the rest is cut off
			continue
		}
		named, strong := keyPiece(s)
		switch {
		case named, arrows && foreign(s):
		case !first && (keyWord(s) || proven && len(s) == 1): // "… | Esc:", the rest is wrapped
		default:
			return pieces, false
		}
		proven = proven || strong
	}
	return pieces, proven
}

// foreign reports whether a piece beside arrows may name a key in any language: "entrée valider".
func foreign(s string) bool {
	words := strings.Fields(s)
	return len(words) > 1 && len(words) <= foreignWords && plainWords(words)
}

// pieceEnds part the pieces of a row.
var pieceEnds = []string{"·", "・", " | ", "│", "  ", ", ", " • ", " or ", "; "}

// footerPieces yields the pieces of a row, and the byte with which each begins.
func footerPieces(s string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for from := 0; from < len(s); {
			end, next := len(s), len(s)
			for _, sep := range pieceEnds {
				if i := strings.Index(s[from:], sep); i >= 0 && from+i < end {
					end, next = from+i, from+i+len(sep)
				}
			}
			if piece := strings.TrimSpace(s[from:end]); piece != "" && !yield(from+strings.Index(s[from:], piece), piece) {
				return
			}
			from = next
		}
	}
}

// anyPiece reports whether is holds for one piece of a row, in lower case, and for its first word.
func anyPiece(footer string, is func(key, piece string) bool) bool {
	for _, piece := range footerPieces(strings.ToLower(footer)) {
		if key, _, _ := strings.Cut(strings.TrimPrefix(piece, "press "), " "); is(key, piece) {
			return true
		}
	}
	return false
}

// movesAndChooses reports whether a row about keys names some that move a cursor up and down and one that chooses.
func movesAndChooses(footer string) bool {
	moves := func(key, _ string) bool { return Holds(key, "↑", "↓", "arrow", "up/down", "j/k") }
	return anyPiece(footer, moves) && anyPiece(footer, confirms)
}

// confirms reports whether a piece is about Enter.
func confirms(key, _ string) bool { return Holds(key, "enter", "return", "↵", "⏎") }

// The words before the key of a piece.
var (
	tellVerbs = set("press use type")                    // tell to press it: "press esc to cancel"
	leadWords = set("or type press use hit (use (press") // may be before it
	articles  = set("a the any")                         // may be before what a verb tells to press: "press any key"
)

// keyPiece reports whether a piece in lower case names a key and what that does. strong says that no sentence begins with that key.
func keyPiece(s string) (named, strong bool) {
	words := strings.Fields(s)
	if typesText(words) {
		return plainWords(words), false
	}
	told := len(words) > 0 && tellVerbs[words[0]]
	words = fromKey(words, told)
	if len(words) == 0 || len(words) > pieceWords {
		return false, false
	}
	words = partedAtColon(words)
	key, does := bareKey(words[0]), words[1:]
	switch {
	case strings.HasPrefix(key, "~/"), strings.HasPrefix(key, "/") && key != "//": // a path, or a command
		return true, false
	case told && len(does) == 0 && len(key) == 1: // "press 1, 2 or 3"
		return true, true
	case keyWord(key): // a lone word has to look like a key
		return plainWords(does) && (told || len(does) > 0 || strings.ContainsAny(key, "/+↑↓")), true
	case len(key) == 1 && len(does) > 0 && len(words) <= letterWords:
		return plainWords(does), false
	}
	return false, false
}

// tellsKey reports whether a sentence tells to press a key: "Select an answer and press Enter."
func tellsKey(s string) bool {
	words := strings.Fields(strings.ToLower(s))
	at := slices.Index(words, "press") + 1
	return at > 0 && at < len(words) && keyWord(strings.Trim(words[at], ".,!:"))
}

// typesText reports whether the words of a piece say that text is typed: "type to search", "type answer".
func typesText(words []string) bool {
	switch {
	case len(words) < 2 || words[0] != "type":
		return false
	case len(words) == 2:
		return len(words[1]) > 1 && !keyWord(words[1])
	}
	return words[1] == "to"
}

// fromKey are the words of a piece from its key on; told says that a verb tells to press that. At least one word is left.
func fromKey(words []string, told bool) []string {
	for len(words) > 1 && leadWords[words[0]] {
		words = words[1:]
	}
	if told && len(words) > 1 && articles[words[0]] {
		words = words[1:]
	}
	return words
}

// partedAtColon parts a key from what it does where no blank is between them: "tab:next option". A number before a colon is a time or a place.
func partedAtColon(words []string) []string {
	key, does, ok := strings.Cut(words[0], ":")
	if !ok || does == "" || !keyWord(key) || strings.Trim(key, "0123456789") == "" {
		return words
	}
	return append([]string{key, does}, words[1:]...)
}

// bareKey is a word that may name a key without what encloses it; "[up]/[down]" encloses two.
func bareKey(word string) string {
	return strings.ReplaceAll(strings.Trim(word, "()[]<>:`'"), "]/[", "/")
}

// plainWords reports whether words may be about keys: they are no path, prompt or code.
func plainWords(words []string) bool {
	for _, w := range words {
		if w = strings.Trim(w, "[]<>=:→"); !keyWord(w) && strings.ContainsFunc(w, isCode) {
			return false
		}
	}
	return true
}

// isCode reports whether a character is in none of the words that say what a key does.
func isCode(r rune) bool { return !unicode.IsLetter(r) && !strings.ContainsRune("-/().,'…&+", r) }

// A narrow pane wraps the row about keys: behind a piece, before the sign that parts two, or inside of one.

// dangling are the ends of a row which breaks off.
var dangling = []string{" to", ":", "·", "|", ",", " or"}

// goesOn reports whether s is the wrapped rest of the footer row above it, which breaks off: "… · esc to" and "cancel". full says
// that the first word of s had no room above.
func goesOn(above, s string, full bool) bool {
	breaksOff := full && unicode.IsLower(firstRune(s))
	for _, end := range dangling {
		breaksOff = breaksOff || strings.HasSuffix(above, end)
	}
	words := strings.Fields(s)
	return breaksOff && (len(words) <= restWords && plainWords(words) || IsFooter("esc "+s))
}

// atSign reports whether line i may be the rest of the row about keys in the line above, wrapped before the sign that parts its keys:
// "↑↓ navigate • enter select" and "• esc cancel". It may as well be a message of an agent that begins with such a sign.
func (l *Layout) atSign(i int) bool {
	above, line := &l.Lines[i-1], &l.Lines[i]
	sign, rest, ok := strings.Cut(line.Text, " ")
	return ok && in("·•|", firstRune(sign)) && strings.Contains(above.Text, " "+sign+" ") && line.Col >= above.Col &&
		IsFooter(rest) && len(strings.Fields(rest)) <= restWords
}
