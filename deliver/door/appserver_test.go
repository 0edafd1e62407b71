package door

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"nod/detect/agents"
	"nod/internal/host/proc"
)

// appServer plays Codex's app server (0.169.0) on a real socket: threads with requests that wait, which it sends again where one is resumed.
type appServer struct {
	address  string
	threads  map[string][]string // the commands that wait, by thread; nil: it can't be resumed
	also     []string            // decisions that it offers besides
	besides  []string            // messages that it sends once a thread is resumed
	reviewer string              // who decides in its threads
	late     string              // a thread whose requests are not sent again in time
	refuses  string              // a method that it has not
	ignores  string              // a method that it never answers
	mute     bool                // it does not say that a request is over
	muddles  bool                // each of its results comes after one that nobody asked for, and a request of the same id

	mu       sync.Mutex
	answered []string // "command decision"
	called   []string
	of       []string // "method thread"
	reviews  []string // what it was told to review again
	open     int      // its connections
	says     []func(text string)
	ends     []func()
}

// say sends all of its clients a message.
func (s *appServer) say(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, say := range s.says {
		say(text)
	}
}

// cut ends all of its connections.
func (s *appServer) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, end := range s.ends {
		end()
	}
	s.says, s.ends = nil, nil
}

// isLeft waits until it has no client but some.
func (s *appServer) isLeft(t *testing.T, but int) {
	t.Helper()
	until(t, "was left", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.open == but })
}

// calls are the calls about threads that it got.
func (s *appServer) calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.of)
}

func newAppServer(t *testing.T, network string, threads map[string][]string) *appServer {
	t.Helper()
	s := &appServer{threads: threads, also: []string{`"accept"`, `"cancel"`}}
	at := "127.0.0.1:0"
	if network == "unix" {
		at = filepath.Join(t.TempDir(), "s")
	}
	listener, err := net.Listen(network, at)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	s.address = "ws://" + listener.Addr().String()
	if network == "unix" {
		s.address = "unix://" + at
	}
	return s
}

// appClient is one connection to it.
type appClient struct {
	*appServer
	say     func(text string)
	waiting map[string]string // commands by the ids of their requests
	sent    map[string]string // the ids, by thread and place in it; empty: it is over
	ids     map[string]bool   // those of the client's calls
}

func (s *appServer) serve(w http.ResponseWriter, r *http.Request) {
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer ws.CloseNow()
	c := &appClient{s, func(text string) { _ = ws.Write(r.Context(), websocket.MessageText, []byte(text)) }, map[string]string{}, map[string]string{}, map[string]bool{}}
	s.mu.Lock()
	s.says, s.ends = append(s.says, c.say), append(s.ends, func() { _ = ws.CloseNow() })
	s.open++
	s.mu.Unlock()
	defer func() { s.mu.Lock(); s.open--; s.mu.Unlock() }()
	for {
		_, text, err := ws.Read(r.Context())
		var m rpcMessage
		if err != nil || json.Unmarshal(text, &m) != nil {
			return
		}
		s.mu.Lock()
		c.hears(m)
		s.mu.Unlock()
	}
}

// hears handles a message of the client.
func (c *appClient) hears(m rpcMessage) {
	var p struct{ ThreadID string }
	_ = json.Unmarshal(m.Params, &p)
	if c.called = append(c.called, m.Method); p.ThreadID != "" {
		c.of = append(c.of, m.Method+" "+p.ThreadID)
	}
	switch {
	case m.Method == "":
		if c.answered = append(c.answered, c.waiting[string(m.ID)]+" "+string(m.Result)); !c.mute {
			for at, id := range c.sent {
				if id == string(m.ID) {
					c.sent[at] = ""
				}
			}
			c.say(fmt.Sprintf(`{"method":"serverRequest/resolved","params":{"threadId":"t","requestId":%s}}`, m.ID))
		}
		return
	case len(m.ID) == 0 || c.ids[string(m.ID)] || m.Method == c.ignores:
		return
	case m.Method == "thread/approveGuardianDeniedAction":
		if c.reviews = append(c.reviews, string(m.Params)); c.mute {
			return
		}
	}
	c.ids[string(m.ID)] = true
	if c.muddles {
		c.say(`{"id":999,"result":{"data":["another"]}}`)
		c.say(fmt.Sprintf(`{"id":%s,"method":"item/tool/call","params":{"threadId":"t"}}`, m.ID))
	}
	if m.Method == c.refuses || m.Method == "thread/resume" && c.threads[p.ThreadID] == nil {
		c.say(fmt.Sprintf(`{"id":%s,"error":{"code":-32600,"message":"no rollout found"}}`, m.ID))
		return
	}
	c.say(fmt.Sprintf(`{"id":%s,"result":%s}`, m.ID, c.result(m.Method, p.ThreadID)))
	switch m.Method {
	case "initialize":
		c.say(`{"method":"configWarning","params":{}}`)
	case "thread/resume":
		c.resumes(p.ThreadID)
	}
}

// result is that of a call.
func (c *appClient) result(method, thread string) string {
	switch method {
	case "thread/loaded/list":
		ids := []string{}
		for id := range c.threads {
			ids = append(ids, id)
		}
		list, _ := json.Marshal(ids)
		return fmt.Sprintf(`{"data":%s}`, list)
	case "thread/read":
		if len(c.threads[thread]) > 0 {
			return `{"thread":{"status":{"type":"active","activeFlags":["waitingOnApproval"]}}}`
		}
		return `{"thread":{"status":{"type":"idle"}}}`
	case "thread/resume":
		return fmt.Sprintf(`{"thread":{},"approvalsReviewer":%q}`, c.reviewer)
	}
	return "{}"
}

// resumes sends the requests of a thread once more.
func (c *appClient) resumes(thread string) {
	for i, command := range c.threads[thread] {
		if thread == c.late {
			break
		}
		at := fmt.Sprint(thread, " ", i)
		id, before := c.sent[at]
		if !before {
			id = fmt.Sprint(len(c.waiting))
			c.sent[at], c.waiting[id] = id, command
		}
		if id == "" {
			continue
		}
		command, _ := json.Marshal("/bin/bash -lc '" + command + "'")
		c.say(fmt.Sprintf(`{"id":%[1]s,"method":"item/commandExecution/requestApproval","params":{"kind":"command","threadId":"%[2]s","itemId":"i%[1]s","command":%[3]s,"availableDecisions":[%[4]s]}}`,
			id, thread, command, strings.Join(c.also, ",")))
	}
	for _, text := range c.besides {
		c.say(text)
	}
}

func anybody(string, net.Conn) (proc.ID, error) { return proc.ID{PID: 1}, nil }

// at is the server as a client of it knows it.
func (s *appServer) at() *agents.Server {
	return agents.ServerOf("codex", []string{"codex", "--remote", s.address})
}

func (s *appServer) answers() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.answered)
}
