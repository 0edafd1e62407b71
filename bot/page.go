package bot

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText is Telegram's limit for one message, in code points after its entities were parsed.
const maxText = 4096

// page is one message's text while it is built: as HTML, and as the plain text that it shows. It is
// the only place that writes HTML. What goes in is cut to length before: a cut tag would fail the
// whole message.
type page struct {
	html, plain string
}

func (p *page) tagged(open, text, end string) *page {
	text = clean(text)
	p.html += open + escape(text) + end
	p.plain += text
	return p
}

func (p *page) text(s string) *page { return p.tagged("", s, "") }
func (p *page) bold(s string) *page { return p.tagged("<b>", s, "</b>") }
func (p *page) code(s string) *page { return p.tagged("<code>", s, "</code>") }
func (p *page) pre(s string) *page  { return p.tagged("<pre>", s, "</pre>") }

// folded is a quote that shows three lines until it is tapped.
func (p *page) folded(s string) *page {
	return p.tagged("<blockquote expandable>", s, "</blockquote>")
}

func (p *page) line() *page { return p.text("\n") }

// size is the length that Telegram counts.
func (p *page) size() int { return utf8.RuneCountInString(p.plain) }

// escape makes text harmless in Telegram's HTML, which knows no entity names but these.
func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}

// clean makes what can't be seen visible: control characters, marks that turn the direction of
// writing, and zero-width characters could make a command look like another one.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t':
			return ' '
		case r == '\r':
			return -1
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp), filler(r):
			return utf8.RuneError
		}
		return r
	}, s)
}

// filler reports letters that show nothing (Hangul fillers, the blank Braille pattern).
func filler(r rune) bool {
	switch r {
	case 0x115f, 0x1160, 0x3164, 0xffa0, 0x2800, 0x034f, 0x17b4, 0x17b5:
		return true
	}
	return false
}

// oneLine makes foreign text safe to stand in a line of ours: without it a newline in a name could
// draw a second line that looks like nod's.
func oneLine(s string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(clean(s), "\n", " ")), " ")
}

// cut shortens s to n code points, at a blank near the end where there is one.
func cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	if n < 2 {
		return "…"
	}
	end := n - 1
	for i := end; i > end-end/4; i-- {
		if unicode.IsSpace(r[i]) {
			end = i
			break
		}
	}
	return strings.TrimRight(string(r[:end]), " \n") + "…"
}

// lastLines keeps as many of the last lines as fit n code points: what an agent asks stands below.
// cut says that some were left out.
func lastLines(lines []string, n int) (kept []string, short bool) {
	room := n
	first := len(lines)
	for first > 0 {
		need := utf8.RuneCountInString(lines[first-1]) + 1
		if need > room {
			break
		}
		room -= need
		first--
	}
	return lines[first:], first > 0
}
