package redact

import "strings"

// lookup finds where in a text which rules are worth trying, in one run through the text.
type lookup struct {
	rules []kept
	pair  [1 << 14]uint16 // the first two letters of a keyword: its place in words, 0 for none
	words [][]keyword
}

type keyword struct {
	word string
	rule int
}

func newLookup(rules []kept) *lookup {
	l := &lookup{rules: rules, words: make([][]keyword, 1)}
	for i, r := range rules {
		for _, word := range r.keywords {
			at := &l.pair[pairOf(word)]
			if *at == 0 {
				*at = uint16(len(l.words))
				l.words = append(l.words, nil)
			}
			l.words[*at] = append(l.words[*at], keyword{word, i})
		}
	}
	return l
}

func pairOf(text string) int { return int(text[0]&0x7f)<<7 | int(text[1]&0x7f) }

// rowsAfter is how many rows after its keyword a secret ends at the latest: a curl over several rows.
const rowsAfter = 10

// near calls try with each stretch of a lower-cased text in which a rule may find something: rows that hold its
// keyword and those after it, or the whole text where the secret stands apart from the keyword.
func (l *lookup) near(lower string, try func(r *kept, from, to int)) {
	type stretch struct{ from, row, to int } // row: where the row of the last keyword ends
	open := make([]stretch, len(l.rules))
	for i := 0; i+1 < len(lower); i++ {
		at := l.pair[pairOf(lower[i:])]
		if at == 0 {
			continue
		}
		for _, k := range l.words[at] {
			s := &open[k.rule]
			if i < s.row || !strings.HasPrefix(lower[i:], k.word) {
				continue
			}
			if !l.rules[k.rule].near {
				*s = stretch{0, len(lower), len(lower)}
				continue
			}
			from := strings.LastIndexByte(lower[:i], '\n') + 1
			if from > s.to {
				if s.to > 0 {
					try(&l.rules[k.rule], s.from, s.to)
				}
				s.from = from
			}
			s.row = rowsEnd(lower, i, 1)
			s.to = rowsEnd(lower, s.row, rowsAfter)
		}
	}
	for i, s := range open {
		if s.to > 0 {
			try(&l.rules[i], s.from, s.to)
		}
	}
}

// rowsEnd is where the n-th row end from at on is passed.
func rowsEnd(text string, at, n int) int {
	for ; n > 0; n-- {
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			return len(text)
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
