package deliver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
)

// TestKeysAnswerWhereTheServerIsNotTheAgentsOwn: the process at the agent's server address is this test and
// no Codex, so it is told nothing. Most agents have no server, and none takes the words of a denial.
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
	chosen := request(t, "codex", "codex-escalate", "")
	chosen.Choice = &Choice{0, promptOn(t, "codex", "codex-escalate").Options[0].Label}
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
		"an option is chosen":  {true, remote, chosen, "y", 0},
		"a part is unseen":     {true, remote, request(t, "codex", "codex-escalate", screen.Approve), "y", 0},
	} {
		dialled.Store(0)
		p := newPane(t, "codex", "codex-escalate")
		p.front[0].Args = append([]string{"codex"}, c.args...)
		p.onKey = func(p *pane, _ string) { p.show("codex-escalate-approved") }
		typist := p.reading(func(r *screen.Reading) {
			if r.Prompt != nil {
				r.Prompt.Partial = name == "a part is unseen"
			}
		})
		typist.cfg.Servers = func() bool { return c.on }
		var began begins
		res := typist.Type(t.Context(), c.r, began.begin)
		check(t, p, res, began, want{Delivered, "", c.keys, 1, ""})
		if res.Door || dialled.Load() != c.dial {
			t.Errorf("%s: it says that no key was typed (%t), or it was reached %d times", name, res.Door, dialled.Load())
		}
	}
	for name, c := range map[string]struct {
		arrange func(p *pane)
		reason  Reason
	}{
		"another question":  {func(p *pane) { p.show("codex-form") }, Changed},
		"a pane in a group": {func(p *pane) { p.look.Pane.Synchronized = true }, Synchronized},
		"no agent":          {func(p *pane) { p.front = []proc.Process{bash} }, Shell},
		"an unread process": {func(p *pane) { p.front = nil }, Unreadable},
		"an unread pane":    {func(p *pane) { p.lookErr = errors.New("boom") }, Unreadable},
	} {
		dialled.Store(0)
		p := newPane(t, "codex", "codex-escalate")
		p.front[0].Args = append([]string{"codex"}, remote...)
		c.arrange(p)
		typist := p.typist()
		typist.cfg.Servers = func() bool { return true }
		var began begins
		check(t, p, typist.Type(t.Context(), request(t, "codex", "codex-escalate", screen.Approve), began.begin), began, want{outcome: Refused, reason: c.reason})
		if dialled.Load() > 0 {
			t.Errorf("%s: the server was reached", name)
		}
	}
}

// TestOnlyACommandThatIsSeenWholeGoesToTheServer: if a command is wrapped or has several lines, its blanks
// are unknown.
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

// asking plays Codex's app server (0.169.0) with one waiting request.
type asking struct {
	address string
	ends    bool   // it ends once it has an answer
	asked   func() // called once the request was sent
	left    chan struct{}

	mu     sync.Mutex
	answer string
	say    func(format string, of ...any)
}

func newAsking(t *testing.T, command string) *asking {
	t.Helper()
	s := &asking{left: make(chan struct{})}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer close(s.left)
		defer ws.CloseNow()
		s.say = func(format string, of ...any) {
			_ = ws.Write(r.Context(), websocket.MessageText, fmt.Appendf(nil, format, of...))
		}
		for {
			var m struct {
				ID, Result json.RawMessage
				Method     string
			}
			if wsjson.Read(r.Context(), ws, &m) != nil {
				return
			}
			switch m.Method {
			case "initialize":
				s.say(`{"id":%s,"result":{}}`, m.ID)
			case "thread/loaded/list":
				s.say(`{"id":%s,"result":{"data":["t"]}}`, m.ID)
			case "thread/read":
				s.say(`{"id":%s,"result":{"thread":{"status":{"type":"active","activeFlags":["waitingOnApproval"]}}}}`, m.ID)
			case "thread/resume":
				s.say(`{"id":%s,"result":{"thread":{}}}`, m.ID)
				s.say(`{"id":0,"method":"item/commandExecution/requestApproval","params":{"kind":"command","threadId":"t","itemId":"i","command":%q,"availableDecisions":["accept","cancel"]}}`,
					"/bin/bash -lc '"+command+"'")
				s.asked()
			case "":
				s.mu.Lock()
				s.answer += string(m.Result)
				s.mu.Unlock()
				if s.ends {
					return
				}
				s.withdraw()
			}
		}
	}))
	t.Cleanup(server.Close)
	s.address = strings.Replace(server.URL, "http", "ws", 1)
	return s
}

