package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// browser is a browser with the page of a link.
type browser struct{ base, key string }

// browse opens a link, which is no good afterwards.
func browse(link string) (b browser, err error) {
	base, code, _ := strings.Cut(strings.TrimSpace(link), "/#")
	b.base = base
	for _, want := range []int{http.StatusOK, http.StatusForbidden} {
		answer, err := b.send("POST", "/login", fmt.Sprintf(`{"code":%q}`, code))
		if err != nil {
			return b, err
		}
		var in struct{ Key string }
		_ = json.NewDecoder(answer.Body).Decode(&in) // a refusal is a sentence
		answer.Body.Close()
		if answer.StatusCode != want {
			return b, fmt.Errorf("the link gives %s, want %d", answer.Status, want)
		}
		if in.Key != "" {
			b.key = in.Key
		}
	}
	return b, nil
}

func (b browser) send(method, path, body string) (*http.Response, error) {
	r, err := http.NewRequest(method, b.base+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = http.Header{"Origin": {b.base}, "Content-Type": {"application/json"}, "Authorization": {"Bearer " + b.key}}
	return http.DefaultClient.Do(r)
}

// line is the first line of what the page gives at a path, but for the beats of a stream.
func (b browser) line(method, path, body string) (string, error) {
	answer, err := b.send(method, path, body)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	lines := bufio.NewReader(answer.Body)
	for {
		line, err := lines.ReadString('\n')
		if beat := strings.HasPrefix(line, ":") || line == "\n"; err != nil || !beat {
			return line, err
		}
	}
}

// browseLink opens the link that a file begins with: the page shows the agent, or another title, and says something to whoever answers a
// question that nobody asked.
func browseLink(ts *testscript.TestScript, _ bool, args []string) {
	link, _, _ := strings.Cut(ts.ReadFile(args[0]), "\n")
	b, err := browse(link)
	ts.Check(err)
	cards, err := b.line("GET", "/feed", "")
	ts.Check(err)
	said, err := b.line("POST", "/answer", `{"do":"yes","nudge":"none","fingerprint":"x"}`)
	ts.Check(err)
	if !strings.Contains(cards, append(args, `"agent":"claude"`)[2]) || !strings.Contains(said, args[1]) {
		ts.Fatalf("the page shows %s\nand says %s", cards, said)
	}
}
