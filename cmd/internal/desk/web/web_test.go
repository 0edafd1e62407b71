package web

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"nod/cmd/internal/desk"
	"nod/internal/host/proc"
	"nod/internal/rpc"
)

const (
	public = "https://nod.example.com"
	token  = "7000000001:AAEdgjdfkgjdfkgjdkfgjdkfgjdkfgjdkfg"
	ann    = 42
)

// page is a page that is served, and what its answers called.
type page struct {
	*Server
	base    string      // "http://127.0.0.1:1234"
	first   []desk.Card // what each stream begins with
	changes chan desk.Change
	log     *strings.Builder

	mu    sync.Mutex
	views []string
	calls []string
	who   []Visitor
	fault *rpc.Fault // with which the next calls are refused
	fired bool       // ann is no supervisor any more
}

func newPage(t *testing.T) *page {
	t.Helper()
	p := &page{changes: make(chan desk.Change), log: &strings.Builder{}}
	p.Server = New(Config{
		Address: "127.0.0.1:0", Public: public, Token: token,
		Supervises: func(user int64) bool { p.mu.Lock(); defer p.mu.Unlock(); return user == ann && !p.fired },
		Watch:      p.watch, View: p.look, Call: p.call, Log: slog.New(slog.NewTextHandler(locked{p}, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	at := netip.MustParseAddrPort(listener.Addr().String())
	p.at.Store(&at)
	go func() { served <- p.Serve(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	p.base = "http://" + at.String()
	return p
}

type locked struct{ *page }

func (l locked) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.page.log.Write(text)
}

// watch gives a snapshot, and then what the test has to tell.
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

// called is what was called so far.
func (p *page) called() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.calls...)
}

// header changes what a request says of itself; an empty value takes it off, and Host names the host.
type header map[string]string

// send sends a request as the page's own script would, but for what h changes.
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

// code is that of a new link.
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

// login spends a code; empty: it is no good.
func (p *page) login(t *testing.T, code string) (key string) {
	t.Helper()
	_, text, _ := p.send(t, "POST", "/login", "", fmt.Sprintf(`{"code":%q}`, code), nil)
	var in struct{ Key string }
	_ = json.Unmarshal([]byte(text), &in) // a refusal is a sentence
	return in.Key
}

const yes = `{"do":"yes","nudge":"k3f","fingerprint":"f1"}`

// stream opens a stream and gives its status and its lines.
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

func TestALinkOpensThePage(t *testing.T) {
	p := newPage(t)
	key := p.login(t, p.code(t, false))
	if key == "" {
		t.Fatal("a link is no good")
	}
	status, text, _ := p.send(t, "POST", "/answer", key, yes, nil)
	want := `nudge.reply {"answer":"y","fingerprint":"f1","id":"k3f","sure":false,"unseen":false,"way":"page"}`
	if calls := p.called(); status != 200 || len(calls) != 1 || calls[0] != want {
		t.Errorf("%d %s calls %q\nwant %s", status, text, calls, want)
	}
	if runtime.GOOS == "linux" && (len(p.who[0].Processes) != 1 || p.who[0].Processes[0] != os.Getpid() || p.who[0].KeyAlone) {
		t.Errorf("the answer is of %+v, want this process", p.who[0])
	}
	p.fault = &rpc.Fault{Message: "An agent can't approve itself.", Reason: "caller_is_agent"}
	if _, text, _ := p.send(t, "POST", "/answer", key, yes, nil); !strings.Contains(text, "approve itself") {
		t.Errorf("a refusal is %s", text)
	}
}

// TestRebindingReachesNothing: a page of another name whose address became ours is same-origin to its browser, which says so.
func TestRebindingReachesNothing(t *testing.T) {
	p := newPage(t)
	key := p.login(t, p.code(t, false))
	evil := "evil.example" + strings.TrimPrefix(p.base, "http://127.0.0.1")
	for _, path := range []string{"/login", "/answer"} {
		if status, _, _ := p.send(t, "POST", path, key, yes, header{"Host": evil, "Origin": "http://" + evil, "Sec-Fetch-Site": "same-origin"}); status == 200 {
			t.Errorf("POST %s of a rebound site is taken", path)
		}
	}
}

// TestNoKeyIsLoggedOrKept: neither a code nor a key is in the log or among the sessions.
func TestNoKeyIsLoggedOrKept(t *testing.T) {
	p := newPage(t)
	code := p.code(t, false)
	key := p.login(t, code)
	p.login(t, code)
	p.send(t, "POST", "/answer", key, `{"do":"nonsense"}`, nil)
	p.send(t, "POST", "/answer", key, yes, header{"Origin": "https://evil.example"})
	all := fmt.Sprintf("%+v %+v", p.sessions.links, p.sessions.open)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, secret := range []string{code, key} {
		if strings.Contains(p.log.String()+all, secret) {
			t.Errorf("%s stands in the log or is kept", secret)
		}
	}
}

// TestALookIsNoUseOfTheSession: the page says by itself which card is open, and listens again where its stream has ended.
func TestALookIsNoUseOfTheSession(t *testing.T) {
	p := newPage(t)
	key := p.login(t, p.code(t, false))
	of := p.sessions.open[digestOf(key)]
	until := of.until
	if status, text, _ := p.send(t, "POST", "/view", key, `{"card":"c1"}`, nil); status != http.StatusNoContent || of.until != until || len(p.views) != 1 || p.views[0] != "c1" {
		t.Errorf("%d %s, looks %q, and the session lasts %s longer", status, text, p.views, of.until.Sub(until))
	}
	for range maxOwnStreams {
		_, err := p.sessions.stream(of, func() {})
		if err != nil {
			t.Fatal(err)
		}
	}
	if status, _, _ := p.send(t, "GET", "/feed", key, "", nil); status != http.StatusTooManyRequests || of.until != until {
		t.Errorf("%d to one more stream, and the session lasts %s longer", status, of.until.Sub(until))
	}
	p.send(t, "POST", "/answer", key, yes, nil)
	if !of.until.After(until) {
		t.Error("an answer is no use of the session")
	}
}

// TestAWatchersLinkCantAnswer: it shows all, names no button that works, and answers nothing by any act.
func TestAWatchersLinkCantAnswer(t *testing.T) {
	p := newPage(t)
	p.first = []desk.Card{{ID: "1", Actions: []desk.Action{{Do: desk.Yes}}}}
	key, full := p.login(t, p.code(t, true)), p.login(t, p.code(t, false))
	for i, d := range desk.Deeds {
		body := fmt.Sprintf(`{"do":%q,"nudge":"k3f","fingerprint":"f1","pane":"%%1","option":1,"text":"go on","for_ms":1,"unseen":true,"sure":true}`, d.Act)
		status, text, _ := p.send(t, "POST", "/answer", key, body, nil)
		if calls := p.called(); len(calls) > i || !strings.Contains(text, "watching") {
			t.Errorf("%s: %d %s calls %q", d.Act, status, text, calls)
		}
		p.send(t, "POST", "/answer", full, body, nil)
		if calls := p.called(); len(calls) != i+1 {
			t.Errorf("%s of a link that can answer calls %q", d.Act, calls)
		}
	}
	status, stream, _ := p.stream(t, key)
	line, err := stream.ReadString('\n')
	if status != 200 || !strings.Contains(line, `"do":"yes","refused":"This page is for watching`) || p.first[0].Actions[0].Refused != "" {
		t.Errorf("a watcher's stream is %d, %v: %s", status, err, line)
	}
}

// TestAnotherUserIsRefused on every request but the public host's, by what the kernel says of the connection's other end.
func TestAnotherUserIsRefused(t *testing.T) {
	for name, client := range map[string]func(netip.AddrPort, netip.AddrPort) (proc.Client, error){
		"another uid": func(netip.AddrPort, netip.AddrPort) (proc.Client, error) {
			return proc.Client{UID: os.Getuid() + 1}, nil
		},
		"not known": func(netip.AddrPort, netip.AddrPort) (proc.Client, error) {
			return proc.Client{}, errors.New("no such connection")
		},
	} {
		p := newPage(t)
		p.client = client
		code := p.code(t, false)
		for _, r := range [][2]string{{"GET", "/"}, {"GET", "/feed"}, {"POST", "/login"}, {"POST", "/answer"}} {
			if status, _, _ := p.send(t, r[0], r[1], "", fmt.Sprintf(`{"code":%q}`, code), nil); status != http.StatusForbidden {
				t.Errorf("%s: %s %s is %d", name, r[0], r[1], status)
			}
		}
	}
	p := newPage(t)
	p.client = func(netip.AddrPort, netip.AddrPort) (proc.Client, error) { return proc.Client{}, errors.ErrUnsupported }
	if p.login(t, p.code(t, false)) == "" {
		t.Error("where the system can't tell, the key has to do")
	}
}

// TestARealOtherUserIsRefused: a process of nobody on this machine, with a link that is good.
func TestARealOtherUserIsRefused(t *testing.T) {
	curl, err := exec.LookPath("curl")
	if runtime.GOOS != "linux" || os.Getuid() != 0 || err != nil {
		t.Skip("takes Linux, root and curl")
	}
	p := newPage(t)
	call := func(uid uint32) string {
		c := exec.CommandContext(t.Context(), curl, "-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", "Content-Type: application/json", "-H", "Origin: "+p.base, "-d", fmt.Sprintf(`{"code":%q}`, p.code(t, false)), p.base+"/login")
		c.Dir = "/"
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	if got := call(65534); got != "403" {
		t.Errorf("nobody's curl gets %s", got)
	}
	if got := call(0); got != "200" {
		t.Errorf("our own curl gets %s", got)
	}
}

// TestNobodyFramesThePage: every answer, a refusal too, forbids frames, scripts of others and more.
func TestNobodyFramesThePage(t *testing.T) {
	p := newPage(t)
	for _, r := range []struct{ method, path, host, frames string }{
		{"GET", "/", "", "frame-ancestors 'none'"},
		{"GET", "/nowhere", "", "frame-ancestors 'none'"},
		{"POST", "/answer", "", "frame-ancestors 'none'"},
		{"GET", "/", "evil.example", "frame-ancestors 'none'"},
		{"GET", "/", "nod.example.com", "frame-ancestors https://web.telegram.org"},
	} {
		h := header{}
		if r.host != "" {
			h["Host"] = r.host
		}
		_, _, answer := p.send(t, r.method, r.path, "", "", h)
		csp := answer.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self';", "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'", r.frames} {
			if !strings.Contains(csp, want) {
				t.Errorf("%s %s of %q: %s lacks %s", r.method, r.path, r.host, csp, want)
			}
		}
		if strings.Contains(csp, "unsafe") || !strings.HasSuffix(csp, r.frames) || (answer.Get("X-Frame-Options") == "DENY") != strings.Contains(r.frames, "none") {
			t.Errorf("%s %s of %q: %s, X-Frame-Options %q", r.method, r.path, r.host, csp, answer.Get("X-Frame-Options"))
		}
		for name, want := range map[string]string{"Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store", "Set-Cookie": ""} {
			if got := answer.Get(name); got != want {
				t.Errorf("%s %s: %s is %q", r.method, r.path, name, got)
			}
		}
	}
}

// TestAScriptInAScreenIsText: what a screen shows reaches the page as JSON text, on one line of the stream, whatever it holds.
func TestAScriptInAScreenIsText(t *testing.T) {
	p := newPage(t)
	_, lines, _ := p.stream(t, p.login(t, p.code(t, false)))
	nasty := "<script>alert(1)</script>\n\ndata: {\"gone\":[\"x\"]}\r\n\u2028</pre>"
	go func() {
		p.changes <- desk.Change{Seq: 2, Cards: []desk.Card{{ID: "a", Asks: &desk.Asks{Subject: nasty, Diff: []desk.File{{Parts: []desk.Part{{New: []string{nasty}}}}}, Plan: []desk.Block{{Is: nasty, Mark: nasty, Spans: []desk.Span{{Text: nasty}}}}}}}}
	}()
	var got change
	for range 2 {
		event, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		data, ok := strings.CutPrefix(event, "data: ")
		if blank, _ := lines.ReadString('\n'); !ok || blank != "\n" {
			t.Fatalf("an event is %q, %q", event, blank)
		}
		if strings.ContainsAny(data, "<>\r\u2028") {
			t.Errorf("an event holds what a browser or a parser may read: %s", data)
		}
		if err := json.Unmarshal([]byte(data), &got); err != nil {
			t.Fatal(err)
		}
	}
	if len(got.Cards) != 1 || got.Cards[0].Asks.Subject != nasty {
		t.Errorf("the card is %+v", got.Cards)
	}
	script, err := pageFiles.ReadFile("page/page.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, makes := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "srcdoc", "DOMParser", "setHTML", "localStorage", "document.cookie"} {
		if strings.Contains(string(script), makes) {
			t.Errorf("the page's script uses %s", makes)
		}
	}
}

// TestASlowReaderIsGivenUp: one that reads nothing is no brake for anybody, and its stream ends.
func TestASlowReaderIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &page{changes: make(chan desk.Change), log: &strings.Builder{}}
		p.Server = New(Config{Watch: p.watch, Log: slog.New(slog.DiscardHandler)})
		p.client = func(netip.AddrPort, netip.AddrPort) (proc.Client, error) { return proc.Client{UID: os.Getuid()}, nil }
		key, _, _ := p.sessions.spend(p.sessions.link(false, time.Now()), time.Now())
		conn, far := net.Pipe() // a real socket would stop the bubble's clock
		pipe := pipes{far: make(chan net.Conn, 1)}
		pipe.far <- far
		server := &http.Server{Handler: p.handler(hosts(netip.MustParseAddrPort("127.0.0.1:7777"), ""))}
		go func() { _ = server.Serve(pipe) }()
		defer server.Close()
		defer conn.Close()
		fmt.Fprintf(conn, "GET /feed HTTP/1.1\r\nHost: 127.0.0.1:7777\r\nAuthorization: Bearer %s\r\n\r\n", key)
		open := func() int { p.sessions.mu.Lock(); defer p.sessions.mu.Unlock(); return p.sessions.streams }
		time.Sleep(writeLimit - time.Second)
		if open() != 1 {
			t.Fatal("the stream ended early, or never began")
		}
		time.Sleep(2 * time.Second)
		if open() != 0 {
			t.Error("the stream goes on after its reader has read nothing for ten seconds")
		}
	})
}

