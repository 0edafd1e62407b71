package inbox

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"nod/cmd/internal/desk"
	"nod/internal/text/visible"
)

// list is the cards in the order of the screen, and the selection.
type list struct {
	cards  []*desk.Card // all, in order
	filter string       // only cards that contain it are shown
	seen   []*desk.Card // the cards that match the filter
	rows   []row        // the same with the headings of their sections
	id     string       // of the selected card
	at     int          // its index among the shown cards, so that the next one is selected when it goes
	top    int          // the first row that is drawn
}

// row is a row of the list: a card, or the heading of a section.
type row struct {
	section desk.Section // the section of a heading; empty: the row is a card
	count   int
	card    *desk.Card
}

// isNews reports whether a change contains a new question or a reminder of an old one, as the chat would send
// it.
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

// apply applies a change. It returns, in order, the cards with a different question than before, and the
// cards that have gone. The selection stays on its card.
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

// hold builds the rows, and keeps the selection on its card or, if that has gone, at its place.
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

// filtered returns the cards that match the filter.
func (l *list) filtered() (cards []*desk.Card) {
	for _, c := range l.cards {
		if l.filter == "" || strings.Contains(strings.ToLower(searched(c)), strings.ToLower(l.filter)) {
			cards = append(cards, c)
		}
	}
	return cards
}

// searched returns the text of a card that the filter searches.
func searched(c *desk.Card) string {
	return strings.Join([]string{c.Title, c.Agent.Agent, c.Where, c.State, c.Note, c.About()}, "\n")
}

// selected returns the selected card; nil: none.
func (l *list) selected() *desk.Card {
	at := slices.IndexFunc(l.cards, func(c *desk.Card) bool { return c.ID == l.id })
	if at < 0 {
		return nil
	}
	return l.cards[at]
}

// move moves the selection down by a number of cards.
func (l *list) move(by int) {
	cards := l.seen
	if len(cards) > 0 {
		l.at = min(max(l.at+by, 0), len(cards)-1)
		l.id = cards[l.at].ID
	}
}

// next selects the next card that needs a human. After the last one it starts again at the top.
func (l *list) next() {
	cards := l.seen
	for i := range cards {
		if at := (l.at + 1 + i) % len(cards); cards[at].Section == desk.Needs || cards[at].Section == desk.Denied {
			l.at, l.id = at, cards[at].ID
			return
		}
	}
}

// fit scrolls the list so that the selected card is visible.
func (l *list) fit(height int) {
	rows := l.rows
	at := slices.IndexFunc(rows, func(r row) bool { return r.card != nil && r.card.ID == l.id })
	if at >= 0 {
		head := at
		if at > 0 && rows[at-1].card == nil {
			head = at - 1 // a section's heading is shown with its first card
		}
		l.top = max(min(l.top, head), at-height+1)
	}
	l.top = max(min(l.top, len(rows)-height), 0)
}

// window returns the visible rows, at most height of them.
func (l *list) window(height int) []row {
	return l.rows[min(l.top, len(l.rows)):min(l.top+height, len(l.rows))]
}

// placed returns the row of each visible card.
func (l *list) placed(height int) map[string]int {
	places := map[string]int{}
	for i, r := range l.window(height) {
		if r.card != nil {
			places[r.card.ID] = i
		}
	}
	return places
}

// sameQuestion reports whether two states of a card have the same question and options. The rest of the
// agent's screen and the number of cards before it do not count.
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

// clean makes every character in the texts of a change visible, so that none of them controls the terminal.
func clean(c *desk.Change) {
	for _, card := range c.Cards {
		for i := range card.Screen { // agents draw with non-breaking blanks; only a screen may show them as blanks
			card.Screen[i].Text = strings.ReplaceAll(card.Screen[i].Text, "\u00a0", " ")
		}
	}
	cleanAll(reflect.ValueOf(c).Elem())
}

// cleanAll cleans every text in v, including fields that a card gets later.
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
