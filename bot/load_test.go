package bot_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"nod/bot"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/botapi"
)

func TestAgentOutsideThatTellsNoTool(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bot.Outside(detect.HookEvent{Agent: "gemini", Kind: detect.Asks, Session: "s", Message: "Gemini asks"})
		wantText(t, w.last(), "gemini asks outside tmux: Gemini asks")
		w.bot.Outside(detect.HookEvent{Agent: "gemini", Kind: detect.Asks, Session: "t", ToolCall: detect.ToolCall{Tool: "fetch", Input: json.RawMessage(`{"url":"x"}`)}})
		wantText(t, w.last(), `fetch {"url":"x"}`)
	})
}

// A server that takes one call a second, edits included, refuses a few calls until nod has learnt its pace, and
// goes on as fast as it can.
func TestPaceIsLearntFromTheServer(t *testing.T) {
	inWorldWith(t, botapi.Options{Token: token, Strict: true}, func(w *world) {
		begin := time.Now()
		for i := 3; i < 24; i++ {
			p := prompt(fmt.Sprint("make ", i))
			w.see(sighting(i, screen.Permission, &p))
			if i%3 == 2 {
				time.Sleep(100 * time.Millisecond) // the message goes first, so that the edit behind it is the one too many
				w.see(sighting(i-3, screen.Working, nil))
				w.see(sighting(i-3, screen.Working, nil))
				time.Sleep(10 * time.Second)
			}
		}
		refused := 0
		for _, method := range []string{"sendMessage", "editMessageText"} {
			for _, c := range w.tg.Calls(method) {
				if c.At.After(begin) && c.Err != nil {
					refused++
				}
			}
		}
		if refused > 3 {
			t.Errorf("%d calls were refused", refused)
		}
		for i := 3; i < 24; i++ {
			w.wantToldWithin(begin.Add(time.Duration(i-3)/3*10*time.Second), fmt.Sprintf("make %d<", i), 10*time.Second)
		}
	})
}

// Buttons of what is over go before further news, and edits do not wait for the pace of messages.
func TestDeadButtonsGoFirst(t *testing.T) {
	inWorldWith(t, botapi.Options{Token: token, Flood: true}, func(w *world) {
		for i := 1; i <= 12; i++ {
			p := prompt(fmt.Sprint("make ", i))
			w.see(sighting(i, screen.Permission, &p))
		}
		time.Sleep(30 * time.Second)
		before := w.botSaid()
		for i := 13; i <= 40; i++ {
			p := prompt(fmt.Sprint("make ", i))
			w.see(sighting(i, screen.Permission, &p))
		}
		for i := 1; i <= 12; i++ {
			w.see(sighting(i, screen.Working, nil))
			w.see(sighting(i, screen.Working, nil))
		}
		begin := time.Now()
		time.Sleep(5 * time.Second)
		for _, m := range before {
			now, _ := w.ann.Message(m.ID)
			wantNoButtons(t, now)
		}
		time.Sleep(time.Minute)
		w.wantToldWithin(begin, "make 40", 40*time.Second)
	})
}

// Where edits count as messages, many of them keep no prompt waiting, and neither do many answers.
func TestPromptIsToldBetweenOtherMessages(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(w *world)
	}{
		{"closings", func(w *world) {
			for i := 1; i <= 15; i++ {
				w.see(sighting(i, screen.Working, nil))
				w.see(sighting(i, screen.Working, nil))
			}
		}},
		{"answers", func(w *world) {
			for range 30 {
				w.ann.Say("/status")
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorldWith(t, botapi.Options{Token: token, Strict: true}, func(w *world) {
				for i := 1; i <= 15; i++ {
					p := prompt(fmt.Sprint("make ", i))
					w.see(sighting(i, screen.Permission, &p))
				}
				time.Sleep(30 * time.Second)
				c.do(w)
				time.Sleep(3 * time.Second)
				begin := time.Now()
				p := prompt("rm -rf build")
				w.see(sighting(99, screen.Permission, &p))
				time.Sleep(time.Minute)
				w.wantToldWithin(begin, "rm -rf build", 6*time.Second)
			})
		})
	}
}

