package bot_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"nod/bot"
	"nod/detect/screen"
	"nod/internal/botapi"
)

// TestUnlearntCopyCountsByWhatItShowed: a message whose sending was cut off is on no record, and none was sent after
// it. What it showed decides what an answer to it may do.
func TestUnlearntCopyCountsByWhatItShowed(t *testing.T) {
	for _, c := range []struct {
		name   string
		before func(w *world)
		prompt screen.Prompt
		since  func(w *world) // between the message and the answer
		typed  []screen.Decision
		says   string
	}{
		{name: "all of it", prompt: prompt("make test"), typed: []screen.Decision{screen.Approve}},
		{name: "all of a long one", prompt: prompt(strings.Repeat("a line of a script\n", 60)), typed: []screen.Decision{screen.Approve}},
		{
			name: "a secret masked", prompt: prompt("login --password hunter2"),
			before: func(w *world) {
				w.set(func(s *bot.Settings) {
					s.Redact = func(text string) string { return strings.ReplaceAll(text, "hunter2", "•••") }
				})
			},
			says: "in no message",
		},
		{
			name: "only its beginning, since Telegram found it too long", prompt: prompt("make test"),
			before: func(w *world) {
				w.tg.Fail(botapi.Fault{Method: "sendMessage", Code: 400, Description: "Bad Request: message is too long"})
			},
			says: "can't be seen",
		},
		{
			name: "what the agent shows of it", prompt: func() screen.Prompt { p := prompt("cat <<EOF …"); p.Partial = true; return p }(),
			says: "can't be seen",
		},
		{
			name: "another subject", prompt: prompt("make test"),
			since: func(w *world) {
				p := prompt("make test")
				p.Subject = "make world" // the same dialog
				w.see(sighting(1, screen.Permission, &p))
			},
			says: "can't be seen",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				if c.before != nil {
					c.before(w)
				}
				w.tg.Fail(botapi.Fault{Method: "sendMessage", DropAfter: true})
				w.tg.Fail(botapi.Fault{Method: "sendMessage", DropBefore: true, Times: -1})
				w.see(sighting(1, screen.Permission, &c.prompt))
				time.Sleep(10 * time.Second)
				m := w.botSaid()[1] // behind the greeting
				if c.since != nil {
					c.since(w)
				}
				w.ann.ReplyTo(m.ID, "y")
				time.Sleep(10 * time.Second)
				w.wantTyped(c.typed...)
				w.tg.Heal()
				time.Sleep(2 * time.Minute)
				if c.says != "" {
					wantText(t, w.message(w.answered().ID), c.says)
				}
			})
		})
	}
}

// answered is the bot's newest message that replies to one of Ann's.
func (w *world) answered() botapi.Record {
	w.t.Helper()
	said := w.botSaid()
	for i := len(said) - 1; i >= 0; i-- {
		if m, ok := w.ann.Message(said[i].ReplyID); ok && !m.From.IsBot {
			return said[i]
		}
	}
	w.t.Fatalf("nothing was answered; the chat:\n%s", w.chat())
	return botapi.Record{}
}

// TestDamagedRecordBlocksNoReply: what can't be read of a nudge that has long ended is in nobody's way.
func TestDamagedRecordBlocksNoReply(t *testing.T) {
	inWorld(t, func(w *world) {
		old := w.ask(1, prompt("make old"))
		w.tap(old, "Deny")
		w.wantTyped(screen.Deny)
		w.stop()
		db, err := bolt.Open(w.path, 0o600, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = db.Update(func(tx *bolt.Tx) error {
			return tx.Bucket([]byte("nudges")).Put([]byte(idOf(t, old)), []byte("x"))
		})
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		w.begin()
		m := w.ask(2, prompt("make new"))
		w.ann.ReplyTo(m.ID, "y")
		w.wantTyped(screen.Deny, screen.Approve)
		w.ann.ReplyTo(old.ID, "y")
		wantText(t, w.last(), "asks nothing")
		if health := w.keeper.Health(); len(health) != 1 || health[0].What != "#"+idOf(t, old) {
			t.Errorf("the health is %+v", health)
		}
	})
}
