package screen

import (
	"slices"
	"strings"
)

// splitHints takes the key hints off the end of a label, "Yes, proceed (y)", "Run (once) (y) (enter)". It returns the label
// without them and their tmux keys, letters first. Words that are no keys stay in the label.
func splitHints(label string) (string, []string) {
	var keys []string
	for {
		trimmed := strings.TrimRight(label, " ")
		at := strings.LastIndexByte(trimmed, '(')
		if at < 1 || !strings.HasSuffix(trimmed, ")") {
			break
		}
		found, ok := hintKeys(strings.ReplaceAll(trimmed[at+1:len(trimmed)-1], " ", " "))
		if !ok {
			break
		}
		keys = append(found, keys...)
		label = strings.TrimRight(trimmed[:at], " ")
	}
	return label, keys
}

// hintKeys reads the keys of a hint: "y", "esc", "esc or n", "shift+tab", "Esc to stop". The second result reports whether s
// is a hint at all; a hint about something else ("tab to edit") has no keys.
func hintKeys(s string) ([]string, bool) {
	joined := strings.ReplaceAll(s, " ", "")
	if key := tmuxKey(joined); key != "" {
		return []string{key}, true
	}
	if strings.HasPrefix(s, "type to ") {
		return nil, true // it may be typed into too (grok/1.0.41-bash-80x24)
	}
	words := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' || r == '/' })
	var keys []string
	for i, w := range words {
		if w == "or" {
			continue
		}
		key := tmuxKey(w)
		if key == "" {
			if i == 1 && w == "to" && len(words) > 2 {
				if words[0] != "esc" && words[0] != "Esc" {
					return nil, true
				}
				return keys, true
			}
			return nil, false
		}
		keys = append(keys, key)
	}
	slices.SortStableFunc(keys, func(a, b string) int { return min(len(a), 2) - min(len(b), 2) }) // letters first
	return keys, len(keys) > 0
}

// tmuxKey is tmux's name of a key that a screen names; empty if s names none.
func tmuxKey(s string) string {
	if len(s) == 1 && (s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z' || s[0] >= '0' && s[0] <= '9') {
		return s
	}
	switch low := strings.ToLower(s); low {
	case "esc", "escape":
		return "Escape"
	case "enter", "return", "⏎", "↵":
		return "Enter"
	case "tab":
		return "Tab"
	case "shift+tab", "shift-tab":
		return "BTab"
	case "space":
		return "Space"
	default:
		for _, p := range []string{"ctrl+", "ctrl-", "^"} {
			if rest, ok := strings.CutPrefix(low, p); ok && len(rest) == 1 {
				return "C-" + rest
			}
		}
	}
	return ""
}
