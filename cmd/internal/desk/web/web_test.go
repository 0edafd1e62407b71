package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"nod/cmd/internal/desk"
	"nod/internal/host/proc"
	"nod/internal/rpc"
)

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

// TestRebindingReachesNothing: if a foreign name leads to our address, the browser treats its page as
// same-origin and says so.
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
			t.Errorf("%s is in the log or is kept", secret)
		}
	}
}

// TestALookIsNoUseOfTheSession: the page reports the open card and reopens ended streams by itself.
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

// TestAWatchersLinkCantAnswer: its session shows everything, has no working button, and is refused every act.
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

// TestAnotherUserIsRefused on every request except at the public host, judging by what the kernel knows about
// the client.
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

// TestARealOtherUserIsRefused: a process of the user nobody on this machine, with a valid link.
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

// TestNobodyFramesThePage: every response, even a refusal, forbids frames, foreign scripts and more.
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

// TestAScriptInAScreenIsText: any text on a screen reaches the page as JSON, on one line of the stream.
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

// TestRevokeEndsAllOfThem: sessions, open streams, and links.
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

// TestAnAnswerUnderWayEndsWithItsSession: the session is revoked before the whole answer has arrived, so the
// answer is refused.
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

// revoking is an empty part of a body; reading it ends all sessions, as their owner may.
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

// TestOnlyLoopbackIsServed, even if the settings allow more.
func TestOnlyLoopbackIsServed(t *testing.T) {
	listener, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := newPage(t).Serve(t.Context(), listener); err == nil || !strings.Contains(err.Error(), "loopback") {
		t.Errorf("it serves on %s: %v", listener.Addr(), err)
	}
}
