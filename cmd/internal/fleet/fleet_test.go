package fleet

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"nod/detect/screen"
	"nod/internal/testrun"
	"nod/nudge"
)

// TestAnAnswerReachesAnotherMachine: the whole road, over a link that does what it should.
func TestAnAnswerReachesAnotherMachine(t *testing.T) {
	inBubble(t, nil, func(p *pair) {
		p.ask("%1", "make a")
		p.ask("%2", "make b")
		p.until("both are told", func() bool { return p.waits("make a") != "" && p.waits("make b") != "" })
		a := p.waits("make a")
		n, _, _ := p.Find(a)
		if n.Pane.Machine != "gpu1" || n.Project != "gpu1:api" {
			t.Errorf("it is told of %s, project %s", n.Pane, n.Project)
		}
		if v := p.answer(a, screen.Approve); v.Kind != nudge.Taken {
			t.Fatalf("%+v", v)
		}
		p.until("the key is typed", func() bool { return len(p.typedInto("%1", "make a")) == 1 })
		p.until("the answer is known", func() bool { n, _, _ := p.Find(a); return n.State == nudge.Delivered })
		if got := p.typedInto("%2", "make b"); len(got) > 0 {
			t.Errorf("%v was typed into the other pane", got)
		}
	})
}

// episode has prompts come and be answered, and demands that each key was typed once, into the prompt that it was for, and that nod claims
// nothing that is not so.
func episode(t *testing.T, p *pair, r *rand.Rand, prompts int) {
	type asked struct {
		pane, prompt string
		decision     screen.Decision
		nudges       []string
	}
	var all []*asked
	p.again = true // so that a second copy of a request finds what it is for
	for i := range prompts {
		q := &asked{pane: fmt.Sprintf("%%%d", i%3), prompt: fmt.Sprintf("make %d", i), decision: []screen.Decision{screen.Approve, screen.Deny}[r.IntN(2)]}
		all = append(all, q)
		p.ask(q.pane, q.prompt)
		p.until(q.prompt+" is answered", func() bool {
			if len(p.typedInto(q.pane, q.prompt)) > 0 {
				return true
			}
			if id := p.waits(q.prompt); id != "" { // a nudge that was refused or is unknown is asked once more, and answered once more
				if v := p.answer(id, q.decision); v.Kind == nudge.Taken && !slices.Contains(q.nudges, id) {
					q.nudges = append(q.nudges, id)
				}
			}
			return false
		})
	}
	time.Sleep(3 * time.Minute) // what is late arrives, and what is unknown is asked for
	for _, q := range all {
		keys := p.typedInto(q.pane, q.prompt)
		if want := map[screen.Decision]string{screen.Approve: "1", screen.Deny: "2"}[q.decision]; len(keys) != 1 || keys[0] != want {
			t.Errorf("%s: typed %q, want %q once", q.prompt, keys, want)
		}
		landed := 0
		for _, id := range q.nudges {
			n, _, err := p.Find(id)
			if err != nil {
				t.Fatal(err)
			}
			switch n.State {
			case nudge.Delivered:
				landed++
			case nudge.Pending, nudge.Claimed, nudge.Typing:
				t.Errorf("%s: #%s is still %s", q.prompt, id, n.State)
			}
		}
		if landed > 1 {
			t.Errorf("%s: %d answers are said to have landed", q.prompt, landed)
		}
	}
}

// TestAFaultAtEveryFrame: whatever becomes of any one frame, no key is typed twice or wrong, and nothing is lost. Those of an answer meet every
// fault each time, the others by chance.
func TestAFaultAtEveryFrame(t *testing.T) {
	t.Parallel()
	var answers, others []int
	t.Run("none", func(t *testing.T) {
		inBubble(t, func(_, n int, data []byte) fault {
			if f, err := decode(data); err == nil && (f.Request != nil || f.Begun != nil || f.Result != nil || f.Heard != nil || f.Ask != nil) {
				answers = append(answers, n)
			} else {
				others = append(others, n)
			}
			return fault{copy: 1}
		}, func(p *pair) {
			episode(t, p, rand.New(rand.NewPCG(1, 2)), 2)
		})
	})
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			drawn := slices.Clone(others)
			rand.Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
			for _, at := range append(slices.Clone(answers), drawn[:min(len(drawn), testrun.Rounds(4, 200))]...) {
				inBubble(t, func(wire, n int, _ []byte) fault {
					if wire == 0 && n == at {
						return f
					}
					return fault{copy: 1}
				}, func(p *pair) { episode(t, p, rand.New(rand.NewPCG(1, 2)), 2) })
				if t.Failed() {
					t.Fatalf("with frame %d %s", at, f.name)
				}
			}
		})
	}
}

// TestNeverTwiceOverAFaultyLink: many faults at once, by chance.
func TestNeverTwiceOverAFaultyLink(t *testing.T) {
	t.Parallel()
	for seed := range testrun.Rounds(4, 100) {
		r := rand.New(rand.NewPCG(uint64(seed), 23))
		fate := anyFault(rand.New(rand.NewPCG(uint64(seed), 24)))
		inBubble(t, func(_, n int, frame []byte) fault { return fate(n, frame) }, func(p *pair) { episode(t, p, r, 6) })
		if t.Failed() {
			t.Fatalf("with seed %d", seed)
		}
	}
}
