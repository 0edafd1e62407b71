package door

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/detect/screen"
	"nod/internal/testrun"
)

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
				s.isLeft(t, 0)
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
		change  func(*appServer)
	}{
		"none":                {map[string][]string{"t": {}}, nil},
		"another command":     {map[string][]string{"t": {"touch a "}}, nil},
		"two of one thread":   {map[string][]string{"t": {"touch a", "touch a"}}, nil},
		"two threads":         {map[string][]string{"t": {"touch a"}, "u": {"touch a"}}, nil},
		"only for good":       {map[string][]string{"t": {"touch a"}}, func(s *appServer) { s.also = []string{`"acceptForSession"`, `"cancel"`} }},
		"no thread is loaded": {nil, nil},
		"over":                {map[string][]string{"t": {"touch a"}}, func(s *appServer) { s.besides = []string{resolved0} }},
		"over, and another":   {map[string][]string{"t": {"touch a"}}, func(s *appServer) { s.besides = []string{resolved0, request("7", "i7", "touch b")} }},
		"it takes no answer": {map[string][]string{"t": {}}, func(s *appServer) {
			s.besides = []string{strings.Replace(request("7", "i", "touch a"), `"id":7,`, "", 1)}
		}},
		"its thread's is late":   {map[string][]string{"t": {"touch a"}, "u": {"touch a"}}, func(s *appServer) { s.late = "t" }},
		"it is late, no other's": {map[string][]string{"t": {"touch a"}, "u": {"touch b"}}, func(s *appServer) { s.late = "t" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAppServer(t, "tcp", c.threads)
			if c.change != nil {
				c.change(s)
			}
			if _, err := Reach(t.Context(), s.at(), "touch a", anybody); !errors.Is(err, ErrNoRequest) {
				t.Error(err)
			}
			s.isLeft(t, 0)
			if got := s.answers(); len(got) > 0 {
				t.Errorf("answered %q", got)
			}
		})
	}
}

const resolved0 = `{"method":"serverRequest/resolved","params":{"threadId":"t","requestId":0}}`

// TestARequestIsFoundAmongWhatAServerSaysBesides: long messages, news with its id that do not end it, results that nobody waits for,
// requests whose ids are those of nod's own calls, and threads of which the server tells nothing.
func TestARequestIsFoundAmongWhatAServerSaysBesides(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*appServer){
		"a long message": func(s *appServer) {
			s.besides = []string{`{"method":"item/completed","params":"` + strings.Repeat("x", 1<<20) + `"}`}
		},
		"it is told of": func(s *appServer) {
			s.besides = []string{`{"method":"item/started","params":{"threadId":"t","requestId":0}}`}
		},
		"another is over": func(s *appServer) { s.besides = []string{strings.Replace(resolved0, ":0", ":7", 1)} },
		"one of the same was over": func(s *appServer) {
			s.threads["t"], s.besides = []string{}, []string{request("7", "i", "touch a"), strings.Replace(resolved0, ":0", ":7", 1), request("0", "i", "touch a")}
		},
		"another asks for the same": func(s *appServer) {
			s.besides = []string{`{"id":9,"method":"item/fileChange/requestApproval","params":{"threadId":"t","itemId":"f","reason":"touch a"}}`}
		},
		"results of other calls":    func(s *appServer) { s.muddles = true },
		"no states":                 func(s *appServer) { s.refuses = "thread/read" },
		"another waits for its own": func(s *appServer) { s.threads["u"] = []string{"touch b"} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAppServer(t, "tcp", map[string][]string{"t": {"touch a"}})
			change(s)
			a, err := Reach(t.Context(), s.at(), "touch a", anybody)
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			if err := a.Decide(t.Context(), screen.Approve); err != nil || len(s.answers()) != 1 {
				t.Errorf("answered %q: %v", s.answers(), err)
			}
		})
	}
}

// TestNoRequestIsFoundBeforeItsServerHadItsTime, if nobody waits that long, or the server ends or falls silent meanwhile: another of that
// command may come.
func TestNoRequestIsFoundBeforeItsServerHadItsTime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*appServer)
		waits  time.Duration
	}{
		"nobody waits":    {func(*appServer) {}, replays / 2},
		"it falls silent": {func(s *appServer) { s.ignores = "thread/read" }, 2 * replays},
		"it ends": {func(s *appServer) {
			go func() {
				for !slices.Contains(s.calls(), "thread/resume t") {
					time.Sleep(time.Millisecond)
				}
				s.cut()
			}()
		}, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAppServer(t, "tcp", map[string][]string{"t": {"touch a"}})
			c.change(s)
			ctx, stop := context.WithTimeout(t.Context(), c.waits)
			defer stop()
			if a, err := Reach(ctx, s.at(), "touch a", anybody); a != nil || err == nil || errors.Is(err, ErrNoRequest) {
				t.Error(err)
			}
			s.isLeft(t, 0)
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
