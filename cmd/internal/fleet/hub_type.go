package fleet

import (
	"context"
	"crypto/rand"
	"time"

	"nod/cmd/internal/jobs/launch"
	"nod/deliver"
	"nod/internal/reason"
)

// This file sends requests and waits for their results. A request is sent once. If nothing is heard of it, the hub asks the edge for its
// result, now and when it is back. A request that has not arrived by then is void for the edge.

// pending is a request that was sent and has no result yet.
type pending struct {
	nudge  string
	boot   string
	sent   time.Time
	begun  bool
	waits  bool // somebody still waits for it
	result chan result
}

// pendingKept is how long the hub goes on asking for a request's result.
const pendingKept = 24 * time.Hour

// Type carries out a request for a pane of any machine, as deliver.Typist.Type does for one of this machine.
func (h *Hub) Type(ctx context.Context, r deliver.Request, begin func() error) deliver.Result {
	if r.Pane.Here() {
		return h.cfg.Here.Type(ctx, r, begin)
	}
	m, no := h.reach(r.Pane.Machine)
	if no != nil {
		return *no
	}
	// Once it is sent, keys may be typed, so that is written to disk first.
	if err := begin(); err != nil {
		return refused(deliver.Unreadable, reason.RequestUnnoted, err.Error())
	}
	res, heard := h.await(ctx, m, r.Nudge, func(id string) frame { return m.request(id, r) })
	if !heard {
		return deliver.Result{Outcome: deliver.Unknown, Reason: deliver.Unsure, Detail: reason.Why{Kind: reason.MachineSilent, What: m.name, Pane: r.Pane.ID}}
	}
	return res.Result
}

// request returns a request based on the current state of a machine. The caller holds Hub.mu.
func (m *machine) request(id string, r deliver.Request) frame {
	at := m.panes[r.Pane]
	r = unmasked(r, at.bare, at.Prompt)
	r.Pane.Machine = ""
	return frame{Request: &request{ID: id, Seq: m.seq, Saw: m.saw, Budget: typeBudget, Type: r}}
}

// Errand has a machine do something with its sessions, at most once. Without an outcome it was refused, or its outcome is unknown.
func (h *Hub) Errand(ctx context.Context, machine string, e launch.Errand) (*launch.Done, deliver.Result) {
	m, no := h.reach(machine)
	if no != nil {
		return nil, *no
	}
	res, heard := h.await(ctx, m, "", func(id string) frame {
		return frame{Request: &request{ID: id, Seq: m.seq, Saw: m.saw, Budget: typeBudget, Do: &e}}
	})
	if !heard {
		return nil, deliver.Result{Outcome: deliver.Unknown, Reason: deliver.Unsure}
	}
	return res.Done, res.Result
}

// await sends the request that of makes from an id and the current state, and waits for its result; false: none has come.
func (h *Hub) await(ctx context.Context, m *machine, nudge string, of func(id string) frame) (res result, heard bool) {
	id, p, link, f, no := h.enlist(m, nudge, of)
	if no != nil {
		return result{Result: *no}, true
	}
	if err := sendFrame(ctx, link, f); err != nil {
		h.cfg.Log.Warn("a request may not have been sent", "machine", m.name, "error", err)
	}
	for waits := true; waits; {
		select {
		case res := <-p.result:
			return res, true
		case <-time.After(time.Second):
			waits = !h.givesUp(m, p)
		case <-ctx.Done():
			waits = false
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case res := <-p.result:
		return res, true
	default:
	}
	if p.waits = false; nudge == "" {
		delete(m.pending, id)
	}
	return res, false
}

// givesUp reports whether it is useless to wait longer for a request's result: it took too long, or its machine is away.
func (h *Hub) givesUp(m *machine, p *pending) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Since(p.sent) >= answerTime || !m.away.IsZero()
}

// reach returns the machine of a request, if it is there and its state is known.
func (h *Hub) reach(machine string) (*machine, *deliver.Result) {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := h.machines[machine]
	switch {
	case m == nil:
		res := refused(deliver.NotFound, reason.MachineUnknown, machine)
		return nil, &res
	case m.link == nil || !m.known || m.saw == 0 || time.Since(m.heard) > AwayAfter:
		since := m.away
		if since.IsZero() {
			since = m.last()
		}
		cause := reason.Why{Kind: reason.MachineAway, What: m.name, Ago: time.Since(since)}
		return nil, &deliver.Result{Outcome: deliver.Refused, Reason: deliver.Away, Detail: reason.Why{Kind: reason.NothingTyped, Because: &cause}}
	}
	return m, nil
}

// enlist records that a request is sent now, and returns its frame, which names the state that the hub knows.
func (h *Hub) enlist(m *machine, nudge string, of func(id string) frame) (id string, p *pending, link Link, f frame, no *deliver.Result) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if m.link == nil || !m.known {
		res := refused(deliver.Away, reason.RequestVoid, "")
		return "", nil, nil, f, &res
	}
	id = rand.Text()
	p = &pending{nudge: nudge, boot: m.boot, sent: time.Now(), waits: true, result: make(chan result, 1)}
	m.pending[id] = p
	f = of(id)
	f.Boot = m.boot
	return id, p, m.link, f, nil
}

func (h *Hub) begun(m *machine, id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if p := m.pending[id]; p != nil {
		p.begun = true
	}
}

// inquire asks for the results of requests of which nothing was heard.
func (h *Hub) inquire(ctx context.Context) {
	type question struct {
		link Link
		f    frame
	}
	var questions []question
	h.mu.Lock()
	for _, m := range h.machines {
		for id, p := range m.pending {
			age := time.Since(p.sent)
			if age > pendingKept {
				delete(m.pending, id)
			}
			if m.link != nil && m.boot != "" && age > askAfter && (!p.begun || p.boot != m.boot || age > typeBudget) {
				questions = append(questions, question{m.link, frame{Boot: p.boot, Ask: &ask{ID: id}}})
			}
		}
	}
	h.mu.Unlock()
	for _, q := range questions {
		asking, cancel := context.WithTimeout(ctx, time.Second)
		_ = sendFrame(asking, q.link, q.f)
		cancel()
	}
}

// takeResult passes a request's result to its caller, or to a nudge whose outcome is unknown. The edge sends it until it hears that it was
// recorded.
func (h *Hub) takeResult(ctx context.Context, m *machine, link Link, r result) error {
	r.Result, r.Done = takeResult(r.Result), takeOutcome(r.Done, m.name)
	h.mu.Lock()
	p := m.pending[r.ID]
	delete(m.pending, r.ID)
	waits := p != nil && p.waits
	nudge := r.Nudge
	if p != nil {
		nudge = p.nudge
	}
	if waits {
		p.result <- r
	}
	h.mu.Unlock()
	if waits {
		return nil // the edge tells it once more, when it is on disk here
	}
	if nudge != "" {
		if err := h.cfg.Learned(m.name, nudge, r.Result); err != nil {
			h.cfg.Log.Warn("what became of an answer can't be noted", "machine", m.name, "error", err)
			return nil // it is told once more
		}
	}
	return h.send(ctx, m, link, frame{Heard: &ask{ID: r.ID}})
}
