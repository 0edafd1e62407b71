package nudge

import (
	"slices"
	"strings"
	"testing"
	"time"

	"nod/detect"
	"nod/nudge/grant"
)

var ann = Person{Name: "Ann"}

// allowed returns denials of calls, the first of which Ann allowed at noon.
func allowed(calls ...Blocked) *Denials {
	d := NewDenials("k3f", look(), noonToday)
	for _, b := range calls {
		d.Deny(b, noonToday)
	}
	d.Allow(0, d.Fingerprint(0), ann, noonToday)
	return d
}

// TestACallThatRanIsDecidedAgain: its next denial in the same turn is news, and no grant is left for it.
func TestACallThatRanIsDecidedAgain(t *testing.T) {
	d, ls := allowed(blocked("ls")), blocked("ls").Call.Sum()
	if call, what := d.Before(ls, noonToday); call != 0 || what != Lets {
		t.Fatalf("an allowed call: %d, %q", call, what)
	}
	d.Said(0, "")
	if state := d.Calls[0].Grant.State; state != grant.Used {
		t.Errorf("its hook has said so: %s", state)
	}
	if call, open := d.Deny(blocked("ls"), noonToday); call != 1 || !open || d.Calls[1].Count != 1 || d.Calls[0].Count != 1 {
		t.Errorf("denied again: row %d, to be decided: %t", call, open)
	}
	if call, what := d.Before(ls, noonToday); call != -1 || what != "" {
		t.Errorf("the second denial: %d, %q", call, what)
	}
}

// TestACallThatWasLeftIsStopped in its turn, while the message lasts, and no other call is.
func TestACallThatWasLeftIsStopped(t *testing.T) {
	ls, pwd := blocked("ls").Call.Sum(), blocked("pwd").Call.Sum()
	for name, c := range map[string]struct {
		change func(*Denials)
		stops  bool
	}{
		"in its turn":         {func(*Denials) {}, true},
		"in the next one":     {func(d *Denials) { d.TurnOver = true }, false},
		"the message is over": {func(d *Denials) { d.Ended = noonToday }, false},
	} {
		d := NewDenials("k3f", look(), noonToday)
		d.Deny(blocked("pwd"), noonToday)
		d.Deny(blocked("ls"), noonToday)
		d.Leave(1, ann)
		c.change(d)
		if call, what := d.Before(ls, noonToday); (what == Stops) != c.stops || (call == 1) != c.stops {
			t.Errorf("%s: %d, %q", name, call, what)
		}
		if call, what := d.Before(pwd, noonToday); call != -1 || what != "" {
			t.Errorf("%s: another call: %d, %q", name, call, what)
		}
		if got := slices.Contains(d.Decided(), ls); got != c.stops || slices.Contains(d.Decided(), pwd) {
			t.Errorf("%s: decided are %q", name, d.Decided())
		}
	}
}

// TestWhatIsAllowedIsDecided until its grant is taken or the message is over.
func TestWhatIsAllowedIsDecided(t *testing.T) {
	d := allowed(blocked("ls"))
	if !slices.Equal(d.Decided(), []string{blocked("ls").Call.Sum()}) {
		t.Errorf("decided are %q", d.Decided())
	}
	over := *d
	if over.Ended = noonToday; len(over.Decided()) > 0 {
		t.Errorf("once it is over, decided are %q", over.Decided())
	}
	if d.Before(blocked("ls").Call.Sum(), noonToday); len(d.Decided()) > 0 {
		t.Errorf("once it is taken, decided are %q", d.Decided())
	}
}

// TestOnlyATakenGrantAsks: the dialog about a call is answered only if its hook has told the agent to ask.
func TestOnlyATakenGrantAsks(t *testing.T) {
	d := allowed(blocked("ls"))
	if d.Said(0, "the dialog"); d.Calls[0].Asks != "" || d.Calls[0].Grant.State != grant.Open {
		t.Errorf("a grant that nobody took: %+v", d.Calls[0].Word)
	}
	d.Before(blocked("ls").Call.Sum(), noonToday)
	if d.Said(0, "the dialog"); d.Calls[0].Asks != "the dialog" || d.Calls[0].Grant.State != grant.Asked {
		t.Errorf("a taken one: %+v", d.Calls[0].Word)
	}
}

