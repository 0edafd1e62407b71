package fleet

import (
	"slices"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect/screen"
	"nod/nudge"
)

// TestAwayIsSaidAndComesBackAsAReminder: after 15 s without a heartbeat nothing is answered there; on return the same prompt is the same nudge.
func TestAwayIsSaidAndComesBackAsAReminder(t *testing.T) {
	cut := false
	inBubble(t, func(wire, _ int, _ []byte) fault {
		if cut {
			return fault{}
		}
		return fault{copy: 1}
	}, func(p *pair) {
		p.ask("%1", "make a")
		p.until("it is told", func() bool { return p.waits("make a") != "" })
		time.Sleep(20 * time.Second)
		id := p.waits("make a")
		before, _, _ := p.Find(id)
		p.turn(func() { cut = true })
		time.Sleep(time.Second) // what was on its way has come
		time.Sleep(time.Until(p.Machines()[0].Heard.Add(14 * time.Second)))
		if n, _, _ := p.Find(id); !n.Away.IsZero() {
			t.Error("away before 15 s without a heartbeat")
		}
		time.Sleep(10 * time.Second)
		if n, _, _ := p.Find(id); n.Away.IsZero() {
			t.Fatal("not away after 24 s without a heartbeat")
		}
		if v := p.answer(id, screen.Approve); v.Kind != nudge.Rejected || v.Reason != deliver.Away {
			t.Errorf("an answer to a machine that is away: %s %s", v.Kind, v.Reason)
		}
		if m := p.Machines()[0]; m.Away.IsZero() || m.Agents != 1 {
			t.Errorf("%+v", m)
		}
		p.turn(func() { cut = false })
		p.until("it is back", func() bool { n, _, _ := p.Find(id); return n.Away.IsZero() })
		after, _, _ := p.Find(id)
		if after.State != nudge.Pending || after.Number != before.Number || p.waits("make a") != id {
			t.Errorf("the same prompt is another nudge: %+v", after.State)
		}
		if v := p.answer(id, screen.Approve); v.Kind != nudge.Taken {
			t.Errorf("an answer after the return: %s %s", v.Kind, v.Reason)
		}
		p.until("the key is typed", func() bool { return len(p.typedInto("%1", "make a")) == 1 })
	})
}

// TestALostHeartbeatIsNoAbsence: both ends tell every five seconds that they live, so that a machine stays there though each second word
// of it is lost.
func TestALostHeartbeatIsNoAbsence(t *testing.T) {
	up, down := []time.Time{}, []time.Time{}
	inBubble(t, func(_, _ int, data []byte) fault {
		f, err := decode(data)
		switch {
		case err != nil || f.Beat == nil:
		case f.Beat.At == 0:
			down = append(down, time.Now())
		default:
			up = append(up, time.Now())
			return fault{copy: len(up) % 2}
		}
		return fault{copy: 1}
	}, func(p *pair) {
		time.Sleep(time.Minute)
		p.turn(func() {
			for way, beats := range map[string][]time.Time{"the machine": up, "the hub": down} {
				for i := range beats[1:] {
					if quiet := beats[i+1].Sub(beats[i]); quiet > 5*time.Second {
						t.Errorf("%s says nothing for %s", way, quiet)
					}
				}
				if len(beats) < 11 {
					t.Errorf("%s says %d times in a minute that it lives", way, len(beats))
				}
			}
		})
		p.base.mu.Lock()
		defer p.base.mu.Unlock()
		if want := []string{"gpu1 away false, 0 waiting"}; !slices.Equal(p.aways, want) {
			t.Errorf("%q, want %q", p.aways, want)
		}
	})
}

// TestWhatWasAnsweredWhileAwayIsClosed, and nothing is told of it again.
func TestWhatWasAnsweredWhileAwayIsClosed(t *testing.T) {
	for _, how := range []fault{{name: "nothing arrives"}, {name: "another run of the edge", cut: true}} {
		t.Run(how.name, func(t *testing.T) { answeredWhileAway(t, how) })
	}
}

func answeredWhileAway(t *testing.T, how fault) {
	cut := false
	inBubble(t, func(wire, _ int, _ []byte) fault {
		if cut {
			return how
		}
		return fault{copy: 1}
	}, func(p *pair) {
		p.ask("%1", "make a")
		p.until("it is told", func() bool { return p.waits("make a") != "" })
		id := p.waits("make a")
		time.Sleep(20 * time.Second)
		p.turn(func() { cut = true })
		time.Sleep(30 * time.Second)
		p.ground.mu.Lock()
		p.panes["%1"].prompt = ""
		p.ground.mu.Unlock()
		time.Sleep(30 * time.Second)
		p.turn(func() { cut = false })
		p.until("it is over", func() bool { n, _, _ := p.Find(id); return n.State == nudge.Recovered })
		time.Sleep(20 * time.Second)
		p.base.mu.Lock()
		defer p.base.mu.Unlock()
		if want := []string{"gpu1 away false, 1 waiting", "gpu1 away true, 1 waiting", "gpu1 away false, 0 waiting"}; !slices.Equal(p.aways, want) {
			t.Errorf("%q, want %q", p.aways, want)
		}
	})
}

// TestAMachineThatIsAwayForDaysIsSaidToBe: a time of day alone would be taken for today's.
func TestAMachineThatIsAwayForDaysIsSaidToBe(t *testing.T) {
	hub := NewHub(HubConfig{})
	hub.Add("gpu1")
	for _, since := range []time.Time{time.Now(), time.Now().Add(-72 * time.Hour)} {
		m := hub.machines["gpu1"]
		m.heard, m.away = since, since
		want := "gpu1 has been away since " + since.Local().Format("15:04")
		if time.Since(since) > time.Hour {
			want += since.Local().Format(" on 2 Jan")
		}
		if got := hub.Health(); len(got) != 1 || got[0] != want+"." {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
