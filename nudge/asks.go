package nudge

import (
	"strings"
	"unicode"
)

// asksSomething reports whether a question mark ends a sentence of words, in any script. In doubt it reports
// a question.
func asksSomething(words string) bool {
	for line := range strings.Lines(words) {
		r := []rune(strings.TrimSpace(line))
		for i := 1; i < len(r); i++ {
			if endsQuestion(r[:i], r[i], r[i+1:]) {
				return true
			}
		}
	}
	return false
}

// endsQuestion reports whether mark ends a question, given the text before and after it on its line.
func endsQuestion(before []rune, mark rune, after []rune) bool {
	switch {
	case strings.ContainsRune(questionMarks, mark):
		return true
	case mark == '?', mark == ';' && unicode.Is(unicode.Greek, before[len(before)-1]):
		rest := strings.TrimLeft(string(after), closers)
		return rest == "" || unicode.IsSpace([]rune(rest)[0])
	}
	return false
}

// questionMarks have no other use: Greek, Armenian, Arabic, Ethiopic, Limbu, Coptic, Vai, Bamum, full width,
// small, reversed, and multiple marks. The Armenian mark is written above the last vowel.
const questionMarks = "\u037e\u055e\u061f\u1367\u1945\u2cfa\u2cfb\ua60f\ua6f7\uff1f\ufe56\ufe16\u2e2e⁇⁈⁉‽"

// closers may come between a question mark and the end of its sentence: more marks, quotes, brackets, and
// Markdown signs.
const closers = "?!.…\"'”’»›)]}*_~`"
