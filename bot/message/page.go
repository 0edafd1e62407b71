package message

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"nod/internal/text/visible"
)

// MaxText is Telegram's limit for one message, in code points without its entities.
const MaxText = 4096

// page is the text of one message in two forms: as HTML, and as the plain text that it shows. No other code
// writes HTML. Text must be made visible (ForeignText) and cut before it goes in: a cut tag would make the
// whole message fail.
type page struct {
	HTML, Plain string
	Short       bool // something did not fit
	kept        int  // room that is kept for what comes last
}

func (p *page) tagged(open, text, end string) *page {
	if room := MaxText - p.kept - p.Size(); utf8.RuneCountInString(text) > room {
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

// folded writes a quote that shows three lines until it is tapped.
func (p *page) folded(s string) *page {
	return p.tagged("<blockquote expandable>", s, "</blockquote>")
}

// foldedCode is folded in a monospace font.
func (p *page) foldedCode(s string) *page {
	return p.tagged("<blockquote expandable><code>", s, "</code></blockquote>")
}

// At writes a time of day, which an app shows in its reader's zone.
func (p *page) At(t, now time.Time, zone *time.Location) *page {
	at := clock(t, now, zone)
	return p.time(t, formatOf(at), at)
}

// Moment is At with seconds, for a recent time.
func (p *page) Moment(t, now time.Time, zone *time.Location) *page {
	return p.time(t, "T", moment(t, now, zone))
}

// formatOf returns the format in which an app shows a time that clock wrote.
func formatOf(at string) string {
	if strings.Contains(at, " on ") { // it has the day too
		return "dt"
	}
	return "t"
}

// dated writes a sentence that contains the time at, which an app then shows in its reader's zone.
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

// Beginning returns the first n code points of a page as plain text. It keeps the last line, which identifies
// the message, and puts sentence before that.
func (p page) Beginning(n int, sentence string) page {
	q := page{Short: true}
	last := "\n" + Cut(p.Plain[strings.LastIndex(p.Plain, "\n")+1:], lineRoom)
	q.Text(Cut(p.Plain, n-utf8.RuneCountInString(last)) + "\n\n" + sentence + last)
	return q
}

// Ending returns a page with a sentence below it, and makes room for the sentence.
func (p page) Ending(sentence string) page {
	if room := MaxText - utf8.RuneCountInString(sentence) - 2; p.Size() > room {
		return p.Beginning(room, sentence)
	}
	p.Text("\n\n" + sentence)
	return p
}

func (p *page) Line() *page { return p.Text("\n") }

// Size returns the length that Telegram counts.
func (p *page) Size() int { return utf8.RuneCountInString(p.Plain) }

// escape escapes text for Telegram's HTML, which knows no other entity names.
func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}

// ForeignText makes text from outside fully visible, including the three marks that Telegram removes from
// every message (TDLib, clean_input_string): without them one command could look like another.
func ForeignText(s string) string { return dropped.Replace(visible.Text(s)) }

var dropped = strings.NewReplacer("\u030a", "<U+030A>", "\u0333", "<U+0333>", "\u033f", "<U+033F>")

// OneLine is ForeignText on one line: a line break could draw a second line that looks like nod's own.
func OneLine(s string) string {
	return strings.Join(strings.Fields(ForeignText(s)), " ")
}

// Cut shortens s to n code points, at a blank near the end if there is one.
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

// cutMiddle shortens s to n code points and keeps both ends.
func cutMiddle(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-n/3-1]) + "…" + string(r[len(r)-n/3:])
}

// listRoom is how many code points a list may take. Lines that do not fit are counted instead.
const listRoom = MaxText - 300

// longestLine is the maximum length of a line in a list.
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

// ListDated is List for lines with times.
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

// LastLines returns as many of the last lines as fit into n code points, because an agent's question is at
// the bottom. short: some were left out.
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