// pipes is a listener to which the far ends of pipes come.
type pipes struct {
	net.Listener
	far chan net.Conn
}

func (p pipes) Accept() (net.Conn, error) {
	if conn, ok := <-p.far; ok {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Close() error { close(p.far); return nil }

func (pipes) Addr() net.Addr { return &net.TCPAddr{} }

// TestAStreamEndsWithItsSession: a page that is looked at is told at the next beat, and beats come without news. A Mini App's ends when
// its user is no supervisor any more.
func TestAStreamEndsWithItsSession(t *testing.T) {
	for host, lasts := range map[string]time.Duration{"127.0.0.1:7777": sessionLasts, "nod.example.com": time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			p := &page{changes: make(chan desk.Change), log: &strings.Builder{}}
			p.Server = New(Config{Watch: p.watch, Log: slog.New(slog.DiscardHandler), Supervises: func(int64) bool { return time.Since(began) < time.Hour }})
			p.client = func(netip.AddrPort, netip.AddrPort) (proc.Client, error) { return proc.Client{UID: os.Getuid()}, nil }
			key, _, _ := p.sessions.spend(p.sessions.link(false, began), began)
			if lasts == time.Hour {
				key, _ = p.sessions.admit(ann, "Ann", "proof", began, began)
			}
			out, w := io.Pipe()
			r := httptest.NewRequestWithContext(t.Context(), "GET", "http://"+host+"/feed", http.NoBody)
			r.Header.Set("Authorization", "Bearer "+key)
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				defer w.Close()
				p.handler(hosts(netip.MustParseAddrPort("127.0.0.1:7777"), public)).ServeHTTP(flushing{httptest.NewRecorder(), w}, r)
			}()
			text, err := io.ReadAll(out)
			if beats := strings.Count(string(text), ": beat\n\n"); err != nil || beats != int(lasts/beat)-1 {
				t.Errorf("%s: %d beats, %v", host, beats, err)
			}
			<-ended
		})
	}
}

