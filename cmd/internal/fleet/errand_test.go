package fleet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"nod/cmd/internal/jobs/launch"
	"nod/deliver"
	"nod/internal/testrun"
)

// TestASessionIsBegunAtMostOnce, whatever becomes of the frames: what is said to have begun has, and what was refused never does.
func TestASessionIsBegunAtMostOnce(t *testing.T) {
	t.Parallel()
	for seed := range testrun.Rounds(6, 300) {
		fate := anyFault(rand.New(rand.NewPCG(uint64(seed), 27)))
		inBubble(t, func(_, n int, frame []byte) fault { return fate(n, frame) }, func(p *pair) {
			p.ask("%1", "make a")
			said := map[string]string{}
			for i := range 6 {
				name := fmt.Sprintf("s%d", i)
				o, res := p.Errand(context.Background(), "gpu1", launch.Errand{Do: launch.DoNew, Spec: launch.Spec{Name: name, Agent: "claude"}})
				switch {
				case o != nil && len(o.Sessions) == 1 && o.Sessions[0].Name == name && o.Sessions[0].Pane.Machine == "gpu1":
					said[name] = "begun"
				case res.Outcome == deliver.Refused:
					said[name] = "refused"
				case o != nil || res.Outcome != deliver.Unknown:
					t.Errorf("%s: %+v, %+v", name, o, res)
				}
				time.Sleep(3 * time.Second)
			}
			time.Sleep(3 * time.Minute)
			p.ground.mu.Lock()
			defer p.ground.mu.Unlock()
			for i := range 6 {
				name, times := fmt.Sprintf("s%d", i), 0
				for _, begun := range p.begun {
					if begun == name {
						times++
					}
				}
				if times > 1 || said[name] == "begun" && times != 1 || said[name] == "refused" && times != 0 {
					t.Errorf("%s was begun %d times and is said to be %q", name, times, said[name])
				}
			}
		})
		if t.Failed() {
			t.Fatalf("with seed %d", seed)
		}
	}
}

// TestAMachineThatTakesDenialsBeginsNoSession, nor ends one; it tells those that it has.
func TestAMachineThatTakesDenialsBeginsNoSession(t *testing.T) {
	for _, takes := range []string{"deny-only", AskHere, "other"} {
		inBubble(t, nil, func(p *pair) {
			p.ground.mu.Lock()
			p.takes = takes // the edge may already ask for it
			p.ground.mu.Unlock()
			p.ask("%1", "make a")
			p.until("it is told", func() bool { return p.waits("make a") != "" })
			for _, do := range []string{launch.DoNew, launch.DoLaunch, launch.DoEnd, launch.DoRestart, "other"} {
				if o, res := p.Errand(context.Background(), "gpu1", launch.Errand{Do: do, Spec: launch.Spec{Name: "a"}, Sure: true}); o != nil || res.Reason != deliver.NotOwner {
					t.Errorf("%s %s: %+v, %+v", takes, do, o, res)
				}
			}
			if o, res := p.Errand(context.Background(), "gpu1", launch.Errand{Do: launch.DoList}); o == nil || len(o.Sessions) != 1 {
				t.Errorf("the list: %+v, %+v", o, res)
			}
			if slices.Contains(p.begun, "a") {
				t.Error("a session was begun")
			}
		})
	}
}

// TestAnErrandIsGivenUpWhenItsMachineIsAway: whoever waits for it is told when the machine is, not later.
func TestAnErrandIsGivenUpWhenItsMachineIsAway(t *testing.T) {
	dead := false
	inBubble(t, func(_, _ int, _ []byte) fault { return fault{copy: map[bool]int{false: 1}[dead]} }, func(p *pair) {
		p.ask("%1", "make a")
		p.until("it is told", func() bool { return p.waits("make a") != "" })
		p.turn(func() { dead = true })
		began := time.Now()
		o, res := p.Errand(context.Background(), "gpu1", launch.Errand{Do: launch.DoNew, Spec: launch.Spec{Name: "a", Agent: "claude"}})
		if waited := time.Since(began); o != nil || res.Outcome != deliver.Unknown || waited > AwayAfter+2*time.Second {
			t.Errorf("after %s: %+v, %+v", waited, o, res)
		}
	})
}
