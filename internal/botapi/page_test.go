package botapi

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestPageAnswersOnlyItself(t *testing.T) {
	s := New(Options{Token: token})
	ann := s.Person(7, "Ann")
	page := s.Page(ann)
	tests := []struct {
		name, method, path, host string
		header                   map[string]string
		want                     int
	}{
		{"address bar", "GET", "/", "127.0.0.1:8080", nil, 200},
		{"localhost", "GET", "/", "localhost:8080", nil, 200},
		{"IPv6", "GET", "/", "[::1]:8080", nil, 200},
		{"DNS rebinding", "GET", "/", "evil.example:8080", nil, 403},
		{"DNS rebinding of events", "GET", "/events", "evil.example", nil, 403},
		{"name that looks like loopback", "GET", "/", "127.0.0.1.evil.example", nil, 403},
		{"LAN", "GET", "/", "192.168.1.7:8080", nil, 403},
		{"another site reads", "GET", "/events", "127.0.0.1:8080", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		{"another port reads", "GET", "/events", "127.0.0.1:8080", map[string]string{"Origin": "http://127.0.0.1:9"}, 403},
		{"own post", "POST", "/say", "127.0.0.1:8080", map[string]string{"Origin": "http://127.0.0.1:8080"}, 200},
		{"post without origin", "POST", "/say", "127.0.0.1:8080", nil, 403},
		{"post of another site", "POST", "/say", "127.0.0.1:8080", map[string]string{"Origin": "https://evil.example"}, 403},
		{"post of a file", "POST", "/say", "127.0.0.1:8080", map[string]string{"Origin": "null"}, 403},
		{"post of another port", "POST", "/say", "127.0.0.1:8080", map[string]string{"Origin": "http://127.0.0.1:9"}, 403},
		{"form post", "POST", "/say", "127.0.0.1:8080", map[string]string{"Origin": "http://127.0.0.1:8080", "Content-Type": "text/plain"}, 415},
		{"tap on nothing", "POST", "/tap", "127.0.0.1:8080", map[string]string{"Origin": "http://127.0.0.1:8080"}, 409},
		{"outside", "GET", "/../../etc/passwd", "127.0.0.1:8080", nil, 404},
		{"no such file", "GET", "/file/x", "127.0.0.1:8080", nil, 404},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest(tt.method, "http://"+tt.host+"/", strings.NewReader(`{"text":"y"}`))
			r.URL.Path = tt.path
			ctx, cancel := context.WithTimeout(t.Context(), time.Second) // events would go on forever
			defer cancel()
			r = r.WithContext(ctx)
			r.Header.Set("Content-Type", "application/json")
			for k, v := range tt.header {
				r.Header.Set(k, v)
			}
			before := len(ann.Messages())
			w := httptest.NewRecorder()
			page.ServeHTTP(w, r)
			if got := w.Code; got != tt.want && (tt.want != 404 || got != http.StatusTemporaryRedirect && got != http.StatusMovedPermanently) {
				t.Errorf("status %d, want %d: %s", got, tt.want, w.Body)
			}
			if said := len(ann.Messages()) - before; said != 0 && tt.want != 200 {
				t.Errorf("a refused request wrote %d messages", said)
			}
			if csp := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
				t.Errorf("policy %q", csp)
			}
		})
	}
}

func TestPageLoadsNothingFromElsewhere(t *testing.T) {
	for _, name := range []string{"index.html", "page.css", "page.js"} {
		data, err := pageFiles.ReadFile("page/" + name)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(data), "http://www.w3.org/2000/svg", "")
		for _, bad := range []string{"http://", "https://", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "@import", "eval("} {
			if strings.Contains(text, bad) {
				t.Errorf("%s contains %q", name, bad)
			}
		}
	}
}

func TestPageIsLive(t *testing.T) {
	s := New(Options{Token: token})
	ann := s.Person(7, "Ann")
	ann.Start()
	srv := httptest.NewServer(s.Page(ann))
	defer srv.Close()
	resp, err := http.Get(srv.URL + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	next := func() (n news) {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				if err := json.Unmarshal([]byte(data), &n); err != nil {
					t.Fatal(err)
				}
				return n
			}
		}
		t.Fatal("the stream ended")
		return n
	}
	if n := next(); len(n.Messages) != 1 || !n.Messages[0].Mine {
		t.Fatalf("first look: %+v", n)
	}
	m := result[Message](t, call(s, "sendMessage", "chat_id", "7", "text", "<b>hi</b>", "parse_mode", "HTML", "disable_notification", "true", "reply_markup", `{"inline_keyboard":[[{"text":"a","callback_data":"b"}]]}`))
	n := next()
	if len(n.Messages) != 1 || n.Messages[0].Text != "hi" || !n.Messages[0].Silent || len(n.Messages[0].Rows) != 1 || n.Messages[0].ID != m.ID {
		t.Errorf("a message: %+v", n)
	}
	tap, err := ann.Tap(m.ID, "a")
	if err != nil {
		t.Fatal(err)
	}
	result[bool](t, call(s, "answerCallbackQuery", "callback_query_id", tap.ID, "text", "done"))
	for len(n.Toasts) == 0 {
		n = next()
	}
	if n.Toasts[tap.ID].Text != "done" {
		t.Errorf("toasts: %+v", n.Toasts)
	}
	result[bool](t, call(s, "setMyCommands", "commands", `[{"command":"other","description":"in a group"}]`, "scope", `{"type":"all_group_chats"}`))
	result[bool](t, call(s, "setMyCommands", "commands", `[{"command":"help","description":"how to answer"}]`, "scope", `{"type":"all_private_chats"}`))
	for len(n.Commands) == 0 {
		n = next()
	}
	if n.Commands[0].Command != "help" {
		t.Errorf("the menu beside the input: %+v", n.Commands)
	}
}
