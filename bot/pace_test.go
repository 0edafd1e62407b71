package bot

import (
	"testing"
	"time"
)

// shop is a server that takes a call each gap, and one at once for every burst.
type shop struct {
	gap   time.Duration
	burst int
	turn  time.Time
}

func (s *shop) takes(now time.Time) bool {
	if now.Before(s.turn.Add(-time.Duration(s.burst-1) * s.gap)) {
		return false
	}
	if s.turn.Before(now) {
		s.turn = now
	}
	s.turn = s.turn.Add(s.gap)
	return true
}

// TestPaceFindsTheServers: n messages, each after a way of some length, against servers of any pace.
func TestPaceFindsTheServers(t *testing.T) {
	for _, c := range []struct {
		name    string
		server  shop
		way     func(i int) time.Duration
		n       int
		refused int
		within  time.Duration
	}{
		{"documented", shop{gap: time.Second, burst: 5}, still, 40, 0, 38 * time.Second},
		{"one a second", shop{gap: time.Second, burst: 1}, still, 40, 1, 42 * time.Second},
		{"one a second, a way that varies", shop{gap: time.Second, burst: 1}, varying, 40, 2, 70 * time.Second},
		{"one in three seconds", shop{gap: 3 * time.Second, burst: 1}, still, 100, 16, 400 * time.Second},
		{"no limit", shop{}, still, 40, 0, 38 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			var p pace
			begin, now, refused := noon, noon, 0
			for i := 0; i < c.n; {
				if wait := p.wait(false, now); wait > 0 {
					now = now.Add(wait)
				}
				p.begin(false, now)
				way := c.way(i + refused)
				ok := c.server.takes(now.Add(way))
				now = now.Add(2 * way)
				if !ok {
					refused++
					p.refuse(false, time.Second, now)
					continue
				}
				p.passed(false, now)
				i++
			}
			if took := now.Sub(begin); refused > c.refused || took > c.within {
				t.Errorf("%d refused, %v for %d messages", refused, took, c.n)
			}
		})
	}
}

func still(int) time.Duration     { return 0 }
func varying(i int) time.Duration { return time.Duration(i%7) * 50 * time.Millisecond }

func TestPaceOfEdits(t *testing.T) {
	var p pace
	p.begin(false, noon)
	p.begin(false, noon)
	p.begin(false, noon)
	if wait := p.wait(false, noon); wait != time.Second {
		t.Errorf("a fourth message waits %v", wait)
	}
	if wait := p.wait(true, noon); wait > 0 {
		t.Errorf("an edit waits %v for messages", wait)
	}
	p.passed(true, noon)
	if wait := p.wait(true, noon); wait != editGap {
		t.Errorf("the next edit waits %v", wait)
	}
	p.refuse(true, 7*time.Second, noon)
	later := noon.Add(7 * time.Second)
	if a, b := p.wait(true, noon), p.wait(false, noon); a != 7*time.Second || b != a {
		t.Errorf("after a refusal an edit waits %v and a message %v", a, b)
	}
	p.begin(true, later)
	p.passed(true, later)
	if wait := p.wait(false, later); wait != time.Second {
		t.Errorf("a message waits %v for an edit that counts", wait)
	}
	calm := later.Add(forgiven)
	p.begin(false, calm)
	if a, b := p.wait(true, calm), p.wait(false, calm); a > 0 || b > 0 {
		t.Errorf("long after a refusal an edit waits %v and a message %v", a, b)
	}
}

var noon = time.Date(2026, 11, 20, 14, 32, 11, 0, time.UTC)