// A message that Telegram has an error with holds up no other.
func TestOneMessageThatFailsHoldsUpNoOther(t *testing.T) {
	inWorld(t, func(w *world) {
		inner := w.http.Transport
		w.http.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return nil, err
			}
			if strings.Contains(string(body), "poison") {
				answer := `{"ok":false,"error_code":500,"description":"Internal Server Error"}`
				return &http.Response{StatusCode: 500, Body: io.NopCloser(strings.NewReader(answer)), Request: r}, nil
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			return inner.RoundTrip(r)
		})
		w.restart()
		p := prompt("poison")
		w.see(sighting(1, screen.Permission, &p))
		time.Sleep(time.Minute)
		for i := 2; i <= 6; i++ {
			p := prompt(fmt.Sprint("make ", i))
			w.see(sighting(i, screen.Permission, &p))
		}
		time.Sleep(2 * time.Minute)
		for i := 2; i <= 6; i++ {
			if n := w.count(ann, fmt.Sprint("make ", i)); n != 1 {
				t.Errorf("make %d was told %d times", i, n)
			}
		}
		wantHealth(t, w, "Telegram answers with an error")
	})
}

func TestTapIsAnsweredThoughTelegramFails(t *testing.T) {
	for _, f := range []botapi.Fault{
		{Code: 500}, {DropBefore: true, Times: 3}, {DropAfter: true}, {HTML: 502}, {Code: 429, RetryAfter: 5}, {Delay: 15 * time.Second},
	} {
		f.Method = "answerCallbackQuery"
		t.Run(fmt.Sprint(f), func(t *testing.T) {
			inWorld(t, func(w *world) {
				m := w.ask(1, prompt("make test"))
				w.tg.Fail(f)
				tap, err := w.ann.Tap(m.ID, "✅ Approve")
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
				defer cancel()
				answered := make(chan botapi.Toast, 1)
				go func() {
					toast, _ := tap.Answer(ctx)
					answered <- toast
				}()
				begin := time.Now()
				next := w.ask(2, prompt("make two"))
				if time.Since(begin) > 5*time.Second {
					t.Error("it held the sender up")
				}
				wantText(t, next, "make two")
				if toast := <-answered; !strings.Contains(toast.Text, "make test") {
					t.Errorf("it was answered with %q", toast.Text)
				}
				w.wantTyped(screen.Approve)
			})
		})
	}
}

// A tap that Telegram takes no answer for any more is given up.
func TestTapThatIsTooOldIsGivenUp(t *testing.T) {
	inWorldWith(t, botapi.Options{Token: token, CallbackWindow: 10 * time.Second}, func(w *world) {
		m := w.ask(1, prompt("make test"))
		w.tg.Fail(botapi.Fault{Method: "answerCallbackQuery", Code: 500, Times: 6})
		if _, err := w.ann.Tap(m.ID, "✅ Approve"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Minute)
		calls := w.tg.Calls("answerCallbackQuery")
		if len(calls) != 1 || calls[0].Err == nil {
			t.Errorf("%d calls got through to Telegram", len(calls))
		}
	})
}

// A connection that broke is made again at once.
func TestBrokenPollsHardlyDelayAnAnswer(t *testing.T) {
	for _, c := range []struct {
		broken int
		within time.Duration
	}{{1, 500 * time.Millisecond}, {2, 2 * time.Second}, {4, 8 * time.Second}} {
		t.Run(fmt.Sprint(c.broken), func(t *testing.T) {
			inWorld(t, func(w *world) {
				m := w.ask(1, prompt("make test"))
				w.tg.Fail(botapi.Fault{Method: "getUpdates", DropBefore: true, Times: c.broken})
				w.ann.Say("hello") // ends the poll that waits now
				time.Sleep(100 * time.Millisecond)
				w.ann.ReplyTo(m.ID, "y")
				begin := time.Now()
				for len(w.typed.all()) == 0 && time.Since(begin) < time.Minute {
					time.Sleep(50 * time.Millisecond)
				}
				if took := time.Since(begin); took > c.within {
					t.Errorf("it took %v, want at most %v", took, c.within)
				}
			})
		})
	}
}

