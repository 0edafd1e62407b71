package bot_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"nod/bot"
	"nod/internal/botapi"
)

// opens is the address that a button of a message opens within Telegram; empty: none does.
func opens(m botapi.Record) string {
	if m.Markup == nil {
		return ""
	}
	for _, row := range m.Markup.Rows {
		for _, b := range row {
			if b.App != nil {
				return b.App.URL
			}
		}
	}
	return ""
}

// longCommand is one that a message folds.
var longCommand = "make one" + strings.Repeat(" && make another", 60)

// TestALongQuestionOpensAsAPage: where there is one, in a supervisor's private chat. The menu's button opens it too.
func TestALongQuestionOpensAsAPage(t *testing.T) {
	inWorld(t, func(w *world) {
		if opens(w.asksIn(ann, 1, longCommand)) != "" || len(w.tg.Calls("setChatMenuButton")) > 0 {
			t.Error("there is no page, and a button opens it")
		}
		w.set(func(s *bot.Settings) { s.Page, s.Watchers = "https://nod.example.com", []int64{bob} })
		w.tg.Person(bob, "Bob").Start()
		w.stop()
		w.begin()
		time.Sleep(2 * time.Second)
		calls := w.tg.Calls("setChatMenuButton")
		if len(calls) != 1 || calls[0].Err != nil || calls[0].Params["chat_id"] != strconv.FormatInt(ann, 10) || !strings.Contains(calls[0].Params["menu_button"], `"https://nod.example.com"`) {
			t.Errorf("the menu's button: %+v", calls)
		}
		if got := opens(w.asksIn(ann, 2, longCommand+" two")); !strings.HasPrefix(got, "https://nod.example.com/?nudge=") {
			t.Errorf("a long question opens %q", got)
		}
		if got := opens(w.asksIn(ann, 3, "make short")); got != "" {
			t.Errorf("a short question opens %q", got)
		}
		if got := opens(w.holding(bob, "two")); got != "" {
			t.Errorf("a watcher's message opens %q", got)
		}
	})
}

// TestAGroupGetsNoButtonThatOpensThePage: Telegram refuses such a message.
func TestAGroupGetsNoButtonThatOpensThePage(t *testing.T) {
	inForum(t, func(tg *botapi.Server) { tg.Forum(forum, "work", true) }, func(w *world) {
		w.set(func(s *bot.Settings) { s.Page = "https://nod.example.com" })
		if m := w.asksIn(forum, 1, longCommand); opens(m) != "" || m.Markup == nil {
			t.Errorf("a group's message has %+v", m.Markup)
		}
	})
}

// TestAServerThatOpensNoPagesGetsTheOtherButtons, whatever it is that it does not take.
func TestAServerThatOpensNoPagesGetsTheOtherButtons(t *testing.T) {
	inWorld(t, func(w *world) {
		w.set(func(s *bot.Settings) { s.Page = "https://nod.example.com" })
		w.tg.Fail(botapi.Fault{Method: "sendMessage", Code: 400, Description: "Bad Request: BUTTON_TYPE_INVALID"})
		m := w.asksIn(ann, 1, longCommand)
		if opens(m) != "" || m.Markup == nil || len(m.Markup.Rows) < 2 {
			t.Errorf("the message has %+v", m.Markup)
		}
	})
}
