package fleet

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"

	"nod/detect"
	"nod/detect/screen"
)

// This file handles what an edge sends. All of it is about that edge's machine, and from the run of nod that answered the last greeting.

// take handles one frame, of that many bytes.
func (h *Hub) take(ctx context.Context, m *machine, link Link, f frame, size int) error {
	f = passed(f, filter{h.cfg.Mask, true})
	switch {
	case f.Hello != nil:
		return h.takeHello(ctx, m, link, f.Boot, *f.Hello)
	case f.Bye != nil:
		return errors.New(f.Bye.Why)
	}
	h.mu.Lock()
	boot, answers := m.boot, m.calls
	h.mu.Unlock()
	switch {
	case boot == "":
		return nil
	case f.Boot != boot:
		return h.regreet(ctx, m, link)
	case f.State != nil:
		h.takeState(m, *f.State)
	case f.Delta != nil:
		return h.takeDelta(ctx, m, link, *f.Delta, size)
	case f.Beat != nil:
		return h.takeBeat(ctx, m, link, *f.Beat)
	case f.Begun != nil:
		h.begun(m, f.Begun.ID)
	case f.Result != nil:
		return h.takeResult(ctx, m, link, *f.Result)
	case f.Call != nil && answers != nil:
		return h.takeCall(ctx, m, link, answers, *f.Call)
	case f.Lines != nil:
		h.mu.Lock()
		asked := m.captures[f.Lines.ID]
		delete(m.captures, f.Lines.ID)
		h.mu.Unlock()
		if asked != nil {
			asked <- *f.Lines
		}
	}
	return nil
}

// regreet asks who is there, after a frame of another run of the edge. The frame may be old, so it proves nothing by itself.
func (h *Hub) regreet(ctx context.Context, m *machine, link Link) error {
	h.mu.Lock()
	if time.Since(m.asked) < time.Second {
		h.mu.Unlock()
		return nil
	}
	m.asked, m.nonce = time.Now(), rand.Text()
	g := frame{Greet: &greet{Protocol: Protocol, Version: h.cfg.Version, Nonce: m.nonce}}
	h.mu.Unlock()
	return h.send(ctx, m, link, g)
}

