package botapi

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// fetched is an update, as the bot gets it.
type fetched struct {
	ID      int              `json:"update_id"`
	Message *Message         `json:"message"`
	Query   *json.RawMessage `json:"callback_query"`
	Member  *json.RawMessage `json:"my_chat_member"`
	Edited  *Message         `json:"edited_message"`
}

// poll50 polls for 50 s unless params say otherwise. It returns an error as the answer's description, so that
// it can run in any goroutine.
func poll50(ctx context.Context, c *http.Client, params ...string) answer {
	form := url.Values{"timeout": {"50"}}
	for i := 0; i < len(params); i += 2 {
		form.Set(params[i], params[i+1])
	}
	resp, err := postForm(ctx, c, form)
	if err != nil {
		return answer{Description: err.Error()}
	}
	defer resp.Body.Close()
	var a answer
	if err := json.NewDecoder(resp.Body).Decode(&a); err != nil {
		return answer{Description: err.Error()}
	}
	return a
}

func postForm(ctx context.Context, c *http.Client, form url.Values) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://emulator/bot"+token+"/getUpdates", strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return c.Do(r)
}

// bubble runs f on fake time, with a client that reaches s over a pipe.
func bubble(t *testing.T, f func(t *testing.T, s *Server, c *http.Client)) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{Token: token, FirstUpdate: 100})
		c, stop := s.Pipe()
		defer stop()
		f(t, s, c)
	})
}

func TestLongPollWaitsAndWakes(t *testing.T) {
	bubble(t, func(t *testing.T, s *Server, c *http.Client) {
		began := time.Now()
		if got := result[[]fetched](t, poll50(t.Context(), c)); len(got) != 0 || time.Since(began) != 50*time.Second {
			t.Errorf("a quiet poll gave %v after %s", got, time.Since(began))
		}
		began = time.Now()
		go func() {
			time.Sleep(7 * time.Second)
			s.Person(7, "Ann").Say("y")
		}()
		got := result[[]fetched](t, poll50(t.Context(), c))
		if time.Since(began) != 7*time.Second || len(got) == 0 || got[0].ID != 100 {
			t.Errorf("after %s: %+v", time.Since(began), got)
		}
	})
}

func TestOffsetConfirms(t *testing.T) {
	bubble(t, func(t *testing.T, s *Server, c *http.Client) {
		ann := s.Person(7, "Ann")
		ann.Say("1") // my_chat_member 100, message 101
		ann.Say("2") // 102
		ann.Say("3") // 103
		ids := func(params ...string) (out []int) {
			time.Sleep(4 * time.Second) // so that the next poll is not delayed as too frequent
			for _, u := range result[[]fetched](t, poll50(t.Context(), c, append(params, "timeout", "0")...)) {
				out = append(out, u.ID)
			}
			return out
		}
		check := func(what string, got []int, want ...int) {
			t.Helper()
			if len(got) != len(want) {
				t.Errorf("%s: %v, want %v", what, got, want)
				return
			}
			for i := range got {
				if got[i] != want[i] {
					t.Errorf("%s: %v, want %v", what, got, want)
				}
			}
		}
		check("no offset", ids(), 100, 101, 102, 103)
		check("unconfirmed ones come again", ids(), 100, 101, 102, 103)
		check("an offset confirms what is below", ids("offset", "102"), 102, 103)
		check("an offset far past the end counts as none", ids("offset", "5000"), 102, 103)
		check("a negative offset forgets the older", ids("offset", "-1"), 103)
		check("limit", ids("limit", "1"), 103)
		check("all confirmed", ids("offset", "104"))
	})
}

func TestSecondPollEndsTheFirst(t *testing.T) {
	bubble(t, func(t *testing.T, s *Server, c *http.Client) {
		first := make(chan answer)
		go func() { first <- poll50(t.Context(), c) }()
		synctest.Wait()
		go poll50(t.Context(), c, "offset", "1")
		if a := <-first; a.Code != 409 || !strings.HasPrefix(a.Description, "Conflict: terminated by other getUpdates request") {
			t.Errorf("first poll: %+v", a)
		}
		s.Person(7, "Ann").Start()
	})
}

func TestWebhookRefusesPolls(t *testing.T) {
	bubble(t, func(t *testing.T, s *Server, c *http.Client) {
		result[bool](t, call(s, "setWebhook", "url", "https://example.com/hook"))
		if a := poll50(t.Context(), c); a.Code != 409 || !strings.Contains(a.Description, "while webhook is active") {
			t.Errorf("poll: %+v", a)
		}
		result[bool](t, call(s, "deleteWebhook"))
		result[[]fetched](t, poll50(t.Context(), c))
	})
}

func TestAllowedUpdatesAreRemembered(t *testing.T) {
	bubble(t, func(t *testing.T, s *Server, c *http.Client) {
		result[[]fetched](t, poll50(t.Context(), c, "timeout", "0", "allowed_updates", `["callback_query"]`))
		ann := s.Person(7, "Ann")
		ann.Say("dropped")
		ann.TapData(1, "x")
		time.Sleep(5 * time.Second)
		got := result[[]fetched](t, poll50(t.Context(), c, "allowed_updates", "null"))
		if len(got) != 1 || got[0].Query == nil {
			t.Errorf("got %+v", got)
		}
	})
}

