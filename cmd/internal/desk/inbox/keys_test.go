package inbox

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	cells "github.com/charmbracelet/x/ansi"

	"nod/cmd/internal/desk"
)

// TestEveryOptionHasAKey: the arrows mark options beyond the ninth, and Enter chooses the marked one, or
// nothing if none is marked. An option that lasts still needs consent.
func TestEveryOptionHasAKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := sit(80, 24, many())
		time.Sleep(time.Minute)
		if p.press("enter"); p.sent != nil {
			t.Fatalf("Enter chooses before anything is marked: %+v", p.sent)
		}
		for range 11 {
			p.press("right")
		}
		time.Sleep(time.Minute)
		if p.press("enter"); len(p.sent) != 1 || p.sent[0].Do != desk.Choose || p.sent[0].Option != 11 {
			t.Fatalf("the eleventh: %+v", p.sent)
		}
		time.Sleep(time.Minute)
		p.press("right", "right", "right", "enter")
		time.Sleep(time.Minute)
		if p.press("enter"); len(p.sent) != 1 {
			t.Fatalf("what lasts is chosen without consent: %+v", p.sent)
		}
		if p.press(consentKey); len(p.sent) != 2 || p.sent[1].Option != 12 || !p.sent[1].Sure {
			t.Fatalf("the twelfth, with consent: %+v", p.sent)
		}
		time.Sleep(time.Minute)
		next := many()
		next.Asks.Nudge = "another"
		p.take(changed(desk.Change{Seq: 2, Cards: []desk.Card{next}}))
		time.Sleep(time.Minute)
		if p.press("enter"); len(p.sent) != 2 {
			t.Errorf("the mark of one question chooses in the next: %+v", p.sent[2:])
		}
	})
}

// TestTheTwelfthBoxIsTicked with the mark, as the ninth is with its digit.
func TestTheTwelfthBoxIsTicked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		card := many()
		for i := range card.Asks.Options {
			card.Asks.Options[i].Ticked = ticked(false)
		}
		card.Actions = can(desk.Tick, desk.Send)
		p := sit(80, 24, card)
		time.Sleep(time.Minute)
		for range 11 {
			p.press("right")
		}
		p.press("space")
		time.Sleep(time.Minute)
		p.press("9")
		time.Sleep(time.Minute)
		p.press("enter")
		if len(p.sent) != 3 || p.sent[0].Do != desk.Tick || p.sent[0].Option != 12 || p.sent[1].Option != 9 || p.sent[2].Do != desk.Send {
			t.Errorf("sent: %+v", p.sent)
		}
	})
}

// TestAskAgain: one key asks an expired question again, and no key answers it.
func TestAskAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := sit(80, 24, expired())
		time.Sleep(time.Minute)
		p.press("y", "n")
		time.Sleep(time.Minute)
		if p.press("a"); len(p.sent) != 1 || p.sent[0].Do != desk.Again || p.sent[0].Nudge != "k3f" {
			t.Errorf("sent: %+v", p.sent)
		}
	})
}

// TestWordsGoToNoOtherAgent that began in the pane while they were written.
func TestWordsGoToNoOtherAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		card := sample()[5]
		card.Life, card.Actions = "claude 10 1", can(desk.Tell)
		p := sit(80, 24, card)
		for i, life := range []string{"claude 10 1", "codex 11 2"} {
			time.Sleep(time.Minute)
			p.press("t", "g", "o")
			card.Life, card.State = life, "idle again"
			p.take(changed(desk.Change{Seq: uint64(2 + i), Cards: []desk.Card{card}}))
			time.Sleep(time.Minute)
			p.press("enter")
		}
		if len(p.sent) != 1 || p.sent[0].Life != "claude 10 1" {
			t.Errorf("sent: %+v", p.sent)
		}
		if drawn := cells.Strip(p.View().Content); !strings.Contains(drawn, "Another agent is there now: your words were not sent") {
			t.Errorf("it says\n%s", drawn)
		}
	})
}

