package bot_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"nod/bot"
	"nod/detect/screen"
	"nod/internal/botapi"
)

func TestStrangersGetNothing(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.ask(1, prompt("make test"))
		eve := w.tg.Person(eve, "Eve")
		eve.Start()
		eve.Say("y")
		eve.Say("y " + idOf(t, m))
		eve.Say("/status")
		eve.TapData(1, m.Markup.Rows[0][0].Data)
		w.wantTyped()
		for _, r := range eve.Messages() {
			if r.From.IsBot {
				t.Errorf("a stranger got %q", r.Text)
			}
		}
		if n := len(w.tg.Calls("answerCallbackQuery")); n != 0 {
			t.Errorf("a stranger's tap was answered")
		}
		if n := strings.Count(w.log.String(), "not a supervisor wrote"); n != 1 {
			t.Errorf("the stranger was logged %d times", n)
		}
	})
}

func TestForwardsAndEditsNeverAnswer(t *testing.T) {
	inWorld(t, func(w *world) {
		said := w.ann.Say("hello")
		yes := w.ann.Say("yes") // nothing waits yet
		w.ask(1, prompt("make test"))
		if _, err := w.ann.Forward(yes.ID); err != nil {
			t.Fatal(err)
		}
		if err := w.ann.Edit(said.ID, "y"); err != nil {
			t.Fatal(err)
		}
		w.wantTyped()
	})
}

// Who edits what was taken hears that the first of it counts; it is not said that nothing was typed.
func TestAnEditOfAnAnswerIsExplained(t *testing.T) {
	inWorld(t, func(w *world) {
		yes := w.ann.ReplyTo(w.ask(1, prompt("make test")).ID, "y")
		w.wantTyped(screen.Approve)
		w.ann.Edit(yes.ID, "n")
		wantText(t, w.last(), "as it was first sent")
		told := w.ann.ReplyTo(w.done(2, "All tests pass.").ID, "commit it")
		w.wantTold("commit it")
		w.ann.Edit(told.ID, "wait with that")
		last := w.last()
		wantText(t, last, "as it was first sent")
		if last.ReplyID != told.ID {
			t.Errorf("it replies to %d", last.ReplyID)
		}
		w.wantTyped(screen.Approve)
		w.wantTold("commit it")
	})
}

func TestGroupYesIsIgnored(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.ask(1, prompt("make test"))
		const group = -100
		w.tg.Group(group, "team")
		there := w.ann.In(group)
		there.Say("y")
		there.Say("y " + idOf(t, m))
		there.Say("/status")
		w.wantTyped()
		for _, r := range there.Messages() {
			if r.From.IsBot {
				t.Errorf("the group got %q", r.Text)
			}
		}
	})
}

func TestButtonDataCantBeGuessed(t *testing.T) {
	inWorld(t, func(w *world) {
		w.set(func(s *bot.Settings) { s.Supervisors = []int64{ann, bob} })
		bobby := w.tg.Person(bob, "Bob")
		bobby.Start()
		m := w.ask(1, prompt("make test"))
		data := m.Markup.Rows[0][0].Data
		id := idOf(t, m)
		for _, wrong := range []string{
			"", "a", "a:" + id, "a:" + id + ":", "a:" + id + ":" + strings.Repeat("A", 22), data + "x", data[:len(data)-1],
			"S" + strings.Replace(data, id, "zzz", 1),
		} {
			w.ann.TapData(m.ID, wrong)
		}
		bobby.TapData(1, data) // of Ann's chat
		w.wantTyped()
		if len(data) > 64 {
			t.Errorf("%d bytes of data", len(data))
		}
	})
}

// What a person writes can look like a nudge too; only nod's own words name one.
func TestOnlyNodsOwnMessageNamesANudge(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.ask(1, prompt("make test"))
		forged := w.ann.Say(m.Text)
		w.ann.ReplyTo(forged.ID, "y")
		w.wantTyped()
		wantText(t, w.last(), "asks nothing")
	})
}

// hostile delivers updates that no well-behaved app makes. %d in them is a new update id.
func (w *world) hostile(updates ...string) {
	w.t.Helper()
	for i, u := range updates {
		w.hostileID++
		updates[i] = strings.ReplaceAll(u, "%d", fmt.Sprint(w.hostileID))
	}
	w.tg.Fail(botapi.Fault{Method: "getUpdates", Garbage: `{"ok":true,"result":[` + strings.Join(updates, ",") + `]}`})
	time.Sleep(2 * time.Minute) // the poll that waits now ends first
}

