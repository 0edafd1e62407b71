package tmux

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// named are the names that tmux itself knows (key-string.c, 3.2a to 3.6), in lower case, which is the same
// to tmux as upper. send-keys types any other name letter by letter and exits with 0: `Esc`, `Return`,
// `Backspace`.
var named = map[string]bool{
	"enter": true, "escape": true, "space": true, "tab": true, "btab": true, "bspace": true,
	"up": true, "down": true, "left": true, "right": true,
	"home": true, "end": true, "insert": true, "ic": true, "delete": true, "dc": true,
	"pageup": true, "pgup": true, "ppage": true, "pagedown": true, "pgdn": true, "npage": true,
}

// movable are the named keys that a terminal has with Shift or Control as well. With the others, such
// as S-Tab and C-Enter, tmux 3.3a types letters or nothing.
var movable = map[string]bool{
	"up": true, "down": true, "left": true, "right": true, "home": true, "end": true,
	"insert": true, "ic": true, "delete": true, "dc": true,
	"pageup": true, "pgup": true, "ppage": true, "pagedown": true, "pgdn": true, "npage": true,
}

// ValidKey reports whether send-keys takes name for one key and types that key: one printable
// character, a key's name, or either with C-, M- or S- if a terminal has that.
func ValidKey(name string) bool {
	if r, size := utf8.DecodeRuneInString(name); size == len(name) {
		return size > 0 && r != utf8.RuneError && unicode.IsPrint(r)
	}
	if plain, ok := strings.CutPrefix(name, "M-"); ok {
		return !strings.HasPrefix(plain, "M-") && !strings.HasPrefix(plain, "S-") && asciiOrLonger(plain) && ValidKey(plain)
	}
	lower := strings.ToLower(name)
	if named[lower] || functionKey(lower) {
		return true
	}
	if rest, ok := strings.CutPrefix(name, "C-"); ok {
		return controllable(rest) || movable[strings.ToLower(rest)]
	}
	if rest, ok := strings.CutPrefix(name, "S-"); ok {
		return movable[strings.ToLower(rest)]
	}
	return false
}

func asciiOrLonger(name string) bool { return len(name) > 1 || name != "" && name[0] < utf8.RuneSelf }

// controllable reports whether there is a control character of this one.
func controllable(char string) bool {
	if strings.EqualFold(char, "space") {
		return true
	}
	return len(char) == 1 && (char[0] >= 'a' && char[0] <= 'z' || char[0] >= 'A' && char[0] <= 'Z' || strings.Contains(`@[\]^_`, char))
}

func functionKey(lower string) bool {
	number, ok := strings.CutPrefix(lower, "f")
	n, err := strconv.Atoi(number)
	return ok && err == nil && n >= 1 && n <= 12 && number[0] != '0' && number[0] != '+'
}

// validPane reports whether pane is a pane id, "%" and a number: the only kind of target that tmux
// does not guess at.
func validPane(pane string) bool {
	number, ok := strings.CutPrefix(pane, "%")
	if !ok || number == "" || len(number) > 9 {
		return false
	}
	return strings.Trim(number, "0123456789") == ""
}