// TestWhereAPaneIsIsSaidWhole: if the terminal can't go to a pane, the card says where the pane is, in full.
func TestWhereAPaneIsIsSaidWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := sit(80, 24, sample()...)
		p.out.Go = func(a desk.Agent) error {
			return fmt.Errorf("%s waits in %s on the tmux server %s, which you are not in: tmux -S %s attach", a.Title, a.Where, a.Server, a.Server)
		}
		time.Sleep(time.Second)
		p.take(press("g"))
		if drawn := strings.Join(strings.Fields(cells.Strip(p.View().Content)), " "); !strings.Contains(drawn, "tmux -S /tmp/tmux-1000/default attach") {
			t.Errorf("it says\n%s", drawn)
		}
	})
}

// TestTheFooterNamesOnlyKeysThatWorkNow: at random times each refused key is grey, with its reason. While a
// box or an entry is open, or an answer is on its way, no key is offered.
func TestTheFooterNamesOnlyKeysThatWorkNow(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 22))
	reasons := []string{"", "", "The agent works again.", "No key means yes.", "Nothing is ticked yet."}
	for range 300 {
		synctest.Test(t, func(t *testing.T) {
			card := sample()[0]
			card.Actions = nil
			for _, d := range desk.Deeds {
				if random.IntN(3) == 0 && actionOf(d.Key, &card) == nil {
					card.Actions = append(card.Actions, desk.Action{Do: d.Act, Refused: reasons[random.IntN(len(reasons))]})
				}
			}
			m := begun(t, 900, 60, changed(snapshot(card)))
			foot := m.foot()
			for _, a := range card.Actions {
				d := a.Do.Deed()
				key := keyOf(d, &card)
				works, grey := strings.Contains(foot[0], bold.Render(key)+" "+d.Name), strings.Contains(foot[0], faint.Render(key+" "+d.Name))
				if works != (a.Refused == "") || grey == works {
					t.Errorf("seed %d: %s %q: %q", seed, d.Act, a.Refused, foot)
				}
				if said := cells.Strip(foot[1]); a.Refused != "" && !regexp.MustCompile(regexp.QuoteMeta(key)+`[^:]*: `+regexp.QuoteMeta(a.Refused)).MatchString(said) {
					t.Errorf("seed %d: why %s is grey is not said: %q", seed, d.Act, said)
				}
			}
			m.waits[card.ID] = true
			for range 2 {
				for _, d := range desk.Deeds {
					if foot := m.foot()[0]; strings.Contains(foot, bold.Render(keyOf(d, &card))+" "+d.Name) {
						t.Errorf("seed %d: %s is offered: %q", seed, d.Act, foot)
					}
				}
				give(m, keys("/")...)
			}
		})
	}
}

// TestTheListOfKeysIsWhole at any size: problems come first, and page down shows the rest.
func TestTheListOfKeysIsWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, size := range [][2]int{{80, 24}, {50, 24}, {40, 12}} {
			m := begun(t, size[0], size[1], changed(desk.Change{Seq: 2, Health: &desk.Health{Problems: []string{"Telegram can't be reached, and this sentence is longer than a narrow terminal."}}}), press("?"))
			shown := strings.Join(m.lines(), "\n")
			if !strings.Contains(cells.Strip(shown), "! Telegram can't be reached") {
				t.Errorf("%v: the problem is not shown at once:\n%s", size, shown)
			}
			for range 10 {
				if give(m, press("pgdown")); !m.pane.help {
					break
				}
				shown += strings.Join(m.lines(), "\n")
			}
			if m.pane.help {
				t.Errorf("%v: a key that has nothing more to show does not end it", size)
			}
			words := strings.Fields(cells.Strip(shown))
			for _, move := range moves {
				for _, word := range strings.Fields(move.help) {
					if !slices.Contains(words, word) {
						t.Errorf("%v: %q of %q is never shown", size, word, move.help)
					}
				}
			}
		}
	})
}
