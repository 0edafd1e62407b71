//go:build agents

package agentrig

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"nod/cmd/internal/agentrig/model"
	"nod/detect/agents"
)

// TestDenials denies what the real agents ask with words, given in the chat, and reads from the model where they arrive: with
// the denial, where the agent asks for some, else as the next instruction.
func TestDenials(t *testing.T) {
	if testing.Short() {
		t.Skip("it installs and drives real agents")
	}
	nod := buildNod(t)
	for _, a := range Agents() {
		if a.String() == "qwen-0.5.0" {
			continue // an Enter right after a denial is lost on it: nod says that the words stand unsent in its input box
		}
		t.Run(a.String(), func(t *testing.T) {
			install, err := Install(t.Context(), a)
			must(t, err)
			t.Run("keys", func(t *testing.T) {
				denyWithWords(t, nod, Start(t, a, install, Options{}), hasField(a))
			})
			if known := agents.HooksOf(a.Name).Door; known != nil && known.Takes(a.Version) {
				t.Run("hook", func(t *testing.T) {
					denyWithWords(t, nod, Start(t, a, install, Options{Nod: nod}), hasField(a) || known.DenySaying != nil)
				})
			}
		})
	}
}

// hasField reports whether an agent's dialog has a field for the words of a denial.
func hasField(a Agent) bool {
	switch a.Name {
	case "kimi", "copilot":
		return true
	}
	return a.Name == "kilo" && a.Version != "7.0.33" // Escape denies at once in that one
}

// openings are what agents, or their shells, read as the beginning of a command: plainly so the first four.
var openings = []string{"!", "/clear", "#", "@notes.md", "！", " \n!", "\u200b!", "\u202e/clear", "\u0301!", "$", "&", "?", "/quit", "exit"}

// denyWithWords taps Deny… and says why, in words whose first line and a later one would be commands. Neither they nor what was
// asked for ever runs, and the words arrive once.
func denyWithWords(t *testing.T, nod string, r *Run, withIt bool) {
	q := &asked{Run: r, bot: startBot(t, nod, r)}
	q.bot.listens()
	first, later := openings[rand.IntN(4)], openings[rand.IntN(len(openings))]
	t.Logf("the words begin with %q, a later line with %q", first, later)
	run := "echo ran >> " + model.RanFile("words")
	words := first + " " + run + "\n" + later + " " + run + "; echo SCENARIO told"
	if withIt {
		words = first + " " + run + "; use trash-put instead:\n1. y /help, 2. @notes.md, and \"nothing\" else (Esc to stop)"
	}
	q.Ask("run")
	q.shows("⚠ ") // Kilo 7.0.33 does not draw the command
	q.denies(words)
	if withIt {
		heard := q.hears("run")
		if got, want := strings.Join(strings.Fields(heard), " "), strings.Join(strings.Fields(words), " "); !strings.Contains(got, want) {
			q.t.Errorf("the model heard %q", heard)
		}
	} else {
		q.Until("took the words as its next instruction", func(string) bool { return q.Model.Asked("told") > 0 })
	}
	time.Sleep(3 * time.Second) // what comes twice comes soon
	want := 1
	if withIt {
		want = 0
	}
	if n := strings.Count(q.bot.log.String(), "instruction sent"); n != want {
		q.t.Errorf("the words were its next instruction %d times, want %d", n, want)
	}
	if n := q.Ran("run"); n != 0 {
		q.t.Errorf("what was denied ran %d times", n)
	}
	if n := q.Ran("words"); n != 0 {
		q.Fatalf("the words of the denial ran %d times", n)
	}
}