// flushing writes what a handler writes to another writer, at once.
type flushing struct {
	*httptest.ResponseRecorder
	out io.Writer
}

func (f flushing) Write(text []byte) (int, error) { return f.out.Write(text) }
func (flushing) SetWriteDeadline(time.Time) error { return nil }

// TestTwoHundredTabs: a session has eight streams, and the page two hundred in all.
func TestTwoHundredTabs(t *testing.T) {
	s := newSessions()
	now := time.Now()
	open, stopped := 0, 0
	for range 30 {
		key, _, _ := s.spend(s.link(false, now), now)
		for i := range 10 {
			done, err := s.stream(s.find(key, false, now), func() { stopped++ })
			if err != nil {
				continue
			}
			if open++; i > maxOwnStreams {
				t.Errorf("a session has %d streams", i)
			}
			if i == 0 {
				done() // and another takes its place
				open--
			}
		}
	}
	if open != maxStreams || s.streams != maxStreams {
		t.Errorf("%d streams are open, counted %d", open, s.streams)
	}
	if ended := s.revoke(); ended != 30 || stopped != maxStreams {
		t.Errorf("%d sessions were ended, and %d streams with them", ended, stopped)
	}
	p := newPage(t)
	key := p.login(t, p.code(t, false))
	for i := range 10 {
		if status, _, _ := p.stream(t, key); (status == 200) != (i < maxOwnStreams) {
			t.Errorf("stream %d is %d", i+1, status)
		}
	}
}

