package fleet

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"
)

// In this file an edge asks its hub what only the hub can know: what became of a call that an agent's guard denied, or what somebody
// answered to a program. A call waits for its answer as long as its caller does. It ends with its link; then the agent goes on as without nod.

// call is a question of an edge.
type call struct {
	ID     string          `json:"id"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Over   bool            `json:"over,omitempty"` // nobody waits for the answer any more
	answer
}

// answer is the hub's answer to a call.
type answer struct {
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// ErrCut says that the hub can't be asked now.
var ErrCut = errors.New("the bot's machine is not in reach")

// callAgain is how long an edge waits for an answer before it asks again, because a frame may be lost.
const callAgain = 3 * time.Second

// Call asks the hub and waits for its answer.
func (e *Edge) Call(ctx context.Context, method string, params, result any) error {
	data, err := json.Marshal(passed(params, filter{mask: e.cfg.Mask}))
	if err != nil {
		return fmt.Errorf("ask the hub: %w", err)
	}
	c, heard := &call{ID: rand.Text(), Method: method, Params: data}, make(chan answer, 1)
	e.mu.Lock()
	link, cut := e.link, e.cut
	e.calls[c.ID] = heard
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.calls, c.ID)
	}()
	for link != nil {
		if err := e.send(ctx, link, frame{Call: c}); err != nil {
			break
		}
		select {
		case a := <-heard:
			if a.Error != "" {
				return errors.New(a.Error)
			}
			return json.Unmarshal(a.Result, result)
		case <-time.After(callAgain):
		case <-cut:
			return ErrCut
		case <-ctx.Done():
			telling, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			_ = e.send(telling, link, frame{Call: &call{ID: c.ID, Over: true}}) // else it is over with the link
			return ctx.Err()
		}
	}
	return ErrCut
}

// answered passes an answer on to its caller, if that still waits.
func (e *Edge) answered(c call) {
	c.Error = capText(c.Error, maxSentence)
	e.mu.Lock()
	defer e.mu.Unlock()
	if heard := e.calls[c.ID]; heard != nil {
		heard <- c.answer
		delete(e.calls, c.ID)
	}
}

// Decided reports whether, according to the hub, somebody may have decided about the call with that name.
func (e *Edge) Decided(sum string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.link != nil && e.decided[sum]
}

// hear records a heartbeat of the hub.
func (e *Edge) hear(b beat) {
	decided := map[string]bool{}
	for _, sum := range b.Decided {
		decided[sum] = true
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.decided = decided
}

// called is a call that the hub is answering, or has answered.
type called struct {
	stop   func()
	answer *answer // nil: not yet
}

// mostCalls is how many calls of one machine are answered at the same time, and how many answers are kept for second copies of calls.
const mostCalls = 100

// calls are the calls of one link.
type calls struct {
	work sync.WaitGroup

	mu  sync.Mutex
	all map[string]*called
}

// takeCall answers a call beside others. A second copy of it gets the same answer.
func (h *Hub) takeCall(ctx context.Context, m *machine, link Link, cs *calls, c call) error {
	cs.mu.Lock()
	before := cs.all[c.ID]
	switch {
	case before != nil && c.Over:
		before.stop()
	case before != nil && before.answer != nil:
		a := *before.answer
		cs.mu.Unlock()
		return h.send(ctx, m, link, frame{Call: &call{ID: c.ID, answer: a}})
	case before == nil && !c.Over:
		if !cs.room() {
			cs.mu.Unlock()
			return h.send(ctx, m, link, frame{Call: &call{ID: c.ID, answer: answer{Error: "Too much is asked there at once."}}})
		}
		asking, stop := context.WithCancel(ctx)
		now := &called{stop: stop}
		cs.all[c.ID] = now
		cs.work.Go(func() {
			defer stop()
			a := &answer{}
			result, err := h.cfg.Called(asking, m.name, c.Method, h.reader(c.Params))
			if err != nil {
				a.Error = err.Error()
			} else if a.Result, err = json.Marshal(result); err != nil {
				a.Error = err.Error()
			}
			cs.mu.Lock()
			now.answer = a
			cs.mu.Unlock()
			_ = h.send(ctx, m, link, frame{Call: &call{ID: c.ID, answer: *a}}) // who waits asks again
		})
	}
	cs.mu.Unlock()
	return nil
}

// reader reads the parameters of a call, masked and cut like every text of an edge.
func (h *Hub) reader(params json.RawMessage) func(into any) error {
	return func(into any) error {
		if err := json.Unmarshal(params, into); err != nil {
			return fmt.Errorf("read what an edge asks: %w", err)
		}
		filter{h.cfg.Mask, true}.pass(reflect.ValueOf(into).Elem(), "")
		return nil
	}
}

// room makes room for one more call, if too many are not being answered. The caller holds mu.
func (cs *calls) room() bool {
	if len(cs.all) < mostCalls {
		return true
	}
	for id, c := range cs.all {
		if c.answer != nil {
			delete(cs.all, id)
			return true
		}
	}
	return false
}
