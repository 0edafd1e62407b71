package desk

import (
	"cmp"
	"reflect"
	"slices"
	"time"

	"nod/bot/message"
	"nod/detect"
	"nod/detect/screen"
)

// built is a card with what it was made from.
type built struct {
	input
	card  Card
	drawn []screen.Drawn // what its Screen was made of
	shown time.Time      // when
}

// masking is how long one update may mask the screens of cards. Screens that somebody looks at come first, and the others take turns,
// because a hundred panes that all scroll would take a core.
const masking = 5 * time.Millisecond

// update makes the cards again whose inputs have changed, and returns what readers are to get. more says that some screens wait for
// their turn.
func (s *state) update(inputs map[string]input, b builder, viewed map[string]time.Time) (c Change, more bool) {
	changed := map[string]bool{}
	for id := range s.cards {
		if _, ok := inputs[id]; !ok {
			delete(s.cards, id)
			c.Gone = append(c.Gone, id)
		}
	}
	for id, in := range inputs {
		was := s.cards[id]
		if was != nil && reflect.DeepEqual(was.made, in.made) {
			was.input = in
			continue
		}
		card := b.card(in)
		card.ID = id
		next := &built{input: in, card: card}
		if was != nil {
			next.drawn, next.shown, next.card.Screen = was.drawn, was.shown, was.card.Screen
			if reflect.DeepEqual(next.card, was.card) {
				was.input = in
				continue
			}
		}
		s.cards[id], changed[id] = next, true
	}
	more = s.drawScreens(b, viewed, changed)
	for id := range changed {
		c.Cards = append(c.Cards, s.cards[id].card)
	}
	slices.SortFunc(c.Cards, func(a, b Card) int { return Compare(&a, &b) })
	slices.Sort(c.Gone)
	return c, more
}

// drawScreens updates the screens of cards, for as long as masking allows, and reports whether some are still old.
func (s *state) drawScreens(b builder, viewed map[string]time.Time, changed map[string]bool) (more bool) {
	var stale []*built
	for _, card := range s.cards {
		if !sameScreen(card.screen, card.drawn) {
			stale = append(stale, card)
		}
	}
	turn := func(card *built) int {
		switch _, views := viewed[card.card.ID]; {
		case views:
			return 0
		case card.card.Asks != nil:
			return 1
		}
		return 2
	}
	slices.SortFunc(stale, func(a, b *built) int { return cmp.Or(cmp.Compare(turn(a), turn(b)), a.shown.Compare(b.shown)) })
	began := time.Now()
	for i, card := range stale {
		if i > 0 && time.Since(began) > masking {
			return true
		}
		card.card.Screen, card.drawn, card.shown = b.screen(card.screen), card.screen, b.now
		changed[card.card.ID] = true
	}
	return false
}

// sameScreen reports whether two looks have the same screen: another screen is another slice.
func sameScreen(a, b []screen.Drawn) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// screen returns the screen of a look, masked.
func (b builder) screen(rows []screen.Drawn) []screen.Drawn {
	texts := make([]string, len(rows))
	for i, row := range rows {
		texts[i] = row.Text
	}
	drawn := make([]screen.Drawn, 0, len(rows))
	for i, text := range message.Rows(texts, b.style) {
		drawn = append(drawn, screen.Drawn{Role: rows[i].Role, Text: text})
	}
	return drawn
}

// sum adds to a change the recent answers and nod's health, if they are new.
func (s *state) sum(c *Change, answered []Answered, health Health) {
	if !slices.Equal(answered, s.answered) {
		s.answered, c.Answered = answered, answered
	}
	if s.health == nil || !reflect.DeepEqual(*s.health, health) {
		s.health, c.Health = &health, &health
	}
}

// input is what a card is made from. The card is made again if the part in made changes.
type input struct {
	made   made
	pane   detect.PaneRef
	screen []screen.Drawn // of a pane
}
