package deliver

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/tmux"
	"nod/internal/testrun"
)

// ownRow is how an agent draws and opens its row for a person's own words, as recorded.
type ownRow struct {
	number   int
	moves    bool   // the field opens when the mark reaches the row; otherwise its number opens it
	coloured bool   // the mark is a colour
	below    bool   // the field is below the row and takes the arrow keys; Enter closes the empty field
	field    string // the text before the words
	hint     string
	said     string // the words in the field on the recorded screen
	marks    [2]string
	first    string // one of the model's answers
	room     int    // the number of columns of words that are visible at least
}

var ownRows = map[string]ownRow{
	"claude":   {number: 4, field: "❯ 4. ", hint: "Type something.", said: "use MariaDB, please", first: "SQLite"},
	"gemini":   {number: 3, moves: true, field: "● 3.  ", hint: "Enter a custom value", said: "the green one", marks: [2]string{"● ", "  "}, first: "Red", room: 60},
	"qwen":     {number: 3, moves: true, field: "❯ 3. > ", hint: "Type something...", said: "the green one", marks: [2]string{"❯ ", "  "}, first: "Red", room: 48},
	"opencode": {number: 3, coloured: true, below: true, field: "┃     ", hint: "Type your own answer", said: "the green one", first: "Red"},
	"kilo":     {number: 3, coloured: true, below: true, field: "┃     ", hint: "Type your own answer", said: "the green one", first: "Red"},
}

// keys returns the keys that give words, starting from the new question.
func (o ownRow) keys() string {
	if o.moves {
		return strings.Repeat("Down ", o.number-1) + "Enter"
	}
	return fmt.Sprintf("%d Enter", o.number)
}

// ownPane shows an agent's question and behaves as recorded. While its field is open every letter is part of
// the words.
type ownPane struct {
	*pane
	row   ownRow
	name  string
	at    int // the marked row, from 1
	open  bool
	words string
	chose bool // one of the model's answers was chosen
}

func newOwnPane(t *testing.T, agent string) *ownPane {
	o := &ownPane{pane: newPane(t, agent, agent+"-question"), row: ownRows[agent], name: agent + "-question", at: 1}
	drawn := o.look.Pane.Activity
	o.redraw()
	o.look.Pane.Activity = drawn
	o.onKey = func(_ *pane, key string) { o.key(key) }
	o.onPaste = func(_ *pane, text string) {
		if o.open {
			o.words += text
			o.redraw()
		}
	}
	return o
}

func (o *ownPane) key(key string) {
	switch {
	case key == "Enter" && o.open && o.words != "":
		o.screen("-answered")
		return
	case key == "Enter" && o.open:
		o.open = !o.row.below
	case key == "Enter", !o.open && key >= "1" && key <= "9" && key != fmt.Sprint(o.row.number):
		o.chose = true
		o.screen("-answered")
		return
	case key == "Down" && !o.open && o.at < o.row.number:
		o.at++
		o.open = o.row.moves && o.at == o.row.number
	case key == "Down":
	case o.open:
		o.words += key
	default:
		o.at, o.open = o.row.number, true
	}
	o.redraw()
}

// screen draws a recorded screen of the question.
func (o *ownPane) screen(which string) {
	if o.row.coloured {
		o.show(o.name + which)
	} else {
		o.plain(o.name + which)
	}
}

func (o *ownPane) redraw() {
	switch {
	case !o.open:
		o.screen("")
		if o.row.moves && o.at > 1 {
			on, off := o.row.marks[0], o.row.marks[1]
			o.edit(on+"1. ", off+"1. ")
			o.edit(fmt.Sprintf("%s%d. ", off, o.at), fmt.Sprintf("%s%d. ", on, o.at))
		}
	case o.words == "":
		o.screen("-field")
	default:
		o.screen("-words")
		old, said := o.row.said, o.words+strings.Repeat(" ", max(columns(o.row.said)-columns(o.words), 0))
		for n := columns(said) - columns(old); n > 0; n-- {
			old += " " // text beside it stays in its place
		}
		if !strings.Contains(strings.Join(o.rows, "\n"), old) {
			old = o.row.said
		}
		o.edit(old, said)
		for i, row := range o.rows {
			o.rows[i] = strings.TrimRight(row, " ")
		}
	}
}

// answersOwn returns the answer with words to the question on the pane, for the row that takes them.
func (o *ownPane) answersOwn(words string) Request {
	agent := o.agent()
	p := agents.Read(agent, screen.Parse(o.look.Capture)).Prompt
	r := Request{Nudge: "k3f", Pane: ref, Process: processes[agent].ID, Agent: agent, Answer: Say(words)}
	r.decides(p)
	r.Choice = &Choice{Index: o.row.number - 1, Label: p.Options[o.row.number-1].Label}
	return r
}

func (o *ownPane) agent() string { return strings.TrimSuffix(o.name, "-question") }