// TestRevokeEndsAllOfThem: sessions, streams that are open, and links.
func TestRevokeEndsAllOfThem(t *testing.T) {
	p := newPage(t)
	code, key := p.code(t, false), p.login(t, p.code(t, false))
	_, lines, _ := p.stream(t, key)
	if ended := p.Revoke(); ended != 1 {
		t.Errorf("%d ended", ended)
	}
	if rest, err := io.ReadAll(lines); err != nil || strings.Count(string(rest), "data: ") > 1 {
		t.Errorf("the stream goes on with %q, %v", rest, err)
	}
	if status, _, _ := p.send(t, "POST", "/answer", key, yes, nil); status != http.StatusUnauthorized || p.login(t, code) != "" {
		t.Errorf("an answer is %d, or the link is good", status)
	}
}

// TestAnAnswerUnderWayEndsWithItsSession: it counts once all of it is here, and by then its session was revoked.
func TestAnAnswerUnderWayEndsWithItsSession(t *testing.T) {
	p := newPage(t)
	key := p.login(t, p.code(t, false))
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/answer", io.MultiReader(strings.NewReader(yes[:9]), revoking{p}, strings.NewReader(yes[9:])))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+key)
	got := httptest.NewRecorder()
	p.signedIn(p.answer)(got, r.WithContext(context.WithValue(r.Context(), hostKey{}, host{origin: p.base})))
	if calls := p.called(); got.Code != http.StatusUnauthorized || len(calls) > 0 {
		t.Errorf("%d %s calls %q", got.Code, got.Body, calls)
	}
}

