package bot_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"nod/detect/screen"
	"nod/internal/botapi"
)

// become makes the bot another one, as a new token does: its updates and messages are numbered again.
func (w *world) become(o botapi.Options) (hangUp func()) {
	w.t.Helper()
	w.stop()
	w.tg = botapi.New(o)
	w.http, hangUp = w.tg.Pipe()
	w.token = o.Token
	w.ann = w.tg.Person(ann, "Ann")
	w.ann.Start()
	w.begin()
	time.Sleep(5 * time.Second)
	return hangUp
}

func TestAnotherBotOnTheSameState(t *testing.T) {
	inWorldWith(t, botapi.Options{Token: token, FirstUpdate: 5000}, func(w *world) {
		for range 5 {
			w.ann.Say("/help") // so that the old ids are above the new ones
			time.Sleep(2 * time.Second)
		}
		w.ask(1, prompt("make old"))
		defer w.become(botapi.Options{Token: "700002:AAE-the-token-of-another-bot", FirstUpdate: 5000})()
		said := w.botSaid()
		i := slices.IndexFunc(said, func(m botapi.Record) bool { return strings.Contains(m.Text, "make old") })
		if i < 0 {
			t.Fatalf("it is not told in this chat:\n%s", w.chat())
		}
		again := said[i]
		wantText(t, again, "⚠ claude in api1: make old") // nobody has seen it in this chat
		w.ann.ReplyTo(again.ID, "n")
		w.wantTyped(screen.Deny)

		next := w.ask(2, prompt("make new"))
		w.ann.Say("y") // a message number that was handled in the other chat
		w.wantTyped(screen.Deny, screen.Approve)
		if got := w.typed.all()[1].Pane.ID; got != "%2" {
			t.Errorf("typed into %s", got)
		}
		wantNoButtons(t, w.message(next.ID))
	})
}

// A new token for the same bot, or a restart, drops nothing.
func TestSameBotKeepsItsChats(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.ask(1, prompt("make test"))
		before := len(w.botSaid())
		w.restart()
		time.Sleep(time.Minute)
		if n := len(w.botSaid()); n != before {
			t.Errorf("%d messages came again", n-before)
		}
		w.ann.ReplyTo(m.ID, "y")
		w.wantTyped(screen.Approve)
	})
}
