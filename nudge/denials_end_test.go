package nudge

import (
	"testing"
	"time"

	"nod/internal/reason"
	"nod/nudge/grant"
)

// TestDenialsEndOnceNothingIsOpen: with the turn, when every call of it is settled, and only once; each of these says whether it changed
// something, since what did not is not written.
func TestDenialsEndOnceNothingIsOpen(t *testing.T) {
	ann := Person{Name: "Ann"}
	made := func() *Denials {
		d := NewDenials("k3f", look(), noonToday)
		for _, command := range []string{"a", "b"} {
			d.Deny(Blocked{Call: grant.Call{Session: "s", Tool: "Bash", Input: command}, Text: command}, noonToday)
		}
		return d
	}
	ended := func(when string, d *Denials, want bool) {
		t.Helper()
		if got := !d.Ended.IsZero(); got != want || want && d.Detail.Kind != reason.DenialTurn {
			t.Errorf("%s: ended %v, %+v", when, got, d.Detail)
		}
	}
	later := noonToday.Add(time.Second)

	d := made()
	if d.Pass(later) {
		t.Error("a second changes what nobody has decided")
	}
	d.Leave(0, ann)
	d.Leave(1, ann)
	if d.Pass(later) {
		t.Error("a second changes a turn that goes on")
	}
	ended("all settled while the turn goes on", d, false)
	if !d.EndTurn(later) {
		t.Error("the end of the turn changes nothing")
	}
	ended("all settled, and the turn over", d, true)
	drawn := d.Drawn
	if d.EndTurn(later.Add(time.Hour)) || d.Pass(later.Add(time.Second)) || !d.Ended.Equal(later) || d.Drawn != drawn {
		t.Errorf("it ended once more, %v after it began", d.Ended.Sub(noonToday))
	}

	for row := range 2 {
		d = made()
		d.Allow(row, d.Fingerprint(row), ann, noonToday)
		if drawn := d.Drawn; !d.Pass(noonToday.Add(grant.Lasts)) || d.Drawn == drawn {
			t.Errorf("that the grant of row %d has ended changes nothing, or is not drawn", row)
		}
		d = made()
		d.Allow(row, d.Fingerprint(row), ann, noonToday)
		d.Leave(1-row, ann)
		if !d.EndTurn(later) || d.EndTurn(later) {
			t.Error("the end of the turn changes nothing, or twice something")
		}
		ended("one is allowed still", d, false)
		d.Pass(noonToday.Add(grant.Lasts))
		ended("its grant has ended", d, true)
	}

	d = made()
	d.end(reason.Why{Kind: reason.AgentExited}, later)
	if d.EndTurn(later) {
		t.Error("the end of the turn changes what has ended")
	}

	d = made()
	if d.Pass(d.Due.Add(-time.Millisecond)) {
		t.Error("it changed before it is due")
	}
	if !d.Pass(d.Due) || d.Pass(d.Due) {
		t.Error("what nobody decided in time changes nothing, or twice something")
	}
}