func TestRetention(t *testing.T) {
	bubble(t, func(t *testing.T, s *Server, _ *http.Client) {
		ann := s.Person(7, "Ann")
		ann.Say("x")
		ann.TapData(1, "x")
		time.Sleep(150 * time.Second)
		if n := s.Waiting(); n != 2 {
			t.Errorf("%d updates after 150 s, want the two that are no tap", n)
		}
		time.Sleep(24 * time.Hour)
		if n := s.Waiting(); n != 0 {
			t.Errorf("%d updates after a day", n)
		}
	})
}

func TestTapCanBeAnsweredOnceAndInTime(t *testing.T) {
	bubble(t, func(t *testing.T, s *Server, _ *http.Client) {
		ann := s.Person(7, "Ann")
		ann.Start()
		first, second := ann.TapData(1, "x"), ann.TapData(1, "x")
		result[bool](t, call(s, "answerCallbackQuery", "callback_query_id", first.ID))
		if a := call(s, "answerCallbackQuery", "callback_query_id", first.ID); a.OK {
			t.Error("answered twice")
		}
		time.Sleep(61 * time.Second)
		if a := call(s, "answerCallbackQuery", "callback_query_id", second.ID); a.OK {
			t.Error("answered too late")
		}
	})
}

func TestFloodLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{Token: token, Flood: true})
		s.Person(7, "Ann").Start()
		var refused answer
		for range 20 {
			if refused = call(s, "sendMessage", "chat_id", "7", "text", "x"); !refused.OK {
				break
			}
		}
		if refused.Code != 429 || refused.Parameters.RetryAfter < 1 || refused.Description != "Too Many Requests: retry after 1" {
			t.Fatalf("twenty at once: %+v", refused)
		}
		time.Sleep(time.Duration(refused.Parameters.RetryAfter) * time.Second)
		if a := call(s, "sendMessage", "chat_id", "7", "text", "x"); !a.OK {
			t.Errorf("after retry_after: %+v", a)
		}
	})
}

func TestFaults(t *testing.T) {
	bubble(t, func(t *testing.T, s *Server, c *http.Client) {
		ann := s.Person(7, "Ann")
		ann.Start()
		send := func() (status int, err error) {
			resp, err := c.PostForm("http://emulator/bot"+token+"/sendMessage", url.Values{"chat_id": {"7"}, "text": {"x"}})
			if err != nil {
				return 0, err
			}
			defer resp.Body.Close()
			_, err = io.Copy(io.Discard, resp.Body)
			return resp.StatusCode, err
		}
		sent := func() int { return len(ann.Messages()) - 1 }

		s.Fail(Fault{Method: "sendMessage", Code: 429, RetryAfter: 9})
		if status, _ := send(); status != 429 || sent() != 0 {
			t.Errorf("429: status %d, %d sent", status, sent())
		}
		s.Fail(Fault{Method: "sendMessage", HTML: 502, Times: 2})
		for range 2 {
			if status, _ := send(); status != 502 || sent() != 0 {
				t.Errorf("502: status %d, %d sent", status, sent())
			}
		}
		s.Fail(Fault{Method: "sendMessage", DropBefore: true})
		if _, err := send(); err == nil || sent() != 0 {
			t.Errorf("dropped before: %v, %d sent", err, sent())
		}
		s.Fail(Fault{Method: "sendMessage", DropAfter: true})
		if _, err := send(); err == nil || sent() != 1 {
			t.Errorf("dropped after: %v, %d sent", err, sent())
		}
		s.Fail(Fault{Method: "getMe", Code: 500})
		began := time.Now()
		s.Fail(Fault{Method: "sendMessage", Delay: 3 * time.Second})
		if status, _ := send(); status != 200 || time.Since(began) != 3*time.Second {
			t.Errorf("slow: status %d after %s", status, time.Since(began))
		}
		s.Heal()
		if a := call(s, "getMe"); !a.OK {
			t.Errorf("after Heal: %+v", a)
		}
	})
}

func TestPersonsUpdates(t *testing.T) {
	bubble(t, func(t *testing.T, s *Server, c *http.Client) {
		ann := s.Person(7, "Ann")
		m := ann.Say("/status now")
		reply := ann.ReplyTo(m.ID, "y")
		if err := ann.Edit(reply.ID, "n"); err != nil {
			t.Fatal(err)
		}
		if _, err := ann.Forward(m.ID); err != nil {
			t.Fatal(err)
		}
		ann.Block()
		got := result[[]fetched](t, poll50(t.Context(), c))
		if len(got) != 6 {
			t.Fatalf("%d updates, want 6", len(got))
		}
		if got[0].Member == nil || got[5].Member == nil {
			t.Error("opening and blocking a chat are not told")
		}
		if e := got[1].Message.Entities; len(e) != 1 || e[0].Type != "bot_command" || e[0].Length != 7 {
			t.Errorf("command entities: %+v", e)
		}
		if to := got[2].Message.ReplyTo; to == nil || to.ID != m.ID || to.Text != "/status now" {
			t.Errorf("reply: %+v", to)
		}
		if got[3].Edited == nil || got[3].Edited.Text != "n" {
			t.Errorf("edit: %+v", got[3])
		}
		if f := got[4].Message; f.ForwardOrigin == nil || f.ForwardDate == 0 {
			t.Errorf("forward: %+v", f)
		}
	})
}
