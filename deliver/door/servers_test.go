package door

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/testrun"
)

// TestAServersRequestOutsideIsAnsweredOnce, by what lets the call run once, or denies it, and nothing that lasts.
func TestAServersRequestOutsideIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	for decision, want := range map[screen.Decision]string{screen.Approve: `touch a {"decision":"accept"}`, screen.Deny: `touch a {"decision":"decline"}`} {
		for _, network := range []string{"tcp", "unix"} {
			t.Run(network+" "+string(decision), func(t *testing.T) {
				t.Parallel()
				s := newAppServer(t, network, map[string][]string{"t1": {"touch a"}, "own": nil, "idle": {}})
				s.also = append(s.also, `"acceptForSession"`, `{"acceptWithExecpolicyAmendment":{}}`)
				h := hear(t, s, func(h *heardServers, _ *ServersConfig) { h.notNow = 2 })
				a := h.next(t)
				if a.Text != "touch a" || !a.Once || a.Thread != "t1" || a.Process.PID != 1 || !h.Hear(a.Process) {
					t.Errorf("asked %+v", a.Asked)
				}
				if !h.doors.Has(a.nudge, time.Now().Add(time.Hour)) {
					t.Error("it is not open for as long as the request waits")
				}
				if got := s.answers(); len(got) > 0 {
					t.Fatalf("answered %q before anybody had", got)
				}
				printed, ok := h.doors.Of(a.nudge).Hand(decision, "")
				if !ok || !isClosed(printed, 5*time.Second) {
					t.Error("it was not passed on")
				}
				if _, again := a.Hand(decision, ""); again || h.doors.Of(a.nudge) != nil {
					t.Error("it takes a second answer")
				}
				if got := s.answers(); !slices.Equal(got, []string{want}) {
					t.Errorf("answered %q, want %q", got, want)
				}
			})
		}
	}
}

// TestNobodyIsToldOfAServerOfSomebodyElse: who listens there is this test and no Codex, so that nothing is said to it.
func TestNobodyIsToldOfAServerOfSomebodyElse(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		s := newAppServer(t, network, map[string][]string{"t": {"touch a"}})
		tried := make(chan error, 10)
		h := hear(t, s, func(_ *heardServers, cfg *ServersConfig) {
			cfg.Trust = func(agent string, conn net.Conn) (proc.ID, error) {
				id, err := OwnServer(agent, conn)
				tried <- err
				return id, err
			}
		})
		select {
		case err := <-tried:
			if err == nil || !strings.Contains(err.Error(), "and no codex") {
				t.Errorf("it was trusted: %v", err)
			}
		case <-time.After(10 * time.Second):
			t.Error("nobody asked who listens")
		}
		s.mu.Lock()
		if len(s.called) > 0 || len(h.asked) > 0 {
			t.Errorf("it was asked %q", s.called)
		}
		s.mu.Unlock()
	}
}

// request is one as the server sends it.
func request(id, item, command string) string {
	return fmt.Sprintf(`{"id":%s,"method":"item/commandExecution/requestApproval","params":{"kind":"command","threadId":"t","itemId":%q,"command":"/bin/bash -lc '%s'","availableDecisions":["accept","cancel"]}}`, id, item, command)
}

// TestAServerThatSaysTwoThingsIsAnsweredNothing: what was decided on is what was shown, to the byte.
func TestAServerThatSaysTwoThingsIsAnsweredNothing(t *testing.T) {
	t.Parallel()
	for name, second := range map[string]string{
		"another command by that id":    request("0", "i0", "touch b"),
		"a byte more":                   request("0", "i0", "touch a "),
		"another item by that id":       request("0", "i1", "touch a"),
		"another command for that item": request("7", "i0", "touch b"),
		"that item twice":               request("7", "i0", "touch a"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAppServer(t, "tcp", map[string][]string{"t": {"touch a"}})
			h := hear(t, s, nil)
			a := h.next(t)
			s.say(second)
			until(t, "was over", func() bool { return h.how(a.nudge) != nil })
			if _, ok := a.Hand(screen.Approve, ""); ok || !errors.Is(h.how(a.nudge), ErrShut) || h.doors.Of(a.nudge) != nil {
				t.Error("it takes an answer still")
			}
			until(t, "was heard no more", func() bool { return !h.Hear(a.Process) })
			if _, err := h.trust("codex", nil); !errors.Is(err, ErrServer) {
				t.Errorf("it would be heard again: %v", err)
			}
			if got := s.answers(); len(got) > 0 || len(h.asked) > 0 {
				t.Errorf("answered %q, asked %d more", got, len(h.asked))
			}
		})
	}
}

