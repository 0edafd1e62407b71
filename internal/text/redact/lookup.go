package redact

import "strings"

// lookup finds, in one pass through a text, the places at which a rule is worth trying.
type lookup struct {
	rules []rule
	pair  [1 << 14]uint16 // index into words by the first two letters of a hint; 0 for none
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

// reach is how many bytes after a hint a rule looks. A secret that continues there is hidden to the end of
// its word.
const reach = 512

// near calls try with each part of a view in which a rule may match.
func (l *lookup) near(v view, try func(r *rule, in span)) {
	done := make([]int, len(l.rules)) // how far the rules that look around a hint have looked
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
			if v.guess == asItStands || v.broken(in) { // otherwise it is the same text as in the first view
				try(r, in)
			}
		}
	}
}

// end returns how far a rule looks from a hint at at. Tokens with a shape contain no blank.
func (r *rule) end(text string, at int) int {
	end := rowsEnd(text, at, r.within)
	if blank := strings.IndexAny(text[at:end], " \n"); r.shaped && r.back == 0 && blank >= 0 {
		return at + blank + 1
	}
	return end
}

// rowsEnd returns the position after the n-th newline from at on, within reach.
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

// lowered returns text with its ASCII letters in lower case; every byte keeps its place.
func lowered(text string) string {
	b := []byte(text)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// letter reports whether c is a word character of regular expressions.
func letter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}
