package detect

import (
	"testing"
	"time"

	"nod/internal/host/tmux"
)

// TestAllIsListedNowAndThen polls as often as it takes: what a poll may go by of the one before ends by itself.
func TestAllIsListedNowAndThen(t *testing.T) {
	t.Parallel()
	s := &serverWatcher{}
	s.allCaptured = time.Now()
	s.listing = tmux.Listing{Taken: time.Now()}
	for round := range 3 {
		for range listAllEvery - 1 {
			if s.lastListing(true).Taken.IsZero() {
				t.Fatalf("round %d: a poll lists all too soon", round)
			}
			if s.lastListing(false).Taken.IsZero() {
				t.Fatalf("round %d: a look at one pane lists all", round)
			}
		}
		if !s.lastListing(true).Taken.IsZero() {
			t.Fatalf("round %d: %d polls listed nothing whole", round, listAllEvery)
		}
	}
	s.urgent = map[string]*urgentLook{"%1": {}}
	if !s.lastListing(false).Taken.IsZero() {
		t.Error("a look at a pane that is not watched goes by the listing before")
	}
}

func TestAClockThatWasSetBackIsSeen(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		byClock, took time.Duration
		want          bool
	}{
		{time.Second, time.Second, false},
		{990 * time.Millisecond, time.Second, false},
		{time.Hour, time.Second, false}, // set forth, or the machine slept
		{-time.Hour, time.Second, true},
		{500 * time.Millisecond, time.Second, true},
	} {
		if got := steppedBack(tt.byClock, tt.took); got != tt.want {
			t.Errorf("%v by the clock in %v: %v", tt.byClock, tt.took, got)
		}
	}
}
