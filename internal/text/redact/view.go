package redact

import (
	"encoding/hex"
	"strings"
)

// view is a text as rules may read it.
type view struct {
	text, lower string
	guess       guess
	whole       string // the text of which this is a view
	at          []int  // where in it each byte stood, and where it ends; nil: where it stands
}

// guess says which rows are taken for broken ones.
type guess int

const (
	asItStands       guess = iota
	asWideAsAny            // those that are as wide as any other
	asWideAsItsBlock       // those that are as wide as any other near them: for what is known by its own shape
)

// viewsOf are the text as it stands, and again with wrapped rows joined: joined only, a rule that ends at
// a word's end could miss a secret at the end of its row. Which rows were wrapped is a guess, so the wider
// guess is for secrets that are known by their own shape. Each is read once more where something in it is
// percent-encoded.
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

// inText is where a stretch of the view is in the text. It takes in what was between rows, which is never
// hidden.
func (v view) inText(s span) span {
	if v.at == nil {
		return s
	}
	return span{v.at[s.start], v.at[s.end]}
}

// inTexts is inText for several.
func (v view) inTexts(spans []span) []span {
	for i, s := range spans {
		spans[i] = v.inText(s)
	}
	return spans
}

// broken reports whether a stretch of the view goes over, or ends at, the end of a row.
func (v view) broken(s span) bool {
	s = v.inText(s)
	return strings.Contains(v.whole[s.start:s.end], "\n")
}

// line is the line, or the lines, in which a stretch of the view stands, as far as it is near.
func (v view) line(s span) string {
	start := max(0, s.start-reach)
	return v.text[start+strings.LastIndexByte(v.text[start:s.start], '\n')+1 : rowsEnd(v.text, s.end, 1)]
}

// decoded is the view with its percent-encoded ASCII characters as they are, and whether there are any.
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
