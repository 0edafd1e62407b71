package inbox

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	cells "github.com/charmbracelet/x/ansi"

	"nod/cmd/internal/desk"
	"nod/internal/testrun"
	"nod/internal/text/visible"
)

// hostile returns text by somebody who knows how to control terminals.
func hostile(r *rand.Rand) string {
	pieces := []string{"\x1b[2J", "\x1b]52;c;eQ==\a", "\x1b]0;title\x1b\\", "\x9b31m", "\u009b2J", "\r", "\b\b\b", "\x00", "\u202e", "\u200b", "\x1bP", "\x1b[?1049l", "\x0e", "漢字", "👩‍👩‍👧", "rm -rf /", "\n", "\t", "\xff\xfe", " ", strings.Repeat("long", 90)}
	var b strings.Builder
	for range r.IntN(12) {
		if r.IntN(4) == 0 {
			b.WriteByte(byte(r.UintN(256)))
		} else {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
	}
	return b.String()
}

// fillIn replaces every text in v.
func fillIn(v reflect.Value, text func() string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text())
	case reflect.Pointer:
		if !v.IsNil() {
			fillIn(v.Elem(), text)
		}
	case reflect.Slice:
		for i := range v.Len() {
			fillIn(v.Index(i), text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fillIn(v.Field(i), text)
			}
		}
	}
}

// colours are the only escape sequences that the inbox itself writes.
var colours = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// TestNoEscapeSequenceOfACardReachesTheTerminal: others write all texts of cards and of faults.
func TestNoEscapeSequenceOfACardReachesTheTerminal(t *testing.T) {
	for round := range testrun.Rounds(15, 5000) {
		r := rand.New(rand.NewPCG(uint64(round), 11))
		synctest.Test(t, func(t *testing.T) {
			c := snapshot(sample()...)
			fillIn(reflect.ValueOf(&c).Elem(), func() string { return hostile(r) })
			for i := range c.Cards { // so that there are cards of all kinds
				c.Cards[i].Section, c.Cards[i].Actions = sample()[i].Section, sample()[i].Actions
			}
			p := sit(20+r.IntN(180), 5+r.IntN(60))
			p.take(changed(c))
			for range 12 {
				time.Sleep(time.Second)
				p.refuse = testFault{hostile(r)}
				p.press([]string{"j", "y", "2", "a", "d", "e", "?", "esc", "]", "/", "tab", "g", "right"}[r.IntN(13)])
				if r.IntN(4) == 0 {
					p.take(tea.PasteMsg{Content: hostile(r)})
				}
				if r.IntN(8) == 0 {
					p.take(down{hostile(r)})
				}
				checkHarmless(t, round, p)
			}
		})
	}
}

type testFault struct{ text string }

func (f testFault) Error() string { return f.text }

func checkHarmless(t *testing.T, round int, p *person) {
	t.Helper()
	lines := p.lines()
	checkSize(t, p.Model, lines)
	for _, line := range lines {
		for _, char := range colours.ReplaceAllString(line, "") {
			if char != ' ' && (unicode.IsControl(char) || visible.Hidden(char)) {
				t.Fatalf("round %d: %U reaches the terminal in %q", round, char, line)
			}
		}
	}
}

// TestNoPartOfALongLineLooksLikeALineOfTheDiff: without colours only the sign shows what a row is.
func TestNoPartOfALongLineLooksLikeALineOfTheDiff(t *testing.T) {
	for width := least + 1; width < 200; width += 7 {
		p := &paper{width: width}
		p.diff("its edit", []desk.File{{Parts: []desk.Part{{Old: []string{strings.Repeat("-+ ", 200)}, New: []string{strings.Repeat("+- ", 200)}}}}})
		begun := map[string]int{}
		for _, row := range p.lines[1:] {
			row = cells.Strip(row)
			begun[string([]rune(row)[:1])]++
			if cells.StringWidth(row) > width {
				t.Errorf("in %d columns a row has %d", width, cells.StringWidth(row))
			}
		}
		if begun["-"] != 1 || begun["+"] != 1 || begun[" "] > 0 {
			t.Errorf("in %d columns rows begin so: %v", width, begun)
		}
	}
}

// TestNoPartOfAPlansCodeLooksLikeItsText: the continuation rows of a long line of code differ from the plan's
// text.
func TestNoPartOfAPlansCodeLooksLikeItsText(t *testing.T) {
	p := &paper{width: 20}
	p.plan([]desk.Block{{Is: "pre", Spans: []desk.Span{{Text: "rm -rf build; go on\nok\n"}}}, {Is: "p", Spans: []desk.Span{{Text: "go on"}}}})
	got := cells.Strip(strings.Join(p.lines, "\n"))
	if want := "its plan\n  rm -rf build; go o\n↪ n\n  ok\n\ngo on"; got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// TestPlainLinesAreHarmless: each change takes exactly one line.
func TestPlainLinesAreHarmless(t *testing.T) {
	for round := range testrun.Rounds(20, 5000) {
		r := rand.New(rand.NewPCG(uint64(round), 13))
		c := snapshot(sample()...)
		fillIn(reflect.ValueOf(&c).Elem(), func() string { return hostile(r) })
		var out strings.Builder
		w := &writer{out: &out}
		w.change(c)
		w.lost(errors.New(hostile(r)))
		for line := range strings.Lines(out.String()) {
			for _, char := range strings.TrimSuffix(line, "\n") {
				if char != ' ' && visible.Hidden(char) || cells.Strip(line) != line {
					t.Fatalf("round %d: %U in %q", round, char, line)
				}
			}
		}
	}
}

// TestPlainSaysNothingTwice: a stream that begins again, even after a restart, only reports what changed in
// between.
func TestPlainSaysNothingTwice(t *testing.T) {
	var out strings.Builder
	w := &writer{out: &out}
	cards := sample()
	w.change(snapshot(cards...))
	out.Reset()
	again := slices.Clone(cards)
	again[2].Note = "It has expired."
	w.change(snapshot(again[1:]...))
	if got := strings.Split(out.String(), "\n"); len(got) != 3 || !strings.HasSuffix(got[0], "claude in api is gone") || !strings.Contains(got[1], "claude in web; ") {
		t.Errorf("it says %q", got)
	}
}
