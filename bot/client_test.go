package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestClassify(t *testing.T) {
	for _, c := range []struct {
		code  int
		text  string
		after time.Duration
		want  kind
	}{
		{400, "Bad Request: chat not found", 0, goneChat},
		{400, "Bad Request: group chat was upgraded to a supergroup chat", 0, goneChat},
		{400, "Bad Request: can't parse entities: Unclosed start tag at byte offset 3", 0, badMarkup},
		{400, "Bad Request: message is not modified: specified new message content…", 0, moot},
		{400, "Bad Request: message to edit not found", 0, moot},
		{400, "Bad Request: query is too old and response timeout expired or query ID is invalid", 0, moot},
		{400, "Bad Request: message is too long", 0, tooLong},
		{400, "Bad Request: MESSAGE_TOO_LONG", 0, tooLong},
		{400, "Bad Request: BUTTON_DATA_INVALID", 0, badButtons},
		{400, "Bad Request: ENTITY_BOUNDS_INVALID", 0, badMarkup},
		{400, "Bad Request: ENTITIES_TOO_LONG", 0, badMarkup},
		{413, "Request Entity Too Large", 0, permanent},
		{401, "Unauthorized", 0, unauthorized},
		{403, "Forbidden: bot was blocked by the user", 0, goneChat},
		{403, "Forbidden: user is deactivated", 0, goneChat},
		{403, "Forbidden: bot can't initiate conversation with a user", 0, goneChat},
		{404, "Not Found", 0, unauthorized},
		{404, "Not Found: method not found", 0, permanent},
		{400, "Bad Request: REACTION_INVALID", 0, permanent},
		{409, "Conflict: terminated by other getUpdates request", 0, conflict},
		{429, "Too Many Requests: retry after 7", 7 * time.Second, later},
		{500, "Internal Server Error", 0, unsure},
	} {
		got := classify(fmt.Errorf("telegram sendMessage: %w", &rejection{code: c.code, text: c.text, after: c.after}))
		if got.kind != c.want || got.after != c.after {
			t.Errorf("%d %s: %v, want %s", c.code, c.text, got, c.want)
		}
	}
	for status, want := range map[int]kind{200: unsure, 502: unsure, 413: permanent} {
		if got := classify(&brokenAnswer{status}); got.kind != want {
			t.Errorf("an HTML page with status %d: %v, want %s", status, got, want)
		}
	}
}

func TestRefusal(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		want   string
	}{
		{200, `{"ok":true,"result":[]}`, ""},
		{429, `{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 5","parameters":{"retry_after":5}}`, "429 Too Many Requests: retry after 5"},
		{400, `{"ok":false,"error_code":400,"description":"Bad Request: group chat was upgraded to a supergroup chat","parameters":{"migrate_to_chat_id":-1007}}`,
			"400 Bad Request: group chat was upgraded to a supergroup chat; its id is -1007 now"},
		{502, "<html>", "HTTP 502 with a body that is no Bot API answer"},
		{200, "", "HTTP 200 with a body that is no Bot API answer"},
		{200, "[]", "HTTP 200 with a body that is no Bot API answer"},
		{302, "{}", "HTTP 302 with a body that is no Bot API answer"},
	} {
		got := ""
		if err := refusal(c.status, []byte(c.body)); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%d %q: %q, want %q", c.status, c.body, got, c.want)
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A redirect would carry the token to another host in the Referer header.
func TestRedirectsAreNotFollowed(t *testing.T) {
	asked := 0
	hc := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		asked++
		return &http.Response{
			StatusCode: http.StatusFound, Header: http.Header{"Location": {"https://elsewhere.test/"}},
			Body: io.NopCloser(strings.NewReader("")), Request: r,
		}, nil
	})}
	err := newClient(Config{Token: "1:secret", API: "https://telegram.test", HTTP: hc}).call(context.Background(), time.Second, "getMe", nil, nil)
	if asked != 1 || err == nil || !strings.Contains(err.Error(), "HTTP 302") {
		t.Errorf("asked %d times: %v", asked, err)
	}
}

// An address that can't be parsed is quoted by net/url with the token in it.
func TestTokenNotInAddressErrors(t *testing.T) {
	for _, base := range []string{"http://[::1", "://x", "http://%zz", "nowhere"} {
		err := newClient(Config{Token: "1:secret", API: base, HTTP: http.DefaultClient}).call(context.Background(), time.Second, "getMe", nil, nil)
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", base, err)
		}
	}
}

func FuzzReadUpdate(f *testing.F) {
	for _, s := range []string{
		`{"update_id":1,"message":{"message_id":2,"from":{"id":3},"chat":{"id":3,"type":"private"},"text":"y"}}`,
		`{"update_id":1,"callback_query":{"id":"x","data":"a:k3f:x"}}`, `{"update_id":"x"}`, `{"update_id":7,"message":[]}`, `null`, `[]`,
		`{"update_id":1,"message":{"reply_to_message":{"reply_markup":{"inline_keyboard":[[null]]}}}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		u, err := readUpdate(json.RawMessage(raw))
		if err == nil && u.ID <= 0 {
			t.Errorf("an update without an id: %+v", u)
		}
	})
}