func TestOnlyOwnWordsInTheOwnChatAnswer(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.ask(1, prompt("make test"))
		id, data := idOf(t, m), m.Markup.Rows[0][0].Data
		message := func(more string) string {
			return fmt.Sprintf(`{"update_id":%%d,"message":{"message_id":70%%d,"date":%d,"text":"y %s",
				"from":{"id":4242,"first_name":"Ann"},"chat":{"id":4242,"type":"private"}%s}}`, time.Now().Unix(), id, more)
		}
		w.hostile(
			message(`,"external_reply":{"origin":{}}`), message(`,"reply_to_story":{"id":1}`), message(`,"sender_chat":{"id":-5,"type":"channel"}`),
			message(`,"via_bot":{"id":9,"is_bot":true}`), message(`,"forward_date":1`), message(`,"forward_origin":{"type":"hidden_user"}`),
			message(`,"is_automatic_forward":true`), message(`,"from":{"id":4242,"is_bot":true}`), message(`,"from":null`), message(`,"chat":null`),
			message(`,"chat":{"id":4242,"type":"supergroup"}`), message(`,"chat":{"id":-4242,"type":"private"}`),
			strings.Replace(message(""), `"message"`, `"channel_post"`, 1), strings.Replace(message(""), `"message"`, `"edited_message"`, 1),
			strings.Replace(message(""), `"message"`, `"business_message"`, 1),
			`{"update_id":%d,"callback_query":{"id":"1","data":"`+data+`","from":{"id":4242},"message":{"message_id":3,"chat":{"id":4242,"type":"group"}}}}`,
			`{"update_id":%d,"callback_query":{"id":"1","data":"`+data+`","from":{"id":4242}}}`,
			`{"update_id":%d,"callback_query":{"id":"1","data":"`+data+`","message":{"message_id":3,"chat":{"id":4242,"type":"private"}}}}`,
			`{"update_id":%d,"callback_query":{"id":"1","data":"`+data+`","from":{"id":4242,"is_bot":true},"message":{"message_id":3,"chat":{"id":4242,"type":"private"}}}}`,
		)
		w.wantTyped()
		w.hostile(message("")) // the same without what is wrong with it
		w.wantTyped(screen.Approve)
	})
}

func TestMalformedUpdatesAreSkipped(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.ask(1, prompt("make test"))
		w.hostile(
			`17`, `null`, `"x"`, `{}`, `{"update_id":"900"}`, `{"update_id":%d}`, `{"update_id":%d,"message":null}`, `{"update_id":%d,"message":{}}`,
			`{"update_id":%d,"message":[1]}`, `{"update_id":%d,"message":{"from":{"id":"x"}}}`, `{"update_id":%d,"callback_query":{}}`,
			`{"update_id":%d,"callback_query":{"from":{"id":4242},"message":{}}}`, `{"update_id":%d,"my_chat_member":{}}`, `{"update_id":%d,"edited_message":{}}`,
			`{"update_id":%d,"message":{"message_id":1,"from":{"id":4242},"chat":{"id":4242,"type":"private"},"text":"`+strings.Repeat("y", 400_000)+`"}}`,
			`{"update_id":%d,"message":{"message_id":1,"from":{"id":4242},"chat":{"id":4242,"type":"private"},"text":"/"}}`,
			`{"update_id":%d,"message":{"message_id":1,"from":{"id":4242},"chat":{"id":4242,"type":"private"},"text":"y","reply_to_message":{"reply_markup":{"inline_keyboard":[[{}],null]}}}}`,
			`{"update_id":%d,"callback_query":{"from":{"id":4242},"data":"::","message":{"message_id":1,"chat":{"id":4242,"type":"private"}}}}`,
		)
		if strings.Contains(w.log.String(), "panic") {
			t.Errorf("an update made the bot panic:\n%s", w.log.String())
		}
		if n := strings.Count(w.log.String(), "skipped a malformed update"); n != 7 {
			t.Errorf("%d were skipped", n)
		}
		w.ann.ReplyTo(m.ID, "y")
		time.Sleep(time.Minute)
		w.wantTyped(screen.Approve)
	})
}
