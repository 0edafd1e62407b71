package web

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"nod/cmd/internal/desk"
	"nod/internal/host/proc"
	"nod/internal/testrun"
)

// The attacks of this file are random. Each begins with a request that would be a valid answer, and changes
// what its test is about, along with parts that should not matter. Requests are written by hand, so no client
// corrects them.

// attack is a request as it is sent over the wire.
type attack struct {
	method, path, body string
	headers            [][2]string
}

func (a *attack) at(name string) *string {
	for i := range a.headers {
		if a.headers[i][0] == name {
			return &a.headers[i][1]
		}
	}
	a.headers = append(a.headers, [2]string{name, ""})
	return &a.headers[len(a.headers)-1][1]
}

func (a *attack) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s HTTP/1.1\r\n", a.method, a.path)
	for _, h := range a.headers {
		if h[1] != "" {
			fmt.Fprintf(&text, "%s: %s\r\n", h[0], h[1])
		}
	}
	fmt.Fprintf(&text, "Content-Length: %d\r\nConnection: close\r\n\r\n%s", len(a.body), a.body)
	return text.String()
}

// target is a page under attack, with valid keys and codes.
type target struct {
	*page
	*rand.Rand
	seed       uint64
	key, phone string // the key of a link's session, and that of a Mini App's
	secrets    []string
}

func newTarget(t *testing.T) *target {
	p, seed := newPage(t), rand.Uint64()
	p.client = func(netip.AddrPort, netip.AddrPort) (proc.Client, error) { return proc.Client{UID: os.Getuid()}, nil } // asking the kernel is slow with many connections
	code := p.code(t, false)
	x := &target{page: p, Rand: rand.New(rand.NewPCG(seed, 22)), seed: seed, key: p.login(t, code), phone: p.open(t, initData(token, ann, time.Now()))}
	x.secrets = []string{code, x.key, x.phone, token}
	return x
}

// answering returns a valid answer, with random parts that should not matter.
func (x *target) answering() attack {
	a := attack{method: "POST", path: "/answer", body: yes, headers: [][2]string{
		{"Host", strings.TrimPrefix(x.base, "http://")}, {"Origin", x.base}, {"Sec-Fetch-Site", "same-origin"},
		{"Content-Type", "application/json"}, {"Authorization", "Bearer " + x.key},
	}}
	for _, h := range [][2]string{{"Accept", "*/*"}, {"User-Agent", "Mozilla/5.0"}, {"Referer", x.base + "/"}, {"Cookie", "key=1"}, {"Sec-Fetch-Mode", "cors"}, {"X-Requested-With", "fetch"}} {
		if x.IntN(4) == 0 {
			a.headers = append(a.headers, h)
		}
	}
	x.Shuffle(len(a.headers), func(i, j int) { a.headers[i], a.headers[j] = a.headers[j], a.headers[i] })
	return a
}

// raw sends text and returns the status of the response; 0: there is none.
func (x *target) raw(t *testing.T, text string) (status int, body string) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(x.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
	_, _ = io.WriteString(conn, text) // the text may be cut off
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0, ""
	}
	defer response.Body.Close()
	content, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(content)
}

// springs sends what spring makes of valid answers. spring reports whether the result is bad. No bad request
// may be taken as an answer, nothing may fail, and no secret may be in the log.
func (x *target) springs(t *testing.T, spring func(a *attack) (bad bool)) {
	t.Helper()
	for range testrun.Rounds(100, 3000) {
		a := x.answering()
		if !spring(&a) {
			continue
		}
		if status, body := x.raw(t, a.String()); status == http.StatusOK && a.method == "POST" || len(x.called()) > 0 {
			t.Fatalf("seed %d: it is %d %q, and %q are called:\n%s", x.seed, status, body, x.called(), a.String())
		}
	}
	x.unharmed(t)
}

