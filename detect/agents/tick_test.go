package agents

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"nod/detect/screen"
	"nod/internal/testrun"
)

// TestAScreenThatTickedIsReadAsBefore: where nothing but rows that tick has changed, and those in no more than digits, the sign before their
// words and their colours, all that is read of an agent at work is what was read of it before.
func TestAScreenThatTickedIsReadAsBefore(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	ticked := 0
	for _, l := range labels(t) {
		if l.State != screen.Working {
			continue
		}
		for _, file := range []string{l.File, l.coloured()} {
			for range testrun.Rounds(5, tries(400)) {
				text := capture(t, file)
				if rnd.IntN(2) == 0 {
					text = mutate(rnd, text)
				}
				was := read(l.Agent, text)
				if was.State != screen.Working || len(was.Ticking) == 0 {
					continue
				}
				rows := strings.Split(text, "\n")
				for _, row := range was.Ticking {
					rows[row] = tick(rnd, rows[row])
				}
				now := strings.Join(rows, "\n")
				shown, ok := screen.Ticked(text, now, was.Ticking)
				if !ok {
					continue
				}
				parsed := screen.Parse(now)
				for row, words := range shown {
					ticked++
					if parsed.Rows[row].Text != words {
						t.Errorf("%s: row %q is told as %q", file, parsed.Rows[row].Text, words)
					}
				}
				if is := read(l.Agent, now); !reflect.DeepEqual(is, was) {
					t.Fatalf("seed %d: %s is read otherwise once it has ticked:\n%s\nbefore:\n%s\n%+v %+v\n%+v %+v", seed, file, now, text, is, is.Composer, was, was.Composer)
				}
				other := rnd.IntN(len(rows))
				rows[other] += "x"
				if _, ok := screen.Ticked(text, strings.Join(rows, "\n"), was.Ticking); ok {
					t.Errorf("%s: a row with another letter is taken for the same: %q", file, rows[other])
				}
			}
		}
	}
	if ticked < testrun.Rounds(50, 500) {
		t.Errorf("only %d rows have ticked", ticked)
	}
}

// whole is all that a look at a pane takes from the screen of an agent at work, but for the texts of its rows. The agent's last words are
// those of a turn that is over.
type whole struct {
	screen.Reading
	deadEnd, denied any
}

func read(agent, text string) whole {
	s := screen.Parse(text)
	r := Read(agent, s)
	if r.Composer != nil {
		r.Composer.Draft = "" // nobody asks for it while the agent is at work
	}
	return whole{r, DeadEnd(agent, s, r), DeniedOn(agent, s, r).Calls}
}

// tick changes what may change in a row that ticks: some digits, the sign before its words, and its colours.
func tick(rnd *rand.Rand, row string) string {
	if !strings.Contains(row, "\x1b") {
		first := true
		row = strings.Map(func(r rune) rune {
			begins := first && r != ' '
			first = first && !begins
			switch {
			case begins && strings.ContainsRune("·✢✳✶✻✽*", r):
				return []rune("·✢✳✶✻✽*")[rnd.IntN(7)]
			case begins && r > 0x2800 && r < 0x2900:
				return 0x2801 + rune(rnd.IntN(250))
			case r >= '0' && r <= '9':
				return '0' + rune(rnd.IntN(10))
			}
			return r
		}, row)
		if rnd.IntN(2) == 0 && row != "" {
			return "\x1b[38;5;174m" + row[:len(row)-len(strings.TrimLeft(row, "0123456789"))] + "\x1b[1;33m" + strings.TrimLeft(row, "0123456789") + "\x1b[0m"
		}
		return row
	}
	return strings.NewReplacer("\x1b[38;5;174m", "\x1b[38;5;216m", "9s", "8s", "✻", "✽", "✢", "·", "1s", "5s", "2", "2").Replace(row)
}
