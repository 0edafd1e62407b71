package detect

import "strings"

// isFooter reports whether s is a row that explains keys, as a dialog has it under its options:
// "Esc to cancel · Tab to amend", "↑/↓: Navigate | Enter: Select", "⇆ select  enter confirm".
func isFooter(s string) bool {
	if s == "" || len(s) > 400 {
		return false
	}
	pieces, proof := 0, false
	for piece := range splitPieces(strings.ToLower(s)) {
		pieces++
		named, strong := keyPiece(piece)
		if !named {
			return false
		}
		proof = proof || strong
	}
	return pieces > 0 && proof
}

// splitPieces yields the parts of a footer.
func splitPieces(s string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for len(s) > 0 {
			at, n := len(s), 0
			for _, sep := range []string{"·", " | ", "│", "  ", ", ", " • ", " or ", "; "} {
				if i := strings.Index(s, sep); i >= 0 && i < at {
					at, n = i, len(sep)
				}
			}
			piece := strings.TrimSpace(s[:at])
			s = s[min(at+n, len(s)):]
			if piece != "" && !yield(piece) {
				return
			}
		}
	}
}

// keyPiece reports whether one part of a footer names a key and what it does; strong keys are those
// that no sentence begins with.
func keyPiece(s string) (named, strong bool) {
	words := strings.Fields(s)
	for len(words) > 1 && (words[0] == "or" || words[0] == "press" || words[0] == "use" || words[0] == "hit" || words[0] == "(use" || words[0] == "(press") {
		words = words[1:]
	}
	if len(words) == 0 || len(words) > 9 {
		return false, false
	}
	first := strings.Trim(words[0], "()[]<>:`'")
	switch {
	case strings.HasPrefix(first, "~/") || strings.HasPrefix(first, "/"):
		return true, false
	case keyWord(first):
		return len(words) > 1 || strings.ContainsAny(first, "/+↑↓"), true
	case len(first) == 1 && len(words) > 1 && len(words) < 5:
		return true, false
	}
	return false, false
}

// keyWord reports whether s names a key or several: "esc", "enter", "shift+tab", "↑/↓", "^p".
func keyWord(s string) bool {
	switch s {
	case "esc", "escape", "enter", "return", "tab", "space", "spacebar", "arrow", "arrows", "up/down", "backspace", "del", "⇆", "⏎", "↵", "⇥", "arrow-keys", "number", "digits":
		return true
	}
	if s == "" {
		return false
	}
	if strings.ContainsAny(s, "↑↓←→") && len(s) < 24 {
		return true
	}
	if s[0] == '^' && len(s) <= 3 && len(s) > 1 {
		return true
	}
	if head, tail, ok := strings.Cut(s, "/"); ok {
		return keyWord(head) && (keyWord(tail) || tail == "arrow" || len(tail) == 1)
	}
	for _, sep := range []string{"+", "-"} {
		if head, _, ok := strings.Cut(s, sep); ok {
			switch head {
			case "ctrl", "shift", "alt", "cmd", "opt", "option", "meta", "control":
				return true
			case "escape", "esc", "enter", "tab":
				return true
			}
		}
	}
	return len(s) > 1 && len(s) <= 3 && s[0] == 'f' && s[1] >= '0' && s[1] <= '9'
}
