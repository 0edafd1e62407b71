package bot_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"nod/bot"
	"nod/detect/screen"
	"nod/internal/botapi"
	"nod/store"
)

func TestNothingLostDuring429(t *testing.T) {
	inWorld(t, func(w *world) {
		w.tg.Fail(botapi.Fault{Method: "sendMessage", Code: 429, RetryAfter: 30, Times: 3})
		for i := 1; i <= 5; i++ {
			p := prompt("make " + strconv.Itoa(i))
			w.see(sighting(i, screen.Permission, &p))
			time.Sleep(time.Millisecond)
		}
		time.Sleep(20 * time.Second)
		if n := len(w.botSaid()); n != 1 {
			t.Errorf("%d messages before the wait was over", n-1)
		}
		wantHealth(t, w, "slow down")
		time.Sleep(3 * time.Minute)
		said := w.botSaid()[1:]
		if len(said) != 1 {
			t.Fatalf("%d messages, want one for all; the chat:\n%s", len(said), w.chat())
		}
		for i := 1; i <= 5; i++ {
			wantText(t, said[0], "make "+strconv.Itoa(i))
		}
		wantHealth(t, w)
	})
}

// What waits is kept in the records, so a bot that starts after the outage says it.
func TestNothingLostInAnOutageAndARestart(t *testing.T) {
	inWorld(t, func(w *world) {
		w.tg.Fail(botapi.Fault{HTML: http.StatusBadGateway, Times: -1})
		p := prompt("make test")
		w.see(sighting(1, screen.Permission, &p))
		time.Sleep(2 * time.Minute)
		wantHealth(t, w, "HTTP 502")
		w.restart()
		w.tg.Heal()
		time.Sleep(2 * time.Minute)
		m := w.holding(ann, "⚠ claude in api1: make test\n")
		wantText(t, m, "make test")
		w.ann.ReplyTo(m.ID, "y")
		w.wantTyped(screen.Approve)
		wantHealth(t, w)
	})
}

