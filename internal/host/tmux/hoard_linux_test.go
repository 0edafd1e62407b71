package tmux

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/internal/host/tmux/tmuxtest"
)

// TestAServerKeepsNothingOfLooksThatWereNotAsked: whoever works and rests all day ends a client now and then before its last look. What a
// server kept of each would be gigabytes in a month.
func TestAServerKeepsNothingOfLooksThatWereNotAsked(t *testing.T) {
	t.Parallel()
	real := tmuxtest.New(t)
	var want wanted
	for range 12 {
		want.each = append(want.each, real.Pane("exec cat", 100, 30))
	}
	s := New(real.Socket)
	last, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	last.Every = 100 * time.Millisecond
	endOne := func() {
		looks := s.start(t.Context(), last, want, maxAhead)
		if _, asked, err := looks.next(); err != nil || !slices.Equal(asked, want.each) {
			t.Fatalf("the first look has the screens of %q, %v", asked, err)
		}
		looks.end()
		came := time.After(20 * time.Second)
		for n := 1; ; n++ {
			select {
			case _, more := <-looks.come:
				if more {
					continue
				}
			case <-came:
				t.Fatal("the client goes on for good")
			}
			if n >= maxAhead {
				t.Errorf("a client that is to end goes on for %d looks", n)
			}
			return
		}
	}
	for range 5 {
		endOne()
	}
	before := grown(t, real.PID())
	for range 20 {
		endOne()
	}
	const most = 2000 // kB; a client that is killed leaves 400
	if kept := grown(t, real.PID()) - before; kept > most {
		t.Errorf("the server keeps %d kB of twenty clients", kept)
	}
	if locked := real.Run("list-clients"); locked != "" {
		t.Errorf("clients are left: %s", locked)
	}
}

// TestAServerKeepsNoChannelOfLooks: a client comes and goes each time that an agent begins or stops to draw, in any number within a month.
func TestAServerKeepsNoChannelOfLooks(t *testing.T) {
	t.Parallel()
	real := tmuxtest.New(t)
	real.Pane("exec cat", 100, 30)
	s := New(real.Socket)
	last, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if last.hoards {
		t.Skip("such a server gets no client for several looks")
	}
	const clients = 1000
	run := func() {
		for range clients {
			looks := s.start(t.Context(), last, wanted{}, 1)
			if _, _, err := looks.next(); err != nil {
				t.Fatal(err)
			}
			for range looks.come {
			}
		}
	}
	run()
	before := grown(t, real.PID())
	run()
	const most = 185 // kB; each channel takes 0.2
	if kept := grown(t, real.PID()) - before; kept > most {
		t.Errorf("the server keeps %d kB of %d clients", kept, clients)
	}
}

// grown is the memory of a process that no file has, in kB.
func grown(t *testing.T, pid int) (kb int) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "RssAnon:")
	if n, _ := fmt.Sscan(rest, &kb); n != 1 {
		t.Fatalf("the memory of the server can't be read: %s", text)
	}
	return kb
}
