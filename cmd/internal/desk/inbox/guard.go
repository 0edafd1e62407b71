package inbox

import (
	"maps"
	"time"

	"nod/cmd/internal/desk"
)

// How long a card must have been on the screen, unchanged and in its place, before a key answers it.
const (
	afterStart  = 300 * time.Millisecond // also the pause after which typing counts as over
	afterChange = 500 * time.Millisecond
	// afterPress is how long a key that is held down answers nothing else. Keyboards wait up to 660 ms
	// before they repeat a key.
	afterPress = time.Second
)

// guard decides whether a key may answer a card: a person must have had time to read it.
type guard struct {
	// Until quiet, a key counts as typed for something else, and extends quiet.
	quiet   time.Time
	typing  bool                 // the current key is such a key
	changed map[string]time.Time // when cards last changed or moved, if that was recently
	// The last key that could have been an answer, its time, and the card that was selected then.
	key  string
	at   time.Time
	what *desk.Card
}

func newGuard() guard { return guard{changed: map[string]time.Time{}} }

// begin records that somebody may be typing something else: the inbox has just appeared, or a key means nothing here.
func (g *guard) begin(now time.Time) { g.quiet = now.Add(afterStart) }

// pressed records a key that is not part of a text.
func (g *guard) pressed(now time.Time) {
	if g.typing = now.Before(g.quiet); g.typing {
		g.begin(now)
	}
}

// forget forgets what changed or moved long enough ago.
func (g *guard) forget(now time.Time) {
	maps.DeleteFunc(g.changed, func(_ string, at time.Time) bool { return now.Sub(at) >= afterChange })
}

// refuses returns why a key pressed now doesn't answer a card; empty: it does.
func (g *guard) refuses(key string, card *desk.Card, now time.Time) string {
	held := key == g.key && now.Sub(g.at) < afterPress && !sameQuestion(g.what, card)
	if !held {
		g.what = card
	}
	g.key, g.at = key, now
	switch {
	case g.typing:
		return "That may have been meant for something else: wait a moment, then press it again."
	case now.Sub(g.changed[card.ID]) < afterChange:
		return "This changed or moved under the key just now: nothing was answered. Press it again."
	case held:
		return "A key that is held answers one card only: press it again."
	}
	return ""
}
