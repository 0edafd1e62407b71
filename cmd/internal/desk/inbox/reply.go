package inbox

import (
	"errors"
	"fmt"
	"time"

	"nod/cmd/internal/desk"
	"nod/internal/rpc"
)

// replyTo is an act with a card, as it was drawn.
func replyTo(card *desk.Card, act desk.Act) desk.Reply {
	r := desk.Reply{Do: act}
	if card.Pane != "" {
		r.Pane = card.Pane + "@" + card.Server
	}
	if card.Asks != nil {
		r.Nudge, r.Call, r.Fingerprint = card.Asks.Nudge, card.Asks.Call, card.Asks.Fingerprint
	}
	return r
}

// confirmed is the reply of somebody who was told why it was refused and means it all the same; false: that changes nothing.
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
