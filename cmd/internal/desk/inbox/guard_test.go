package inbox

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	cells "github.com/charmbracelet/x/ansi"

	"nod/cmd/internal/desk"
	"nod/internal/rpc"
	"nod/internal/testrun"
)

// person is an inbox whose keys are pressed, and the replies that it sent.
type person struct {
	*Model
	sent   []desk.Reply
	refuse error // the error of the next reply
}

func sit(width, height int, cards ...desk.Card) *person {
	p := &person{}
	p.Model = New(Outside{
		Pressed: func(time.Time) error { return nil },
		Send: func(r desk.Reply) (string, error) {
			p.sent = append(p.sent, r)
			err := p.refuse
			p.refuse = nil
			return "done", err
		},
		Go:   func(desk.Agent) error { return nil },
		View: func(string) {},
	}, false)
	p.Init()
	p.take(tea.WindowSizeMsg{Width: width, Height: height})
	p.take(changed(snapshot(cards...)))
	return p
}

// take passes a message to the inbox and carries out the resulting commands at once.
func (p *person) take(msg tea.Msg) {
	_, cmd := p.Update(msg)
	if _, key := msg.(tea.KeyPressMsg); !key || cmd == nil || p.entry != nil {
		return
	}
	p.follow(cmd())
}

func (p *person) follow(msg tea.Msg) {
	switch msg := msg.(type) {
	case done, went:
		p.Update(msg)
	case tea.BatchMsg:
		for _, cmd := range msg {
			if cmd != nil {
				p.follow(cmd())
			}
		}
	}
}

func (p *person) press(names ...string) {
	for _, name := range names {
		p.take(press(name))
	}
}

// TestNoAnswerInTheFirst300Milliseconds: whoever opens the inbox may be typing something else.
func TestNoAnswerInTheFirst300Milliseconds(t *testing.T) {
	for _, key := range []string{"y", "n", "1", "s"} {
		synctest.Test(t, func(t *testing.T) {
			p := sit(80, 24, sample()...)
			p.guard.changed = map[string]time.Time{} // so that only this rule applies
			time.Sleep(afterStart - time.Millisecond)
			if p.press(key); p.sent != nil {
				t.Errorf("%s answers right at the start: %v", key, p.sent)
			}
			time.Sleep(afterPress)
			if p.press(key); len(p.sent) != 1 {
				t.Errorf("%s does not answer later", key)
			}
		})
	}
}

// TestNoAnswerWhileSomebodyTypes: the inbox may appear while somebody types something else, in a pop-up or in
// a pane that is switched to. None of these keys answers until there is a pause.
func TestNoAnswerWhileSomebodyTypes(t *testing.T) {
	const letters = "abcdefghijklmnoprstuvwxyz 0123456789yyynnn" // q quits
	for seed := range uint64(testrun.Rounds(20, 200)) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 9))
			p := sit(80, 24, sample()...)
			p.guard.changed = map[string]time.Time{} // so that only this rule applies
			text := ""
			if r.IntN(2) == 0 { // otherwise it has just appeared
				time.Sleep(time.Minute)
				text = "w"
				p.press(text)
			}
			for range 40 {
				time.Sleep(time.Duration(r.Int64N(int64(afterStart))))
				key := letters[r.IntN(len(letters))]
				text += string(key)
				p.press(string(key))
			}
			if p.sent != nil || p.entry != nil || p.asked != nil {
				t.Errorf("seed %d: %q answers: %v", seed, text, p.sent)
			}
			p.press("home")
			time.Sleep(afterPress)
			if p.press("y"); len(p.sent) != 1 {
				t.Errorf("seed %d: y does not answer after a pause", seed)
			}
		})
	}
}

