package web

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// initData is what Telegram puts into the address of a Mini App.
func initData(token string, user int64, at time.Time) string {
	fields := map[string]string{
		"query_id": "AAHdF6IQAAAAAN0XohDhrOrc", "auth_date": fmt.Sprint(at.Unix()), "chat_instance": "1", "chat": "2", "signature": "abc",
		"user": fmt.Sprintf(`{"id":%d,"first_name":"Ann","last_name":"<b>","language_code":"en"}`, user),
	}
	return signed(token, fields)
}

func signed(token string, fields map[string]string) string {
	values := url.Values{}
	var lines []string
	for name, value := range fields {
		values.Set(name, value)
		lines = append(lines, name+"="+value)
	}
	slices.Sort(lines)
	values.Set("hash", hex.EncodeToString(sum(sum([]byte("WebAppData"), token), strings.Join(lines, "\n"))))
	return values.Encode()
}

// atPublic makes a request one of the public host's page.
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

// TestAMiniAppIsItsUsers: only Telegram's fresh word on a supervisor opens it, once, and answers are theirs.
func TestAMiniAppIsItsUsers(t *testing.T) {
	p := newPage(t)
	now := time.Now()
	good := initData(token, ann, now)
	lines := map[string]string{"auth_date": fmt.Sprint(now.Unix()), "user": `{"id":42}`, "query_id": "1\nstart_param=2"}
	for name, text := range map[string]string{
		"an id below zero": initData(token, -ann, now), "no id": initData(token, 0, now), "two lines in a field": signed(token, lines), // which may be two fields
	} {
		if got, err := checkInitData(text, token, now); err == nil {
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
	if _, err := checkInitData(initData("", ann, now), "", now); err == nil {
		t.Error("without a token anybody can sign")
	}
}

// TestEachHostTakesItsOwnSessions: a link's code and key are no good where others reach, and a Mini App's not on this machine.
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

// TestStrangersDontFillTheLog: anybody can knock at the public host, as often as they like.
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

// FuzzInitData: nothing but what the token signs is Telegram's word, and nothing makes it fail otherwise.
func FuzzInitData(f *testing.F) {
	now := time.Unix(1_800_000_000, 0)
	good := initData(token, ann, now)
	f.Add(good)
	f.Add("hash=00&user=%7B%7D&auth_date=1800000000")
	f.Add("a=1;b=2&hash")
	f.Fuzz(func(t *testing.T, text string) {
		opened, err := checkInitData(text, token, now)
		given, _ := url.ParseQuery(text)
		want, _ := url.ParseQuery(good)
		given.Set("hash", strings.ToLower(given.Get("hash"))) // written either way it is one opening, and is good once
		if err == nil && given.Encode() != want.Encode() {
			t.Errorf("%q opens the page for %+v", text, opened)
		}
	})
}
