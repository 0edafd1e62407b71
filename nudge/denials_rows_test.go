package nudge

import (
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/internal/reason"
	"nod/nudge/grant"
)

// TestADeniedCallIsDecidedOnce: no decision is accepted about a row that does not exist, can't be allowed,
// was decided before, or was not shown in full, or about a message that is over. Such a decision changes no
// call.
func TestADeniedCallIsDecidedOnce(t *testing.T) {
	ann := Person{Name: "Ann"}
	for name, c := range map[string]struct {
		row  int
		do   func(*Denials)
		want deliver.Reason
	}{
		"no row":      {-1, nil, deliver.NotFound},
		"beyond":      {2, nil, deliver.NotFound},
		"far beyond":  {99, nil, deliver.NotFound},
		"flawed":      {1, func(d *Denials) { d.Calls[1].Flaw = reason.Why{Kind: reason.DenialCut} }, deliver.NoKey},
		"allowed":     {1, func(d *Denials) { d.Allow(1, d.Fingerprint(1), ann, noonToday) }, deliver.Answered},
		"left":        {1, func(d *Denials) { d.Leave(1, ann) }, deliver.Answered},
		"over":        {1, func(d *Denials) { d.Escape(noonToday, noonToday) }, deliver.Expired},
		"as it was":   {1, nil, ""},
		"another row": {1, func(d *Denials) { d.Allow(0, d.Fingerprint(0), ann, noonToday) }, ""},
	} {
		d := NewDenials("k3f", look(), noonToday)
		for _, command := range []string{"a", "b"} {
			call := grant.Call{Session: "s", Tool: "Bash", Input: command}
			d.Deny(Blocked{Call: call, Text: command}, noonToday)
		}
		if c.do != nil {
			c.do(d)
		}
		shown := ""
		if c.row >= 0 && c.row < len(d.Calls) {
			shown = d.Fingerprint(c.row)
		}
		left, allowed := *d, *d
		left.Calls, allowed.Calls = append([]Denial(nil), d.Calls...), append([]Denial(nil), d.Calls...)
		if got, _ := left.Leave(c.row, ann); got != c.want {
			t.Errorf("%s: left: %q, want %q", name, got, c.want)
		}
		if got, _ := allowed.Allow(c.row, shown, ann, noonToday); got != c.want {
			t.Errorf("%s: allowed: %q, want %q", name, got, c.want)
		}
		if c.want == deliver.NotFound {
			left.Said(c.row, "")
			if again := left.Again(c.row); again != "" {
				t.Errorf("%s: the agent is told %q", name, again)
			}
		}
		if c.want == "" {
			for shown, want := range map[string]deliver.Reason{"": deliver.NeedsConfirmation, "of another": deliver.Changed} {
				if got, _ := d.Allow(c.row, shown, ann, noonToday); got != want {
					t.Errorf("%s, shown as %q: %q, want %q", name, shown, got, want)
				}
			}
		}
	}
}

// TestAStepOfTheClockMovesWhatDenialsWaitFor: their end, their waiting hooks, and the grants.
func TestAStepOfTheClockMovesWhatDenialsWaitFor(t *testing.T) {
	d := NewDenials("k3f", look(), noonToday)
	for _, command := range []string{"a", "b"} {
		d.Deny(Blocked{Call: grant.Call{Session: "s", Tool: "Bash", Input: command}, Text: command}, noonToday)
	}
	d.Allow(0, d.Fingerprint(0), Person{Name: "Ann"}, noonToday)
	d.Calls[1].Held = noonToday.Add(time.Minute)
	due, until := d.Due, d.Calls[0].Grant.Until
	d.Shift(time.Hour)
	if got := d.Due.Sub(due); got != time.Hour {
		t.Errorf("the end moved by %s", got)
	}
	if got := d.Calls[0].Grant.Until.Sub(until); got != time.Hour || !d.Calls[0].Held.IsZero() {
		t.Errorf("the grant moved by %s; held until %s", got, d.Calls[0].Held)
	}
	if got := d.Calls[1].Held; !got.Equal(noonToday.Add(time.Minute + time.Hour)) {
		t.Errorf("held until %s", got)
	}
}

// TestOnlyACallThatIsKnownWholeIsAllowed if the agent's own list must show the call.
func TestOnlyACallThatIsKnownWholeIsAllowed(t *testing.T) {
	for name, c := range map[string]struct {
		agent  string
		call   detect.DeniedCall
		taking Taking
		flaw   reason.Kind
	}{
		"whole":                   {"codex", detect.DeniedCall{Text: "touch a"}, OnList, ""},
		"cut":                     {"codex", detect.DeniedCall{Text: "touch a", Cut: true}, OnList, reason.DenialCut},
		"no command":              {"codex", detect.DeniedCall{Text: "a", Verb: "edit"}, OnList, reason.DenialUnlisted},
		"two lines":               {"codex", detect.DeniedCall{Text: "touch a\ntouch b"}, OnList, reason.DenialUnlisted},
		"told by its server":      {"codex", detect.DeniedCall{Text: "touch a\ntouch b", Review: "r"}, ByServer, ""},
		"an agent without a list": {"claude", detect.DeniedCall{Text: "touch a"}, ByWords, ""},
	} {
		s := look()
		s.Agent = c.agent
		if b := BlockedBy(s, c.call); b.Taking != c.taking || b.Flaw.Kind != c.flaw {
			t.Errorf("%s: by %v, flaw %q", name, b.Taking, b.Flaw.Kind)
		}
	}
}

// TestAGrantBeginsOnce, and never after its message is over.
func TestAGrantBeginsOnce(t *testing.T) {
	for _, over := range []bool{false, true} {
		d := NewDenials("k3f", look(), noonToday)
		d.Deny(Blocked{Call: grant.Call{Input: "a"}, Text: "a", Taking: OnList}, noonToday)
		d.Allow(0, d.Fingerprint(0), Person{Name: "Ann"}, noonToday)
		if over {
			d.Ended = noonToday
		}
		for _, first := range []bool{true, false} {
			if began := d.Begin(0, noonToday); began != (first && !over) {
				t.Errorf("over %t, first %t: it began %t", over, first, began)
			}
		}
	}
}
