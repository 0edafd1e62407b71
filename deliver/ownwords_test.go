package deliver

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/tmux"
)

// ownWords answers the question on a recorded screen of Claude with words, for the row that takes them.
func ownWords(t *testing.T, words string) Request {
	p := agents.Read("claude", screen.Parse(strings.Join(rowsOf(t, "claude-question"), "\n"))).Prompt
	r := Request{Nudge: "k3f", Pane: ref, Process: processes["claude"].ID, Agent: "claude", Answer: Say(words)}
	r.decides(p)
	r.Choice = &Choice{Index: p.Writes - 1, Label: p.Options[p.Writes-1].Label}
	return r
}

// ownField shows Claude's question and does as Claude was seen to: a number opens the field, words stand in the place of its label, and
// while it is open a digit is a letter.
func ownField(t *testing.T) *pane {
	p := plainPane(t, "claude", "claude-question")
	p.onKey = func(p *pane, key string) {
		switch {
		case key == "Enter":
			p.plain("claude-question-answered")
		case slices.Equal(p.rows, rowsOf(t, "claude-question")):
			p.plain("claude-question-field")
		default:
			p.edit("❯ 4. Type something.", "❯ 4. "+key)
		}
	}
	p.onPaste = func(p *pane, text string) { p.edit("❯ 4. Type something.", "❯ 4. "+text) }
	return p
}

var openings = []string{"", "!", "/", "#", "@", "2", "1. ", "? ", "Type something. ", "n", "\n\t", "❯ "}

// someWords are plain words behind any beginning.
func someWords(r *rand.Rand) string {
	text := openings[r.IntN(len(openings))]
	for range 1 + r.IntN(6) {
		text += string(rune('a'+r.IntN(26))) + []string{"", "ö", "大", "x-1", "(no)"}[r.IntN(5)] + " "
	}
	return text
}

// TestWordsAnswerAQuestionInTheirOwnField, as they are and in one line, whatever they begin with.
func TestWordsAnswerAQuestionInTheirOwnField(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	for round := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, round))
		synctest.Test(t, func(t *testing.T) {
			words, p := someWords(r), ownField(t)
			var began begins
			res := p.typist().Type(t.Context(), ownWords(t, words), began.begin)
			check(t, p, res, began, want{Delivered, "", "4 Enter", 1, ""})
			if want := strings.Join(strings.Fields(words), " "); !slices.Equal(p.pasted, []string{want}) {
				t.Errorf("pasted %q, want %q", p.pasted, want)
			}
		})
		if t.Failed() {
			t.Fatalf("round %d of seed %d", round, seed)
		}
	}
}

// TestOwnWordsOnlyIntoTheirField: whatever the pane shows, and whenever it changes, they are typed only into the open, empty field of the
// very question, and Enter only where they stand there alone.
func TestOwnWordsOnlyIntoTheirField(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	for round := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, round))
		synctest.Test(t, func(t *testing.T) { ownWordsAtRandom(t, r) })
		if t.Failed() {
			t.Fatalf("round %d of seed %d", round, seed)
		}
	}
}

func ownWordsAtRandom(t *testing.T, r *rand.Rand) {
	screens := []string{"claude-question", "claude-question-field", "claude-question-words", "claude-question-answered", "claude-bash", "claude-idle", "claude-plan"}
	words, p := strings.TrimSpace(someWords(r)), ownField(t)
	stray := func(p *pane) {
		switch r.IntN(16) {
		case 0:
			p.plain(screens[r.IntN(len(screens))])
		case 1:
			p.edit("SQLite", "MariaDB")
		case 2:
			p.edit("❯ 4. ", "❯ 4. not ")
		case 3:
			p.edit("Type something.", "rm -rf build")
		}
	}
	p.onLook, p.onGuard = stray, stray
	press, paste := p.onKey, p.onPaste
	p.onKey = func(p *pane, key string) {
		shown := strings.Join(p.rows, "\n")
		switch {
		case key == "4" && !slices.Equal(p.rows, rowsOf(t, "claude-question")):
			t.Errorf("4 is typed into\n%s", shown)
		case key == "Enter" && !strings.Contains(shown, "❯ 4. "+strings.Join(strings.Fields(words), " ")+"\n"), strings.Contains(shown, "MariaDB") && key == "Enter":
			t.Errorf("Enter is typed into\n%s", shown)
		}
		press(p, key)
	}
	p.onPaste = func(p *pane, text string) {
		if !slices.Equal(p.rows, rowsOf(t, "claude-question-field")) {
			t.Errorf("words are typed into\n%s", strings.Join(p.rows, "\n"))
		}
		paste(p, text)
	}
	var began begins
	res := p.typist().Type(t.Context(), ownWords(t, words), began.begin)
	if len(p.pasted) > 1 || len(p.typed) > 2 || res.Outcome == Delivered && len(p.pasted) == 0 {
		t.Errorf("%s: typed %q, pasted %q", res.Outcome, p.typed, p.pasted)
	}
}