func (h *Hub) takeHello(ctx context.Context, m *machine, link Link, boot string, hello hello) error {
	hello.Version, hello.Takes = capText(hello.Version, 40), capText(hello.Takes, 40)
	if why := apart(Protocol, hello.Protocol, h.cfg.Version, hello.Version); why != "" {
		_ = h.send(ctx, m, link, frame{Bye: &bye{Why: why}})
		return errors.New(why)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if hello.Nonce != m.nonce || boot == "" || boot == m.boot {
		return nil
	}
	m.boot, m.hello, m.known, m.seq, m.coming, m.saw = boot, hello, false, 0, gathering{}, 0
	m.shift = time.Since(hello.Clock)
	return nil
}

// gathering is a whole state that arrives part by part.
type gathering struct {
	seq   uint64
	parts map[int][]seen
}

// takeState adds a part of a whole state. The state takes effect once all parts are there.
func (h *Hub) takeState(m *machine, s state) {
	h.mu.Lock()
	late, shift := m.known && s.Seq <= m.seq || s.Seq < m.coming.seq, m.shift
	h.mu.Unlock()
	if late || s.Parts < 1 || s.Parts > maxParts || s.Part < 0 || s.Part >= s.Parts {
		return
	}
	panes := own(m.name, shift, s.Panes)
	h.mu.Lock()
	if m.coming.parts == nil || s.Seq > m.coming.seq {
		m.coming = gathering{seq: s.Seq, parts: map[int][]seen{}}
	}
	if m.coming.parts[s.Part] = panes; len(m.coming.parts) < s.Parts {
		h.mu.Unlock()
		return
	}
	now := map[detect.PaneRef]bool{}
	var news []seen
	for _, panes := range m.coming.parts {
		for _, p := range panes {
			if taken, ok := m.takeOver(p); ok {
				news, now[taken.Pane] = append(news, taken), true
			}
		}
	}
	for pane, p := range m.panes {
		if !now[pane] {
			gone := p.Sighting
			gone.State, gone.Prompt, gone.At = screen.Gone, nil, time.Now()
			delete(m.panes, pane)
			news = append(news, seen{Looks: 1, Sighting: gone})
		}
	}
	m.whole = time.Now()
	m.seq, m.known, m.coming, m.told = s.Seq, true, gathering{}, 0
	h.mu.Unlock()
	h.see(news)
}

// own returns the looks at panes of that machine.
func own(machine string, shift time.Duration, told []seen) []seen {
	panes := make([]seen, 0, len(told))
	for _, p := range told {
		if s, ok := take(machine, p.Sighting, shift); ok {
			p.Sighting, p.Looks = s, min(max(p.Looks, 1), 2)
			panes = append(panes, p)
		}
	}
	return panes
}

// takeOver records what was read of a pane. The caller holds Hub.mu.
func (m *machine) takeOver(p seen) (seen, bool) {
	s := &p.Sighting
	if len(m.panes) >= maxPanes && m.panes[s.Pane].Looks == 0 {
		return p, false
	}
	if before, known := m.panes[s.Pane]; known && before.Since.Sub(s.Since).Abs() < 2*time.Second && before.State == s.State {
		s.Since = before.Since // the clocks were compared again
	}
	if s.State == screen.Gone {
		delete(m.panes, s.Pane)
	} else {
		m.panes[s.Pane] = p
	}
	return p, true
}

// takeDelta records changes. If an earlier change is missing, or there are more than a whole state may have, it asks for the whole state.
func (h *Hub) takeDelta(ctx context.Context, m *machine, link Link, d delta, size int) error {
	h.mu.Lock()
	if m.told += size; m.told > maxParts*MaxFrame {
		m.known = false
	}
	if !m.known || d.From > m.seq {
		h.mu.Unlock()
		return h.askWhole(ctx, m, link)
	}
	if d.To <= m.seq {
		h.mu.Unlock()
		return nil
	}
	told := slices.DeleteFunc(d.Panes, func(p seen) bool { return p.Seq <= m.seq || p.Seq > d.To })
	shift := m.shift
	h.mu.Unlock()
	panes := own(m.name, shift, told)
	var news []seen
	h.mu.Lock()
	for _, p := range panes {
		if taken, ok := m.takeOver(p); ok {
			news = append(news, taken)
		}
	}
	m.seq = d.To
	effects := d.Effects[:min(len(d.Effects), maxEffects)]
	for i := range effects {
		effects[i].Pane.Machine = m.name
		effects[i].At = here(effects[i].At, m.shift)
	}
	h.mu.Unlock()
	h.see(news)
	for _, e := range effects {
		h.cfg.Ran(e)
	}
	return nil
}

// see passes looks on, each as often as it was made.
func (h *Hub) see(news []seen) {
	for _, p := range news {
		for range p.Looks {
			h.cfg.See(p.Sighting)
			p.Proof = "" // an event proves something once
		}
	}
}

// askWhole asks for the whole state, once a second at most.
func (h *Hub) askWhole(ctx context.Context, m *machine, link Link) error {
	h.mu.Lock()
	if time.Since(m.asked) < time.Second {
		h.mu.Unlock()
		return nil
	}
	m.asked = time.Now()
	h.mu.Unlock()
	return h.send(ctx, m, link, frame{Whole: &whole{}})
}

// takeBeat records a heartbeat of the edge. One that comes before the edge's state does not count: until then nothing can be answered there.
func (h *Hub) takeBeat(ctx context.Context, m *machine, link Link, b beat) error {
	h.mu.Lock()
	if b.At <= m.saw {
		h.mu.Unlock()
		return nil // an older one
	}
	m.saw, m.troubles = b.At, b.Troubles[:min(len(b.Troubles), maxTroubles)]
	if shift := time.Since(b.Clock); (shift - m.shift).Abs() > 2*time.Second {
		m.shift = shift // somebody has set a clock
	}
	behind := !m.known || b.Seq > m.seq
	// A prompt is stable at the second look: the first looks after a start prove nothing about it.
	back := m.known && b.Seq == m.seq && !m.there && time.Since(m.whole) >= beatEvery
	if m.known {
		m.heard, m.trouble = time.Now(), ""
	}
	if back {
		m.away, m.there = time.Time{}, true
	}
	var still []seen
	for pane, p := range m.panes {
		if at := here(b.Looked, m.shift); !behind && at.After(p.At) {
			p.At, p.By, p.Proof, p.Looks = at, "poll", "", 1
			m.panes[pane] = p
			still = append(still, p)
		}
	}
	h.mu.Unlock()
	if behind {
		return h.askWhole(ctx, m, link)
	}
	h.see(still)
	if back {
		h.tellAway(m.name)
	}
	return nil
}

// Screen returns the last lines of a pane, as detect.Watcher.History does.
func (h *Hub) Screen(ctx context.Context, pane detect.PaneRef, count int) ([]string, error) {
	h.mu.Lock()
	m := h.machines[pane.Machine]
	if m == nil || m.link == nil || m.boot == "" {
		h.mu.Unlock()
		return nil, errors.New(pane.Machine + " is away")
	}
	link, id, answer := m.link, rand.Text(), make(chan lines, 1)
	m.captures[id] = answer
	there := pane
	there.Machine = ""
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		delete(m.captures, id)
		h.mu.Unlock()
	}()
	if err := h.send(ctx, m, link, frame{Capture: &capture{ID: id, Pane: there, Lines: count}}); err != nil {
		return nil, err
	}
	select {
	case got := <-answer:
		if got.Error != "" {
			return nil, errors.New(got.Error)
		}
		return got.Lines, nil
	case <-time.After(captureTime + time.Second):
		return nil, errors.New(pane.Machine + " does not answer")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// ViewUntil has a pane's screen sent until a time, because somebody looks at it.
func (h *Hub) ViewUntil(pane detect.PaneRef, until time.Time) {
	h.mu.Lock()
	m := h.machines[pane.Machine]
	if m == nil || m.link == nil || m.boot == "" {
		h.mu.Unlock()
		return
	}
	link := m.link
	pane.Machine = ""
	h.mu.Unlock()
	sending, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = h.send(sending, m, link, frame{View: &view{Pane: pane, For: time.Until(until)}})
}
