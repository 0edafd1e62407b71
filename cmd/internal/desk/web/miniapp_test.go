package web

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// telegramsOwn is the test's substitute for Telegram's own key.
var telegramsOwn = ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))

var telegramsKey = telegramsOwn.Public().(ed25519.PublicKey)

// initData returns the data that Telegram puts into a Mini App's address.
func initData(token string, user int64, at time.Time) string {
	fields := map[string]string{
		"query_id": "AAHdF6IQAAAAAN0XohDhrOrc", "auth_date": fmt.Sprint(at.Unix()), "chat_instance": "1", "chat": "2",
		"user": fmt.Sprintf(`{"id":%d,"first_name":"Ann","last_name":"<b>","language_code":"en"}`, user),
	}
	return signed(token, fields)
}

func signed(token string, fields map[string]string) string {
	return signedBy(telegramsOwn, token, fields)
}

// signedBy signs with the given key instead of Telegram's own, and with the bot's token.
func signedBy(key ed25519.PrivateKey, token string, fields map[string]string) string {
	bot, _, _ := strings.Cut(token, ":")
	return hashed(token, fields, base64.RawURLEncoding.EncodeToString(ed25519.Sign(key, []byte(bot+":WebAppData\n"+lined(fields)))))
}

// hashed signs with the bot's token only, whatever the other signature is.
func hashed(token string, fields map[string]string, signature string) string {
	fields = maps.Clone(fields)
	fields["signature"] = signature
	values := url.Values{}
	for name, value := range fields {
		values.Set(name, value)
	}
	values.Set("hash", hex.EncodeToString(sum(sum([]byte("WebAppData"), token), lined(fields))))
	return values.Encode()
}

func lined(fields map[string]string) string {
	var lines []string
	for name, value := range fields {
		lines = append(lines, name+"="+value)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// atPublic turns a request into one from the public host's page.
var atPublic = header{"Host": "nod.example.com", "Origin": public, "X-Forwarded-For": "203.0.113.9"}

func (p *page) open(t *testing.T, text string) (key string) {
	t.Helper()
	body, err := json.Marshal(map[string]string{"init_data": text})
	if err != nil {
		t.Fatal(err)
	}
	_, answer, _ := p.send(t, "POST", "/login", "", string(body), atPublic)
	var in struct{ Key string }
	_ = json.Unmarshal([]byte(answer), &in) // a refusal is a sentence
	return in.Key
}

// TestAMiniAppIsItsUsers: only Telegram's fresh proof of a supervisor opens it, and only once. The answers
// are that supervisor's.
func TestAMiniAppIsItsUsers(t *testing.T) {
	p := newPage(t)
	now := time.Now()
	good := initData(token, ann, now)
	lines := map[string]string{"auth_date": fmt.Sprint(now.Unix()), "user": `{"id":42}`, "query_id": "1\nstart_param=2"}
	for name, text := range map[string]string{
		"an id below zero": initData(token, -ann, now), "no id": initData(token, 0, now), "two lines in a field": signed(token, lines), // they could be two fields
	} {
		if got, err := checkInitData(text, token, telegramsKey, now); err == nil {
			t.Errorf("%s is Telegram's word on %+v", name, got)
		}
	}
	key := p.open(t, good)
	if key == "" || p.open(t, good) != "" {
		t.Fatal("a fresh word is no good, or is good twice")
	}
	if status, text, _ := p.send(t, "POST", "/answer", key, yes, atPublic); status != 200 || p.who[0].User != ann || p.who[0].Name != "Ann" || !p.who[0].KeyAlone {
		t.Errorf("%d %s of %+v", status, text, p.who)
	}
	p.mu.Lock()
	p.fired = true
	p.mu.Unlock()
	if status, _, _ := p.send(t, "POST", "/answer", key, yes, atPublic); status != http.StatusUnauthorized {
		t.Errorf("who is no supervisor any more gets %d", status)
	}
	if _, err := checkInitData(initData("", ann, now), "", telegramsKey, now); err == nil {
		t.Error("without a token anybody can sign")
	}
}

// TestWhoHasTheTokenIsNoSupervisor: the bot's token is enough to make its signature, but not Telegram's.
func TestWhoHasTheTokenIsNoSupervisor(t *testing.T) {
	p := newPage(t)
	fields := map[string]string{"auth_date": fmt.Sprint(time.Now().Unix()), "user": fmt.Sprintf(`{"id":%d}`, ann)}
	own := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))
	good, _ := url.ParseQuery(signed(token, fields))
	others, _ := url.ParseQuery(signed("7000000002"+token[10:], fields))
	for name, text := range map[string]string{
		"no signature":                   hashed(token, fields, ""),
		"a signature of their own":       signedBy(own, token, fields),
		"Telegram's for another bot":     hashed(token, fields, others.Get("signature")),
		"Telegram's for another opening": hashed(token, map[string]string{"auth_date": fields["auth_date"], "user": fields["user"], "query_id": "2"}, good.Get("signature")),
	} {
		if p.open(t, text) != "" {
			t.Errorf("%s opens the page", name)
		}
	}
	if p.open(t, good.Encode()) == "" || p.open(t, hashed(token, fields, good.Get("signature")+"\r")) != "" {
		t.Error("Telegram's own signature is no good, or is good twice")
	}
}

