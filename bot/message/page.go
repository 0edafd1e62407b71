package message

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"nod/internal/text/visible"
)

// MaxText is Telegram's limit for one message, in code points after its entities were parsed.
const MaxText = 4096

// page is one message's text while it is built: as HTML, and as the plain text that it shows. It is
// the only place that writes HTML. What goes in shows all that it holds (foreignText) and is cut to
// length before: a cut tag would fail the whole message.
type page struct {
	HTML, Plain string
	Short       bool // something did not fit in
}

func (p *page) tagged(open, text, end string) *page {
	if room := MaxText - p.Size(); utf8.RuneCountInString(text) > room {
		p.Short = true
		if room < 2 {
			return p
		}
		text = Cut(text, room)
	}
	p.HTML += open + escape(text) + end
	p.Plain += text
	return p
}

func (p *page) Text(s string) *page { return p.tagged("", s, "") }
func (p *page) Bold(s string) *page { return p.tagged("<b>", s, "</b>") }
func (p *page) Code(s string) *page { return p.tagged("<code>", s, "</code>") }
func (p *page) Pre(s string) *page  { return p.tagged("<pre>", s, "</pre>") }

func (p *page) quoted(s string) *page {
	return p.tagged("<blockquote>", s, "</blockquote>")
}

// folded is a quote that shows three lines until it is tapped.
func (p *page) folded(s string) *page {
	return p.tagged("<blockquote expandable>", s, "</blockquote>")
}

// foldedCode is folded in letters of one width.
func (p *page) foldedCode(s string) *page {
	return p.tagged("<blockquote expandable><code>", s, "</code></blockquote>")
}

// At writes a time of day, which an app shows by its reader's own clock.
func (p *page) At(t, now time.Time, zone *time.Location) *page {
	at := clock(t, now, zone)
	return p.time(t, formatOf(at), at)
}

// Moment is At with seconds, of a time that is not long ago.
func (p *page) Moment(t, now time.Time, zone *time.Location) *page {
	return p.time(t, "T", moment(t, now, zone))
}

// formatOf is how an app is to show a time that clock wrote.
func formatOf(at string) string {
	if strings.Contains(at, " on ") { // it says the day too
		return "dt"
	}
	return "t"
}

// dated writes a sentence that says a time of day as at, which an app then shows by its reader's own clock.
func (p *page) dated(sentence, at string, t time.Time) *page {
	before, after, ok := strings.Cut(sentence, " "+at)
	if !ok || t.IsZero() {
		return p.Text(sentence)
	}
	return p.Text(before+" ").time(t, formatOf(at), at).Text(after)
}

func (p *page) time(t time.Time, format, text string) *page {
	return p.tagged(fmt.Sprintf(`<tg-time unix="%d" format="%s">`, t.Unix(), format), text, "</tg-time>")
}

// Beginning is the first n code points of a page as plain text, its last line among them, which says which it is, with a sentence
// before that.
func (p page) Beginning(n int, sentence string) page {
	q := page{Short: true}
	last := "\n" + Cut(p.Plain[strings.LastIndex(p.Plain, "\n")+1:], lineRoom)
	q.Text(Cut(p.Plain, n-utf8.RuneCountInString(last)) + "\n\n" + sentence + last)
	return q
}

// Ending is a page with a sentence below, for which it makes room.
func (p page) Ending(sentence string) page {
	if room := MaxText - utf8.RuneCountInString(sentence) - 2; p.Size() > room {
		return p.Beginning(room, sentence)
	}
	p.Text("\n\n" + sentence)
	return p
}

func (p *page) Line() *page { return p.Text("\n") }

// Size is the length that Telegram counts.
func (p *page) Size() int { return utf8.RuneCountInString(p.Plain) }

// escape makes text harmless in Telegram's HTML, which knows no entity names but these.
func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}

// ForeignText is text from outside with all that it holds to be seen, also the three marks that Telegram takes out of
// every message (TDLib, clean_input_string): without them one command could look like another.
func ForeignText(s string) string { return dropped.Replace(visible.Text(s)) }

var dropped = strings.NewReplacer("\u030a", "<U+030A>", "\u0333", "<U+0333>", "\u033f", "<U+033F>")

// OneLine is foreign text as it may be in a line of ours: without a newline, which could draw a second line
// that looks like nod's, and with all that it holds to be seen.
func OneLine(s string) string {
	return strings.Join(strings.Fields(ForeignText(s)), " ")
}

// Cut shortens s to n code points, at a blank near the end where there is one.
func Cut(s string, n int) string {
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

// cutMiddle shortens s to n code points, and keeps both of its ends.
func cutMiddle(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-n/3-1]) + "…" + string(r[len(r)-n/3:])
}

// listRoom is how many code points a list may take; what does not fit is counted instead.
const listRoom = MaxText - 300

// longestLine is the most of one line of a list.
const longestLine = 300

// List writes lines as long as they fit.
func (p *page) List(lines []string) {
	dated := make([]Dated, len(lines))
	for i, line := range lines {
		dated[i].Text = line
	}
	p.ListDated(dated, time.Time{}, time.UTC)
}

// Dated is a line that begins with a time of day, unless that is zero.
type Dated struct {
	At   time.Time
	Text string
}

// ListDated is List of lines with their times.
func (p *page) ListDated(lines []Dated, now time.Time, zone *time.Location) {
	for i, line := range lines {
		text := Cut(line.Text, longestLine)
		if p.Size()+utf8.RuneCountInString(text) > listRoom {
			p.Line().Text(fmt.Sprintf("… and %d more", len(lines)-i))
			return
		}
		if p.Line(); !line.At.IsZero() {
			p.At(line.At, now, zone).Text(" ")
		}
		p.Text(text)
	}
}

// LastLines keeps as many of the last lines as fit n code points: what an agent asks is below.
// cut says that some were left out.
func LastLines(lines []string, n int) (kept []string, short bool) {
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