// TestOwnWordsNeedTheirField: of what is not proven nothing is answered.
func TestOwnWordsNeedTheirField(t *testing.T) {
	for name, c := range map[string]struct {
		words   string
		arrange func(p *pane, r *Request)
		want    want
		pasted  int
	}{
		"the number has no effect": {"yes", func(p *pane, _ *Request) { p.onKey = nil }, want{Refused, Changed, "4", 1, ""}, 0},
		"a draft stands there":     {"yes", func(p *pane, _ *Request) { p.plain("claude-question-words") }, want{Refused, Draft, "", 0, ""}, 0},
		"the field is open":        {"yes", func(p *pane, _ *Request) { p.plain("claude-question-field") }, want{Delivered, "", "Enter", 1, ""}, 1},
		"too long":                 {strings.Repeat("no ", 200), nil, want{Refused, NoKey, "", 0, ""}, 0},
		"a control":                {"no\x1b[201~\r1", nil, want{Refused, NoKey, "", 0, ""}, 0},
		"blanks":                   {" \n ", nil, want{Refused, NoKey, "", 0, ""}, 0},
		"another row":              {"yes", func(_ *pane, r *Request) { r.Choice = &Choice{Index: 0, Label: "SQLite"} }, want{Refused, NoKey, "", 0, ""}, 0},
		"another label":            {"yes", func(_ *pane, r *Request) { r.Choice.Label = "Type words" }, want{Refused, Changed, "", 0, ""}, 0},
		"tmux falls silent at them": {"yes", func(p *pane, _ *Request) { p.onPaste = func(p *pane, _ string) { p.sent = tmux.ErrUnsure } },
			want{Unknown, Unsure, "4", 1, ""}, 1},
		"Enter is lost": {"yes", func(p *pane, _ *Request) {
			p.onKey = func(p *pane, key string) {
				if key == "4" {
					p.plain("claude-question-field")
				}
			}
		}, want{Unknown, Unsure, "4 Enter", 1, "claude.ask_user"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, r := ownField(t), ownWords(t, c.words)
				if c.arrange != nil {
					c.arrange(p, &r)
				}
				var began begins
				res := p.typist().Type(t.Context(), r, began.begin)
				check(t, p, res, began, c.want)
				if len(p.pasted) != c.pasted {
					t.Errorf("pasted %q", p.pasted)
				}
			})
		})
	}
}

// TestNoDigitIsTypedIntoAnOpenField: while the field for words of one's own has the focus a digit is a letter, so that an option is
// reached by moving, and from words none is.
func TestNoDigitIsTypedIntoAnOpenField(t *testing.T) {
	for _, shown := range []string{"claude-question-field", "claude-question-words"} {
		p := promptOn(t, "claude", shown)
		for i, o := range p.Options {
			for _, step := range p.Choose(i) {
				if o.Key != "" || step.Key != "Up" && step.Key != "Down" && step.Key != "Enter" || p.Typed != "" {
					t.Errorf("%s: %q is chosen by %+v", shown, o.Label, p.Choose(i))
				}
			}
		}
		if p.Fingerprint != promptOn(t, "claude", "claude-question").Fingerprint || !p.TextField || p.Dismiss != nil {
			t.Errorf("%s is read as %+v", shown, p)
		}
	}
}
