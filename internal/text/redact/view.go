package redact

import (
	"encoding/hex"
	"strings"
)

// view is one reading of a text for the rules.
type view struct {
	text, lower string
	guess       guess
	whole       string // the text of which this is a view
	at          []int  // for each byte its position in whole, and the end; nil if they are the same
}

// guess says which rows are assumed to be wrapped.
type guess int

const (
	asItStands       guess = iota
	asWideAsAny            // rows that are as wide as any other
	asWideAsItsBlock       // rows that are as wide as any other near them: for secrets with a shape of their own
)

// viewsOf returns the text as it is, and with wrapped rows joined. Both are needed: in joined rows a rule
// that ends at a word's end could miss a secret at the end of its row. Which rows were wrapped is a guess,
// and the wider guess is only for secrets that have a shape of their own. A view with percent-encoded parts
// is followed by its decoded form.
func viewsOf(text string) []view {
	views := []view{{text: text, lower: lowered(text), whole: text}}
	rows := rowsOf(text)
	for i, wide := range [][]bool{wideAsAny(rows), wideAsBlock(rows)} {
		if joined, at := join(text, rows, wide); len(joined) < len(text) {
			views = append(views, view{text: joined, lower: lowered(joined), guess: asWideAsAny + guess(i), whole: text, at: at})
		}
	}
	for _, v := range views {
		if decoded, any := v.decoded(); any {
			views = append(views, decoded)
		}
	}
	return views
}

// inText returns the position of a range of the view in the text. It includes what was between joined rows,
// which is never hidden.
func (v view) inText(s span) span {
	if v.at == nil {
		return s
	}
	return span{v.at[s.start], v.at[s.end]}
}

// inTexts is inText for several ranges.
func (v view) inTexts(spans []span) []span {
	for i, s := range spans {
		spans[i] = v.inText(s)
	}
	return spans
}

// broken reports whether a range of the view crosses, or ends at, the end of a row.
func (v view) broken(s span) bool {
	s = v.inText(s)
	return strings.Contains(v.whole[s.start:s.end], "\n")
}

// line returns the lines that contain a range of the view, as far as they are near.
func (v view) line(s span) string {
	start := max(0, s.start-reach)
	return v.text[start+strings.LastIndexByte(v.text[start:s.start], '\n')+1 : rowsEnd(v.text, s.end, 1)]
}

// decoded returns the view with its percent-encoded ASCII characters decoded, and whether there are any.
func (v view) decoded() (view, bool) {
	if !encoded().MatchString(v.text) {
		return view{}, false
	}
	var b strings.Builder
	at := make([]int, 0, len(v.text)+1)
	for i := 0; i < len(v.text); i++ {
		at = append(at, v.inText(span{i, i}).start)
		c := v.text[i]
		if c == '%' && i+2 < len(v.text) {
			if d, err := hex.DecodeString(v.text[i+1 : i+3]); err == nil && ' ' <= d[0] && d[0] < 0x7f {
				c = d[0]
				i += 2
			}
		}
		b.WriteByte(c)
	}
	at = append(at, v.inText(span{len(v.text), len(v.text)}).start)
	return view{text: b.String(), lower: lowered(b.String()), guess: v.guess, whole: v.whole, at: at}, true
}