// unharmed checks that the page still takes answers and has logged no secret.
func (x *target) unharmed(t *testing.T) {
	t.Helper()
	a := x.answering()
	if status, body := x.raw(t, a.String()); status != http.StatusOK || len(x.called()) != 1 {
		t.Errorf("seed %d: a good answer is %d %s afterwards, and %q are called:\n%s", x.seed, status, body, x.called(), a.String())
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, never := range append(x.secrets, "panic") {
		if strings.Contains(x.log.String(), never) {
			t.Errorf("seed %d: %q is in the log:\n%s", x.seed, never, x.log.String())
		}
	}
}

// mangled returns text with a random change.
func (x *target) mangled(text string) string {
	for range 1 + x.IntN(3) {
		at := x.IntN(len(text) + 1)
		end := min(at+1+x.IntN(3), len(text))
		switch x.IntN(6) {
		case 0:
			text = text[:at]
		case 1:
			text = text[:at] + text[end:]
		case 2:
			text = text[:at] + string("aZ0.:-_/@%[]#?&=+\"{},\\éп\u202e"[x.IntN(24)]) + text[at:]
		case 3:
			text = text[:at] + text[at:end] + text[at:]
		case 4:
			text = strings.ToUpper(text[:end]) + text[end:]
		case 5:
			text = text[at:] + text[:at]
		}
	}
	return text
}

func (x *target) oneOf(texts ...string) string { return texts[x.IntN(len(texts))] }

// TestAForeignHostIsRefused on every request, whatever else it contains. A foreign name that leads here
// belongs to another site (DNS rebinding).
func TestAForeignHostIsRefused(t *testing.T) {
	x := newTarget(t)
	known := hosts(*x.at.Load(), public)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(x.base, "http://"))
	x.springs(t, func(a *attack) bool {
		host := x.oneOf("evil.example", "127.0.0.1", "localhost", "127.0.0.1.evil.example", "0.0.0.0", "127.0.0.2", "2130706433", "[::ffff:127.0.0.1]", "nod.example.com") + x.oneOf("", ":"+port, ":80", ".:"+port)
		if x.IntN(2) == 0 {
			host = x.mangled(x.oneOf("127.0.0.1:"+port, "localhost:"+port, "[::1]:"+port, "nod.example.com"))
		}
		*a.at("Host"), *a.at("Origin") = host, "http://"+host
		a.method, a.path = x.oneOf("GET", "POST"), x.oneOf("/", "/feed", "/page.js", "/login", "/answer")
		if _, ok := known[strings.ToLower(host)]; ok || strings.TrimSpace(host) != host {
			return false
		}
		if status, _ := x.raw(t, a.String()); status/100 != 4 {
			t.Errorf("seed %d: it is %d:\n%s", x.seed, status, a.String())
		}
		return true
	})
	for _, host := range []string{"localhost:" + port, "[::1]:" + port, "LOCALHOST:" + port} {
		if status, _, _ := x.send(t, "GET", "/", "", "", header{"Host": host}); status != 200 {
			t.Errorf("GET / at %s is %d", host, status)
		}
	}
}