// What Telegram has taken when nod is stopped is on record, and does not come again.
func TestReceiptIsWrittenWhenNodStops(t *testing.T) {
	inWorld(t, func(w *world) {
		inner := w.http.Transport
		w.http = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			resp, err := inner.RoundTrip(r)
			if err != nil {
				return nil, err
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body = io.NopCloser(bytes.NewReader(body))
			if strings.HasSuffix(r.URL.Path, "/sendMessage") {
				w.end()
			}
			return resp, err
		})}
		w.restart()
		p := prompt("make test")
		w.see(sighting(1, screen.Permission, &p))
		time.Sleep(5 * time.Second)
		w.http = &http.Client{Transport: inner}
		w.restart()
		time.Sleep(time.Minute)
		if n := len(w.botSaid()) - 1; n != 1 {
			t.Errorf("it came %d times:\n%s", n, w.chat())
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestSendingKeepsTelegramsLimits(t *testing.T) {
	inWorldWith(t, botapi.Options{Token: token, Flood: true}, func(w *world) {
		for i := 1; i <= 20; i++ {
			p := prompt("make " + strconv.Itoa(i))
			w.see(sighting(i, screen.Permission, &p))
		}
		time.Sleep(time.Minute)
		for i := 1; i <= 20; i++ {
			if n := strings.Count(w.chat()+"\n", "make "+strconv.Itoa(i)+"\n"); n != 1 {
				t.Errorf("make %d was told %d times", i, n)
			}
		}
		for _, c := range w.tg.Calls("sendMessage") {
			if c.Err != nil {
				t.Errorf("Telegram refused: %v", c.Err)
			}
		}
	})
}

// One chat that must wait holds up no other.
func TestBlockedSupervisorHoldsUpNobody(t *testing.T) {
	inWorld(t, func(w *world) {
		w.set(func(s *bot.Settings) { s.Supervisors = []int64{bob, ann} })
		bobby := w.tg.Person(bob, "Bob")
		bobby.Start()
		time.Sleep(3 * time.Second)
		bobby.Block()
		w.ask(1, prompt("make test"))
		wantHealth(t, w, "Supervisor 4343 can't be written to")
		calls := len(w.tg.Calls("sendMessage"))
		time.Sleep(2 * time.Minute)
		if n := len(w.tg.Calls("sendMessage")) - calls; n != 0 {
			t.Errorf("%d more tries to write to somebody who blocked the bot", n)
		}
		bobby.Start()
		time.Sleep(5 * time.Second)
		told := slices.ContainsFunc(bobby.Messages(), func(m botapi.Record) bool { return strings.Contains(m.Text, "make test") })
		if !told {
			t.Error("the nudge did not come when the chat was open again")
		}
		wantHealth(t, w)
	})
}

func TestRemindersReplyToTheFirst(t *testing.T) {
	inWorld(t, func(w *world) {
		first := w.ask(1, prompt("make test"))
		time.Sleep(5 * time.Minute)
		second := w.last()
		wantText(t, second, "⏰ 5 min · claude in api1: make test", " · reminder 2 of 6")
		if second.ReplyID != first.ID || second.ID == first.ID {
			t.Errorf("the reminder %d replies to %d, want %d", second.ID, second.ReplyID, first.ID)
		}
		for _, c := range w.tg.Calls("sendMessage") { // a reply to a message that was deleted would fail
			if c.Params["allow_sending_without_reply"] != "true" {
				t.Errorf("a message would fail without the one it replies to: %v", c.Params)
			}
		}
		time.Sleep(10 * time.Minute)
		third := w.last()
		w.tap(second, "Deny")
		w.wantTyped(screen.Deny)
		for _, m := range []botapi.Record{second, third} { // the one that was tapped, and the newest
			wantText(t, w.message(m.ID), "❌ claude in api1: make test\nDenied by Ann")
			wantNoButtons(t, w.message(m.ID))
		}
		wantText(t, w.message(first.ID), "⚠ claude in api1: make test")
		wantNoButtons(t, w.message(first.ID))
	})
}

func TestEndingsAreSaid(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(w *world)
		want string
	}{
		{"recovered", func(w *world) { w.leave(1) }, "but not through nod"},
		{"gone", func(w *world) { w.see(sighting(1, screen.Gone, nil)) }, "The pane has been gone, or no longer watched,"},
		{"expired", func(w *world) { w.sleepHours(9) }, "no answer came for 8h"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.ask(1, prompt("make test"))
				c.do(w)
				m := w.last()
				wantText(t, m, "make test", c.want)
				if c.name != "expired" {
					wantNoButtons(t, m)
				}
			})
		})
	}
}

func TestExpiredCanBeAskedAgain(t *testing.T) {
	inWorld(t, func(w *world) {
		w.ask(1, prompt("make test"))
		w.sleepHours(9)
		w.tap(w.last(), "Ask again")
		m := w.last()
		wantText(t, m, "⚠ claude in api1: make test\nAsked again: #", " had expired.\nmain:1.0 · #")
		w.tap(m, "Approve")
		w.wantTyped(screen.Approve)
	})
}

func TestTokenNeverInErrors(t *testing.T) {
	inWorld(t, func(w *world) {
		secret := strings.SplitN(token, ":", 2)[1]
		w.lossy = true
		for _, f := range []botapi.Fault{
			{DropBefore: true, Times: 3}, {DropAfter: true, Times: 3}, {HTML: 502, Times: 3}, {Garbage: "not json", Times: 3},
			{Code: 500, Times: 3}, {Code: 401, Description: "Unauthorized", Times: 3}, {Code: 409, Description: "Conflict: terminated by other getUpdates request", Times: 3},
			{Code: 400, Description: "Bad Request: bot" + token + " is strange", Times: 3},
			{Delay: 2 * time.Minute, Times: 2},
		} {
			w.tg.Fail(f)
			p := prompt("make " + time.Now().String())
			w.see(sighting(1, screen.Permission, &p))
			time.Sleep(10 * time.Minute)
			if err := w.bot.Check(context.Background()); err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("the token is in %q", err)
			}
			for _, h := range w.bot.Health() {
				if strings.Contains(h, secret) {
					t.Errorf("the token is in %q", h)
				}
			}
		}
		if log := w.log.String(); strings.Contains(log, secret) {
			t.Error("the token is in the log")
		}
	})
}