// TestAnAgentIsToldToTryAgainInWords where no hook does so, outside of quotes that could be a command's, once.
func TestAnAgentIsToldToTryAgainInWords(t *testing.T) {
	long := strings.Repeat("x", maxInstruction/4)
	call := func(taking Taking, verb, text string) Blocked {
		b := blocked(text)
		b.Taking, b.Verb = taking, verb
		return b
	}
	const again, repeat = "Try the Bash call again that was blocked, exactly as it was, once: I allow it.", "without changing its arguments: I want to decide about it.\n"
	for name, c := range map[string]struct {
		b      Blocked
		change func(*Denials)
		want   string
	}{
		"a command":              {call(ByHook, "", "ls"), nil, "Try this call again, exactly as it was, once: I allow it.\nls"},
		"one that nearly fits":   {call(ByHook, "", long[1:]), nil, "Try this call again, exactly as it was, once: I allow it.\n" + long[1:]},
		"a long one":             {call(ByHook, "", long), nil, again},
		"another tool's":         {call(ByHook, "edit", "a.go"), nil, again},
		"by words":               {call(ByWords, "", "ls"), nil, "Repeat this call exactly, " + repeat + "ls"},
		"another tool's by them": {call(ByWords, "edit", "a.go"), nil, "Repeat exactly the call that was blocked, " + repeat + "a.go"},
		"its hook waits": {call(ByHook, "", "ls"), func(d *Denials) {
			d.Withdraw(0)
			d.Hold(0, noonToday.Add(time.Second))
			d.Allow(0, d.Fingerprint(0), ann, noonToday)
		}, ""},
		"told before":      {call(ByHook, "", "ls"), func(d *Denials) { d.Saying(0) }, ""},
		"outside tmux":     {call(ByHook, "", "ls"), func(d *Denials) { d.Pane.ID = "" }, ""},
		"its grant is up":  {call(ByHook, "", "ls"), func(d *Denials) { d.Pass(noonToday.Add(grant.Lasts)) }, ""},
		"it is taken":      {call(ByHook, "", "ls"), func(d *Denials) { d.Before(blocked("ls").Call.Sum(), noonToday) }, ""},
		"no decision":      {call(ByHook, "", "ls"), func(d *Denials) { d.Withdraw(0) }, ""},
		"words, withdrawn": {call(ByWords, "", "ls"), func(d *Denials) { d.Withdraw(0) }, ""},
	} {
		d := allowed(c.b)
		if c.change != nil {
			c.change(d)
		}
		if got := d.Again(0); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestAnAgentThatRestsIsToldOnceMore, if its hook told it so and the grant is still there.
func TestAnAgentThatRestsIsToldOnceMore(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Denials)
		want   bool
	}{
		"its hook has said so":   {func(d *Denials) { d.EndHold(0, false, false, noonToday) }, true},
		"a person has said so":   {func(d *Denials) { d.Saying(0) }, false},
		"it has tried the call":  {func(d *Denials) { d.EndHold(0, false, false, noonToday); d.Calls[0].Grant.Take(noonToday) }, false},
		"nobody has told it yet": {func(*Denials) {}, false},
	} {
		d := allowed(blocked("ls"))
		c.change(d)
		if got := d.Rest(); got != c.want || got && d.Again(0) == "" || d.Rest() {
			t.Errorf("%s: %t, %+v", name, got, d.Calls[0].Word)
		}
	}
}

// TestWhatAMessageShowsIsDrawnAgain once something about its calls has changed.
func TestWhatAMessageShowsIsDrawnAgain(t *testing.T) {
	ls := blocked("ls").Call.Sum()
	taken := func(d *Denials) { d.Before(ls, noonToday) }
	for name, c := range map[string]struct{ before, change func(*Denials) }{
		"denied":       {nil, func(d *Denials) { d.Deny(blocked("pwd"), noonToday) }},
		"denied again": {nil, func(d *Denials) { d.Deny(blocked("ls"), noonToday) }},
		"hook ends":    {nil, func(d *Denials) { d.EndHold(0, false, false, noonToday) }},
		"allowed":      {func(d *Denials) { d.Withdraw(0) }, func(d *Denials) { d.Allow(0, d.Fingerprint(0), ann, noonToday) }},
		"left":         {func(d *Denials) { d.Withdraw(0) }, func(d *Denials) { d.Leave(0, ann) }},
		"told":         {nil, func(d *Denials) { d.Saying(0) }},
		"rests":        {func(d *Denials) { d.EndHold(0, false, false, noonToday) }, func(d *Denials) { d.Rest() }},
		"taken":        {nil, taken},
		"said":         {taken, func(d *Denials) { d.Said(0, "") }},
		"asked":        {taken, func(d *Denials) { d.Said(0, "the dialog") }},
		"late":         {nil, func(d *Denials) { d.Pass(noonToday.Add(grant.Lasts)) }},
		"over":         {nil, func(d *Denials) { d.Orphan(func(detect.Whereabouts) bool { return false }, noonToday) }},
	} {
		d := allowed(blocked("ls"))
		if name == "over" {
			d.Pane.ID = ""
		}
		if c.before != nil {
			c.before(d)
		}
		drawn := d.Drawn
		if c.change(d); d.Drawn == drawn {
			t.Errorf("%s: the message stays as it is", name)
		}
	}
}
