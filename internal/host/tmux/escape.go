package tmux

import "strings"

// quote makes text one word of a tmux command line. Inside single quotes tmux takes every character
// as it is, so only the single quote itself has to leave them.
func quote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// pattern makes text stand for itself as an extended regular expression inside a tmux format,
// `#{C/r:…}` or `#{m/r:…,…}`. Two parsers read it: tmux's format parser first, which ends the search at a bare `}`,
// an argument at a bare `,`, and begins something at `#`; regcomp(3) then.
//
// A bracket expression of one character takes its meaning from it in both. The caret is escaped
// instead, because `[^]` is something else, and the comma is only the format's.
var pattern = strings.NewReplacer(
	".", "[.]", "?", "[?]", "*", "[*]", "+", "[+]", "|", "[|]", "$", "[$]",
	"(", "[(]", ")", "[)]", "[", "[[]", "{", "[{]", "}", "[#}]", "#", "[#]",
	"^", `\^`, ",", "#,", `\`, `[\]`,
)