func TestCheckTellsAWrongTokenFromAnOutage(t *testing.T) {
	inWorld(t, func(w *world) {
		if err := w.bot.Check(context.Background()); err != nil {
			t.Fatal(err)
		}
		var wrong *bot.TokenError
		w.tg.Fail(botapi.Fault{Method: "getMe", HTML: 502})
		if err := w.bot.Check(context.Background()); err == nil || errors.As(err, &wrong) {
			t.Errorf("an outage is said as %v", err)
		}
		w.tg.Revoke()
		if err := w.bot.Check(context.Background()); !errors.As(err, &wrong) {
			t.Errorf("a revoked token is said as %v", err)
		}
		time.Sleep(3 * time.Minute)
		wantHealth(t, w, "rejects the bot's token")
		if n := strings.Count(w.log.String(), "rejects the bot's token"); n != 1 {
			t.Errorf("it was logged %d times", n)
		}
	})
}

func TestConflictIsSaidOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		w.tg.Fail(botapi.Fault{Method: "getUpdates", Code: 409, Times: -1,
			Description: "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"})
		time.Sleep(5 * time.Minute)
		wantHealth(t, w, "Another program uses")
		if n := strings.Count(w.log.String(), "Another program uses"); n != 1 {
			t.Errorf("it was logged %d times", n)
		}
		w.tg.Heal()
		time.Sleep(2 * time.Minute)
		wantHealth(t, w)
	})
}

func TestOffsetAfterHandling(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.ask(1, prompt("make test"))
		before, err := w.store.Memory().Offset()
		if err != nil {
			t.Fatal(err)
		}
		w.ann.ReplyTo(m.ID, "y")
		w.wantTyped(screen.Approve)
		after, err := w.store.Memory().Offset()
		if err != nil || after != before+1 {
			t.Errorf("offset %d, then %d, %v", before, after, err)
		}
	})
}

// again lets do happen, and then what a crash before the confirmation does: the same updates come
// once more. They wait while nod is down, so that they come as one batch whatever the machine does.
func (w *world) again(do func()) {
	w.t.Helper()
	before, err := w.store.Memory().Offset()
	if err != nil {
		w.t.Fatal(err)
	}
	w.stop()
	do()
	w.tg.Fail(botapi.Fault{Method: "getUpdates", Delay: time.Millisecond}) // the poll that brings them
	w.tg.Fail(botapi.Fault{Method: "getUpdates", HTML: http.StatusBadGateway, Times: -1})
	w.begin()
	time.Sleep(10 * time.Second)
	w.stop()
	w.tg.Heal()
	db, err := store.Open(w.path)
	if err != nil {
		w.t.Fatal(err)
	}
	if after, err := db.Memory().Offset(); err != nil || after == before {
		w.t.Fatalf("the updates did not come: offset %d, %v", after, err)
	}
	if err := errors.Join(db.Memory().SetOffset(before), db.Close()); err != nil {
		w.t.Fatal(err)
	}
	w.begin()
	time.Sleep(time.Minute)
	if after, err := w.store.Memory().Offset(); err != nil || after == before {
		w.t.Fatalf("the updates did not come again: offset %d, %v", after, err)
	}
}

func TestSameUpdateActsOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		withPanes(w)
		m := w.ask(3, prompt("make test"))
		w.again(func() {
			w.ann.ReplyTo(m.ID, "y")
			w.ann.Say("/status")
			w.ann.Say("/tell api run the tests")
		})
		w.wantTyped(screen.Approve)
		w.wantTold("run the tests")
		if n := strings.Count(w.chat(), " agents, nothing waits"); n != 1 {
			t.Errorf("/status was answered %d times:\n%s", n, w.chat())
		}
	})
}

func TestUpdateIdsMayRestart(t *testing.T) {
	inWorldWith(t, botapi.Options{Token: token, FirstUpdate: 1000}, func(w *world) {
		if err := w.store.Memory().SetOffset(900_000_000); err != nil { // from before a quiet week
			t.Fatal(err)
		}
		w.restart()
		m := w.ask(1, prompt("make test"))
		w.ann.ReplyTo(m.ID, "y")
		time.Sleep(time.Minute)
		if all := w.typed.all(); len(all) != 1 {
			t.Fatalf("%d answers were typed; the chat:\n%s", len(all), w.chat())
		}
		if offset, _ := w.store.Memory().Offset(); offset < 1000 || offset > 2000 {
			t.Errorf("the offset is %d", offset)
		}
		calls := len(w.tg.Calls("getUpdates"))
		time.Sleep(10 * time.Minute)
		if n := len(w.tg.Calls("getUpdates")) - calls; n > 20 {
			t.Errorf("%d polls in ten quiet minutes", n)
		}
	})
}

// A server that answers a long poll at once, or with nothing that can be confirmed, is not asked in a
// circle.
func TestNoPollLoopSpins(t *testing.T) {
	for _, answer := range []string{
		`{"ok":true,"result":[]}`, `{"ok":true,"result":[17,"x",{"update_id":"y"},null]}`, `{"ok":true,"result":{}}`, `{}`,
	} {
		inWorld(t, func(w *world) {
			w.tg.Fail(botapi.Fault{Method: "getUpdates", Garbage: answer, Times: 100})
			w.ann.Say("/help") // ends the poll that waits now
			time.Sleep(20 * time.Second)
			w.ann.Say("/status")
			if m := w.last(); strings.Contains(m.Text, "agents") {
				t.Errorf("%s: a hundred polls took less than 20 s", answer)
			}
			time.Sleep(2 * time.Hour)
			m := w.ask(1, prompt("make test"))
			w.ann.ReplyTo(m.ID, "y")
			w.wantTyped(screen.Approve)
		})
	}
}

func wantHealth(t *testing.T, w *world, parts ...string) {
	t.Helper()
	all := w.bot.Health()
	if len(all) < len(parts) || len(parts) == 0 && len(all) > 0 {
		t.Errorf("health is %q, want %q", all, parts)
		return
	}
	for _, p := range parts {
		if !strings.Contains(strings.Join(all, "\n"), p) {
			t.Errorf("health is %q, want %q", all, p)
		}
	}
}

// News that come while a message is on its way must not wait for the next look.
func TestNewsDuringASlowSend(t *testing.T) {
	inWorld(t, func(w *world) {
		w.tg.Fail(botapi.Fault{Method: "sendMessage", Delay: 5 * time.Second})
		w.ann.Say("/status")
		time.Sleep(2 * time.Second)
		p := prompt("make test")
		w.see(sighting(1, screen.Permission, &p))
		time.Sleep(6 * time.Second)
		said := w.botSaid()
		wantText(t, said[len(said)-1], "make test")
	})
}

// An answer that can't be kept is not confirmed to Telegram: it comes again when it can.
func TestAnswerSurvivesABrokenDatabase(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.ask(1, prompt("make test"))
		if err := w.store.Close(); err != nil { // every read and write fails from now on
			t.Fatal(err)
		}
		w.ann.ReplyTo(m.ID, "y")
		time.Sleep(2 * time.Minute)
		wantHealth(t, w, "Answers can't be kept")
		w.restart()
		time.Sleep(time.Minute)
		w.wantTyped(screen.Approve)
		wantHealth(t, w)
	})
}
