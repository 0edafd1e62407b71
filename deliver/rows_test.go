package deliver

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"nod/detect/screen"
	"nod/internal/words"
)

// TestTypesOnlyIntoTheRowsThatWereTold: a single different row refuses a request, whatever else it contains.
func TestTypesOnlyIntoTheRowsThatWereTold(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for agent, name := range prompts() {
		told := request(t, agent, name, screen.Deny)
		for range 20 {
			r := told
			what := ""
			r.Rows, what = otherRows(random, told.Rows)
			if random.IntN(2) == 0 {
				r.Width, what = r.Width+7, what+", told at another width"
			}
			synctest.Test(t, func(t *testing.T) {
				p := newPane(t, agent, name)
				var began begins
				res := p.typist().Type(t.Context(), r, began.begin)
				if res.Outcome != Refused || res.Reason != Changed || len(p.typed) > 0 || began > 0 {
					t.Errorf("%s: %s: %s (%s), typed %q\ntold:\n%s\nstands there:\n%s", name, what, res.Outcome, res.Reason, p.typed,
						strings.Join(r.Rows, "\n"), strings.Join(told.Rows, "\n"))
				}
			})
		}
	}
}

// TestRowsOfAnotherWidthAreTheSameText: a window of another size wraps rows at other places, with or without
// the blank there.
func TestRowsOfAnotherWidthAreTheSameText(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for agent, name := range prompts() {
		for range 5 {
			r := request(t, agent, name, screen.Deny)
			text := []rune(strings.Join(r.Rows, " "))
			r.Rows, r.Width = nil, r.Width+1
			for len(text) > 0 {
				n := min(1+random.IntN(30), len(text))
				r.Rows, text = append(r.Rows, strings.TrimSpace(string(text[:n]))), text[n:]
			}
			synctest.Test(t, func(t *testing.T) {
				p := newPane(t, agent, name)
				var began begins
				if res := p.typist().Type(t.Context(), r, began.begin); res.Outcome == Refused {
					t.Errorf("%s: %s: %s", name, res.Reason, words.Why(res.Detail))
				}
			})
		}
	}
}

// prompts are recorded screens that take a denial.
func prompts() map[string]string {
	return map[string]string{"claude": "claude-bash", "codex": "codex-escalate", "opencode": "opencode-bash"}
}

// otherRows returns rows of a different text, and the difference.
func otherRows(random *rand.Rand, rows []string) (other []string, what string) {
	rows = slices.Clone(rows)
	i := random.IntN(len(rows))
	for strings.TrimSpace(rows[i]) == "" {
		i = random.IntN(len(rows))
	}
	switch random.IntN(4) {
	case 0:
		return slices.Delete(rows, i, i+1), "a row more is there"
	case 1:
		return slices.Insert(rows, i, "; touch "+rows[i]), "a row less is there"
	case 2:
		k := 1 + random.IntN(len(rows)-1)
		return append(rows[k:], rows[:k]...), "the order is another"
	}
	cells := []rune(rows[i])
	at := random.IntN(len(cells))
	for cells[at] == ' ' {
		at = random.IntN(len(cells))
	}
	cells[at]++
	rows[i] = string(cells)
	return rows, "another character"
}
