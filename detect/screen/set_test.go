package screen

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// headings are the ways in which agents draw the headings of a set.
var headings = map[string]Headings{
	"boxes":       {Row: 1, Begins: "← ", Ends: " Send →", Boxes: "□✓"},
	"apart":       {Row: 1, Ends: " Send"},
	"apart, each": {Row: 1, Each: true},
	"marked":      {Row: 1, Ends: " Send", Mark: "▸"},
}

// draw draws n headings, of which those that are lit are set off; where the last is no question, lit n is that one.
func (h Headings) draw(rng *rand.Rand, n int, lit ...int) string {
	const ground, mark = "\x1b[44m%s\x1b[0m", "▸ %s"
	of := func(i int, name string) string {
		switch {
		case !slices.Contains(lit, i):
			return name
		case h.Mark != "":
			return fmt.Sprintf(mark, name)
		}
		return fmt.Sprintf(ground, name)
	}
	var names []string
	for i := range n {
		box := ""
		if h.Boxes != "" {
			box = string([]rune(h.Boxes)[rng.IntN(2)]) + " "
		}
		names = append(names, box+of(i, fmt.Sprintf("%c%d", 'A'+rune(rng.IntN(26)), i)))
	}
	if h.Boxes != "" {
		return h.Begins + strings.Join(names, " │ ") + h.Ends
	}
	if !h.Each {
		names = append(names, of(n, "Send"))
	}
	return " " + strings.Join(names, "   ")
}

// asked reads a set whose list has one box.
func asked(t *testing.T, q Questions, headings, footer string) *Prompt {
	t.Helper()
	return askedIn(t, q, strings.Repeat("─", 60), headings, "", " Which ones?", "", " ❯ 1. [x] Front", "   2. [ ] Back", "   3. [ ] Something else", "", footer)
}

func askedIn(t *testing.T, q Questions, rows ...string) *Prompt {
	t.Helper()
	l := Lay(Parse(strings.Join(rows, "\n")))
	m, ok := l.Menu(Numbered | Pointed)
	if !ok {
		t.Fatal("there is no list in", rows)
	}
	d, ok := l.Dialog(m, nil, false)
	if !ok {
		t.Fatal("there is no dialog in", rows)
	}
	d.AskSet(&q)
	d.Boxed = true // what the rows show proves it of some agents alone
	return d.Prompt("an agent")
}

const setKeys = " Enter to select · Esc to cancel"

// TestThePageOfASetIsTheOneSetOff: which page stands is read where exactly one heading is set off, however headings are drawn.
func TestThePageOfASetIsTheOneSetOff(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for name, h := range headings {
		for range 300 {
			n := 2 + rng.IntN(4)
			at := rng.IntN(n)
			row := h.draw(rng, n, at)
			if p := asked(t, Questions{Headings: h}, row, setKeys); p.Page != at+1 || p.Pages != n {
				t.Fatalf("%s: %q is read as page %d of %d, want %d of %d", name, row, p.Page, p.Pages, at+1, n)
			}
			if h.Mark != "" {
				continue
			}
			unseen := askedIn(t, Questions{Headings: h}, row, "", " Which ones?", " ❯ 1. Front", "   2. Back", "", setKeys)
			if known := unseen.Pages == n; known != (h.Begins != "") {
				t.Fatalf("%s: %q at the top of the screen is read as one of %d", name, row, unseen.Pages)
			}
			row = h.draw(rng, n, at, (at+1)%n)
			if p := asked(t, Questions{Headings: h}, row, setKeys); p.Page != 0 {
				t.Fatalf("%s: %q, of which two are set off, is read as page %d", name, row, p.Page)
			}
		}
	}
}