// TestNoAnswerByPaste: pasted text answers nothing, but may become the text of an answer.
func TestNoAnswerByPaste(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := sit(80, 24, sample()...)
		time.Sleep(time.Minute)
		for _, text := range []string{"y", "n\n", "1", "y\ry\r", "c", "\x1b[13u"} {
			p.take(tea.PasteStartMsg{})
			p.take(tea.PasteMsg{Content: text})
			p.take(tea.PasteEndMsg{})
		}
		p.press("2") // an option that lasts opens a box
		time.Sleep(time.Second)
		p.take(tea.PasteMsg{Content: "c"})
		p.press("esc", "d")
		p.take(tea.PasteMsg{Content: "y\nno, it is\n\nneeded\n"})
		if p.sent != nil {
			t.Fatalf("a paste answered: %v", p.sent)
		}
		time.Sleep(time.Second)
		p.press("enter")
		if len(p.sent) != 1 || p.sent[0].Text != "y\nno, it is\n\nneeded" || p.sent[0].Do != desk.DenyWords {
			t.Errorf("words that were pasted and sent with Enter: %+v", p.sent)
		}
	})
}

// TestAHeldKeyAnswersOneCard: a keyboard repeats a held key, after up to 660 ms, and each answered card makes
// room for another.
func TestAHeldKeyAnswersOneCard(t *testing.T) {
	for _, begins := range []time.Duration{200 * time.Millisecond, 400 * time.Millisecond, 660 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			cards := sample()[:1]
			for i := range 20 {
				card := cards[0]
				card.ID, card.Rank = fmt.Sprint("more", i), i+1
				cards = append(cards, card)
			}
			p := sit(80, 24, cards...)
			time.Sleep(time.Minute)
			p.press("y")
			p.take(changed(desk.Change{Seq: 2, Gone: []string{"p1"}}))
			for d := begins; d < 5*time.Second; d += 30 * time.Millisecond {
				time.Sleep(max(begins, 30*time.Millisecond))
				begins = 0
				p.press("y")
			}
			if len(p.sent) != 1 {
				t.Errorf("a held y answered %d cards", len(p.sent))
			}
		})
	}
}

// TestAHeldKeyConsentsToNothing: no key that opens a box also consents to its text.
func TestAHeldKeyConsentsToNothing(t *testing.T) {
	for _, b := range desk.Deeds {
		if b.Key == consentKey {
			t.Fatalf("%s opens boxes and consents to them", b.Key)
		}
	}
	for _, key := range []string{"y", "n", "1", "2", "3"} {
		synctest.Test(t, func(t *testing.T) {
			p := sit(80, 24, sample()...)
			time.Sleep(time.Minute)
			p.refuse = &rpc.Fault{Message: "A part of it can't be seen.", Needs: "unseen"}
			for range 200 {
				p.press(key)
				time.Sleep(30 * time.Millisecond)
			}
			if slices.ContainsFunc(p.sent, func(r desk.Reply) bool { return r.Unseen || r.Sure }) {
				t.Errorf("%s, held, consents: %v", key, p.sent)
			}
		})
	}
}

// TestConsentTakesTheOtherKey: the box must be read first, and says what the key consents to.
func TestConsentTakesTheOtherKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := sit(80, 24, sample()...)
		time.Sleep(time.Minute)
		p.refuse = &rpc.Fault{Message: "A part of it can't be seen.", Needs: "unseen"}
		p.press("y")
		if screen := cells.Strip(strings.Join(p.lines(), "\n")); !strings.Contains(screen, "A part of it can't be seen.") {
			t.Fatalf("nothing asks:\n%s", screen)
		}
		p.press(consentKey)
		if len(p.sent) != 1 {
			t.Fatal("the box was answered before it was read")
		}
		time.Sleep(afterChange)
		p.press("n", "enter", "x", consentKey)
		if len(p.sent) != 2 || !p.sent[1].Unseen || p.sent[1].Sure || p.sent[1].Do != desk.Yes || p.sent[1].Fingerprint != "f1" {
			t.Errorf("sent: %+v", p.sent)
		}
		time.Sleep(time.Minute)
		p.press("2")
		time.Sleep(time.Second)
		p.press(consentKey)
		if len(p.sent) != 3 || !p.sent[2].Sure || p.sent[2].Option != 2 {
			t.Errorf("sent: %+v", p.sent)
		}
	})
}

