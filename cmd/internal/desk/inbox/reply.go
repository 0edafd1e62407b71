package inbox

import (
	"errors"
	"fmt"
	"time"

	"nod/cmd/internal/desk"
	"nod/internal/rpc"
)

// replyTo returns the reply that applies an act to a card as it was shown.
func replyTo(card *desk.Card, act desk.Act) desk.Reply {
	r := desk.Reply{Do: act}
	if card.Pane != "" {
		r.Pane, r.Life = card.Pane+"@"+card.Server, card.Life
	}
	if card.Asks != nil {
		r.Nudge, r.Call, r.Fingerprint = card.Asks.Nudge, card.Asks.Call, card.Asks.Fingerprint
	}
	return r
}

// confirmed returns the reply of somebody who was told why the first one was refused and still wants it;
// false: asking again changes nothing.
func confirmed(r desk.Reply, err error) (desk.Reply, bool) {
	fault := (*rpc.Fault)(nil)
	if !errors.As(err, &fault) {
		return r, false
	}
	was := r
	switch fault.Needs {
	case "unseen":
		r.Unseen = true
	case "sure":
		r.Sure = true
	}
	return r, r != was
}

// snoozeBox asks for how long a card is put off.
func snoozeBox(card *desk.Card, now time.Time) *box {
	b := &box{card: card, text: "Put it off", keys: map[string]desk.Reply{}, opened: now}
	for i, span := range desk.Snoozes() {
		key := fmt.Sprint(i + 1)
		r := replyTo(card, desk.Snooze)
		r.ForMS = span.MS
		b.keys[key] = r
		b.legend += key + ") " + span.Name + "   "
	}
	b.legend += "esc not"
	return b
}