// TestWhatLeadsOnFromACheckList is the key of its agent, and only where the set is read; with one question it opens the review, which
// must list what is ticked.
func TestWhatLeadsOnFromACheckList(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for name, h := range headings {
		q := Questions{Headings: h, Ticks: "Space", Paged: true, Leads: "Tab", Opens: "an agent.ask_user_review"}
		for range 300 {
			n := 1 + rng.IntN(4)
			if h.Each {
				n++
			}
			row := h.draw(rng, n, rng.IntN(n))
			p := asked(t, q, row, setKeys)
			want := Step{Key: "Tab", Last: true}
			if n == 1 {
				want = Step{Key: "Tab", Opens: q.Opens, Reviews: true}
			}
			if got := p.Steps(Send); !slices.Equal(got, []Step{want}) || p.Tick(1) == nil {
				t.Fatalf("%s: %q is sent by %+v and ticked by %+v, want %+v", name, row, got, p.Tick(1), want)
			}
			p = asked(t, q, " Nothing of a set.", setKeys)
			if p.Steps(Send) != nil || p.Tick(1) != nil {
				t.Fatalf("%s: without headings it is sent by %+v and ticked by %+v", name, p.Steps(Send), p.Tick(1))
			}
		}
	}
}

// TestAListThatIsNoPageIsSentAsItsAgentSendsOne: without headings, what leads on to a next page leads nowhere.
func TestAListThatIsNoPageIsSentAsItsAgentSendsOne(t *testing.T) {
	alone := []Step{{Key: "Enter", Last: true}}
	for name, h := range headings {
		p := asked(t, Questions{Headings: h, Ticks: "Space", Paged: true, Leads: "Tab", Alone: alone}, " Nothing of a set.", setKeys)
		if !slices.Equal(p.Steps(Send), alone) || p.Tick(1) == nil {
			t.Errorf("%s: it is sent by %+v and ticked by %+v", name, p.Steps(Send), p.Tick(1))
		}
	}
}

// TestEscapeLeavesAQuestionWhereItsKeysSaySo, and a list with boxes has no key that takes an answer.
func TestEscapeLeavesAQuestionWhereItsKeysSaySo(t *testing.T) {
	q := Questions{Keys: Keys{Digits: true, Enter: true, Leaves: true}, Leaves: "Esc to cancel", Toggles: "Enter to select", Ticks: "#"}
	for footer, leaves := range map[string]bool{setKeys: true, " Enter to select · ctrl+d to decline": false} {
		p := askedIn(t, q, strings.Repeat("─", 60), " Which ones?", " ❯ 1. [x] Front", "   2. [ ] Back", "   3. Neither", "", footer)
		if got := p.Steps(Dismiss) != nil; got != leaves {
			t.Errorf("%q: that Escape leaves it is read as %t", footer, got)
		}
		for i := range p.Options {
			if p.Choose(i) != nil {
				t.Errorf("%q: answer %d of a check list is chosen by %+v", footer, i, p.Choose(i))
			}
		}
	}
}

// TestAnAnswerBehindAnArrowGoesOnFurtherRight, whatever arrows stand in it or in the question above it.
func TestAnAnswerBehindAnArrowGoesOnFurtherRight(t *testing.T) {
	for name, c := range map[string]struct {
		rows []string
		want []string
	}{
		"one":                   {[]string{" ● Which?", "   → Front"}, []string{"Front"}},
		"wrapped":               {[]string{" ● Which?", "   → Front,", "     Back"}, []string{"Front, Back"}},
		"an arrow in it":        {[]string{" ● Which?", "   → Front,", "     → Back"}, []string{"Front, → Back"}},
		"an arrow in what asks": {[]string{" ● Which?", "       → Front", "   → Back"}, []string{"Back"}},
		"two":                   {[]string{" ● Which?", "   → Front", " ● Why?", "   → So"}, []string{"Front", "So"}},
		"none":                  {[]string{" ● Which?"}, nil},
		"before any question":   {[]string{"   → Front", " ● Which?"}, nil},
	} {
		l := Lay(Parse(strings.Join(append(c.rows, "", " Ready?", " 1. Submit answers", " 2. Cancel"), "\n")))
		m, _ := l.Menu(Numbered)
		d, ok := l.Dialog(m, nil, false)
		if !ok {
			t.Fatal(name, "is no dialog")
		}
		d.AskSet(&Questions{Review: Review{Sign: '●', Arrow: 2}})
		if !slices.Equal(d.answers, c.want) {
			t.Errorf("%s: the answers are read as %q, want %q", name, d.answers, c.want)
		}
	}
}
