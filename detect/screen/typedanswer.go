package screen

import (
	"slices"
	"strconv"
	"strings"
)

// Some rows name answers that are typed into a line, with Enter behind them, as if they were keys.

// namesAnswers reports whether rows about keys, parted by gaps, name answers that are typed.
func namesAnswers(footer string) bool {
	for row := range strings.SplitSeq(strings.ToLower(footer), "  ") {
		words := slices.DeleteFunc(strings.FieldsFunc(row, func(r rune) bool { return r == ' ' || r == ',' }), func(word string) bool { return word == "or" })
		if len(words) > 0 && (countsAnswers(row) || endsInAnswers(words) || tellsToWrite(words) || onlyAnswers(words)) {
			return true
		}
	}
	return false
}

// countsAnswers reports whether a row holds a range of numbers in brackets that begins with one, "select with numbers [1-4]", and does not
// begin with a key to press.
func countsAnswers(row string) bool {
	words := strings.Fields(strings.ToLower(row))
	return len(words) > 0 && words[0] != "press" && slices.ContainsFunc(words, func(word string) bool {
		count, ok := strings.CutPrefix(unbracketed(word), "1-")
		_, err := strconv.Atoi(count)
		return ok && err == nil && strings.ContainsAny(word[:1], "[(")
	})
}

// endsInAnswers reports whether a row ends in several answers in brackets: "choose [y/n]".
func endsInAnswers(words []string) bool {
	last := words[len(words)-1]
	answers := unbracketed(last)
	return answers != last && len(answers) > 1 && answerKeys(answers) && words[0] != "press"
}

// tellsToWrite reports whether a row says to write an answer: "type y or n and press enter".
func tellsToWrite(words []string) bool {
	return len(words) > 1 && (words[0] == "type" || words[0] == "enter") && answerKeys(unbracketed(words[1]))
}

// onlyAnswers reports whether a row is nothing but several answers: "[y/a/n]", "y, a, n".
func onlyAnswers(words []string) bool {
	several := len(words) > 1 || len(unbracketed(words[0])) > 1
	return several && !slices.ContainsFunc(words, func(word string) bool { return !answerKeys(unbracketed(word)) })
}

// unbracketed is a word of a row about keys without what encloses or ends it.
func unbracketed(word string) string { return strings.Trim(word, "()[]{}<>.:?!'\"`") }

// answerKeys reports whether s names keys of one letter or number each, and nothing that they do: "y", "y/a/n", "1-3".
func answerKeys(s string) bool {
	from, to, _ := strings.Cut(s, "-")
	return len(s) == 1 && tmuxKey(s) != "" || letterKeys(s) || from == "1" && len(to) == 1 && tmuxKey(to) != ""
}
