package fleet

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
)

// HubConfig is what a Hub works with. Every field is needed but Mask and Log.
type HubConfig struct {
	See func(detect.Sighting) // as detect.WatchConfig has it; called by one goroutine a machine
	Ran func(detect.Effect)
	// Here types on this machine.
	Here Typist
	// Learned receives the result of a request whose nudge counts as unknown. After an error it is called again.
	Learned func(machine, nudge string, r deliver.Result) error
	// Called answers a question of an edge, until ctx ends; read returns its parameters. Its error is a sentence.
	Called func(ctx context.Context, machine, method string, read func(into any) error) (any, error)
	// Decided returns the names of a machine's denied calls about which somebody has decided, if the agent was not told yet.
	Decided func(machine string) []string
	// Away receives the time since when a machine is away; zero: it is back.
	Away    func(machine string, since time.Time)
	Mask    func(string) string // hides the secrets in what is told, once more; nil: they are not hidden
	Version string
	Log     *slog.Logger
}

// Hub is the bot's end of all links to other machines.
type Hub struct {
	cfg HubConfig

	mu       sync.Mutex
	machines map[string]*machine
}

// HubMemory is from how many bytes on a hub's process collects garbage more often. Fifty machines that connect at once make much of it.
const HubMemory = 140 << 20

// NewHub makes a Hub. It does no I/O.
func NewHub(cfg HubConfig) *Hub {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Hub{cfg: cfg, machines: map[string]*machine{}}
}

// machine is what the hub knows about a machine. Hub.mu guards it.
type machine struct {
	name string
	talk
	hello    // of the last edge there
	trouble  string
	troubles []string // as the edge tells them
	panes    map[detect.PaneRef]seen
	added    time.Time
	heard    time.Time     // when the last beat came; zero: none did
	shift    time.Duration // how far the edge's clock is behind the hub's
	away     time.Time     // since when it is away; zero: it is not
	there    bool          // who is interested knows that it is there
	pending  map[string]*pending
	captures map[string]chan lines
}

// talk is a conversation with an edge over one link.
type talk struct {
	link   Link          // nil: there is none
	nonce  string        // of the last greet
	boot   string        // of the edge that answered it; empty: none did
	saw    time.Duration // beat.At of its last beat
	seq    uint64
	known  bool      // the whole state of that boot has come
	whole  time.Time // when
	coming gathering
	told   int       // how many bytes of changes came since
	asked  time.Time // when the whole state was asked for last
	room   room
	calls  *calls
}

// Machine is the state of a machine, for people.
type Machine struct {
	Name     string
	Away     time.Time // since when; zero: it is there
	Heard    time.Time // when something was heard of it last; zero: never
	Version  string
	Skew     time.Duration // how far its clock is behind
	Agents   int
	Takes    string
	Troubles []string
}

// Add adds a machine, which is away until it is heard.
func (h *Hub) Add(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.machines[name] == nil {
		h.machines[name] = &machine{name: name, panes: map[detect.PaneRef]seen{}, pending: map[string]*pending{}, captures: map[string]chan lines{}, added: time.Now()}
	}
}

// Forget removes a machine, and ends its link.
func (h *Hub) Forget(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if m := h.machines[name]; m != nil && m.link != nil {
		_ = m.link.Close()
	}
	delete(h.machines, name)
}

// Trouble records why a machine can't be reached, in a sentence; empty: it can.
func (h *Hub) Trouble(name, why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if m := h.machines[name]; m != nil {
		m.trouble = h.said(why)
	}
}

// said masks and cuts a sentence of another machine.
func (h *Hub) said(why string) string { return passed(bye{why}, filter{h.cfg.Mask, true}).Why }

// Machines returns the state of each machine, by name.
func (h *Hub) Machines() (list []Machine) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range h.sorted() {
		troubles := slices.Clone(m.troubles)
		if m.trouble != "" {
			troubles = append([]string{m.trouble}, troubles...)
		}
		list = append(list, Machine{Name: m.name, Away: m.away, Heard: m.heard, Version: m.Version, Skew: m.shift, Agents: len(m.panes), Takes: m.Takes, Troubles: troubles})
	}
	return list
}

func (h *Hub) sorted() []*machine {
	return slices.SortedFunc(maps.Values(h.machines), func(a, b *machine) int { return cmp.Compare(a.name, b.name) })
}

// Health returns what is wrong with the machines, in sentences.
func (h *Hub) Health() (problems []string) {
	for _, m := range h.Machines() {
		if !m.Away.IsZero() && m.Heard.IsZero() {
			problems = append(problems, m.Name+" was not reached yet.")
		} else if !m.Away.IsZero() {
			problems = append(problems, fmt.Sprintf("%s has been away since %s.", m.Name, sinceWhen(m.Away.Local(), time.Now())))
		}
		for _, why := range m.Troubles {
			problems = append(problems, m.Name+": "+why)
		}
	}
	return problems
}

// sinceWhen returns a time of day, with the date if it is not today's.
func sinceWhen(at, now time.Time) string {
	if at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return at.Format("15:04")
	}
	return at.Format("15:04 on 2 Jan")
}