// TestABoxClosesWhenItsCardChanges: consent is only to what was read.
func TestABoxClosesWhenItsCardChanges(t *testing.T) {
	for name, change := range map[string]func(*desk.Change){
		"another question": func(c *desk.Change) { c.Cards = sample()[:1]; c.Cards[0].Asks.Subject = "rm -rf /" },
		"gone":             func(c *desk.Change) { c.Gone = []string{"p1"} },
		"a new snapshot":   func(c *desk.Change) { c.Snapshot, c.Cards = true, sample()[1:] },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := sit(80, 24, sample()...)
				time.Sleep(time.Minute)
				p.press("2")
				time.Sleep(time.Minute)
				c := desk.Change{Seq: 2}
				change(&c)
				p.take(changed(c))
				time.Sleep(time.Minute)
				if p.press(consentKey); p.sent != nil {
					t.Errorf("sent: %+v", p.sent)
				}
			})
		})
	}
}

// TestNoAnswerToACardThatChangedUnderTheSelection makes random changes, keys and pauses, and judges by the
// screen only: the answered card was selected there, and for half a second neither changed nor moved.
func TestNoAnswerToACardThatChangedUnderTheSelection(t *testing.T) {
	answered := 0
	for round := range testrun.Rounds(5, 1000) {
		synctest.Test(t, func(t *testing.T) {
			answered += randomRound(t, rand.New(rand.NewPCG(uint64(round), 7)))
		})
	}
	if answered == 0 {
		t.Error("no round ever answered: this proves nothing")
	}
}

func randomRound(t *testing.T, r *rand.Rand) int {
	truth := map[string]desk.Card{}
	for i := range 4 + r.IntN(30) {
		c := randomCard(r, fmt.Sprintf("card%d", i))
		truth[c.ID] = c
	}
	p := sit(80+r.IntN(2)*60, 16+r.IntN(30), cardsOf(truth)...)
	began, still := time.Now(), map[string]time.Time{}
	for id := range truth {
		still[id] = began
	}
	for step := range 150 {
		before := rowsOf(p)
		if r.IntN(3) == 0 {
			c := randomChange(r, truth, step)
			for _, card := range c.Cards {
				still[card.ID] = time.Now()
			}
			p.take(changed(c))
			for id, row := range rowsOf(p) {
				if before[id] != row {
					still[id] = time.Now()
				}
			}
		} else {
			selected := selectedOn(p)
			n := len(p.sent)
			p.press([]string{"y", "n", "1", "2", "3", "j", "k", "tab", "c", "s", "space", "y", "y"}[r.IntN(13)])
			for _, sent := range p.sent[n:] {
				card := truth[selected]
				switch {
				case sent.Nudge != card.ID || sent.Fingerprint != card.Asks.Fingerprint:
					t.Fatalf("step %d: %+v was sent, and %s is selected: %+v", step, sent, selected, card.Asks)
				case time.Since(began) < afterStart, time.Since(still[selected]) < afterChange:
					t.Fatalf("step %d: %s was answered %s after it changed or moved", step, selected, time.Since(still[selected]))
				}
			}
		}
		time.Sleep([]time.Duration{0, time.Millisecond, 100 * time.Millisecond, 499 * time.Millisecond, 501 * time.Millisecond, 1100 * time.Millisecond}[r.IntN(6)])
	}
	return len(p.sent)
}

func randomCard(r *rand.Rand, id string) desk.Card {
	return desk.Card{
		ID: id, Section: desk.Sections[r.IntN(len(desk.Sections))], Rank: r.IntN(50), Agent: desk.Agent{Title: id + "."}, Since: time.Now(),
		Asks:    &desk.Asks{Nudge: id, Fingerprint: fmt.Sprint(r.Uint64()), Kind: "permission", Subject: fmt.Sprint(r.Uint64()), Options: []desk.Option{{Number: 1, Label: "Yes"}, {Number: 2, Label: "More", Lasts: "for ever"}, {Number: 3, Label: "No"}}},
		Actions: can(desk.Yes, desk.No, desk.Choose, desk.Skip),
	}
}

