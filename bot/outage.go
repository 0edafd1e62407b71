package bot

import (
	"fmt"
	"strings"
	"time"

	"nod/nudge"
)

const (
	// shortOutage is how long Telegram may be out of reach without a word about it.
	shortOutage = 2 * time.Minute
	outageNames = 5 // of the nudges that are still open
)

// reachedAgain tells everybody in a line that Telegram was out of reach, from when to when, and what is still open.
func (b *Bot) reachedAgain(old trouble, now time.Time) {
	if old.kind != string(offline) && old.kind != string(unsure) || now.Sub(old.since) < shortOutage {
		return
	}
	open, err := b.cfg.Keeper.Queue()
	if err != nil {
		b.cfg.Log.Error("what is open after an outage can't be read", "error", err)
		return
	}
	out := outageMessage(open, old.since, now, b.style())
	out.silent = b.silentNow(now)
	for _, chat := range b.audience() {
		var then func(sent) nudge.Receipt
		if len(open) > 0 {
			then = severalReceipt(chat)
		}
		b.sayThen(chat, 0, out, then)
	}
}

func outageMessage(open []nudge.Nudge, from, to time.Time, style style) outgoing {
	var out outgoing
	out.page.text(fmt.Sprintf("📡 Telegram was out of reach from %s to %s. ", clock(from, to, style.zone), clock(to, to, style.zone)))
	if len(open) == 0 {
		out.page.text("Nothing is open.")
		return out
	}
	var names []string
	for _, n := range open[:min(len(open), outageNames)] {
		names = append(names, fmt.Sprintf("#%s %s", n.ID, newRenderer(n, style).short()))
	}
	if more := len(open) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more: /queue", more))
	}
	out.page.text("Still open: " + strings.Join(names, "; ") + ".")
	return out
}
