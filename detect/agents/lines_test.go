package agents

import (
	"math/rand/v2"
	"strings"
	"testing"

	"nod/detect/screen"
	"nod/internal/testrun"
)

// inventLine is the question of a program that prints lines and reads one: below coloured output, in one look, answered by a letter, a
// word or a number behind its last row.
func inventLine(rng *rand.Rand) string {
	indent := pick(rng, []string{"", " ", "  "})
	rows := []string{"I will do it now.", ""}
	rows = append(rows, pick(rng, []string{"\x1b[1m[tool]\x1b[0m bash (\x1b[33mpending\x1b[39m)", "\x1b[36m● bash\x1b[0m", "\x1b[35mAgent wants to run a command:\x1b[0m"}))
	rows = append(rows, indent+pick(rng, []string{"rm -rf build", "command: rm -rf build", "$ rm -rf build"}))
	if rng.IntN(2) == 0 {
		rows = append(rows, "")
	}
	ask := pick(rng, []string{"Run it", "Allow this command", "[permission] Allow rm -rf build [execute]", "Do you want to run this command", "Execute tool \"bash\"", "Proceed", "Approve this action"})
	if rng.IntN(2) == 0 {
		letters := pick(rng, []string{"(y/N)", "[y/n]", "(yes/no)", "[Y/n/a]", "(y/n/always)", "[y/n] (n)"})
		return strings.Join(append(rows, indent+ask+pick(rng, []string{"? ", " "})+letters+pick(rng, []string{"", ":", " >", "? "})), "\n") + " \n"
	}
	dot := pick(rng, []string{". ", ") ", ": "})
	rows = append(rows, indent+ask+pick(rng, []string{"?", ":"}))
	for i, label := range []string{"Yes", pick(rng, []string{"Yes, for this session", "Always allow"}), "No"} {
		rows = append(rows, indent+"  "+string(rune('1'+i))+dot+label)
	}
	if rng.IntN(2) == 0 {
		rows = append(rows, "")
	}
	return strings.Join(append(rows, indent+pick(rng, []string{"Choice", "Your choice", "Select an option", "Enter your choice", "Enter a number"})+pick(rng, []string{":", " (1-3):", " [1-3]:", " [1]:"})), "\n") + " \n"
}

// TestALineOfAProgramIsTold: a question that a program prints as lines is told, without keys, although nothing is drawn around it and
// it has the one look of what somebody types.
func TestALineOfAProgramIsTold(t *testing.T) {
	t.Parallel()
	rng := random(t)
	for range testrun.Rounds(draws/3, 3*draws) {
		text := inventLine(rng)
		r := Read("nobody", screen.Parse(text))
		if !r.State.Asks() {
			t.Errorf("%s %q\n%s", r.State, r.Why, text)
		} else if p := r.Prompt; len(p.Approve)+len(p.Deny) > 0 {
			t.Errorf("it is answered by %q and %q\n%s", p.Approve, p.Deny, text)
		}
	}
}
