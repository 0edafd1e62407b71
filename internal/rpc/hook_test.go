package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"nod/internal/text/agentname"
)

func TestHook(t *testing.T) {
	for _, c := range []struct {
		name, method, path, body string
		code                     int
		says                     string
	}{
		{"taken", "POST", "/hook/claude", `{"hook_event_name":"Stop"}`, 204, ""},
		{"kiro", "POST", "/hook/kiro-cli", `{}`, 204, ""},
		{"no JSON", "POST", "/hook/claude", `{"`, 400, "the event is no valid JSON"},
		{"no body", "POST", "/hook/claude", ``, 400, "the event is no valid JSON"},
		{"refused", "POST", "/hook/claude", `{"bad":1}`, 400, "the event names no session"},
		{"strange agent", "POST", "/hook/Claude%20Code", `{}`, 400, "the path must be /hook/ and an agent's name, as in /hook/claude"},
		{"nod's own name", "POST", "/hook/nod", `{}`, 400, "the path must be /hook/ and an agent's name, as in /hook/claude"},
		{"too large", "POST", "/hook/claude", `"` + strings.Repeat("x", MaxHook) + `"`, 413, "the body is too large"},
		{"GET", "GET", "/hook/claude", ``, 405, "Method Not Allowed"},
		{"no agent", "POST", "/hook/", `{}`, 404, "404 page not found"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := answer(os.Getuid(), c.method, c.path, c.body)
			if got := strings.TrimSpace(w.Body.String()); w.Code != c.code || got != c.says {
				t.Errorf("%d %q, want %d %q", w.Code, got, c.code, c.says)
			}
		})
	}
}

func TestHookEventsAreCounted(t *testing.T) {
	s := NewServer(nil, func(_ context.Context, h Hook) (string, error) {
		if strings.Contains(string(h.Event), "bad") {
			return "", errors.New("no good")
		}
		return "", nil
	}, http.NotFoundHandler(), quiet())
	for _, body := range []string{`{"a":1}`, `{"`, `{"bad":1}`, `{"a":2}`} {
		r := httptest.NewRequest("POST", "/hook/claude", strings.NewReader(body))
		r.SetPathValue("agent", "claude")
		s.serveHook(httptest.NewRecorder(), r)
	}
	if got, want := s.Counts(), (Counts{Events: 4, Refused: 2}); got != want {
		t.Errorf("heard %+v, want %+v", got, want)
	}
}

// The total size of large events is limited while they are read and handled, and they don't delay small ones.
func TestLargeEventsAreBoundedAtOnce(t *testing.T) {
	var held, most atomic.Int64
	release := make(chan bool)
	c := Dial(serve(t, func(_ context.Context, h Hook) error {
		if len(h.Event) < smallHook {
			return nil
		}
		now := held.Add(int64(len(h.Event)))
		defer held.Add(-int64(len(h.Event)))
		for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
		}
		<-release
		return nil
	}))
	defer c.Close()
	event := []byte(`{"x":"` + strings.Repeat("x", 7<<20) + `"}`)
	results := make(chan error, 10)
	for range cap(results) {
		go func() {
			_, err := c.Hook(t.Context(), Hook{Agent: "claude", Event: event})
			results <- err
		}()
	}
	for range 8 { // they find no room while two are held
		if err := <-results; err == nil {
			t.Error("too many were taken")
		}
	}
	if _, err := c.Hook(t.Context(), Hook{Agent: "claude", Event: []byte(`{}`)}); err != nil {
		t.Errorf("a small event: %v", err)
	}
	close(release)
	for range 2 {
		if err := <-results; err != nil {
			t.Errorf("one that there was room for: %v", err)
		}
	}
	if most.Load() > maxHeld {
		t.Errorf("%d MB were held at once", most.Load()>>20)
	}
	if _, err := c.Hook(t.Context(), Hook{Agent: "claude", Event: event}); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestHookTellsWhereItCameFrom(t *testing.T) {
	got := make(chan Hook, 1)
	socket := serve(t, func(_ context.Context, h Hook) error { got <- h; return nil })
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}
	defer client.CloseIdleConnections()
	r, _ := http.NewRequest("POST", "http://nod/hook/claude", strings.NewReader(`{"a":1}`))
	r.Header.Set("X-Tmux", "/tmp/tmux-1000/default,12,0")
	r.Header.Set("X-Tmux-Pane", "%3")
	r.Header.Set("X-Agent-Version", "2.1.330")
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, response.Body)
	response.Body.Close()
	want := Hook{Agent: "claude", Tmux: "/tmp/tmux-1000/default,12,0", Pane: "%3", Event: json.RawMessage(`{"a":1}`), PID: os.Getpid()}
	if h := <-got; h.Agent != want.Agent || h.Tmux != want.Tmux || h.Pane != want.Pane || string(h.Event) != string(want.Event) || h.PID != want.PID || h.Version != "2.1.330" {
		t.Errorf("got %+v", h)
	}
}

func FuzzHook(f *testing.F) {
	f.Add("claude", "/tmp/s,1,0", "%1", []byte(`{"a":1}`))
	f.Fuzz(func(t *testing.T, agent, tmux, pane string, body []byte) {
		r := httptest.NewRequest("POST", "/hook/x", bytes.NewReader(body))
		r.URL.Path = "/hook/" + agent
		r.Header["X-Tmux"], r.Header["X-Tmux-Pane"] = []string{tmux}, []string{pane}
		r = r.WithContext(context.WithValue(r.Context(), peerKey{}, peer{uid: os.Getuid()}))
		w := httptest.NewRecorder()
		NewServer(methods, func(_ context.Context, h Hook) (string, error) {
			if !agentname.Is(h.Agent) || !json.Valid(h.Event) {
				t.Errorf("passed on %+v", h)
			}
			return "", nil
		}, http.NotFoundHandler(), quiet()).handler().ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
}