// anyAgent returns an agent whose question takes words.
func anyAgent(r *rand.Rand) string {
	names := slices.Sorted(maps.Keys(ownRows))
	return names[r.IntN(len(names))]
}

var openings = []string{"", "!", "/", "#", "@", "2", "1. ", "? ", "Type something. ", "n", "\n\t", "❯ "}

// someWords returns plain words with any beginning.
func someWords(r *rand.Rand) string {
	text := openings[r.IntN(len(openings))]
	for range 1 + r.IntN(6) {
		text += string(rune('a'+r.IntN(26))) + []string{"", "ö", "大", "x-1", "(no)"}[r.IntN(5)] + " "
	}
	return text
}

// TestWordsAnswerAQuestionInTheirOwnField, unchanged and in one line, whatever they begin with.
func TestWordsAnswerAQuestionInTheirOwnField(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	for round := range uint64(testrun.Rounds(40, 300)) {
		r := rand.New(rand.NewPCG(seed, round))
		synctest.Test(t, func(t *testing.T) {
			agent, words := anyAgent(r), someWords(r)
			p := newOwnPane(t, agent)
			for p.row.room > 0 && columns(words) > p.row.room {
				words = someWords(r)
			}
			var began begins
			res := p.typist().Type(t.Context(), p.answersOwn(words), began.begin)
			check(t, p.pane, res, began, want{Delivered, "", p.row.keys(), 1, ""})
			if want := strings.Join(strings.Fields(words), " "); !slices.Equal(p.pasted, []string{want}) || p.chose {
				t.Errorf("%s: pasted %q, want %q", agent, p.pasted, want)
			}
		})
		if t.Failed() {
			t.Fatalf("round %d of seed %d", round, seed)
		}
	}
}

// TestOwnWordsOnlyIntoTheirField: whatever the pane shows, and whenever it changes, words are typed only into
// the open, empty field of their question, and Enter follows only if they are alone in it.
func TestOwnWordsOnlyIntoTheirField(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	for round := range uint64(testrun.Rounds(40, 300)) {
		r := rand.New(rand.NewPCG(seed, round))
		synctest.Test(t, func(t *testing.T) { ownWordsAtRandom(t, r) })
		if t.Failed() {
			t.Fatalf("round %d of seed %d", round, seed)
		}
	}
}

func ownWordsAtRandom(t *testing.T, r *rand.Rand) {
	p, words := newOwnPane(t, anyAgent(r)), strings.TrimSpace(someWords(r))
	typed := strings.Join(strings.Fields(words), " ")
	screens := []string{p.name, p.name + "-field", p.name + "-words", p.name + "-answered", "claude-bash", "claude-idle", "opencode-bash", "gemini-idle"}
	stray := func(*pane) {
		switch r.IntN(16) {
		case 0:
			p.show(screens[r.IntN(len(screens))])
		case 1:
			p.edit(p.row.first, "Other")
		case 2:
			p.edit(p.row.field, p.row.field+"not ")
		case 3:
			p.edit(p.row.hint, "rm -rf build")
		}
	}
	req := p.answersOwn(words)
	p.onLook, p.onGuard = stray, stray
	press, paste := p.onKey, p.onPaste
	p.onKey = func(q *pane, key string) {
		clean, shown := &ownPane{pane: newPane(t, p.agent(), p.name), row: p.row, name: p.name, at: p.at, open: p.open, words: p.words}, strings.Join(p.rows, "\n")
		if clean.redraw(); !slices.Equal(clean.rows, p.rows) && key != "Enter" {
			t.Errorf("%s is typed into\n%s", key, shown)
		}
		if key == "Enter" && (!strings.Contains(shown, p.row.field+typed) || strings.Contains(shown, p.row.field+typed+"x") || !strings.Contains(shown, p.row.first)) {
			t.Errorf("Enter is typed into\n%s", shown)
		}
		press(q, key)
	}
	p.onPaste = func(q *pane, text string) {
		if !slices.Equal(p.rows, rowsOf(t, p.name+"-field")) {
			t.Errorf("words are typed into\n%s", strings.Join(p.rows, "\n"))
		}
		paste(q, text)
	}
	var began begins
	res := p.typist().Type(t.Context(), req, began.begin)
	if len(p.pasted) > 1 || len(p.typed) > p.row.number+1 || p.chose || res.Outcome == Delivered && len(p.pasted) == 0 {
		t.Errorf("%s: typed %q, pasted %q", res.Outcome, p.typed, p.pasted)
	}
}

