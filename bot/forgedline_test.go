package bot_test

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf16"

	"nod/bot"
	"nod/internal/botapi"
	"nod/internal/testrun"
)

// forgery begins each line that a text from outside tries to begin.
const forgery = "✅ Forged"

// forgedLines is a text that tries to begin lines of its own, as nod does.
func (p *planter) forgedLines(where string) string {
	breaks := []string{"\n", "\r", "\r\n", "\n\n", "\v", "\f", "\u0085", "\u2028", "\u2029", "</b>\n", "</code></pre>\n", "&#10;", "\x1b[2J\n", "\u202e\n", "\n \n"}
	name := strings.NewReplacer("nudge.", "", "detect.", "", ".", " ").Replace(where)
	text := strings.Repeat("word ", p.IntN(4)*p.IntN(20)) + "words"
	for range 1 + p.IntN(3) {
		text += breaks[p.IntN(len(breaks))] + forgery + " " + name
	}
	return text
}

// begun is where a message has a line that a forgery begins, outside of what is set apart as foreign: code, and quotes.
func begun(m botapi.Message) []string {
	var found []string
	offset := 0
	for line := range strings.SplitSeq(m.Text, "\n") {
		text := strings.TrimLeftFunc(line, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) })
		apart := slices.ContainsFunc(m.Entities, func(e botapi.Entity) bool {
			return slices.Contains([]string{"code", "pre", "blockquote", "expandable_blockquote"}, e.Type) && e.Offset <= offset && offset < e.Offset+e.Length
		})
		if strings.HasPrefix(text, forgery) && !apart {
			found = append(found, line)
		}
		offset += len(utf16.Encode([]rune(line))) + 1
	}
	return found
}

// TestNoTextFromOutsideWritesALineOfNods: whatever happens, in any order, with line breaks of all kinds in each text that comes from
// outside, none begins a line of a message that is not code or a quote, or a line of a button.
func TestNoTextFromOutsideWritesALineOfNods(t *testing.T) {
	t.Parallel()
	p := newPlanter(t)
	p.lines = true
	var names []string
	for name := range steps {
		names = append(names, name)
	}
	slices.Sort(names)
	seen := 0
	for range testrun.Rounds(2, 8) {
		topics := p.IntN(2) == 0
		inWorldWith(t, botapi.Options{Token: token, Topics: topics}, func(w *world) {
			w.lossy = true
			w.set(func(s *bot.Settings) { s.Topics = topics; s.Preview = []string{"", "minimal"}[p.IntN(2)] })
			for range 20 {
				steps[names[p.IntN(len(names))]](w, p)
				time.Sleep(time.Duration(1+p.IntN(20)) * time.Second)
			}
			time.Sleep(time.Minute)
			for _, m := range w.botSaid() {
				seen += strings.Count(m.Text, forgery)
				for _, line := range begun(m.Message) {
					t.Errorf("%q begins a line of\n%s", line, m.Text)
				}
				if m.Markup == nil {
					continue
				}
				for _, row := range m.Markup.Rows {
					for _, b := range row {
						if strings.ContainsFunc(b.Text, func(r rune) bool { return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) }) {
							t.Errorf("the button %q", b.Text)
						}
					}
				}
			}
		})
	}
	if seen < testrun.Rounds(20, 100) {
		t.Errorf("only %d forgeries were told", seen)
	}
}
