package door

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/testrun"
)

// appServer plays Codex's app server (0.169.0) on a real socket: threads with requests that wait, which it sends again where one is resumed.
type appServer struct {
	address string
	threads map[string][]string // the commands that wait, by thread; nil: it can't be resumed
	also    []string            // decisions that it offers besides

	mu       sync.Mutex
	answered []string // "command decision"
	called   []string
	reviews  []string // what it was told to review again
	mute     bool     // it does not say that a request is over
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

func (s *appServer) serve(w http.ResponseWriter, r *http.Request) {
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer ws.CloseNow()
	say := func(text string) { _ = ws.Write(r.Context(), websocket.MessageText, []byte(text)) }
	waiting := map[string]string{} // commands by the ids of their requests
	s.mu.Lock()
	s.says, s.ends = append(s.says, say), append(s.ends, func() { _ = ws.CloseNow() })
	s.mu.Unlock()
	for {
		_, text, err := ws.Read(r.Context())
		if err != nil {
			return
		}
		var m rpcMessage
		if json.Unmarshal(text, &m) != nil {
			return
		}
		s.mu.Lock()
		s.called = append(s.called, m.Method)
		switch m.Method {
		case "initialize":
			say(fmt.Sprintf(`{"id":%s,"result":{}}`, m.ID))
			say(`{"method":"configWarning","params":{}}`)
		case "thread/loaded/list":
			var ids []string
			for id := range s.threads {
				ids = append(ids, id)
			}
			list, _ := json.Marshal(ids)
			say(fmt.Sprintf(`{"id":%s,"result":{"data":%s}}`, m.ID, list))
		case "thread/read":
			var p struct{ ThreadID string }
			_ = json.Unmarshal(m.Params, &p)
			status := `{"type":"idle"}`
			if len(s.threads[p.ThreadID]) > 0 {
				status = `{"type":"active","activeFlags":["waitingOnApproval"]}`
			}
			say(fmt.Sprintf(`{"id":%s,"result":{"thread":{"status":%s}}}`, m.ID, status))
		case "thread/unsubscribe":
			say(fmt.Sprintf(`{"id":%s,"result":{}}`, m.ID))
		case "thread/approveGuardianDeniedAction":
			if s.reviews = append(s.reviews, string(m.Params)); !s.mute {
				say(fmt.Sprintf(`{"id":%s,"result":{}}`, m.ID))
			}
		case "thread/resume":
			var p struct{ ThreadID string }
			_ = json.Unmarshal(m.Params, &p)
			commands := s.threads[p.ThreadID]
			if commands == nil {
				say(fmt.Sprintf(`{"id":%s,"error":{"code":-32600,"message":"no rollout found"}}`, m.ID))
				break
			}
			say(fmt.Sprintf(`{"id":%s,"result":{"thread":{}}}`, m.ID))
			for _, c := range commands {
				id := fmt.Sprint(len(waiting))
				waiting[id] = c
				command, _ := json.Marshal("/bin/bash -lc '" + c + "'")
				say(fmt.Sprintf(`{"id":%[1]s,"method":"item/commandExecution/requestApproval","params":{"kind":"command","threadId":"%[2]s","itemId":"i%[1]s","command":%[3]s,"availableDecisions":[%[4]s]}}`,
					id, p.ThreadID, command, strings.Join(s.also, ",")))
			}
		case "":
			s.answered = append(s.answered, waiting[string(m.ID)]+" "+string(m.Result))
			if s.mute {
				break
			}
			say(fmt.Sprintf(`{"method":"serverRequest/resolved","params":{"threadId":"t","requestId":%s}}`, m.ID))
		}
		s.mu.Unlock()
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

// TestAServersRequestIsAnsweredOnItsOwnConnection, with what lets the call run once, or denies it, and nothing that lasts.
func TestAServersRequestIsAnsweredOnItsOwnConnection(t *testing.T) {
	t.Parallel()
	for _, network := range []string{"tcp", "unix"} {
		for decision, want := range map[screen.Decision]string{screen.Approve: `touch a {"decision":"accept"}`, screen.Deny: `touch a {"decision":"decline"}`} {
			t.Run(network+" "+string(decision), func(t *testing.T) {
				t.Parallel()
				s := newAppServer(t, network, map[string][]string{"t1": {"touch b", "touch a"}, "own": nil, "t2": {}})
				s.also = append(s.also, `"acceptForSession"`, `{"acceptWithExecpolicyAmendment":{}}`)
				if _, err := Reach(t.Context(), s.at(), "touch a", OwnServer); err == nil {
					t.Fatal("a server that is no codex was answered")
				}
				if called := s.called; len(called) > 0 {
					t.Fatalf("it was asked %q", called)
				}
				a, err := Reach(t.Context(), s.at(), "touch a", anybody)
				if err != nil || !a.Waits() {
					t.Fatal(err)
				}
				if err := a.Decide(t.Context(), decision); err != nil {
					t.Error(err)
				}
				a.Close()
				if got := s.answers(); !slices.Equal(got, []string{want}) {
					t.Errorf("answered %q, want %q", got, want)
				}
			})
		}
	}
}

// TestARequestWaitsUntilItsServerSaysOtherwise, or is gone.
func TestARequestWaitsUntilItsServerSaysOtherwise(t *testing.T) {
	told := make(chan rpcMessage, 2)
	a := &Approval{server: &server{told: told}}
	told <- rpcMessage{Method: "account/updated"}
	told <- rpcMessage{Method: "thread/status/changed"}
	if !a.Waits() {
		t.Error("something else ended it")
	}
	told <- rpcMessage{Method: "account/updated"}
	told <- rpcMessage{Method: "serverRequest/resolved"}
	if a.Waits() {
		t.Error("it waits though it is resolved")
	}
	if close(told); a.Waits() {
		t.Error("it waits though its server is gone")
	}
}

// TestNoOtherRequestOfAServerIsAnswered: one that is not the only one of its command, another one, one that can't be accepted for once.
func TestNoOtherRequestOfAServerIsAnswered(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		threads map[string][]string
		also    []string
	}{
		"none":                {map[string][]string{"t": {}}, []string{`"accept"`}},
		"another command":     {map[string][]string{"t": {"touch a "}}, []string{`"accept"`}},
		"two of one thread":   {map[string][]string{"t": {"touch a", "touch a"}}, []string{`"accept"`}},
		"two threads":         {map[string][]string{"t": {"touch a"}, "u": {"touch a"}}, []string{`"accept"`}},
		"only for good":       {map[string][]string{"t": {"touch a"}}, []string{`"acceptForSession"`, `"cancel"`}},
		"no thread is loaded": {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAppServer(t, "tcp", c.threads)
			s.also = c.also
			if _, err := Reach(t.Context(), s.at(), "touch a", anybody); !errors.Is(err, ErrNoRequest) {
				t.Error(err)
			}
			if got := s.answers(); len(got) > 0 {
				t.Errorf("answered %q", got)
			}
		})
	}
}

// TestOnlyTheOneRequestOfACommandIsEverAnswered, whatever waits beside it.
func TestOnlyTheOneRequestOfACommandIsEverAnswered(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(21, 7))
	for range testrun.Rounds(8, 200) {
		threads, waiting := map[string][]string{}, 0
		for i := range 1 + r.IntN(3) {
			commands := []string{}
			for range r.IntN(3) {
				c := []string{"touch a", "touch  a", "touch a;b", "x"}[r.IntN(4)]
				if commands = append(commands, c); c == "touch a" {
					waiting++
				}
			}
			threads[fmt.Sprint("t", i)] = commands
		}
		t.Run("", func(t *testing.T) {
			t.Parallel()
			s := newAppServer(t, "tcp", threads)
			a, err := Reach(t.Context(), s.at(), "touch a", anybody)
			if (err == nil) != (waiting == 1) {
				t.Fatalf("%v: %v", threads, err)
			}
			if err == nil {
				if err := a.Decide(t.Context(), screen.Approve); err != nil {
					t.Error(err)
				}
				a.Close()
			}
			for _, said := range s.answers() {
				if said != `touch a {"decision":"accept"}` || waiting != 1 {
					t.Fatalf("%v: answered %q", threads, said)
				}
			}
		})
	}
}

