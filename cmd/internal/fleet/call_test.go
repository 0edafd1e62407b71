package fleet

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

// TestAnEdgeAsksItsHub and gets one answer, whatever becomes of a frame; and none once the link is cut.
func TestAnEdgeAsksItsHub(t *testing.T) {
	for _, f := range append(faults, fault{name: "none", copy: 1}) {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			met := 0
			inBubble(t, func(_, _ int, data []byte) fault {
				if got, err := decode(data); err == nil && got.Call != nil {
					if met++; met <= 2 {
						return f
					}
				}
				return fault{copy: 1}
			}, func(p *pair) {
				p.until("it is greeted", func() bool { return p.ground.alive() != nil && p.ground.alive().Decided("sum") })
				edge := p.ground.alive()
				var said string
				err := edge.Call(context.Background(), "hello", 1, &said)
				if err == nil && said != "hello" || err != nil && !f.cut {
					t.Errorf("said %q, %v", said, err)
				}
				time.Sleep(5 * time.Minute)
				p.base.mu.Lock()
				defer p.base.mu.Unlock()
				if len(p.calls) > 1 || len(p.calls) == 1 && p.calls[0] != "gpu1 hello1" {
					t.Errorf("the hub was asked %q", p.calls)
				}
			})
		})
	}
}

// TestNobodyWaitsForever: what nobody waits for any more ends at the hub, and with the link; what is refused is said.
func TestNobodyWaitsForever(t *testing.T) {
	cut := false
	inBubble(t, func(_, _ int, _ []byte) fault { return fault{copy: 1, cut: cut} }, func(p *pair) {
		p.until("it is greeted", func() bool { return p.ground.alive() != nil && p.ground.alive().Decided("sum") })
		edge := p.ground.alive()
		over := func() int {
			p.base.mu.Lock()
			defer p.base.mu.Unlock()
			return len(slices.DeleteFunc(slices.Clone(p.calls), func(c string) bool { return c != "over" }))
		}
		if err := edge.Call(context.Background(), "refuse", nil, nil); err == nil || err.Error() != "no" {
			t.Errorf("refused: %v", err)
		}
		ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
		defer stop()
		if err := edge.Call(ctx, "wait", nil, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("waited: %v", err)
		}
		p.until("the hub no longer waits", func() bool { return over() == 1 })
		time.AfterFunc(time.Minute, func() { p.turn(func() { cut = true }) })
		if err := edge.Call(context.Background(), "wait", nil, nil); !errors.Is(err, ErrCut) {
			t.Errorf("cut: %v", err)
		}
		p.turn(func() { cut = false })
		p.until("the hub no longer waits", func() bool { return over() == 2 })
	})
}

func (g *ground) alive() *Edge {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.edge
}
