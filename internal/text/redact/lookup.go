package redact

import "strings"

// lookup finds where in a text which rules are worth trying, in one run through the text.
type lookup struct {
	rules []rule
	pair  [1 << 14]uint16 // the first two letters of a hint: its place in words, 0 for none
	words [][]hint
}

type hint struct {
	word string
	rule int
}

func newLookup(rules []rule) *lookup {
	l := &lookup{rules: rules, words: make([][]hint, 1)}
	for i, r := range rules {
		for _, word := range r.hints {
			at := &l.pair[pairOf(word)]
			if *at == 0 {
				*at = uint16(len(l.words))
				l.words = append(l.words, nil)
			}
			l.words[*at] = append(l.words[*at], hint{word, i})
		}
	}
	return l
}

func pairOf(text string) int { return int(text[0]&0x7f)<<7 | int(text[1]&0x7f) }

// reach is how far behind a hint a rule looks. What goes on there is hidden to the end of its word.
const reach = 512

// near calls try with each stretch of a view in which a rule may find something.
func (l *lookup) near(v view, try func(r *rule, in span)) {
	done := make([]int, len(l.rules)) // where those that look around a hint have looked
	for i := 0; i+1 < len(v.lower); i++ {
		for _, h := range l.words[l.pair[pairOf(v.lower[i:])]] {
			r := &l.rules[h.rule]
			if i < done[h.rule] || !strings.HasPrefix(v.lower[i:], h.word) || v.guess == asWideAsItsBlock && !r.shaped ||
				r.word && i > 0 && letter(v.text[i-1]) && letter(v.text[i]) || r.before != nil && !r.before(v.text[:i], v.text[i:]) {
				continue
			}
			in := span{max(0, i-r.back), r.end(v.text, i)}
			if r.back > 0 {
				done[h.rule] = i + reach/2
			}
			if v.guess == asItStands || v.broken(in) { // else as it is elsewhere
				try(r, in)
			}
		}
	}
}

// end is up to where a rule looks from a hint on: no shape of a token has a blank.
func (r *rule) end(text string, at int) int {
	end := rowsEnd(text, at, r.within)
	if blank := strings.IndexAny(text[at:end], " \n"); r.shaped && r.back == 0 && blank >= 0 {
		return at + blank + 1
	}
	return end
}

// rowsEnd is where the n-th row end from at on is passed, within reach.
func rowsEnd(text string, at, n int) int {
	most := min(len(text), at+reach)
	for ; n > 0; n-- {
		next := strings.IndexByte(text[at:most], '\n')
		if next < 0 {
			return most
		}
		at += next + 1
	}
	return at
}

// lowered is text with its ASCII letters in lower case, each byte where it was.
func lowered(text string) string {
	b := []byte(text)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// letter reports what regular expressions have for a letter of a word.
func letter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}