// TestAnotherSiteCantAnswer: a request that changes something must come from the page itself, according to
// the browser. A request without such a statement is refused as well.
func TestAnotherSiteCantAnswer(t *testing.T) {
	x := newTarget(t)
	x.springs(t, func(a *attack) bool {
		origin := x.oneOf("", x.base, "null", public, "https://evil.example", "http://127.0.0.1:1", strings.Replace(x.base, "http:", "https:", 1), strings.Replace(x.base, "127.0.0.1", "localhost", 1), x.base+"/", x.base+".evil.example", x.mangled(x.base))
		site := x.oneOf("", "same-origin", "same-site", "cross-site", x.mangled("same-origin"))
		*a.at("Origin"), *a.at("Sec-Fetch-Site") = origin, site
		a.path = x.oneOf("/answer", "/login", "/view")
		origin, site = strings.TrimSpace(origin), strings.TrimSpace(site)
		return origin == "" && site != "same-origin" || origin != "" && origin != x.base || site != "" && site != "same-origin"
	})
	x = newTarget(t)
	x.springs(t, func(a *attack) bool { // a request that a form can send
		*a.at("Content-Type") = x.oneOf("", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json, text/plain", "Application/JSON")
		return true
	})
}

// TestNothingChangesOnGet, nor by any method but POST: no code is used up, and no answer is taken.
func TestNothingChangesOnGet(t *testing.T) {
	x := newTarget(t)
	code := x.code(t, false)
	x.springs(t, func(a *attack) bool {
		a.method = x.oneOf("GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "post", "POSt")
		a.path = x.oneOf("/answer", "/answer?do=yes&nudge=k3f", "/login", "/login?code="+code, "/?code="+code, "/"+code, "/feed/../answer", "//answer")
		if strings.Contains(a.path, "login") {
			a.body = fmt.Sprintf(`{"code":%q}`, code)
		}
		*a.at(x.oneOf("X-HTTP-Method-Override", "X-Method-Override", "X-HTTP-Method")) = "POST"
		return true
	})
	if x.login(t, code) == "" {
		t.Errorf("seed %d: the link was spent", x.seed)
	}
}

// TestNoOtherPathAnswers, however it is written.
func TestNoOtherPathAnswers(t *testing.T) {
	x := newTarget(t)
	x.springs(t, func(a *attack) bool {
		a.path = x.mangled(x.oneOf("/answer", "/answer/", "//answer", "/./answer", "/page.js/../answer", "/answer;x", "/answer%00", "http://evil.example/answer"))
		at, err := url.ParseRequestURI(a.path)
		return err != nil || at.Path != "/answer" || at.Host != ""
	})
}

// TestNoOtherKeyAnswers: a changed key, a key in another place, and a key of the other host's session are refused.
func TestNoOtherKeyAnswers(t *testing.T) {
	x := newTarget(t)
	x.springs(t, func(a *attack) bool {
		at := a.at("Authorization")
		switch x.IntN(4) {
		case 0:
			*at = "Bearer " + x.mangled(x.key)
		case 1:
			*at = x.mangled("Bearer ") + x.key
		case 2:
			*at = ""
			*a.at("Cookie"), a.path = "key="+x.key, "/answer?key="+x.key+"&access_token="+x.key
		case 3:
			*at = "Bearer " + x.phone
		}
		return strings.TrimSpace(*at) != "Bearer "+x.key
	})
}

// TestAMalformedBodyAnswersNothing, and does no harm.
func TestAMalformedBodyAnswersNothing(t *testing.T) {
	x := newTarget(t)
	x.springs(t, func(a *attack) bool {
		switch a.body = x.mangled(yes); x.IntN(6) {
		case 0:
			a.body = strings.Repeat(x.oneOf("[", `{"do":`, `{"do":{"do":`, "\""), x.IntN(20000))
		case 1:
			a.body = x.oneOf("null", "[]", `{"do":["yes"]}`, `{"do":"yes","nudge":1}`, `{"do":"approve_all"}`, `{"do":""}`, `{"call":1e400}`, `{"for_ms":-9e99}`, "\xff\xfe{}")
		}
		var reply desk.Reply
		err := json.Unmarshal([]byte(a.body), &reply)
		if err == nil {
			_, _, err = reply.Request("page")
		}
		return err != nil
	})
}

// TestAProxyIsNoVisitorOfThisMachine: a proxy that replaces the public host by our own name would admit
// everybody.
func TestAProxyIsNoVisitorOfThisMachine(t *testing.T) {
	x := newTarget(t)
	x.springs(t, func(a *attack) bool {
		*a.at(x.oneOf("X-Forwarded-For", "x-forwarded-for", "Forwarded", "X-Real-IP", "Via", "VIA", "X-Forwarded-Host", "X-Forwarded-Proto")) = x.oneOf("203.0.113.9", "for=127.0.0.1", "1.1 proxy", "127.0.0.1", "localhost", "https")
		return true
	})
}

// TestAStolenLinkIsNoGoodAfterUse, and a guessed code never works. If many use a code at the same moment, one
// of them gets a key.
func TestAStolenLinkIsNoGoodAfterUse(t *testing.T) {
	x := newTarget(t)
	for range testrun.Rounds(10, 300) {
		code := x.code(t, x.IntN(2) == 0)
		x.secrets = append(x.secrets, code)
		var tries []string
		for range 3 + x.IntN(10) {
			if tries = append(tries, code); x.IntN(2) == 0 {
				tries = append(tries, x.mangled(code))
			}
		}
		var got sync.Map // the keys by client
		var all sync.WaitGroup
		for i, try := range tries {
			all.Go(func() { got.Store(i, x.login(t, try)) })
		}
		all.Wait()
		keys := 0
		got.Range(func(i, key any) bool {
			if key != "" {
				keys++
				x.secrets = append(x.secrets, key.(string))
				if tries[i.(int)] != code {
					t.Errorf("seed %d: %q opens the page", x.seed, tries[i.(int)])
				}
			}
			return true
		})
		if keys != 1 || x.login(t, code) != "" {
			t.Fatalf("seed %d: a code gave %d keys, or one more afterwards", x.seed, keys)
		}
	}
	x.key = x.login(t, x.code(t, false)) // the first session was ended by newer ones
	x.unharmed(t)
}

// TestNoForgedWordOfTelegram: a proof that is changed, cut, signed by others, too old, used twice or about
// somebody else does not open the page.
func TestNoForgedWordOfTelegram(t *testing.T) {
	x, opened := newTarget(t), map[string]bool{}
	for range testrun.Rounds(200, 5000) {
		now := time.Now()
		good := initData(token, ann, now.Add(-time.Duration(10+x.IntN(230))*time.Second)) // the target's own phone has used a newer one
		fields, _ := url.ParseQuery(good)
		bad := good
		switch x.IntN(8) {
		case 0: // a hash that is cut, or has another length
			hash := fields.Get("hash")
			fields.Set("hash", x.oneOf(hash[:x.IntN(len(hash))], hash+hash, hash+"00", hex.EncodeToString(make([]byte, 32))))
			bad = fields.Encode()
		case 1:
			bad = initData(x.mangled(token)+"x", ann, now)
		case 2:
			bad = initData(token, ann+1+x.Int64N(1000), now)
		case 3:
			bad = initData(token, ann, now.Add(x.far()))
		case 4: // an unsigned field, or a field twice
			bad += "&" + x.oneOf("x=1", "user=%7B%22id%22%3A42%7D", "auth_date=1", "hash="+fields.Get("hash"))
		case 5:
			name := x.oneOf("user", "auth_date", "query_id", "chat", "signature")
			fields.Set(name, x.mangled(fields.Get(name)))
			bad = fields.Encode()
		case 6:
			bad = x.mangled(good)
		case 7: // the same opening twice
			if (x.open(t, good) != "") == opened[good] {
				t.Fatalf("seed %d: a fresh word is no good, or one is good twice: %s", x.seed, good)
			}
			opened[good] = true
		}
		again, _ := url.ParseQuery(bad)
		again.Set("hash", strings.ToLower(again.Get("hash"))) // upper and lower case name the same opening
		if x.open(t, bad) == "" {
			continue
		}
		if opened[good] || again.Encode() != good {
			t.Fatalf("seed %d: %q opens the page", x.seed, bad)
		}
		opened[good] = true
	}
	x.key = x.login(t, x.code(t, false))
	x.unharmed(t)
}

// far is a time difference that makes Telegram's proof invalid.
func (x *target) far() time.Duration {
	if x.IntN(2) == 0 {
		return -initDataLasts - time.Second - time.Duration(x.Int64N(int64(1000*time.Hour)))
	}
	return clockAhead + 2*time.Second + time.Duration(x.Int64N(int64(1000*time.Hour)))
}

// TestWhatIsNoRequestHarmsNothing: random bytes, and requests that are cut off anywhere.
func TestWhatIsNoRequestHarmsNothing(t *testing.T) {
	x := newTarget(t)
	for range testrun.Rounds(50, 2000) {
		a := x.answering()
		text := a.String()
		text = text[:x.IntN(len(text)-len(a.body))] + x.oneOf("", "\x00\xff", "\r\n\r\n", "\n", ": ", "Content-Length: -1\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\nzz")
		conn, err := net.Dial("tcp", strings.TrimPrefix(x.base, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, text)
		_ = conn.Close()
	}
	if calls := x.called(); len(calls) > 0 {
		t.Errorf("seed %d: %q are called", x.seed, calls)
	}
	x.unharmed(t)
}