func TestMessageThatTelegramFindsTooLongComesShorter(t *testing.T) {
	inWorld(t, func(w *world) {
		w.tg.Fail(botapi.Fault{Method: "sendMessage", Code: 400, Description: "Bad Request: message is too long"})
		m := w.ask(1, prompt(strings.Repeat("make everything\n", 100)))
		wantText(t, m, "make everything")
		if idOf(t, m) == "" || len([]rune(m.Text)) > 2000 {
			t.Errorf("it has %d characters:\n%s", len([]rune(m.Text)), m.Text)
		}
		w.tap(m, "Approve") // a part of it stands nowhere
		w.wantTyped()
		w.tap(w.last(), "Approve what can't be seen")
		w.wantTyped(screen.Approve)
		wantHealth(t, w)
	})
}

func TestEditThatTelegramFindsTooLongComesShorter(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.ask(1, prompt("make test"))
		w.tg.Fail(botapi.Fault{Method: "editMessageText", Code: 400, Description: "Bad Request: MESSAGE_TOO_LONG"})
		w.tap(m, "Approve")
		over := w.message(m.ID)
		wantText(t, over, "✅ claude in api1: make test")
		wantNoButtons(t, over)
		wantHealth(t, w)
	})
}

// A long session name, many options: every message comes, and can be answered.
func TestLongNamesAndManyOptionsArrive(t *testing.T) {
	inWorld(t, func(w *world) {
		p := prompt("make test")
		s := sighting(1, screen.Permission, &p)
		s.Where = strings.Repeat("very-long-session ", 240) + ":2.0"
		w.see(s)
		m := w.last()
		wantText(t, m, "make test", ":2.0 · #")
		w.tap(m, "Approve")
		w.wantTyped(screen.Approve)

		q := question()
		q.Options = nil
		for i := range 45 {
			q.Options = append(q.Options, screen.Option{Label: fmt.Sprint(i+1, " ", strings.Repeat("of many options ", 12)), Scope: screen.Other})
		}
		w.see(sighting(2, screen.Question, &q))
		m = w.last()
		wantText(t, m, "Ready to code?", "more: its screen shows them", "reply with its number")
		w.ann.ReplyTo(m.ID, "45")
		time.Sleep(5 * time.Second)
		all := w.typed.all()
		if len(all) != 2 || all[1].Choice == nil || all[1].Choice.Index != 44 {
			t.Errorf("typed %+v; the chat:\n%s", all, w.chat())
		}
	})
}

// Whatever is in names, settings and troubles: the lists of the chat's commands come, and show all that they hold.
func TestListsOfForeignTextArrive(t *testing.T) {
	inWorld(t, func(w *world) {
		foreign := strings.Repeat("<b>&\u200e\u00a0\n", 500)
		w.mu.Lock()
		for i := range 50 {
			s := sighting(i, screen.Idle, nil)
			s.Where, s.Name, s.Project = foreign, foreign, foreign
			w.panes = append(w.panes, s)
		}
		w.screen = []string{foreign, "the last row"}
		w.mu.Unlock()
		w.set(func(s *bot.Settings) {
			s.Host, s.Lines = foreign, []string{foreign, "NOD_POLL_INTERVAL=2s"}
			s.Health = func() []string { return []string{foreign, "tmux server hung"} }
		})
		p := prompt("make " + foreign)
		s := sighting(1, screen.Permission, &p)
		s.Where, s.Name, s.Agent = foreign, foreign, foreign
		w.see(s)
		time.Sleep(time.Second)
		w.noPictures()
		for _, say := range []string{"/status", "/settings", "/log", "/queue", "/screen %1", "/start", "/screen " + foreign, "/quiet " + foreign, "/tell " + foreign} {
			before := len(w.botSaid())
			w.ann.Say(say)
			m := w.last()
			if len(w.botSaid()) == before {
				t.Errorf("%.20s: no answer came", say)
			}
			if strings.ContainsAny(m.Text, "\u200e\u00a0") {
				t.Errorf("%.20s: something in it shows nothing:\n%s", say, m.Text)
			}
			switch say {
			case "/status":
				wantText(t, m, "and ", " more")
			case "/settings":
				wantText(t, m, "NOD_POLL_INTERVAL=2s")
			case "/screen %1":
				wantText(t, m, "the last row")
			}
		}
		w.digest()
		for _, c := range w.tg.Calls("sendMessage") {
			if c.Err != nil {
				t.Errorf("Telegram refused: %v", c.Err)
			}
		}
	})
}