// TestTelegramsKeyIsTelegrams by the example of docs.telegram-mini-apps.com/platform/init-data.
func TestTelegramsKeyIsTelegrams(t *testing.T) {
	const example = `user=%7B%22id%22%3A279058397%2C%22first_name%22%3A%22Vladislav%20%2B%20-%20%3F%20%5C%2F%22%2C%22last_name%22%3A%22Kibenko%22%2C%22username%22%3A%22vdkfrost%22%2C%22language_code%22%3A%22ru%22%2C%22is_premium%22%3Atrue%2C%22allows_write_to_pm%22%3Atrue%2C%22photo_url%22%3A%22https%3A%5C%2F%5C%2Ft.me%5C%2Fi%5C%2Fuserpic%5C%2F320%5C%2F4FPEE4tmP3ATHa57u6MqTDih13LTOiMoKoLDRG4PnSA.svg%22%7D` +
		`&chat_instance=8134722200314281151&chat_type=private&auth_date=1733584787&hash=2174df5b000556d044f3f020384e879c8efcab55ddea2ced4eb752e93e7080d6` +
		`&signature=zL-ucjNyREiHDE8aihFwpfR9aggP2xiAo3NSpfe-p7IbCisNlDKlo7Kb6G4D0Ao2mBrSgEk4maLSdv6MLIlADQ`
	fields, err := url.ParseQuery(example)
	if err != nil {
		t.Fatal(err)
	}
	if signatureOf(fields, "7342037359", Telegram) == nil || signatureOf(fields, "7342037358", Telegram) != nil {
		t.Error("the example is not Telegram's word")
	}
}

// TestEachHostTakesItsOwnSessions: the public host refuses a link's code and key, and this machine's hosts
// refuse a Mini App's.
func TestEachHostTakesItsOwnSessions(t *testing.T) {
	p := newPage(t)
	code := p.code(t, false)
	if status, _, _ := p.send(t, "POST", "/login", "", fmt.Sprintf(`{"code":%q}`, code), atPublic); status == 200 {
		t.Error("a link's code is good at the public host")
	}
	local, phone := p.login(t, code), p.open(t, initData(token, ann, time.Now()))
	for _, c := range []struct {
		name, key string
		h         header
		want      int
	}{
		{"a link's key at home", local, nil, 200},
		{"a Mini App's at the public host", phone, atPublic, 200},
		{"a link's at the public host", local, atPublic, 401},
		{"a Mini App's at home", phone, nil, 401},
	} {
		status, text, _ := p.send(t, "POST", "/answer", c.key, yes, c.h)
		if status != c.want {
			t.Errorf("%s: %d, want %d", c.name, status, c.want)
		}
		if terminal := strings.Contains(text, "nod web"); status == 401 && terminal != (c.h == nil) {
			t.Errorf("%s: who has no terminal there, or one, is told %q", c.name, text)
		}
	}
	body, _ := json.Marshal(map[string]string{"init_data": initData(token, ann, time.Now())})
	if status, _, _ := p.send(t, "POST", "/login", "", string(body), nil); status == 200 {
		t.Error("Telegram's word is good on this machine")
	}
}

// TestStrangersDontFillTheLog: anybody may send requests to the public host, as often as they like.
func TestStrangersDontFillTheLog(t *testing.T) {
	p := newPage(t)
	for range 50 {
		p.open(t, "x")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if lines := strings.Count(p.log.String(), "who is no supervisor"); lines != 1 {
		t.Errorf("50 strangers make %d lines of the log", lines)
	}
}

// FuzzInitData: only signed data is accepted, and no data causes any other failure.
func FuzzInitData(f *testing.F) {
	now := time.Unix(1_800_000_000, 0)
	good := initData(token, ann, now)
	f.Add(good)
	f.Add("hash=00&user=%7B%7D&auth_date=1800000000")
	f.Add("a=1;b=2&hash")
	f.Fuzz(func(t *testing.T, text string) {
		opened, err := checkInitData(text, token, telegramsKey, now)
		given, _ := url.ParseQuery(text)
		want, _ := url.ParseQuery(good)
		given.Set("hash", strings.ToLower(given.Get("hash"))) // upper and lower case name the same opening, which is accepted once
		if err == nil && given.Encode() != want.Encode() {
			t.Errorf("%q opens the page for %+v", text, opened)
		}
	})
}
