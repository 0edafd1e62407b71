package door

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/detect/screen"
	"nod/internal/host/proc"
)

// changes is what a server says of a thread's state.
func changes(thread, status string) string {
	return fmt.Sprintf(`{"method":"thread/status/changed","params":{"threadId":%q,"status":%s}}`, thread, status)
}

const (
	works = `{"type":"active","activeFlags":[]}`
	asks  = `{"type":"active","activeFlags":["waitingOnApproval"]}`
	idle  = `{"type":"idle"}`
)

// TestAThreadIsHeardWhileItAsks, and throughout a turn in which a reviewer decides; not for longer, for a client that hears a thread keeps it
// loaded. One that asks after it was left is heard again.
func TestAThreadIsHeardWhileItAsks(t *testing.T) {
	t.Parallel()
	const heard, left = "thread/resume t", "thread/unsubscribe t"
	for name, c := range map[string]struct {
		reviewer string
		says     []string
		want     []string
	}{
		"it does nothing":            {"", []string{idle, idle}, nil},
		"it asks":                    {"", []string{asks, asks}, []string{heard}},
		"it asked":                   {"", []string{asks, idle, idle}, []string{heard, left}},
		"it works on":                {"", []string{asks, works}, []string{heard, left}},
		"it asks again":              {"user", []string{asks, idle, asks, works}, []string{heard, left, heard, left}},
		"it works":                   {"", []string{works}, []string{heard, left}},
		"a reviewer decides":         {"auto_review", []string{works, works, asks, works}, []string{heard}},
		"a reviewer decided":         {"auto_review", []string{works, idle, idle}, []string{heard, left}},
		"a reviewer decides again":   {"auto_review", []string{works, idle, works}, []string{heard, left, heard}},
		"it says nothing of a state": {"", []string{`{"type":"active","activeFlags":"none"}`, `7`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAppServer(t, "tcp", map[string][]string{"t": {}, "end": {}})
			s.reviewer = c.reviewer
			hear(t, s, nil)
			until(t, "was read", func() bool { return len(s.calls()) == 2 })
			for _, status := range c.says {
				s.say(changes("t", status))
			}
			s.say(changes("end", asks))
			until(t, "came to the end", func() bool { return slices.Contains(s.calls(), "thread/resume end") })
			got := slices.DeleteFunc(s.calls(), func(call string) bool { return call != heard && call != left })
			if !slices.Equal(got, c.want) {
				t.Errorf("it was told %q, want %q", got, c.want)
			}
		})
	}
}

// TestARequestEndsWithWhatItsServerSaysOfItAlone: not with another's end, not with other news of its thread, and once. Another request may have
// its id then.
func TestARequestEndsWithWhatItsServerSaysOfItAlone(t *testing.T) {
	t.Parallel()
	s := newAppServer(t, "tcp", map[string][]string{"t": {"touch a"}})
	h := hear(t, s, nil)
	a := h.next(t)
	for _, text := range []string{
		strings.Replace(resolved0, ":0", ":00", 1), strings.Replace(resolved0, ":0", `:"0"`, 1), strings.Replace(resolved0, "resolved", "started", 1),
		strings.Replace(changes("t", idle), "thread/status/changed", "turn/completed", 1), changes("u", idle), changes("t", asks),
		`{"id":7,"method":"item/tool/call","params":{"threadId":"t","itemId":"i"}}`, `{"id":7,"result":{}}`,
		strings.Replace(request("8", "i0", "touch c"), `"threadId":"t"`, `"threadId":"u"`, 1),
	} {
		s.say(text)
	}
	if b := h.next(t); b.Text != "touch c" || h.how(a.nudge) != nil {
		t.Errorf("asked %+v, the first ended with %v", b.Asked, h.how(a.nudge))
	}
	s.say(resolved0)
	s.say(resolved0)
	s.say(request("0", "i9", "touch d"))
	if d := h.next(t); d.Text != "touch d" || !errors.Is(h.how(a.nudge), ErrElsewhere) {
		t.Errorf("asked %+v, the first ended with %v", d.Asked, h.how(a.nudge))
	}
}

// TestOneAnswerEndsOneRequest: the others of its server, and those of other doors, wait on.
func TestOneAnswerEndsOneRequest(t *testing.T) {
	s := newAppServer(t, "tcp", map[string][]string{"t": {"touch a", "touch b"}})
	h := hear(t, s, nil)
	a, b := h.next(t), h.next(t)
	other := h.doors.OpenAt("other", time.Now())
	printed, ok := a.Hand(screen.Deny, "")
	if h.doors.Of(a.nudge) != nil {
		t.Error("it takes another answer")
	}
	if !ok || !isClosed(printed, 5*time.Second) {
		t.Fatal("it was not passed on")
	}
	until(t, "was over", func() bool { return h.how(a.nudge) != nil })
	if h.doors.Of(b.nudge) != b.Door || h.doors.Of("other") != other || h.doors.Has(a.nudge, time.Now()) {
		t.Error("another took its end")
	}
}