// TestOnlyThisMachineIsReached: no name, no other machine, no address that says another thing than it seems.
func TestOnlyThisMachineIsReached(t *testing.T) {
	for address, want := range map[string]string{
		"ws://127.0.0.1:4500": "tcp 127.0.0.1:4500", "ws://[::1]:4500": "tcp [::1]:4500", "unix:///run/s": "unix /run/s",
		"ws://localhost:4500": "", "ws://192.168.0.1:4500": "", "wss://127.0.0.1:4500": "", "ws://127.0.0.1": "", "ws://0.0.0.0:1": "",
		"ws://me@127.0.0.1:4500": "", "ws://127.0.0.1.example.com:1": "", "unix://": "", "unix://run/s": "", "/run/s": "", "http://127.0.0.1:1": "", "": "", "\x00": "",
	} {
		network, at, err := endpoint(address)
		if got := strings.TrimSpace(network + " " + at); got != want || (err == nil) != (want != "") {
			t.Errorf("%q leads to %q, %v; want %q", address, got, err, want)
		}
	}
}

// TestAServerThatSaysNothing holds nobody up.
func TestAServerThatSaysNothing(t *testing.T) {
	s := newAppServer(t, "tcp", map[string][]string{"t": {"touch a"}})
	s.mu.Lock() // so that it answers nothing
	defer s.mu.Unlock()
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	if _, err := Reach(ctx, s.at(), "touch a", anybody); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
