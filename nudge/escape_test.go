package nudge

import (
	"fmt"
	"testing"
	"time"

	"nod/detect/screen"
	"nod/internal/reason"
	"nod/nudge/grant"
)

// TestWhatADecisionAtTheTerminalEnds: what may still be decided about the calls that were denied before it; all of
// it, once no screen can show the turn again.
func TestWhatADecisionAtTheTerminalEnds(t *testing.T) {
	later := noonToday.Add(time.Minute)
	for name, c := range map[string]struct {
		turn string
		over bool
		at   time.Time
		want string // ended, changed, which may be decided
	}{
		"before the second":         {"", false, noonToday, "false true false true"},
		"after both":                {"", false, later, "true true false false"},
		"in a turn that goes on":    {"t1", false, later, "false true false false"},
		"after the turn":            {"t1", true, later, "true true false false"},
		"before both":               {"t1", true, noonToday.Add(-1), "false false true true"},
		"after a turn, before both": {"", false, noonToday.Add(-1), "false false true true"},
	} {
		d := NewDenials("k3f", look(), noonToday)
		d.Turn = c.turn
		d.Deny(blocked("a"), noonToday)
		d.Deny(blocked("b"), later)
		d.TurnOver = c.over
		drawn := d.Drawn
		changed := d.Escape(c.at, later)
		if got := fmt.Sprint(!d.Ended.IsZero(), changed, d.Open(0), d.Open(1)); got != c.want || (d.Drawn > drawn) != changed {
			t.Errorf("%s: %s, drawn %d times; want %s", name, got, d.Drawn-drawn, c.want)
		}
		drawn = d.Drawn
		if d.Escape(c.at, later) || d.Drawn != drawn {
			t.Errorf("%s: once more, it changes something", name)
		}
	}
}

// TestADecisionAtTheTerminalIsTheLastWord: the agent is not told to try again what it was to ask about, and what was
// left denied stays so.
func TestADecisionAtTheTerminalIsTheLastWord(t *testing.T) {
	for name, change := range map[string]func(*Denials){
		"asked in words": func(d *Denials) {
			d.Calls[0].Taking = ByWords
			d.Allow(0, d.Fingerprint(0), Person{Name: "Ann"}, noonToday)
			d.Leave(1, Person{Name: "Ann"})
		},
		"not decided": func(d *Denials) { d.Leave(1, Person{Name: "Ann"}) },
	} {
		d := NewDenials("k3f", look(), noonToday)
		d.Turn = "t1"
		d.Deny(blocked("a"), noonToday)
		d.Deny(blocked("b"), noonToday)
		change(d)
		if !d.Escape(noonToday, noonToday) || d.Again(0) != "" || !d.Calls[1].Left || !d.Calls[1].Flaw.IsZero() {
			t.Errorf("%s: the agent is told %q; %+v", name, d.Again(0), d.Calls[1])
		}
	}
}

// TestAStopByNodsOwnNoIsNobodysAtTheTerminal: the agent logs it within seconds.
func TestAStopByNodsOwnNoIsNobodysAtTheTerminal(t *testing.T) {
	for name, c := range map[string]struct {
		decision screen.Decision
		after    time.Duration
		want     bool
	}{
		"a no":             {screen.Deny, 0, true},
		"a no, soon after": {screen.Deny, stopping - 1, true},
		"a no, later":      {screen.Deny, stopping, false},
		"before the no":    {screen.Deny, -1, false},
		"an option":        {"", 0, true},
		"a yes":            {screen.Approve, 0, false},
	} {
		n := in(Delivered)
		n.Claim.Decision = c.decision
		if got := n.RefusedBefore(n.Claim.At.Add(c.after)); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	if in(Pending).RefusedBefore(noon) {
		t.Error("nobody has answered")
	}
}

// TestARepeatedDenialIsOneRow while nobody has decided, while it is left in its turn, and while its grant is open.
func TestARepeatedDenialIsOneRow(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Denials)
		want   int // rows
	}{
		"undecided":             {func(*Denials) {}, 2},
		"allowed":               {func(d *Denials) { d.Allow(0, d.Fingerprint(0), Person{Name: "Ann"}, noonToday) }, 2},
		"left":                  {func(d *Denials) { d.Leave(0, Person{Name: "Ann"}) }, 2},
		"left in another turn":  {func(d *Denials) { d.Leave(0, Person{Name: "Ann"}); d.TurnOver = true }, 3},
		"allowed, and it ran":   {func(d *Denials) { d.Calls[0].Grant.State = grant.Used }, 3},
		"it can't be allowed":   {func(d *Denials) { d.Calls[0].Flaw = reason.Why{Kind: reason.DenialCut} }, 3},
		"allowed, and let pass": {func(d *Denials) { d.Calls[0].Grant.State = grant.Taken }, 3},
	} {
		d := NewDenials("k3f", look(), noonToday)
		d.Deny(blocked("a"), noonToday)
		d.Deny(blocked("b"), noonToday)
		sum := d.Calls[0].Sum
		c.change(d)
		shown := d.Shows(sum)
		if d.Deny(blocked("a"), noonToday); len(d.Calls) != c.want || shown != (c.want == 2) {
			t.Errorf("%s: %d rows, shown %t", name, len(d.Calls), shown)
		}
	}
	d := NewDenials("k3f", look(), noonToday)
	for _, first := range []bool{true, false} {
		if drawn := d.Drawn; d.PassOver() != first || !d.More || (d.Drawn > drawn) != first {
			t.Errorf("first %t: more %t, drawn %d times", first, d.More, d.Drawn-drawn)
		}
	}
}

// TestDenialsThatAreOverLetNothingPass, whatever their grants say; and an end is noted though a grant had ended
// just before.
func TestDenialsThatAreOverLetNothingPass(t *testing.T) {
	d := allowed(blocked("a"))
	d.Ended = noonToday
	if _, what := d.Before(d.Calls[0].Sum, noonToday); what != "" {
		t.Errorf("it %s", what)
	}
	d = allowed(blocked("a"))
	d.Turn, d.Calls[0].Told = "t1", true
	if !d.Pass(d.Due) || d.Calls[0].Grant.State != grant.Expired || d.Pass(d.Due) {
		t.Errorf("its grant is %s", d.Calls[0].Grant.State)
	}
	gone := look()
	gone.State, gone.Pane.ID = screen.Gone, "%2"
	if d.Depart(gone, noonToday) || !d.Ended.IsZero() {
		t.Error("it ends with another pane")
	}
	if !d.Live() {
		t.Error("nothing is left to say, though it is open")
	}
	r := Receipt{Notice: Notice{Kind: Wanted, Place: "42"}, Message: 5, Sent: noonToday}
	if d.Informed(r, 3); len(d.Copies) != 1 || d.Copies[0].Drawn != 3 {
		t.Errorf("its messages: %+v", d.Copies)
	}
	if e := d.Event(CallBlocked, 0, Event{}); e.Kind != CallBlocked || e.Instruction != "k3f" || e.Pane != "%1" || e.Agent != "claude" || e.Subject != d.Calls[0].Text {
		t.Errorf("noted as %+v", e)
	}
}