// TestAServerAsksNoMoreThanAPersonReads at once; what is left out is asked for as soon as there is room.
func TestAServerAsksNoMoreThanAPersonReads(t *testing.T) {
	t.Parallel()
	all, want := []string{}, map[string]bool{}
	for i := range maxAsked + 2 {
		all = append(all, fmt.Sprint("touch ", i))
		want[all[i]] = true
	}
	s := newAppServer(t, "tcp", map[string][]string{"t": all})
	h := hear(t, s, nil)
	var first *askedDoor
	for range maxAsked {
		first = h.next(t)
		delete(want, first.Text)
	}
	s.say(changes("u", asks))
	until(t, "heard all", func() bool { return slices.Contains(s.calls(), "thread/resume u") })
	time.Sleep(lookAgain + 100*time.Millisecond)
	if len(h.asked) > 0 || len(want) != 2 {
		t.Fatalf("%d more are asked for, not for %v", len(h.asked), want)
	}
	for range 2 {
		first.Hand(screen.Deny, "")
		first = h.next(t)
		delete(want, first.Text)
	}
	first.Hand(screen.Deny, "")
	until(t, "took the last answer", func() bool { return len(s.answers()) == 3 })
	time.Sleep(lookAgain + 100*time.Millisecond)
	again := slices.DeleteFunc(s.calls(), func(call string) bool { return call != "thread/resume t" })
	if len(want) > 0 || len(h.asked) > 0 || len(again) != 3 {
		t.Errorf("%v is never asked for, though it was resumed %d times", want, len(again))
	}
}

// TestAThreadThatTakesNoCallsKeepsNothingElseUnheard.
func TestAThreadThatTakesNoCallsKeepsNothingElseUnheard(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"thread/read", "thread/resume", "thread/unsubscribe"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			s := newAppServer(t, "tcp", map[string][]string{"t": {"touch a"}})
			s.refuses = method
			h := hear(t, s, nil)
			until(t, "was called", func() bool { return len(s.calls()) > 0 })
			s.say(changes("t", asks))
			s.say(changes("t", idle))
			s.say(request("7", "i7", "touch b"))
			for h.next(t).Text != "touch b" {
			}
		})
	}
}

// TestATurnBeginsAfterADenialThatWasTold: once, whichever thread goes on, and not after one that a pane shows.
func TestATurnBeginsAfterADenialThatWasTold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		claimed int // how many of two a pane shows, the newest first
		told    bool
		want    int
	}{
		"told": {0, true, 1}, "a pane shows one": {1, true, 1}, "a pane shows both": {2, true, 0}, "not told yet": {0, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			turns, settled := 0, make(chan bool, 100)
			s := newAppServer(t, "tcp", map[string][]string{"t": {}})
			h := hear(t, s, func(h *heardServers, cfg *ServersConfig) {
				cfg.Turn = func(agent string, server proc.ID) {
					h.mu.Lock()
					defer h.mu.Unlock()
					if turns++; agent != "codex" || server.PID != 1 {
						t.Errorf("%s %v begins a turn", agent, server)
					}
				}
				cfg.Denied = func(d Denied, claimed bool) (done bool) {
					done = c.told && claimed == (c.claimed == 2 || c.claimed == 1 && d.Text == "touch b")
					if done || !c.told {
						settled <- true
					}
					return done
				}
			})
			until(t, "was read", func() bool { return len(s.calls()) > 0 })
			s.say(changes("t", works))
			s.say(denial("r", "touch a"))
			s.say(denial("r", "touch b"))
			until(t, "was noted", func() bool {
				h.Servers.mu.Lock()
				defer h.Servers.mu.Unlock()
				for i, r := range h.reviews {
					r.claimed = i >= 2-c.claimed
				}
				return len(h.reviews) == 2
			})
			<-settled
			<-settled
			for _, status := range []string{works, idle, works, idle, works} {
				s.say(changes("t", status))
			}
			s.say(request("7", "i7", "touch c"))
			h.next(t)
			h.mu.Lock()
			defer h.mu.Unlock()
			if turns != c.want {
				t.Errorf("%d turns began", turns)
			}
		})
	}
}

// TestServersAreLeftWhenTheyAreHeardNoMore: none outlives the call that hears it, and none keeps a connection.
func TestServersAreLeftWhenTheyAreHeardNoMore(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(h *heardServers, s *appServer){
		"nod stops":             func(h *heardServers, _ *appServer) { h.stop(); h.runs.Wait() },
		"it is turned off":      func(h *heardServers, _ *appServer) { h.off.Store(true) },
		"it contradicts itself": func(_ *heardServers, s *appServer) { s.say(request("0", "i0", "touch b")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAppServer(t, "tcp", map[string][]string{"t": {"touch a"}})
			h := hear(t, s, func(h *heardServers, cfg *ServersConfig) {
				over := cfg.Over
				cfg.Over = func(nudge string, how error) { time.Sleep(50 * time.Millisecond); over(nudge, how) }
			})
			a := h.next(t)
			end(h, s)
			if name != "nod stops" {
				until(t, "was over", func() bool { return h.how(a.nudge) != nil })
			}
			if h.how(a.nudge) == nil {
				t.Error("it goes on")
			}
			s.isLeft(t, 0)
		})
	}
}
