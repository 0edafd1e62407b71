package door

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/detect/agents"
	"nod/internal/host/proc"
)

// TestAServerIsHeardOnce, however often it is found, and no more of them than people have.
func TestAServerIsHeardOnce(t *testing.T) {
	t.Parallel()
	s := newAppServer(t, "tcp", map[string][]string{"t": {"touch a"}})
	h := hear(t, s, func(_ *heardServers, cfg *ServersConfig) {
		cfg.Find = func() []*agents.Server { return []*agents.Server{s.at(), s.at()} }
	})
	h.next(t)
	s.say(request("7", "i7", "touch b"))
	h.next(t)
	s.mu.Lock()
	if n := len(s.says); n != 1 {
		t.Errorf("it has %d clients", n)
	}
	s.mu.Unlock()
	all := NewServers(ServersConfig{})
	begun := 0
	for i := range 2 * maxServers {
		if all.begin(fmt.Sprint(i)) {
			begun++
		}
	}
	if begun != maxServers || all.begin("0") {
		t.Errorf("%d are heard", begun)
	}
}

// TestTheNewestDenialsAreKept, and no more than screens show.
func TestTheNewestDenialsAreKept(t *testing.T) {
	s := NewServers(ServersConfig{})
	var want []*review
	for i := range 2*maxReviews + 1 {
		want = append(want, s.note(Denied{nil, proc.ID{PID: i}, agents.ServerDenial{}, time.Now()}))
	}
	if !slices.Equal(s.reviews, want[maxReviews+1:]) {
		t.Errorf("%d are kept", len(s.reviews))
	}
}

// TestADenialIsReviewedAgainIfItCanBeKept: one that is too long is told all the same.
func TestADenialIsReviewedAgainIfItCanBeKept(t *testing.T) {
	d := Denied{Server: &agents.Server{Agent: "codex", Address: "unix:///run/s"}}
	d.Text = "touch a"
	for d.Event = "x"; len(d.Call().Review) < longestReview; {
		d.Event += strings.Repeat("x", longestReview-len(d.Call().Review))
	}
	if got := d.Call(); len(got.Review) != longestReview || got.Text != d.Text {
		t.Errorf("%d bytes are kept", len(got.Review))
	}
	d.Event += "x"
	if got := d.Call(); got.Review != "" || got.Text != d.Text {
		t.Errorf("%d bytes are kept of one that is too long", len(got.Review))
	}
}
