package deliver

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/words"
)

// stranger is an unknown agent with a menu whose highlight is moved by keys.
type stranger struct {
	command string
	labels  []string
	lit     int
	ticks   int // a counter beside the command
	taken   int // the option that Enter or a printed number chose; -1: none
}

// newStranger has its options in random order, and any of them highlighted.
func newStranger(rng *rand.Rand) *stranger {
	s := &stranger{command: "rm -rf build", labels: []string{"Yes", "No", "Yes, and don't ask again", "Show details"}, taken: -1}
	rng.Shuffle(len(s.labels), func(i, j int) { s.labels[i], s.labels[j] = s.labels[j], s.labels[i] })
	s.lit = rng.IntN(len(s.labels))
	return s
}

// screen returns what it draws.
func (s *stranger) screen() string {
	var b strings.Builder
	b.WriteString("● I will do it now.\n\n" + strings.Repeat("─", 79) + "\n Tool call\n\n   " + s.command + "\n")
	if s.ticks > 0 {
		fmt.Fprintf(&b, "   and %d more\n", s.ticks)
	}
	b.WriteString("\n Run it?\n\n")
	for i, label := range s.labels {
		fmt.Fprintf(&b, " %s %d. %s\n", map[bool]string{true: "❯", false: " "}[i == s.lit], i+1, label)
	}
	b.WriteString("\n ↑↓ move · enter choose\n")
	return b.String()
}

func (s *stranger) draw(p *pane) {
	p.draw(s.screen(), strings.Split(strings.TrimSuffix(s.screen(), "\n"), "\n"))
}

// moves handles a working arrow key, which also moves from the last option to the first.
func (s *stranger) moves(by int) { s.lit = (s.lit + by + len(s.labels)) % len(s.labels) }

// brokenArrows are other effects that the arrows of a menu may have.
var brokenArrows = map[string]func(s *stranger, by int){
	"the light does not move":       func(*stranger, int) {},
	"the light moves the other way": func(s *stranger, by int) { s.moves(-by) },
	"the light moves by two":        func(s *stranger, by int) { s.moves(2 * by) },
	"the light is gone":             func(s *stranger, _ int) { s.lit = -1 },
	"the rows above change with it": func(s *stranger, by int) { s.moves(by); s.ticks++ },
	"the command changes with it":   func(s *stranger, by int) { s.moves(by); s.command = "make install" },
	"another answer comes with it":  func(s *stranger, by int) { s.moves(by); s.labels = append(s.labels, "Maybe") },
	"an answer changes with it":     func(s *stranger, by int) { s.moves(by); s.labels[s.lit] += " now" },
}

// TestKeysOfAStrangerProveThemselves: in an unknown menu, the highlight must be seen to follow an arrow by
// exactly one row before Enter takes it. If anything else happens no further key is typed, and the result
// says what was typed. A printed number is never typed.
func TestKeysOfAStrangerProveThemselves(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	test := func(how string, by func(*stranger, int)) {
		t.Run(how, func(t *testing.T) {
			for range 12 {
				s, want := newStranger(rng), [2]string{"Yes", "No"}[rng.IntN(2)]
				synctest.Test(t, func(t *testing.T) { answersStranger(t, s, want, by) })
			}
		})
	}
	test("the light follows", nil)
	for how, by := range brokenArrows {
		test(how, by)
	}
}

func answersStranger(t *testing.T, s *stranger, want string, by func(*stranger, int)) {
	stranger := proc.Process{ID: proc.ID{PID: 190, Start: 7}, Comm: "acme", Exe: "/opt/acme", Args: []string{"acme"}}
	p := newPane(t, "claude", "kilo-bash")
	p.front, p.look.Pane.Agent = []proc.Process{stranger}, "acme"
	s.draw(p)
	p.onKey = func(p *pane, key string) {
		switch step := map[string]int{"Down": 1, "Up": -1}[key]; {
		case step != 0 && by != nil:
			by(s, step)
		case step != 0:
			s.moves(step)
		case key == "Enter":
			s.taken = s.lit
			p.draw("● Done.\n", []string{"● Done."})
			return
		default:
			t.Errorf("typed %s", key)
		}
		s.draw(p)
	}
	prompt := agents.Read("acme", screen.Parse(p.look.Capture)).Prompt
	r := Request{Nudge: "k3f", Pane: ref, Process: stranger.ID, Agent: "acme", Decision: screen.Approve}
	if want == "No" {
		r.Decision = screen.Deny
	}
	r.decides(prompt)
	drawn := strings.Join(s.labels, ", ")
	var began begins
	res := p.typist().Type(t.Context(), r, began.begin)
	switch {
	case by == nil && (res.Outcome != Delivered || s.taken < 0 || s.labels[s.taken] != want || len(p.typed) < 2):
		t.Errorf("%s of %s: %+v, typed %q", want, drawn, res, p.typed)
	case by != nil && (s.taken >= 0 || res.Outcome != Refused || len(p.typed) != 1 || !strings.Contains(words.Why(res.Detail), "Typed "+p.typed[0])):
		t.Errorf("%s of %s: %+v, typed %q, took %d", want, drawn, res, p.typed, s.taken)
	}
}
