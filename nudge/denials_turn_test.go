package nudge

import (
	"fmt"
	"testing"
	"time"

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
