package bot_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
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

// TestTheMenuButtonGoesWithThePage: for whoever has it, once; and where it never was nothing is said of it.
func TestTheMenuButtonGoesWithThePage(t *testing.T) {
	inWorld(t, func(w *world) {
		w.tg.Person(bob, "Bob").Start()
		begins := func(page string, people ...int64) (buttons []string) {
			w.t.Helper()
			before := len(w.tg.Calls("setChatMenuButton"))
			w.set(func(s *bot.Settings) { s.Page, s.Supervisors = page, people })
			w.stop()
			w.begin()
			time.Sleep(2 * time.Second)
			for _, c := range w.tg.Calls("setChatMenuButton")[before:] {
				buttons = append(buttons, c.Params["chat_id"]+" "+strconv.FormatBool(c.Params["menu_button"] != `{"type":"default"}`))
			}
			slices.Sort(buttons)
			return buttons
		}
		to := func(chat int64, opens bool) string {
			return strconv.FormatInt(chat, 10) + " " + strconv.FormatBool(opens)
		}
		for i, c := range []struct {
			page   string
			people []int64
			want   []string
		}{
			{"", []int64{ann, bob}, nil},
			{"https://nod.example.com", []int64{ann, bob}, []string{to(ann, true), to(bob, true)}},
			{"https://nod.example.com", []int64{ann}, []string{to(ann, true), to(bob, false)}},
			{"", []int64{ann}, []string{to(ann, false)}},
			{"", []int64{ann}, nil},
		} {
			slices.Sort(c.want)
			if got := begins(c.page, c.people...); !slices.Equal(got, c.want) {
				t.Errorf("start %d: the menu buttons are %q, want %q", i, got, c.want)
			}
		}
		begins("https://nod.example.com", ann)
		w.tg.Fail(botapi.Fault{Method: "setChatMenuButton", Code: 500, Description: "Internal Server Error"})
		begins("", ann)
		if got := begins("", ann); !slices.Equal(got, []string{to(ann, false)}) {
			t.Errorf("after a failure the menu buttons are %q", got)
		}
	})
}

// TestAnOlderNodsMenuButtonGoesWithThePage, which this one has set in no chat. A button of anybody else's stays.
func TestAnOlderNodsMenuButtonGoesWithThePage(t *testing.T) {
	inWorld(t, func(w *world) {
		w.tg.Person(bob, "Bob").Start()
		set := func(chat int64, text, address string) {
			form := url.Values{"chat_id": {strconv.FormatInt(chat, 10)}, "menu_button": {fmt.Sprintf(`{"type":"web_app","text":%q,"web_app":{"url":%q}}`, text, address)}}
			r := httptest.NewRequest(http.MethodPost, "/bot"+token+"/setChatMenuButton", strings.NewReader(form.Encode()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			w.tg.ServeHTTP(httptest.NewRecorder(), r)
		}
		for _, c := range []struct {
			text, address string
			goes          bool
		}{
			{"Open", "https://nod.example.com", true},
			{"Open", "https://nod.example.com/", true},
			{"Shop", "https://nod.example.com", false},
			{"Open", "https://shop.example.com/app", false},
		} {
			set(bob, c.text, c.address)
			w.set(func(s *bot.Settings) { s.Supervisors = []int64{ann, bob} })
			w.stop()
			before := len(w.tg.Calls("setChatMenuButton"))
			w.begin()
			time.Sleep(2 * time.Second)
			calls := w.tg.Calls("setChatMenuButton")[before:]
			if goes := len(calls) == 1 && calls[0].Params["chat_id"] == strconv.FormatInt(bob, 10) && calls[0].Params["menu_button"] == `{"type":"default"}`; goes != c.goes || len(calls) > 1 {
				t.Errorf("%s to %s: %+v", c.text, c.address, calls)
			}
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