// TestARequestThatComesAgainIsTheSame: it is told once.
func TestARequestThatComesAgainIsTheSame(t *testing.T) {
	s := newAppServer(t, "tcp", map[string][]string{"t": {"touch a"}})
	h := hear(t, s, nil)
	a := h.next(t)
	s.say(string(`{"id":0,"method":"item/commandExecution/requestApproval","params":`) + paramsOf(t, request("0", "i0", "touch a")) + `}`)
	s.say(request("1", "i1", "touch b"))
	if b := h.next(t); b.Text != "touch b" {
		t.Errorf("asked %+v", b.Asked)
	}
	if printed, ok := a.Hand(screen.Approve, ""); !ok || !isClosed(printed, 5*time.Second) {
		t.Error("the first takes no answer any more")
	}
}

func paramsOf(t *testing.T, text string) string {
	t.Helper()
	var m rpcMessage
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	return string(m.Params)
}

// TestWhatIsAnsweredElsewhereTakesNoAnswer: the server says so, or the thread waits for nobody any more.
func TestWhatIsAnsweredElsewhereTakesNoAnswer(t *testing.T) {
	t.Parallel()
	for name, say := range map[string]string{
		"resolved": `{"method":"serverRequest/resolved","params":{"threadId":"t","requestId":0}}`,
		"working":  `{"method":"thread/status/changed","params":{"threadId":"t","status":{"type":"active","activeFlags":[]}}}`,
		"idle":     `{"method":"thread/status/changed","params":{"threadId":"t","status":{"type":"idle"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAppServer(t, "tcp", map[string][]string{"t": {"touch a"}})
			h := hear(t, s, nil)
			a := h.next(t)
			s.say(say)
			until(t, "was over", func() bool { return h.how(a.nudge) != nil })
			if !errors.Is(h.how(a.nudge), ErrElsewhere) {
				t.Errorf("it is over: %v", h.how(a.nudge))
			}
			if _, ok := a.Hand(screen.Approve, ""); ok || len(s.answers()) > 0 {
				t.Errorf("answered %q", s.answers())
			}
			if name == "resolved" {
				return
			}
			until(t, "stopped listening to a thread that asks nothing", func() bool {
				s.mu.Lock()
				defer s.mu.Unlock()
				return slices.Contains(s.called, "thread/unsubscribe")
			})
		})
	}
}

// TestAThreadWaitsForEitherAnswer that it may ask for.
func TestAThreadWaitsForEitherAnswer(t *testing.T) {
	for flag, waits := range map[string]bool{"waitingOnApproval": true, "waitingOnUserInput": true, "compacting": false} {
		if got := (status{Type: "active", ActiveFlags: []string{"other", flag}}).waits(); got != waits {
			t.Errorf("%s: %t", flag, got)
		}
	}
}

// TestACutAnswerIsNeverGivenAgain: nobody hears that it was passed on, and the request that still stands is asked again.
func TestACutAnswerIsNeverGivenAgain(t *testing.T) {
	t.Parallel()
	s := newAppServer(t, "tcp", map[string][]string{"t": {"touch a"}})
	s.mute = true
	h := hear(t, s, nil)
	a := h.next(t)
	printed, ok := a.Hand(screen.Approve, "")
	until(t, "heard the answer", func() bool { return len(s.answers()) > 0 })
	s.cut()
	if !ok || isClosed(printed, 200*time.Millisecond) {
		t.Error("it says that it was passed on")
	}
	until(t, "stopped to hear it", func() bool { return !h.Hear(a.Process) })
	h.run()
	b := h.next(t)
	if b.nudge == a.nudge {
		t.Error("it is the same question")
	}
	if _, again := a.Hand(screen.Approve, ""); again || h.doors.Of(a.nudge) != nil {
		t.Error("the first question takes another answer")
	}
	if got := s.answers(); len(got) != 1 {
		t.Errorf("answered %q", got)
	}
}

// TestWhatAServerAsksBesidesIsNotAnswered: no yes is known for it that is for this once and for what was shown.
func TestWhatAServerAsksBesidesIsNotAnswered(t *testing.T) {
	s := newAppServer(t, "tcp", map[string][]string{"t": {"touch a"}})
	h := hear(t, s, nil)
	h.next(t)
	s.say(`{"id":5,"method":"item/fileChange/requestApproval","params":{"threadId":"t","itemId":"f","reason":null}}`)
	if a := h.next(t); a.Once || a.Verb == "" {
		t.Errorf("asked %+v", a.Asked)
	}
}

// TestNoRequestIsAcceptedThatNobodyAccepted, however requests, answers, ends and cuts follow each other.
func TestNoRequestIsAcceptedThatNobodyAccepted(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testrun.Rounds(5, 100)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 21))
			s := newAppServer(t, "tcp", map[string][]string{"t": {"touch first"}})
			s.mute = r.IntN(3) == 0
			h := hear(t, s, nil)
			accepted := map[string]bool{}
			doors := []*askedDoor{h.next(t)}
			for i := range 12 {
				switch r.IntN(5) {
				case 0:
					s.say(fmt.Sprintf(`{"method":"serverRequest/resolved","params":{"threadId":"t","requestId":%d}}`, r.IntN(12)))
				case 1:
					w := doors[r.IntN(len(doors))]
					d := []screen.Decision{screen.Approve, screen.Deny}[r.IntN(2)]
					if _, ok := w.Hand(d, ""); ok && d == screen.Approve {
						accepted[w.Text] = true
					}
				default:
					s.say(request(fmt.Sprint(100+i), fmt.Sprint("x", i), fmt.Sprint("touch ", i)))
				}
				for range r.IntN(2) {
					select {
					case w := <-h.asked:
						doors = append(doors, w)
					case <-time.After(20 * time.Millisecond):
					}
				}
			}
			time.Sleep(50 * time.Millisecond)
			times := map[string]int{}
			for _, said := range s.answers() {
				what, decision, _ := strings.Cut(said, " {")
				times[what]++
				if what != "" && decision == `"decision":"accept"}` && !accepted[what] {
					t.Errorf("%q was accepted, and nobody had", what)
				}
			}
			if times["touch first"] > 1 {
				t.Errorf("answered %q", s.answers())
			}
		})
	}
}

// denial is what a server says of a call that its reviewer denied.
func denial(id, command string) string {
	return fmt.Sprintf(`{"method":"item/autoApprovalReview/completed","params":{"threadId":"t","turnId":"u","startedAtMs":1,"completedAtMs":2,"reviewId":%q,"targetItemId":"i","decisionSource":"agent",`+
		`"review":{"status":"denied","riskLevel":"high","userAuthorization":"low","rationale":"No."},"action":{"type":"command","source":"unifiedExec","command":"/bin/bash -lc '%s'","cwd":"/p"}}}`, id, command)
}

// TestADeniedCallIsReviewedAgainByItself: the server is told of that very event, on a connection to that very process, and once.
func TestADeniedCallIsReviewedAgainByItself(t *testing.T) {
	s := newAppServer(t, "tcp", map[string][]string{"t": {"touch a"}})
	h := hear(t, s, nil)
	h.next(t)
	s.say(denial("r1", `git push\necho two`))
	until(t, "was told", func() bool { h.mu.Lock(); defer h.mu.Unlock(); return len(h.denied) == 1 })
	c := h.denied[0].Call()
	if c.Text != "git push\necho two" || c.Cut || c.Folder != "/p" || c.Reason != "No." {
		t.Errorf("denied %+v", c)
	}
	if err := ReviewAgain(t.Context(), c.Review, anybody); err != nil {
		t.Fatal(err)
	}
	want := `{"event":{"action":{"command":"/bin/bash -lc 'git push\necho two'","cwd":"/p","source":"unified_exec","type":"command"},"completed_at_ms":2,"decision_source":"agent",` +
		`"id":"r1","rationale":"No.","risk_level":"high","started_at_ms":1,"status":"denied","target_item_id":"i","turn_id":"u","user_authorization":"low"},"threadId":"t"}`
	if len(s.reviews) != 1 || s.reviews[0] != want {
		t.Errorf("it was told %q, want %q", s.reviews, want)
	}
	s.isLeft(t, 1)
	another := func(string, net.Conn) (proc.ID, error) { return proc.ID{PID: 2}, nil }
	for name, trust := range map[string]Trust{"another process": another, "a stranger": OwnServer} {
		if err := ReviewAgain(t.Context(), c.Review, trust); !errors.Is(err, ErrUnsent) || len(s.reviews) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.mu.Lock()
	s.refuses = "thread/approveGuardianDeniedAction"
	s.mu.Unlock()
	if err := ReviewAgain(t.Context(), c.Review, anybody); !errors.Is(err, ErrUnsent) || !strings.Contains(err.Error(), "no rollout found") {
		t.Errorf("refused: %v", err)
	}
	s.mu.Lock()
	s.refuses, s.mute = "", true
	s.mu.Unlock()
	ctx, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer stop()
	if err := ReviewAgain(ctx, c.Review, anybody); err == nil || errors.Is(err, ErrUnsent) {
		t.Errorf("what became of it is known: %v", err)
	}
}

// TestACallOnTheScreenIsKnownWholeByItsServer, where that has told of the one command that it is.
func TestACallOnTheScreenIsKnownWholeByItsServer(t *testing.T) {
	me, err := proc.Of(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	at := agents.ServerOf("codex", []string{"codex", "--remote", "ws://127.0.0.1:4500"})
	told := func(thread string, commands ...string) (s *Servers) {
		s = NewServers(ServersConfig{})
		for _, c := range commands {
			d, ok := at.Reviewed("item/autoApprovalReview/completed", []byte(strings.Replace(paramsOf(t, denial("r", c)), `"t"`, `"`+thread+`"`, 1)))
			if !ok {
				t.Fatal(c)
			}
			s.note(Denied{at, me, d, time.Now()})
		}
		return s
	}
	args := map[string][]string{"its client": {"codex", "--remote", "ws://127.0.0.1:4500"}, "another's": {"codex", "--remote", "ws://127.0.0.1:4501"}, "nobody's": {"codex"}}
	for name, c := range map[string]struct {
		who   string
		told  *Servers
		shown string
		whole string
	}{
		"whole":              {"its client", told("t", "touch a"), "touch a", "touch a"},
		"wrapped":            {"its client", told("t", "touch a  b"), "touch a b", "touch a  b"},
		"cut":                {"its client", told("t", `touch a\ntouch b`), "touch a ...", "touch a\ntouch b"},
		"denied twice":       {"its client", told("t", "touch a", "touch a"), "touch a", "touch a"},
		"another":            {"its client", told("t", "touch a"), "touch b", ""},
		"two that it may be": {"its client", told("t", `touch a\nrm x`, `touch a\nrm y`), "touch a ...", ""},
		"another's client":   {"another's", told("t", "touch a"), "touch a", ""},
		"perhaps no client":  {"nobody's", told("t", "touch a"), "touch a", ""},
		"nothing is told":    {"its client", told("t"), "touch a", ""},
	} {
		got := c.told.whole("codex", args[c.who], agents.DeniedCall{Text: c.shown, Cut: true})
		if (got != nil) != (c.whole != "") || got != nil && got.Call().Text != c.whole {
			t.Errorf("%s: %+v", name, got)
		}
		for _, r := range c.told.reviews {
			if shown := c.whole != "" || name == "two that it may be"; c.told.isClaimed(r) != shown {
				t.Errorf("%s: a pane shows it: %t", name, !shown)
			}
		}
	}
	daemon := agents.Listening([]proc.Process{{ID: me, Comm: "codex", Exe: "/opt/codex", Args: []string{"codex", "app-server", "--listen", "unix://"}}}, func(int) []string { return []string{"HOME=/h"} })
	perhaps := NewServers(ServersConfig{})
	r := perhaps.note(Denied{daemon[0], me, agents.ServerDenial{DeniedCall: agents.DeniedCall{Text: "touch a"}}, time.Now()})
	if got := perhaps.whole("codex", args["nobody's"], agents.DeniedCall{Text: "touch a", Cut: true}); got != nil || !perhaps.isClaimed(r) {
		t.Errorf("of one that may be no client: %+v", got)
	}
}