func cardsOf(truth map[string]desk.Card) (cards []desk.Card) {
	for _, c := range truth {
		cards = append(cards, c)
	}
	return cards
}

// randomChange changes, moves, adds or removes a card.
func randomChange(r *rand.Rand, truth map[string]desk.Card, step int) (c desk.Change) {
	c.Seq = uint64(step + 2)
	var ids []string
	for id := range truth {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	id := fmt.Sprintf("new%d", step)
	if len(ids) > 0 && r.IntN(4) > 0 {
		id = ids[r.IntN(len(ids))]
	}
	if r.IntN(4) == 0 {
		delete(truth, id)
		c.Gone = []string{id}
		return c
	}
	truth[id] = randomCard(r, id)
	c.Cards = []desk.Card{truth[id]}
	return c
}

// rowsOf returns the row of each card on the screen.
func rowsOf(p *person) map[string]int {
	rows := map[string]int{}
	for i, line := range p.lines() {
		left := cells.Strip(line)
		if p.wide() {
			left = cells.Cut(left, 0, p.listWidth())
		} else if i > p.listRows() {
			break
		}
		if id, _, ok := strings.Cut(left, "."); ok {
			if fields := strings.Fields(strings.TrimPrefix(id, "›")); len(fields) > 0 {
				rows[fields[len(fields)-1]] = i
			}
		}
	}
	return rows
}

// selectedOn returns the card that the screen shows as selected.
func selectedOn(p *person) string {
	for _, line := range p.lines() {
		if text := cells.Strip(line); strings.HasPrefix(text, "›") {
			id, _, _ := strings.Cut(strings.TrimSpace(strings.TrimLeft(text, "›!… ")), ".")
			return id
		}
	}
	return ""
}

// TestAnOutcomeIsOfWhatWasAnswered: it is not shown at the next question of the same pane.
func TestAnOutcomeIsOfWhatWasAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := sit(80, 24, sample()...)
		time.Sleep(time.Minute)
		p.press("y")
		shown := func() bool { return slices.Contains(p.cardLines(80), green.Render("✓ done")) }
		if !shown() {
			t.Error("the outcome does not stand on the card")
		}
		c := sample()[0]
		c.Asks.Nudge = "another"
		if p.take(changed(desk.Change{Seq: 2, Cards: []desk.Card{c}})); shown() {
			t.Error("another question shows it too")
		}
	})
}

// TestTheBellRingsWhenTheChatWouldTell: for a new question and for each later reminder. It does not ring for
// the first cards, for a question's first reminder (the question itself), or for other changes.
func TestTheBellRingsWhenTheChatWouldTell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := sit(80, 24, sample()[1:]...)
		card := sample()[0]
		for i, step := range []struct {
			name  string
			do    func(*desk.Card)
			rings bool
		}{
			{"it is new", func(*desk.Card) {}, true},
			{"its first reminder", func(c *desk.Card) { c.Asks.Reminder = 1 }, false},
			{"a note", func(c *desk.Card) { c.Note = "x" }, false},
			{"its second reminder", func(c *desk.Card) { c.Asks.Reminder = 2 }, true},
			{"its screen", func(c *desk.Card) { c.Screen = nil }, false},
			{"another question", func(c *desk.Card) { c.Asks.Nudge, c.Asks.Reminder = "n2n", 0 }, true},
			{"nothing", func(c *desk.Card) { c.Asks = nil }, false},
		} {
			if card.Asks != nil {
				asks := *card.Asks
				card.Asks = &asks
			}
			step.do(&card)
			_, cmd := p.Update(changed{Seq: uint64(i + 2), Cards: []desk.Card{card}})
			rings := false
			if cmd != nil {
				raw, ok := cmd().(tea.RawMsg)
				rings = ok && raw.Msg == "\a"
			}
			if rings != step.rings {
				t.Errorf("%s: the bell rings: %t", step.name, rings)
			}
		}
	})
}
