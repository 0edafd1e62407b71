package nudge

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"nod/detect"
	"nod/internal/reason"
	"nod/nudge/grant"
)

func blocked(command string) Blocked {
	return Blocked{Call: grant.Call{Session: "s", Tool: "Bash", Input: command}, Text: command}
}

// TestAMessageTakesTheDeniedCallsOfOneTurnOfOneAgent, and only so many.
func TestAMessageTakesTheDeniedCallsOfOneTurnOfOneAgent(t *testing.T) {
	for name, c := range map[string]struct {
		change func(d *Denials, s *detect.Sighting)
		want   bool
	}{
		"its agent in its turn": {func(*Denials, *detect.Sighting) {}, true},
		"one more has room": {func(d *Denials, _ *detect.Sighting) {
			for n := range maxDenials - 1 {
				d.Deny(blocked(fmt.Sprint(n)), noonToday)
			}
		}, true},
		"there is no room": {func(d *Denials, _ *detect.Sighting) {
			for n := range maxDenials {
				d.Deny(blocked(fmt.Sprint(n)), noonToday)
			}
		}, false},
		"another pane":    {func(_ *Denials, s *detect.Sighting) { s.Pane.ID = "%2" }, false},
		"another process": {func(_ *Denials, s *detect.Sighting) { s.Process.PID++ }, false},
		"the pid reused":  {func(_ *Denials, s *detect.Sighting) { s.Process.Start++ }, false},
		"the next turn":   {func(d *Denials, _ *detect.Sighting) { d.TurnOver = true }, false},
		"it is over":      {func(d *Denials, _ *detect.Sighting) { d.Ended = noonToday }, false},
	} {
		d, s := NewDenials("k3f", look(), noonToday), look()
		c.change(d, &s)
		if got := d.Takes(s); got != c.want {
			t.Errorf("%s: taken is %v", name, got)
		}
	}
}

// TestACallThatWasLeftDeniedIsAskedAgainInTheNextTurn alone; within the turn its denial repeats what a supervisor has decided.
func TestACallThatWasLeftDeniedIsAskedAgainInTheNextTurn(t *testing.T) {
	d, sum := NewDenials("k3f", look(), noonToday), blocked("ls").Call.Sum()
	d.Deny(blocked("pwd"), noonToday) // its message goes on
	d.Deny(blocked("ls"), noonToday)
	d.Leave(1, Person{Name: "Ann"})
	if !d.Shows(sum) {
		t.Error("the call asks again in the turn in which it was left denied")
	}
	d.EndTurn(noonToday.Add(time.Second))
	if d.Shows(sum) {
		t.Error("the call does not ask again in the next turn")
	}
}

// TestACallThatCantBeAllowedHoldsNoMessageOpen: nobody can decide about it.
func TestACallThatCantBeAllowedHoldsNoMessageOpen(t *testing.T) {
	d, flawed := NewDenials("k3f", look(), noonToday), blocked("ls")
	flawed.Flaw = reason.Why{Kind: reason.DenialCut}
	d.Deny(flawed, noonToday)
	if d.EndTurn(noonToday); d.Ended.IsZero() {
		t.Error("the turn is over, and the message is not")
	}
}

// TestAHookActsOnlyForAnOpenGrant: it is told to let its call run, or to have it tried again, only while a supervisor's tap still counts, and
// each time that it is not, the same is recorded.
func TestAHookActsOnlyForAnOpenGrant(t *testing.T) {
	ann := Person{Name: "Ann"}
	allow := func(d *Denials) { d.Allow(0, d.Fingerprint(0), ann, noonToday) }
	for name, c := range map[string]struct {
		before func(*Denials)
		gone   bool
		after  time.Duration
		runs   bool // the call, where its hook lets it run itself
		again  bool // it is tried, where the hook tells the agent so
	}{
		"nobody has decided":     {before: func(*Denials) {}},
		"it was left denied":     {before: func(d *Denials) { d.Leave(0, ann) }},
		"it is allowed":          {before: allow, runs: true, again: true},
		"its hook has ended":     {before: allow, gone: true},
		"the message is over":    {before: func(d *Denials) { allow(d); d.Ended = noonToday }},
		"it has been taken":      {before: func(d *Denials) { allow(d); d.Calls[0].Grant.Take(noonToday) }},
		"the ten minutes are up": {before: allow, after: grant.Lasts, again: true},
	} {
		for lets, want := range map[bool]bool{true: c.runs, false: c.again} {
			d := NewDenials("k3f", look(), noonToday)
			d.Deny(blocked("ls"), noonToday)
			c.before(d)
			d.Hold(0, noonToday.Add(time.Hour))
			if got := d.EndHold(0, lets, c.gone, noonToday.Add(c.after)); got != want || d.Calls[0].Told != want || !d.Calls[0].Held.IsZero() {
				t.Errorf("%s (its hook lets it run: %v): %v, %+v", name, lets, got, d.Calls[0].Word)
			}
		}
	}
}

// TestAHookRingsWhileItWaitsForSomebody, and none after a crash.
func TestAHookRingsWhileItWaitsForSomebody(t *testing.T) {
	d := NewDenials("k3f", look(), noonToday)
	d.Deny(blocked("ls"), noonToday)
	d.Deny(blocked("pwd"), noonToday)
	if d.Rings(noonToday) || d.Release() {
		t.Error("a hook waits that nobody held")
	}
	d.Hold(0, noonToday.Add(time.Minute))
	if !d.Rings(noonToday) || d.Rings(noonToday.Add(time.Minute)) {
		t.Error("it rings for as long as its hook waits, and no longer")
	}
	d.Leave(0, Person{Name: "Ann"})
	if d.Rings(noonToday) {
		t.Error("it rings for what somebody has decided")
	}
	drawn := d.Drawn
	if !d.Release() || d.Drawn == drawn || d.Release() {
		t.Error("that no hook waits any more is not told, or twice")
	}
}

// TestALongDeniedCallIsCut in whole characters, and says so: it is allowed by nobody who has not asked for the rest.
func TestALongDeniedCallIsCut(t *testing.T) {
	for _, long := range []int{maxDenied - 5, maxDenied - 4, maxDenied, maxDenied + 1, 2 * maxDenied} {
		d := NewDenials("k3f", look(), noonToday)
		b := blocked("ls")
		b.Text = strings.Repeat("ü", long/2) + strings.Repeat("x", long%2)
		d.Deny(b, noonToday)
		c := d.Calls[0]
		if cut := len(c.Text) < len(b.Text); cut && !c.Cut() || c.Cut() != (long >= maxDenied-4) || len(c.Text) > maxDenied || !utf8.ValidString(c.Text) || !strings.HasPrefix(b.Text, c.Text) {
			t.Errorf("of %d bytes %d are kept; cut: %v", len(b.Text), len(c.Text), c.Cut())
		}
	}
}

// TestAMessageThatIsOverShowsNoCall: the same call denied again is news.
func TestAMessageThatIsOverShowsNoCall(t *testing.T) {
	d := NewDenials("k3f", look(), noonToday)
	d.Deny(blocked("ls"), noonToday)
	if d.Ended = noonToday; d.Shows(blocked("ls").Call.Sum()) {
		t.Error("it shows a call")
	}
}
