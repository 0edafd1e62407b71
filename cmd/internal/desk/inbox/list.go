package inbox

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"nod/cmd/internal/desk"
	"nod/internal/text/visible"
)

// list is the cards in the order in which they are shown, and which is selected.
type list struct {
	cards  []*desk.Card // all, in order
	filter string       // only cards that hold it are shown
	seen   []*desk.Card // those
	rows   []row        // with the heads of their sections
	id     string       // of the selected card
	at     int          // its place among those that are shown, so that the next one is selected when it is gone
	top    int          // the first row that is drawn
}

// row is one of the list: a card, or the head of a section.
type row struct {
	section desk.Section // the head's; empty: it is a card's
	count   int
	card    *desk.Card
}

// isNews reports whether a change asks something new, or reminds of what was asked before, as the chat would.
func (l *list) isNews(c desk.Change) bool {
	return slices.ContainsFunc(c.Cards, func(card desk.Card) bool {
		at := slices.IndexFunc(l.cards, func(was *desk.Card) bool { return was.ID == card.ID })
		switch {
		case card.Asks == nil:
			return false
		case at < 0 || l.cards[at].Asks == nil || l.cards[at].Asks.Nudge != card.Asks.Nudge:
			return true
		}
		return card.Asks.Reminder > max(l.cards[at].Asks.Reminder, 1)
	})
}

// apply takes in what has changed, and gives the cards that ask something else than before, in their order, and those that are gone. The
// selection stays with its card wherever that goes.
func (l *list) apply(c desk.Change) (other, gone []*desk.Card) {
	was, now := map[string]*desk.Card{}, map[string]*desk.Card{}
	for _, card := range l.cards {
		was[card.ID] = card
		if !c.Snapshot && !slices.Contains(c.Gone, card.ID) {
			now[card.ID] = card
		}
	}
	for i := range c.Cards {
		now[c.Cards[i].ID] = &c.Cards[i]
	}
	for _, card := range l.cards {
		if now[card.ID] == nil {
			gone = append(gone, card)
		}
	}
	l.cards = slices.SortedFunc(maps.Values(now), desk.Compare)
	for _, card := range l.cards {
		if before := was[card.ID]; before == nil || !sameQuestion(before, card) {
			other = append(other, card)
		}
	}
	l.hold()
	return other, gone
}

// hold puts the rows together, and keeps the selection on its card, or on the one in its place where it is gone.
func (l *list) hold() {
	l.seen, l.rows = l.filtered(), nil
	for cards := l.seen; len(cards) > 0; {
		n := 1
		for n < len(cards) && cards[n].Section == cards[0].Section {
			n++
		}
		l.rows = append(l.rows, row{section: cards[0].Section, count: n})
		for _, card := range cards[:n] {
			l.rows = append(l.rows, row{card: card})
		}
		cards = cards[n:]
	}
	cards := l.seen
	at := slices.IndexFunc(cards, func(c *desk.Card) bool { return c.ID == l.id })
	if at < 0 {
		at = min(l.at, len(cards)-1)
	}
	l.at, l.id = max(at, 0), ""
	if at >= 0 {
		l.id = cards[at].ID
	}
}

// filtered are the cards that the filter lets through.
func (l *list) filtered() (cards []*desk.Card) {
	for _, c := range l.cards {
		if l.filter == "" || strings.Contains(strings.ToLower(searched(c)), strings.ToLower(l.filter)) {
			cards = append(cards, c)
		}
	}
	return cards
}

// searched is the text of a card that a filter looks in.
func searched(c *desk.Card) string {
	return strings.Join([]string{c.Title, c.Where, c.State, c.Note, c.About()}, "\n")
}

// selected is the selected card; nil: there is none.
func (l *list) selected() *desk.Card {
	at := slices.IndexFunc(l.cards, func(c *desk.Card) bool { return c.ID == l.id })
	if at < 0 {
		return nil
	}
	return l.cards[at]
}

// move selects the card that stands by rows further down.
func (l *list) move(by int) {
	cards := l.seen
	if len(cards) > 0 {
		l.at = min(max(l.at+by, 0), len(cards)-1)
		l.id = cards[l.at].ID
	}
}

// next selects the next card that needs a human, from the top again after the last.
func (l *list) next() {
	cards := l.seen
	for i := range cards {
		if at := (l.at + 1 + i) % len(cards); cards[at].Section == desk.Needs || cards[at].Section == desk.Denied {
			l.at, l.id = at, cards[at].ID
			return
		}
	}
}

// fit scrolls the list so that the selected card is among height rows.
func (l *list) fit(height int) {
	rows := l.rows
	at := slices.IndexFunc(rows, func(r row) bool { return r.card != nil && r.card.ID == l.id })
	if at >= 0 {
		head := at
		if at > 0 && rows[at-1].card == nil {
			head = at - 1 // a section's head is shown with its first card
		}
		l.top = max(min(l.top, head), at-height+1)
	}
	l.top = max(min(l.top, len(rows)-height), 0)
}

// window are the rows in sight, of height at most.
func (l *list) window(height int) []row {
	return l.rows[min(l.top, len(l.rows)):min(l.top+height, len(l.rows))]
}

// placed is at which row each card in sight stands.
func (l *list) placed(height int) map[string]int {
	places := map[string]int{}
	for i, r := range l.window(height) {
		if r.card != nil {
			places[r.card.ID] = i
		}
	}
	return places
}

// sameQuestion reports whether two states of a card ask and offer the same. What an agent's screen shows besides, and how many
// cards are before it, is not part of that.
func sameQuestion(a, b *desk.Card) bool {
	if a == b {
		return true
	}
	bare := func(c desk.Card) desk.Card {
		c.Rank, c.Screen = 0, nil
		return c
	}
	return a.ID == b.ID && reflect.DeepEqual(bare(*a), bare(*b))
}

// clean makes every text of a change show all that it holds, so that the terminal obeys none.
func clean(c *desk.Change) {
	for _, card := range c.Cards {
		for i := range card.Screen { // agents draw with blanks that do not break; only a screen may show them as blanks
			card.Screen[i].Text = strings.ReplaceAll(card.Screen[i].Text, "\u00a0", " ")
		}
	}
	cleanAll(reflect.ValueOf(c).Elem())
}

// cleanAll does it to every text in v, whatever fields a card will have.
func cleanAll(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(visible.Text(v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			cleanAll(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			cleanAll(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				cleanAll(v.Field(i))
			}
		}
	}
}