// revoking is a part of a body without a byte in it, at which the page's owner ends all sessions.
type revoking struct{ *page }

func (r revoking) Read([]byte) (int, error) {
	r.Revoke()
	return 0, io.EOF
}

// TestWhatIsTooLargeIsRefused: a body, a header.
func TestWhatIsTooLargeIsRefused(t *testing.T) {
	p := newPage(t)
	key := p.login(t, p.code(t, false))
	if status, _, _ := p.send(t, "POST", "/answer", key, `{"text":"`+strings.Repeat("x", maxBody)+`"}`, nil); status != http.StatusBadRequest {
		t.Errorf("a large body is %d", status)
	}
	if status, _, _ := p.send(t, "GET", "/", "", "", header{"X-Large": strings.Repeat("x", 2*maxHeader)}); status != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a large header is %d", status)
	}
}

// TestOnlyLoopbackIsServed, whatever the settings let through.
func TestOnlyLoopbackIsServed(t *testing.T) {
	listener, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := newPage(t).Serve(t.Context(), listener); err == nil || !strings.Contains(err.Error(), "loopback") {
		t.Errorf("it serves on %s: %v", listener.Addr(), err)
	}
}

// TestIdleConnectionsMakeRoom: any program can open as many as it likes, with nothing sent or half a header, and shuts nobody out by it. A
// stream is none of them.
func TestIdleConnectionsMakeRoom(t *testing.T) {
	p := newPage(t)
	key := p.login(t, p.code(t, false))
	status, lines, _ := p.stream(t, key)
	if status != http.StatusOK {
		t.Fatal(status)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _, _ = io.Copy(io.Discard, lines) }()
	for i := range maxConnections + 200 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(p.base, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if i%2 == 0 {
			_, _ = conn.Write([]byte("GET / HTTP/1.1\r\nHost:"))
		}
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections() // so that the answer takes a new one
	began := time.Now()
	if status, _, _ := p.send(t, "POST", "/answer", key, yes, nil); status != http.StatusOK || time.Since(began) > readLimit/4 {
		t.Errorf("an answer is %d after %v", status, time.Since(began))
	}
	p.conns.mu.Lock()
	open := p.conns.open
	p.conns.mu.Unlock()
	if open > maxConnections+10 { // some are closed and not counted yet
		t.Errorf("%d connections are open", open)
	}
	select {
	case <-ended:
		t.Error("a stream made room for a connection that says nothing")
	default:
	}
}
