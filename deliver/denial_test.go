package deliver

import (
	"errors"
	"fmt"
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

// because is the text in the recorded fields.
const because = "use another file name please because this one is taken by somebody else and so on"

// fields are the agents with a field for the reason of a denial, and the keys that open it.
var fields = map[string]string{"kilo": "Escape", "kimi": "4", "copilot": "3"}

// denies returns a denial, with words, of the prompt on a recorded screen as plainPane shows it.
func denies(t testing.TB, agent, words string) Request {
	r := plainRequest(t.(*testing.T), agent, agent+"-bash", screen.Deny)
	r.Because = Say(words)
	return r
}

// fieldPane shows an agent's prompt and behaves as the agent does: a key opens the field, the words appear in
// it, and Enter denies.
func fieldPane(t *testing.T, agent string) *pane {
	p := plainPane(t, agent, agent+"-bash")
	p.onKey = func(p *pane, key string) {
		switch key {
		case fields[agent]:
			p.plain(fieldOf(agent))
		case "Enter":
			p.plain(agent + "-denied")
		}
	}
	p.onPaste = func(p *pane, _ string) { p.plain(agent + "-words") }
	return p
}

func fieldOf(agent string) string {
	if agent == "kilo" {
		return "kilo-reject"
	}
	return agent + "-field"
}

// plain shows a recorded screen without colours, so that it can be edited.
func (p *pane) plain(screen string) {
	rows := rowsOf(p.t, screen)
	p.draw(strings.Join(rows, "\n"), rows)
}

// TestWordsOfADenialGoIntoTheirField: a key opens it, the words are typed once, and Enter sends them when
// they are seen there.
func TestWordsOfADenialGoIntoTheirField(t *testing.T) {
	for agent, key := range fields {
		for name, words := range map[string]string{"as they are": because, "in one line": strings.ReplaceAll(because, " ", "\n ")} {
			t.Run(agent+" "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := fieldPane(t, agent)
					var began begins
					res := p.typist().Type(t.Context(), denies(t, agent, words), began.begin)
					check(t, p, res, began, want{Delivered, "", key + " Enter", 1, ""})
					if !slices.Equal(p.pasted, []string{because}) || !res.Said || !slices.Equal(res.Keys, []string{key, "(text)", "Enter"}) {
						t.Errorf("pasted %q, said %t, keys %q", p.pasted, res.Said, res.Keys)
					}
				})
			})
		}
	}
}

// TestADenialWithoutAFieldSaysNothing: the words are left to the caller if there is no field, if its contents
// can't be proven, or if the key denied at once.
func TestADenialWithoutAFieldSaysNothing(t *testing.T) {
	for name, c := range map[string]struct {
		agent, words, keys string
	}{
		"no field":             {"claude", because, "4"},
		"no words":             {"kimi", "", "3"},
		"blanks":               {"kimi", " \n ", "3"},
		"too long":             {"kimi", strings.Repeat("no ", 200), "3"},
		"marks that combine":   {"kimi", "use cafe\u0301.txt", "3"},
		"wider than it counts": {"copilot", "no \U0001f44d\U0001f3fd", "Escape"},
		"a control":            {"copilot", "no\x1b[201~\r1", "Escape"},
		"no printable width":   {"copilot", "no\u200bno", "Escape"},
		"denied at once":       {"kilo", because, "Escape"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := plainPane(t, c.agent, c.agent+"-bash")
				p.onKey = func(p *pane, _ string) { p.plain(c.agent + "-denied") }
				if c.agent == "claude" {
					p.onKey = func(p *pane, _ string) { p.plain("claude-bash-denied") }
				}
				var began begins
				res := p.typist().Type(t.Context(), denies(t, c.agent, c.words), began.begin)
				check(t, p, res, began, want{Delivered, "", c.keys, 1, ""})
				if len(p.pasted) > 0 || res.Said {
					t.Errorf("pasted %q, said %t", p.pasted, res.Said)
				}
			})
		})
	}
}