// Panes returns all panes. Those of a machine that is away are as they were last.
func (h *Hub) Panes() (list []detect.Sighting) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range h.sorted() {
		at := len(list)
		for _, s := range m.panes {
			list = append(list, s.Sighting)
		}
		slices.SortFunc(list[at:], func(a, b detect.Sighting) int { return cmp.Compare(a.Pane.String(), b.Pane.String()) })
	}
	return list
}

// StateOf returns the state of a pane that is not watched now, as detect.Watcher does.
func (h *Hub) StateOf(pane detect.PaneRef) screen.State {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := h.machines[pane.Machine]
	if m == nil || !m.known || !m.away.IsZero() {
		return ""
	}
	if _, watched := m.panes[pane]; watched {
		return ""
	}
	return screen.Gone
}

// Run notices machines that are silent, and asks for missing results, until ctx ends.
func (h *Hub) Run(ctx context.Context) error {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			h.miss()
			h.inquire(ctx)
		}
	}
}

// miss marks machines as away that were silent for too long.
func (h *Hub) miss() {
	now := time.Now()
	var away []string
	h.mu.Lock()
	for _, m := range h.machines {
		if last := m.last(); m.away.IsZero() && now.Sub(last) > AwayAfter {
			m.away, m.there = last, false
			away = append(away, m.name)
		}
	}
	h.mu.Unlock()
	for _, name := range away {
		h.tellAway(name)
	}
}

// last returns when m was last known to be there, or else when it was added.
func (m *machine) last() time.Time {
	if m.heard.IsZero() {
		return m.added
	}
	return m.heard
}

func (h *Hub) tellAway(name string) {
	h.mu.Lock()
	since := time.Time{}
	if m := h.machines[name]; m != nil {
		since = m.away
	}
	h.mu.Unlock()
	h.cfg.Away(name, since)
}

// errTaken says that a machine has a link already.
var errTaken = errors.New("another link to that machine is open")

// Attach speaks with the edge of a machine over a link until the link or ctx ends, or the edge breaks the rules. It does not close the link.
func (h *Hub) Attach(ctx context.Context, name string, link Link) error {
	h.Add(name)
	h.mu.Lock()
	m := h.machines[name]
	if m.link != nil {
		h.mu.Unlock()
		return errTaken
	}
	answers := &calls{all: map[string]*called{}}
	m.talk = talk{link: link, nonce: rand.Text(), calls: answers}
	h.mu.Unlock()
	defer answers.work.Wait()
	defer func() {
		h.mu.Lock()
		m.talk = talk{}
		h.mu.Unlock()
	}()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return h.receive(ctx, m, link) })
	g.Go(func() error { return h.beat(ctx, m, link) })
	err := g.Wait()
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

func (h *Hub) send(ctx context.Context, m *machine, link Link, f frame) error {
	h.mu.Lock()
	f.Boot = m.boot
	h.mu.Unlock()
	return sendFrame(ctx, link, f)
}

func sendFrame(ctx context.Context, link Link, f frame) error {
	data, err := f.encode()
	if err != nil {
		return err
	}
	return link.Send(ctx, data)
}

// beat greets until the edge has answered, and then sends heartbeats.
func (h *Hub) beat(ctx context.Context, m *machine, link Link) error {
	for wait := time.Second; ; {
		h.mu.Lock()
		greeted := m.boot != ""
		f := frame{Greet: &greet{Protocol: Protocol, Version: h.cfg.Version, Nonce: m.nonce}}
		h.mu.Unlock()
		if greeted {
			f, wait = frame{Beat: &beat{Decided: h.cfg.Decided(m.name)}}, beatEvery
		}
		if err := h.send(ctx, m, link, f); err != nil {
			return err
		}
		if !pause(ctx, wait) {
			return ctx.Err()
		}
	}
}

// receive handles what an edge sends.
func (h *Hub) receive(ctx context.Context, m *machine, link Link) error {
	var complain sync.Once // what lies fills no log
	for {
		data, err := link.Receive(ctx)
		if err != nil {
			return err
		}
		if !m.room.takes(time.Now(), len(data)) {
			_ = h.send(ctx, m, link, frame{Bye: &bye{Why: "too much was told at once"}})
			return errors.New("it tells more than any nod does, so its link was closed")
		}
		f, err := decode(data)
		if err != nil {
			complain.Do(func() {
				h.cfg.Log.Warn("frames can't be read; others of this link are not logged", "machine", m.name, "error", h.said(err.Error()))
			})
			continue
		}
		if err := h.take(ctx, m, link, f, len(data)); err != nil {
			return err
		}
	}
}

// room is how much an edge may still send: it grows with time.
type room struct {
	frames, bytes float64
	at            time.Time
}

// How much an edge may send in a second, and how many seconds' worth at once. An edge sends twenty frames a second at most.
const (
	framesASecond = 100
	bytesASecond  = 4 << 20
	roomSeconds   = 30
)

func (r *room) takes(now time.Time, bytes int) bool {
	passed := now.Sub(r.at).Seconds()
	if r.at.IsZero() {
		passed = roomSeconds
	}
	r.at = now
	r.frames = min(r.frames+passed*framesASecond, framesASecond*roomSeconds) - 1
	r.bytes = min(r.bytes+passed*bytesASecond, bytesASecond*roomSeconds) - float64(bytes)
	return r.frames >= 0 && r.bytes >= 0
}