// TestOwnWordsNeedTheirField: if a field is not proven, nothing is answered.
func TestOwnWordsNeedTheirField(t *testing.T) {
	for agent, row := range ownRows {
		opening := strings.Fields(row.keys())
		opening = opening[:len(opening)-1]
		opened, closed := strings.Join(opening, " "), Changed
		if row.moves {
			closed = NoKey // no key opens the field from there
		}
		for name, c := range map[string]struct {
			words   string
			arrange func(p *ownPane, r *Request)
			want    want
			pasted  int
		}{
			"the key has no effect": {"yes", func(p *ownPane, _ *Request) { p.onKey = nil }, want{Refused, Changed, opening[0], 1, ""}, 0},
			"a draft is there": {"yes", func(p *ownPane, _ *Request) {
				p.key(opening[0])
				p.at, p.open, p.words = row.number, true, "no"
				p.redraw()
			}, want{Refused, Draft, "", 0, ""}, 0},
			"the field is open": {"yes", func(p *ownPane, _ *Request) { p.at, p.open = row.number, true; p.redraw() }, want{Delivered, "", "Enter", 1, ""}, 1},
			"the field opens after the mark moved": {"yes", func(p *ownPane, _ *Request) {
				p.onKey = func(q *pane, key string) {
					if p.key(key); key == "Enter" || !p.open {
						return
					}
					p.marks()
					q.later(300*time.Millisecond, p.redraw)
				}
			}, want{Delivered, "", row.keys(), 1, ""}, 1},
			"too long":              {strings.Repeat("no ", 200), nil, want{Refused, NoKey, "", 0, ""}, 0},
			"a control":             {"no\x1b[201~\r1", nil, want{Refused, NoKey, "", 0, ""}, 0},
			"blanks":                {" \n ", nil, want{Refused, NoKey, "", 0, ""}, 0},
			"another row":           {"yes", func(_ *ownPane, r *Request) { r.Choice = &Choice{Index: 0, Label: row.first} }, want{Refused, NoKey, "", 0, ""}, 0},
			"another label":         {"yes", func(_ *ownPane, r *Request) { r.Choice.Label = "Type words" }, want{Refused, Changed, "", 0, ""}, 0},
			"the field never opens": {"yes", func(p *ownPane, _ *Request) { p.onKey = func(*pane, string) { p.at = row.number; p.marks() } }, want{Refused, closed, opening[0], 1, ""}, 0},
			"tmux falls silent at them": {"yes", func(p *ownPane, _ *Request) { p.onPaste = func(q *pane, _ string) { q.sent = tmux.ErrUnsure } },
				want{Unknown, Unsure, opened, 1, ""}, 1},
			"Enter is lost": {"yes", func(p *ownPane, _ *Request) {
				p.onKey = func(_ *pane, key string) {
					if key != "Enter" {
						p.key(key)
					}
				}
			}, want{Unknown, Unsure, row.keys(), 1, agent + ".ask_user"}, 1},
		} {
			t.Run(agent+" "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := newOwnPane(t, agent)
					r := p.answersOwn(c.words)
					if c.arrange != nil {
						c.arrange(p, &r)
					}
					var began begins
					res := p.typist().Type(t.Context(), r, began.begin)
					check(t, p.pane, res, began, c.want)
					if len(p.pasted) != c.pasted {
						t.Errorf("pasted %q", p.pasted)
					}
				})
			})
		}
	}
}

// marks draws the mark on the row for words, without a field in it.
func (o *ownPane) marks() {
	o.screen("")
	if o.row.moves {
		o.edit(o.row.marks[0]+"1. ", o.row.marks[1]+"1. ")
		o.edit(fmt.Sprintf("%s%d. ", o.row.marks[1], o.at), fmt.Sprintf("%s%d. ", o.row.marks[0], o.at))
	}
}

// TestWordsThatTheirFieldCantShowAreNotTyped, because only their end would be seen.
func TestWordsThatTheirFieldCantShowAreNotTyped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for agent := range ownRows {
			p := newOwnPane(t, agent)
			shown := screen.Parse(p.look.Capture)
			shown.Columns = p.look.Pane.Width
			room := agents.Read(agent, shown).Prompt.Room
			if room == 0 {
				continue // it grows with the words
			}
			words := strings.Repeat("大大大 ", 1+room/6)
			var began begins
			check(t, p.pane, p.typist().Type(t.Context(), p.answersOwn(words), began.begin), began, want{Refused, NoKey, "", 0, ""})
		}
	})
}

// TestNoDigitIsTypedIntoAnOpenField: while the field for own words has the focus, a digit is a letter. So
// options are reached with the arrows, if these leave the field. From a field with words no option is
// reached.
func TestNoDigitIsTypedIntoAnOpenField(t *testing.T) {
	for agent, row := range ownRows {
		for _, which := range []string{"-field", "-words"} {
			shown := agent + "-question" + which
			p := promptOn(t, agent, shown)
			for i, o := range p.Options {
				for _, step := range p.Choose(i) {
					if o.Key != "" || step.Key != "Up" && step.Key != "Down" && step.Key != "Enter" || p.Typed != "" || row.below {
						t.Errorf("%s: %q is chosen by %+v", shown, o.Label, p.Choose(i))
					}
				}
			}
			if p.Fingerprint != promptOn(t, agent, agent+"-question").Fingerprint || !p.TextField || p.Dismiss != nil || (p.Typed != "") != (which == "-words") {
				t.Errorf("%s is read as %+v", shown, p)
			}
		}
	}
}