// TestWordsNeedTheirField: only the empty field gets words, and only words that are seen in it get Enter.
func TestWordsNeedTheirField(t *testing.T) {
	for agent, key := range fields {
		opens := func(then func(p *pane)) func(p *pane, key string) {
			return func(p *pane, pressed string) {
				if pressed == key {
					p.plain(fieldOf(agent))
					then(p)
				}
			}
		}
		asked := func(p *pane) { p.plain(agent + "-bash") }
		for name, c := range map[string]struct {
			arrange func(p *pane)
			want    want
			pasted  int
		}{
			"the key has no effect":        {func(p *pane) { p.onKey = nil }, want{Refused, Changed, key, 1, ""}, 0},
			"the field closes":             {func(p *pane) { p.onKey = opens(asked) }, want{Refused, Changed, key, 1, ""}, 0},
			"somebody writes there":        {func(p *pane) { p.onKey = opens(func(p *pane) { p.plain(agent + "-words") }) }, want{Unknown, Unsure, key, 1, agent + ".reject_words"}, 0},
			"it closes at the very moment": {func(p *pane) { p.onGuard = after(p, 1, 0, asked) }, want{Refused, Changed, key, 1, ""}, 0},
			"the words are not shown":      {func(p *pane) { p.onPaste = nil }, want{Unknown, Unsure, key, 1, agent + ".reject"}, 1},
			"others stand there besides": {func(p *pane) {
				p.onPaste = func(p *pane, _ string) { p.plain(agent + "-words"); p.edit("else and so on", "and so on, not") }
			}, want{Unknown, Unsure, key, 1, agent + ".reject_words"}, 1},
			"others stand there instead": {func(p *pane) {
				p.onPaste = func(p *pane, _ string) { p.plain(agent + "-words"); p.edit("somebody", "everyone") }
			}, want{Unknown, Unsure, key, 1, agent + ".reject_words"}, 1},
			"they close it":             {func(p *pane) { p.onPaste = func(p *pane, _ string) { asked(p) } }, want{Unknown, Unsure, key, 1, shapeOf(t, agent)}, 1},
			"it closes before Enter":    {func(p *pane) { p.onGuard = after(p, 1, 1, asked) }, want{Refused, Changed, key, 1, ""}, 1},
			"Enter is lost":             {func(p *pane) { p.onKey = opens(func(*pane) {}) }, want{Unknown, Unsure, key + " Enter", 1, agent + ".reject_words"}, 1},
			"tmux falls silent at them": {func(p *pane) { p.onPaste = func(p *pane, _ string) { p.sent = tmux.ErrUnsure } }, want{Unknown, Unsure, key, 1, ""}, 1},
			"tmux knows of no such pane": {func(p *pane) {
				p.onGuard = after(p, 1, 0, func(p *pane) { p.sent = errors.Join(tmux.ErrNoPane) })
			}, want{Refused, Gone, key, 1, ""}, 1},
		} {
			t.Run(agent+": "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := fieldPane(t, agent)
					c.arrange(p)
					var began begins
					res := p.typist().Type(t.Context(), denies(t, agent, because), began.begin)
					check(t, p, res, began, c.want)
					if len(p.pasted) != c.pasted || res.Said {
						t.Errorf("pasted %q, said %t", p.pasted, res.Said)
					}
				})
			})
		}
	}
}

// after returns a func that calls do just before tmux compares, once that many keys and pastes were typed.
func after(_ *pane, keys, pastes int, do func(p *pane)) func(p *pane) {
	return func(p *pane) {
		if len(p.typed) == keys && len(p.pasted) == pastes {
			do(p)
		}
	}
}

func shapeOf(t *testing.T, agent string) string { return promptOn(t, agent, agent+"-bash").Shape }

// TestWordsOfADenialOnlyIntoTheirField: whatever the pane shows, and whenever it changes, words are typed
// only into an empty field, and Enter follows only while they are in it.
func TestWordsOfADenialOnlyIntoTheirField(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testrun.Rounds(20, 300)) {
		for agent := range fields {
			synctest.Test(t, func(t *testing.T) { wordsAtRandom(t, agent, rand.New(rand.NewPCG(seed, 5))) })
			if t.Failed() {
				t.Fatalf("%s with seed %d", agent, seed)
			}
		}
	}
}

// wordsAtRandom denies with words in a pane whose agent mostly behaves as recorded, and otherwise shows any
// of its screens.
func wordsAtRandom(t *testing.T, agent string, r *rand.Rand) {
	screens := []string{agent + "-bash", fieldOf(agent), agent + "-words", agent + "-denied", "claude-bash", "kilo-bash", "kimi-bash", "copilot-bash"}
	p := fieldPane(t, agent)
	stray := func(p *pane) {
		if r.IntN(8) == 0 {
			p.plain(screens[r.IntN(len(screens))])
			if r.IntN(3) == 0 {
				p.edit("else and so on", "and so on, not")
			}
		}
	}
	p.onLook, p.onGuard = stray, stray
	onKey := p.onKey
	p.onKey = func(p *pane, key string) {
		if key == "Enter" && len(p.pasted) > 0 {
			if now := p.reads(agent); now == nil || now.Shape != agent+".reject_words" || !endsWith(because, now.Typed) {
				t.Errorf("Enter after the words, and the pane shows %s", describe(now))
			}
		}
		if r.IntN(6) > 0 {
			onKey(p, key)
		}
	}
	p.onPaste = func(p *pane, _ string) {
		if now := p.reads(agent); now == nil || now.Shape != agent+".reject" {
			t.Errorf("words are typed, and the pane shows %s", describe(now))
		}
		if r.IntN(6) > 0 {
			p.plain(agent + "-words")
		}
	}
	var began begins
	res := p.typist().Type(t.Context(), denies(t, agent, because), began.begin)
	if len(p.pasted) > 1 || res.Said && len(p.pasted) == 0 {
		t.Errorf("pasted %q, said %t", p.pasted, res.Said)
	}
	time.Sleep(time.Minute)
}

// reads returns the prompt that the pane shows now.
func (p *pane) reads(agent string) *screen.Prompt {
	return agents.Read(agent, screen.Parse(p.look.Capture)).Prompt
}

func describe(p *screen.Prompt) string {
	if p == nil {
		return "no prompt"
	}
	return fmt.Sprintf("%s with %q in its field", p.Shape, p.Typed)
}
