package fleet

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/detect"
)

// TestVersionsOneApartUnderstandEachOther, and of others it is said which to update.
func TestVersionsOneApartUnderstandEachOther(t *testing.T) {
	for _, c := range []struct {
		hub, edge int
		says      string
	}{{3, 3, ""}, {3, 2, ""}, {3, 4, ""}, {3, 1, "update nod there"}, {3, 5, "update nod here"}} {
		if got := apart(c.hub, c.edge, "1.2", "1.4"); c.says == "" && got != "" || !strings.Contains(got, c.says) {
			t.Errorf("%d and %d: %q", c.hub, c.edge, got)
		}
	}
}

// TestEachEndRefusesAReleaseTooFarAway, whichever of the two is the newer one; with the next release it speaks.
func TestEachEndRefusesAReleaseTooFarAway(t *testing.T) {
	for _, c := range []struct {
		protocol int
		says     string
	}{{Protocol - 2, "too old"}, {Protocol - 1, ""}, {Protocol + 1, ""}, {Protocol + 2, "too new"}} {
		h, w := NewHub(HubConfig{}), newWire(nil)
		h.Add("gpu1")
		m := h.machines["gpu1"]
		m.nonce = "n"
		err := h.takeHello(t.Context(), m, w.hub, "boot", hello{Protocol: c.protocol, Version: "v9", Nonce: "n"})
		told := len(w.edge.in) == 1 // the edge is told why
		if refused := c.says != ""; refused != (err != nil && strings.Contains(err.Error(), c.says)) || refused != told || refused != (m.boot == "") {
			t.Errorf("the hub and an edge of %d: %v, told %t, spoken with as %q", c.protocol, err, told, m.boot)
		}
		g := newGround(t)
		claims := g.open(t)
		e := g.asking(claims, func() string { return Full })
		err = e.greet(t.Context(), w.edge, greet{Protocol: c.protocol, Version: "v9", Nonce: "n"})
		if refused := c.says != ""; refused != (err != nil && strings.Contains(err.Error(), "update nod")) || refused == e.isGreeted() {
			t.Errorf("the edge and a hub of %d: %v, greeted %t", c.protocol, err, e.isGreeted())
		}
		if err := claims.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWhatWasProvenIsToldHoweverSlowTheLinkIs: an event proves something at one look alone.
func TestWhatWasProvenIsToldHoweverSlowTheLinkIs(t *testing.T) {
	g := newGround(t)
	g.ask("%1", "make a")
	o := newOutbox(nil)
	o.see(g.pane("%1").sighting())
	o.deltas()
	g.panes["%1"].prompt = ""
	s := g.pane("%1").sighting()
	s.Proof = "approved"
	o.see(s)
	s.Proof = ""
	o.see(s)
	frames := o.deltas()
	if got := frames[0].Delta.Panes[0]; len(frames) != 1 || got.Proof != "approved" || got.Looks != 2 {
		t.Errorf("told with proof %q after %d looks", got.Proof, got.Looks)
	}
	if o.see(s); len(o.deltas()) > 1 {
		t.Error("a look that repeats what was told is told")
	}
}

// TestSkewIsMeasuredAtHello, and again where somebody sets a clock; the time that a heartbeat takes is no skew.
func TestSkewIsMeasuredAtHello(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHub(HubConfig{See: func(detect.Sighting) {}, Away: func(string, time.Time) {}})
		h.Add("gpu1")
		m := h.machines["gpu1"]
		m.nonce = "n"
		if err := h.takeHello(t.Context(), m, nil, "boot", hello{Protocol: Protocol, Nonce: "n", Clock: time.Now().Add(-time.Hour)}); err != nil {
			t.Fatal(err)
		}
		m.known = true
		for i, c := range []struct{ behind, want time.Duration }{{time.Hour + time.Second, time.Hour}, {-time.Minute, -time.Minute}} {
			if got := h.Machines()[0].Skew; i == 0 && got != time.Hour {
				t.Errorf("at the hello it is %v", got)
			}
			if err := h.takeBeat(t.Context(), m, nil, beat{At: time.Duration(i+1) * beatEvery, Clock: time.Now().Add(-c.behind)}); err != nil {
				t.Fatal(err)
			}
			if got := h.Machines()[0].Skew; got != c.want {
				t.Errorf("with a clock %v behind it is %v", c.behind, got)
			}
		}
	})
}