// withdraw says that the request is over.
func (s *asking) withdraw() {
	s.say(`{"method":"serverRequest/resolved","params":{"threadId":"t","requestId":0}}`)
}

func (s *asking) answered() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.answer
}

// TestAServerIsAnsweredWhileItsDialogStands: the screen after the server was asked decides. If nothing was
// handed over, keys answer under their own rules.
func TestAServerIsAnsweredWhileItsDialogStands(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meanwhile func(p *pane, stop func())
		answer    string
		want      want
		decision  screen.Decision // Approve if empty
	}{
		"it is denied":         {func(*pane, func()) {}, `{"decision":"decline"}`, want{Delivered, "", "", 1, ""}, screen.Deny},
		"it is withdrawn":      {func(*pane, func()) {}, "", want{Delivered, "", "y", 1, ""}, ""},
		"it is withdrawn late": {func(*pane, func()) {}, "", want{Delivered, "", "y", 1, ""}, ""},
		"it stands":            {func(*pane, func()) {}, `{"decision":"accept"}`, want{Delivered, "", "", 1, ""}, ""},
		"its server ends":      {func(*pane, func()) {}, `{"decision":"accept"}`, want{Unknown, Unsure, "", 1, ""}, ""},
		"it has gone":          {func(p *pane, _ func()) { p.show("codex-working") }, "", want{Refused, Changed, "", 0, ""}, ""},
		"no look succeeds":     {func(p *pane, _ func()) { p.lookErr = errors.New("boom") }, "", want{Refused, Unreadable, "", 0, ""}, ""},
		"nod shuts down":       {func(_ *pane, stop func()) { stop() }, "", want{Refused, Unreadable, "", 0, ""}, ""},
		"it is not noted":      {func(*pane, func()) {}, "", want{Refused, Unreadable, "", 0, ""}, ""},
		"it is another one":    {func(p *pane, _ func()) { p.show("codex-form") }, "", want{Refused, Changed, "", 0, ""}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPane(t, "codex", "codex-escalate")
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			change := func(f func()) { p.mu.Lock(); defer p.mu.Unlock(); f() }
			server := newAsking(t, commandIn(promptOn(t, "codex", "codex-escalate")))
			server.ends = name == "its server ends"
			server.asked = func() {
				if change(func() { c.meanwhile(p, stop) }); name == "it is withdrawn" {
					server.withdraw()
				}
			}
			p.front[0].Args = []string{"codex", "--remote", server.address}
			typist := p.typist()
			typist.cfg.Servers = func() bool { return true }
			typist.cfg.Trust = func(string, net.Conn) (proc.ID, error) { return p.front[0].ID, nil }
			p.onLook = func(p *pane) {
				if server.answered() != "" {
					p.show("codex-escalate-approved")
				}
				if name == "it is withdrawn late" && p.looks == 2 {
					server.withdraw()
					time.Sleep(300 * time.Millisecond) // until nod has heard it, on a busy machine too
				}
			}
			p.onKey = func(p *pane, _ string) { p.show("codex-escalate-approved") }
			var began begins
			full := errors.New("disk full")
			res := typist.Type(ctx, request(t, "codex", "codex-escalate", cmp.Or(c.decision, screen.Approve)), func() (err error) {
				if name == "it is not noted" { // and could be a moment later
					err, full = full, nil
					return err
				}
				return began.begin()
			})
			check(t, p, res, began, c.want)
			if got := server.answered(); got != c.answer || res.Door != (c.answer != "") {
				t.Errorf("answered %q, door %t", got, res.Door)
			}
			select {
			case <-server.left:
			case <-time.After(10 * time.Second):
				t.Error("nod keeps the connection")
			}
		})
	}
}
