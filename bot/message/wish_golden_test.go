package message

import (
	"strings"
	"testing"

	"nod/detect"
	"nod/internal/reason"
	"nod/nudge"
)

// TestWishMessages: what is said of wishes.
func TestWishMessages(t *testing.T) {
	wish := func(text string, change func(*nudge.Wish)) nudge.Wish {
		w := nudge.Wish{
			ID: "w7k", Addressee: nudge.Addressee{Whereabouts: detect.Whereabouts{Agent: "claude", Project: "api", Where: "main:2.0"}}, Text: text,
			From: nudge.Wisher{Name: "the agent itself"}, State: nudge.Wished, Made: noon,
		}
		if change != nil {
			change(&w)
		}
		return w
	}
	ended := func(state nudge.WishState, detail string) func(*nudge.Wish) {
		return func(w *nudge.Wish) { w.State, w.Detail, w.Ended = state, reason.Why{Said: detail}, noon }
	}
	style := goldenStyle()
	masking, minimal := style, style
	masking.Redact = func(text string) string { return strings.ReplaceAll(text, "hunter2", "[redacted]") }
	minimal.Minimal = true
	one := func(w nudge.Wish) Outgoing { return Wish(w, goldenChat, goldenSeal, style) }
	for name, out := range map[string]Outgoing{
		"wish":         one(wish("run the tests\nand <lint> & co", nil)),
		"wish-command": one(wish("! make clean", nil)),
		"wish-hidden":  one(wish("run\u200e the tests", nil)),
		"wish-long":    one(wish(strings.Repeat("run the tests ", 285), nil)),
		"wish-masked":  Wish(wish("! login hunter2\u200e", nil), goldenChat, goldenSeal, masking),
		"wish-minimal": Wish(wish("! make clean", nil), goldenChat, goldenSeal, minimal),
		"wish-unseen":  WishUnseen(wish("x", nil), goldenChat, goldenSeal, style),
		"wish-sent":    WishEnding(wish("run the tests\nnow", ended(nudge.WishSent, "Sent by Ann.")), style),
		"wish-spoken":  one(wish("run the tests", func(w *nudge.Wish) { w.From = nudge.Wisher{Name: "Ann", Spoken: true} })),
		"wish-void":    WishEnding(wish("run the tests", ended(nudge.WishVoid, "claude has exited.")), style),
	} {
		t.Run(name, func(t *testing.T) { compareGolden(t, name, out) })
	}
}
