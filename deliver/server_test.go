package deliver

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"nod/detect/agents"
	"nod/detect/screen"
)

// TestKeysAnswerWhereTheServerIsNotTheAgentsOwn: who listens at the address that the agent was started with is this test and no Codex, so
// that nothing is said to it. Most have no server, and none
// takes the words of a denial.
func TestKeysAnswerWhereTheServerIsNotTheAgentsOwn(t *testing.T) {
	var dialled atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.ContentLength > 0 {
			t.Errorf("it was told %s %s", r.Method, r.URL)
		}
		http.Error(w, "no", http.StatusTeapot)
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			dialled.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	remote := []string{"--remote", strings.Replace(server.URL, "http", "ws", 1)}
	because := request(t, "codex", "codex-escalate", screen.Deny)
	because.Because = Say("use the cache")
	for name, c := range map[string]struct {
		on   bool
		args []string
		r    Request
		keys string
		dial int32
	}{
		"not its own":          {true, remote, request(t, "codex", "codex-escalate", screen.Approve), "y", 1},
		"turned off":           {false, remote, request(t, "codex", "codex-escalate", screen.Approve), "y", 0},
		"none":                 {true, nil, request(t, "codex", "codex-escalate", screen.Approve), "y", 0},
		"it can take no words": {true, remote, because, "Escape", 0},
	} {
		dialled.Store(0)
		p := newPane(t, "codex", "codex-escalate")
		p.front[0].Args = append([]string{"codex"}, c.args...)
		p.onKey = func(p *pane, _ string) { p.show("codex-escalate-approved") }
		typist := p.typist()
		typist.cfg.Servers = func() bool { return c.on }
		var began begins
		res := typist.Type(t.Context(), c.r, began.begin)
		check(t, p, res, began, want{Delivered, "", c.keys, 1, ""})
		if res.Door || dialled.Load() != c.dial {
			t.Errorf("%s: it says that no key was typed (%t), or it was reached %d times", name, res.Door, dialled.Load())
		}
	}
}

// TestOnlyACommandThatIsSeenWholeGoesToTheServer: of one that wraps or has lines nobody knows how many blanks was where.
func TestOnlyACommandThatIsSeenWholeGoesToTheServer(t *testing.T) {
	p := promptOn(t, "codex", "codex-escalate")
	whole := commandIn(p)
	if whole == "" || strings.HasPrefix(whole, "$") {
		t.Fatalf("it is %q", whole)
	}
	for name, change := range map[string]func(p *screen.Prompt){
		"partial":    func(p *screen.Prompt) { p.Partial = true },
		"no command": func(p *screen.Prompt) { p.Verb = "edit" },
		"two rows":   func(p *screen.Prompt) { p.Lead = 2 },
		"unknown":    func(p *screen.Prompt) { p.Lead = 0 },
	} {
		other := *p
		change(&other)
		if got := commandIn(&other); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
	for args, address := range map[string]string{
		"codex --remote ws://127.0.0.1:1": "ws://127.0.0.1:1", "codex --remote=unix:///run/s": "unix:///run/s", "codex": "", "codex --remote": "", "codex resume": "",
	} {
		server := agents.ServerOf("codex", strings.Fields(args))
		if (server != nil) != (address != "") || server != nil && server.Address != address {
			t.Errorf("%s: %+v", args, server)
		}
	}
}
