package web

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"nod/cmd/internal/desk"
	"nod/internal/rpc"
)

const (
	public = "https://nod.example.com"
	token  = "7000000001:AAEdgjdfkgjdfkgjdkfgjdkfgjdkfgjdkfg"
	ann    = 42
)

// page is a served page, with the calls that its answers made.
type page struct {
	*Server
	base    string      // "http://127.0.0.1:1234"
	stop    func()      // ends the page as the end of nod does
	first   []desk.Card // the first cards of each stream
	changes chan desk.Change
	log     *strings.Builder

	mu    sync.Mutex
	views []string
	calls []string
	who   []Visitor
	fault *rpc.Fault // the error of the next calls
	fired bool       // ann is no longer a supervisor
}

func newPage(t *testing.T) *page {
	t.Helper()
	p := &page{changes: make(chan desk.Change), log: &strings.Builder{}}
	p.Server = New(Config{
		Address: "127.0.0.1:0", Public: public, Token: token, Telegram: telegramsKey,
		Supervises: func(user int64) bool { p.mu.Lock(); defer p.mu.Unlock(); return user == ann && !p.fired },
		Watch:      p.watch, View: p.look, Call: p.call, Log: slog.New(slog.NewTextHandler(locked{p}, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.stop = serve(t, p.Server, listener)
	p.base = "http://" + p.at.Load().String()
	return p
}

// serve serves a page until the test ends or stop is called.
func serve(t *testing.T, s *Server, listener net.Listener) (stop func()) {
	at := netip.MustParseAddrPort(listener.Addr().String())
	s.at.Store(&at)
	ctx, end := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, listener) }()
	stop = sync.OnceFunc(func() {
		end()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return stop
}

type locked struct{ *page }

func (l locked) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.page.log.Write(text)
}

// watch sends a snapshot and then the test's changes.
func (p *page) watch(ctx context.Context, emit func(desk.Change) error) error {
	change := desk.Change{Seq: 1, Snapshot: true, Cards: p.first}
	for {
		if err := emit(change); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case change = <-p.changes:
		}
	}
}

func (p *page) look(card string) { p.mu.Lock(); defer p.mu.Unlock(); p.views = append(p.views, card) }

func (p *page) call(_ context.Context, v Visitor, method string, params any) (json.RawMessage, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text, err := json.Marshal(params)
	p.calls, p.who = append(p.calls, method+" "+string(text)), append(p.who, v)
	if p.fault != nil {
		return nil, p.fault
	}
	return json.RawMessage(`{"outcome":"delivered"}`), err
}

// called returns the calls so far.
func (p *page) called() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.calls...)
}

// header changes a request's headers. An empty value removes a header, and Host sets the host.
type header map[string]string

// send sends a request like the page's own script, except for the changes in h.
func (p *page) send(t *testing.T, method, path, key, body string, h header) (status int, text string, answer http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, p.base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if method != http.MethodGet {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Origin", p.base)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	for name, value := range h {
		switch {
		case name == "Host":
			r.Host = value
		case value == "":
			r.Header.Del(name)
		default:
			r.Header.Set(name, value)
		}
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(content), response.Header
}

// code returns the code of a new link.
func (p *page) code(t *testing.T, watch bool) string {
	t.Helper()
	link, err := p.Link(watch)
	if err != nil {
		t.Fatal(err)
	}
	before, code, _ := strings.Cut(link, "/#")
	if before != p.base || len(code) < 26 {
		t.Fatalf("the link is %s", link)
	}
	return code
}

// login uses up a code; empty: it was refused.
func (p *page) login(t *testing.T, code string) (key string) {
	t.Helper()
	_, text, _ := p.send(t, "POST", "/login", "", fmt.Sprintf(`{"code":%q}`, code), nil)
	var in struct{ Key string }
	_ = json.Unmarshal([]byte(text), &in) // a refusal is a sentence
	return in.Key
}

const yes = `{"do":"yes","nudge":"k3f","fingerprint":"f1"}`

// stream opens a stream and returns its status and its lines.
func (p *page) stream(t *testing.T, key string) (int, *bufio.Reader, func()) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", p.base+"/feed", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	response, err := (&http.Transport{}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return response.StatusCode, bufio.NewReader(response.Body), func() { response.Body.Close() }
}
