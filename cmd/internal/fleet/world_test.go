package fleet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"nod/cmd/internal/jobs/launch"
	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/testrun"
	"nod/nudge"
	"nod/nudge/keeper"
	"nod/store"
)

func TestMain(m *testing.M) { os.Exit(testrun.InMemory(m)) }

// ground is one machine with panes that agents run in, as its edge sees and types on it: the real edge, over panes that the test plays. It
// outlives the runs of the edge there.
type ground struct {
	t      testing.TB
	claims string

	mu    sync.Mutex
	panes map[string]*played
	takes string
	slow  time.Duration // how long typing takes
	again bool          // the agents ask the very same once more, right after an answer
	door  chan struct{} // is full while a request types: one at a time, and time passes for the others
	edge  *Edge         // of the run that lives; nil: none does
	views []detect.PaneRef
	begun []string // which sessions were begun here
}

// errand takes a moment, as tmux does.
func (g *ground) errand(_ context.Context, e launch.Errand) launch.Done {
	time.Sleep(g.slow)
	g.mu.Lock()
	defer g.mu.Unlock()
	if e.Do == launch.DoNew {
		g.begun = append(g.begun, e.Name)
	}
	return launch.Done{Sessions: []launch.Row{{Session: launch.Session{Spec: e.Spec, Pane: detect.PaneRef{ID: "%7"}}}}}
}

// played is a pane: the prompt that is there, and what was typed at which.
type played struct {
	ref    detect.PaneRef
	prompt string // empty: the agent works
	rows   []string
	typed  map[string][]string // by prompt
	since  time.Time
}

func newGround(t testing.TB) *ground {
	return &ground{t: t, claims: filepath.Join(t.TempDir(), "claims.db"), panes: map[string]*played{}, takes: Full, slow: 300 * time.Millisecond, door: make(chan struct{}, 1)}
}

func (g *ground) pane(id string) *played {
	p := g.panes[id]
	if p == nil {
		p = &played{ref: detect.PaneRef{Server: tmux.Life{Socket: "/tmp/s", PID: 9, Start: 8}, ID: id}, typed: map[string][]string{}, since: time.Now()}
		g.panes[id] = p
	}
	return p
}

// ask draws a prompt in a pane.
func (g *ground) ask(id, prompt string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.pane(id)
	p.prompt, p.rows, p.since = prompt, []string{"Run " + prompt + "?", "1. Yes", "2. No"}, time.Now()
}

func (p *played) sighting() detect.Sighting {
	s := detect.Sighting{
		Whereabouts: detect.Whereabouts{Pane: p.ref, Process: proc.ID{PID: 70, Start: 7}, Agent: "claude", Project: "api", Where: "main:0.0"},
		State:       screen.Working, Since: p.since, At: time.Now(), By: "poll",
	}
	if p.prompt != "" {
		s.State, s.Tail = screen.Permission, p.rows
		s.Prompt = &screen.Prompt{
			Content:     screen.Content{Agent: "claude", Question: "Run it?", Subject: p.prompt, Lead: 1, Options: []screen.Option{{Key: "1", Label: "Yes", Scope: screen.Once}, {Key: "2", Label: "No", Scope: screen.No}}},
			OnScreen:    screen.OnScreen{Rows: p.rows, Width: 80},
			Ways:        screen.Ways{Approve: []string{"1"}, Deny: []string{"2"}},
			Fingerprint: "f-" + p.prompt,
		}
	}
	return s
}

// look has the edge look at all panes.
func (g *ground) look() {
	g.mu.Lock()
	edge := g.edge
	var looks []detect.Sighting
	for _, p := range g.panes {
		looks = append(looks, p.sighting())
	}
	g.mu.Unlock()
	slices.SortFunc(looks, func(a, b detect.Sighting) int { return slices.Compare([]byte(a.Pane.ID), []byte(b.Pane.ID)) })
	if edge != nil {
		for _, s := range looks {
			edge.See(s)
		}
	}
}

// Type types as the real typist does: at most a key, into the very prompt.
func (g *ground) Type(ctx context.Context, r deliver.Request, begin func() error) deliver.Result {
	g.door <- struct{}{}
	defer func() { <-g.door }()
	g.mu.Lock()
	p := g.panes[r.Pane.ID]
	g.mu.Unlock()
	if r.Pane.Machine != "" {
		g.t.Errorf("a request names machine %q at the edge", r.Pane.Machine)
	}
	if !pause(ctx, g.slow) || p == nil {
		return deliver.Result{Outcome: deliver.Refused, Reason: deliver.Unreadable}
	}
	g.mu.Lock()
	stands := p.prompt != "" && "f-"+p.prompt == r.Fingerprint && slices.Equal(r.Rows, p.rows)
	g.mu.Unlock()
	if !stands {
		return deliver.Result{Outcome: deliver.Refused, Reason: deliver.Changed}
	}
	if begin() != nil {
		return deliver.Result{Outcome: deliver.Refused, Reason: deliver.Unreadable}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	key := map[screen.Decision]string{screen.Approve: "1", screen.Deny: "2"}[r.Decision]
	p.typed[p.prompt] = append(p.typed[p.prompt], key)
	if p.since = time.Now(); !g.again {
		p.prompt, p.rows = "", nil
	}
	return deliver.Result{Outcome: deliver.Delivered, Keys: []string{key}}
}

// typedInto is what was typed at a prompt of a pane.
func (g *ground) typedInto(id, prompt string) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.pane(id).typed[prompt])
}

// open opens the record of requests here.
func (g *ground) open(t *testing.T) *store.Claims {
	t.Helper()
	claims, _, err := store.OpenClaims(g.claims)
	if err != nil {
		t.Fatal(err)
	}
	return claims
}

// last is the number of the last change.
func (o *outbox) last() uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.seq
}

// asking is an edge that no link runs on yet, and that has seen "make a" asked in %1.
func (g *ground) asking(claims *store.Claims, takes func() string) *Edge {
	g.edge = NewEdge(EdgeConfig{Typist: g, Claims: claims, Health: func() []string { return nil }, Takes: takes})
	g.ask("%1", "make a")
	g.look()
	return g.edge
}

// serve runs an edge over a link until that is over.
func (g *ground) serve(ctx context.Context, link Link) {
	claims, _, err := store.OpenClaims(g.claims)
	if err != nil {
		g.t.Error(err)
		return
	}
	defer claims.Close()
	edge := NewEdge(EdgeConfig{
		Typist: g, Claims: claims, Health: func() []string { return nil }, Errand: g.errand, Version: "1",
		Takes: func() string {
			g.mu.Lock()
			defer g.mu.Unlock()
			return g.takes
		},
		View: func(pane detect.PaneRef, _ time.Time) {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.views = append(g.views, pane)
		},
		History: func(_ context.Context, pane detect.PaneRef, n int) ([]string, error) {
			return []string{"line of " + pane.ID}, nil
		},
	})
	g.mu.Lock()
	g.edge = edge
	g.mu.Unlock()
	g.look()
	if err := edge.Run(ctx, link); err != nil {
		g.t.Logf("the edge ended: %v", err)
	}
	g.mu.Lock()
	g.edge = nil
	g.mu.Unlock()
}

// base is the hub with a real keeper over a real database.
type base struct {
	*Hub
	*keeper.Keeper
	t     testing.TB
	store *store.Store
	stop  func()
	all   sync.WaitGroup

	mu    sync.Mutex
	aways []string
	looks []detect.Sighting
	calls []string
}

// called answers what an edge asks: with its own words, or with "wait" when nobody waits any more.
func (b *base) called(ctx context.Context, machine, method string, read func(into any) error) (any, error) {
	var about any
	if err := read(&about); err != nil {
		return nil, err
	}
	b.mu.Lock()
	b.calls = append(b.calls, fmt.Sprint(machine, " ", method, about))
	b.mu.Unlock()
	switch method {
	case "wait":
		<-ctx.Done()
		b.mu.Lock()
		defer b.mu.Unlock()
		b.calls = append(b.calls, "over")
	case "refuse":
		return nil, errors.New("no")
	}
	return method, nil
}

func newBase(t testing.TB, path string) *base {
	records, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	b := &base{t: t, store: records}
	b.Hub = NewHub(HubConfig{
		See: func(s detect.Sighting) {
			b.mu.Lock()
			b.looks = append(b.looks, s)
			b.mu.Unlock()
			if err := b.Keeper.See(s); err != nil {
				t.Error(err)
			}
		},
		Ran:     func(detect.Effect) {},
		Here:    refuser{},
		Learned: func(machine, id string, r deliver.Result) error { return b.Keeper.Learned(machine, id, r) },
		Away: func(machine string, since time.Time) {
			open, err := b.Keeper.Queue()
			if err != nil {
				t.Error(err)
			}
			b.mu.Lock()
			defer b.mu.Unlock()
			b.aways = append(b.aways, fmt.Sprintf("%s away %t, %d waiting", machine, !since.IsZero(), len(open)))
			if err := b.Keeper.Away(machine, since); err != nil {
				t.Error(err)
			}
		},
		Called:  b.called,
		Decided: func(string) []string { return []string{"sum"} },
		Version: "1",
	})
	b.Keeper = keeper.New(keeper.Config{
		Store: records, Typist: b.Hub, Rules: func() nudge.Rules { return nudge.Rules{Expiry: time.Hour, Supervisors: []nudge.Place{"1"}} },
		Log: slog.New(slog.DiscardHandler), Uptime: proc.Uptime, Changed: func() {},
	})
	var ctx context.Context
	ctx, b.stop = context.WithCancel(context.Background())
	b.all.Go(func() { _ = b.Hub.Run(ctx) })
	b.all.Go(func() { _ = b.Keeper.Run(ctx) })
	return b
}

func (b *base) end() {
	b.stop()
	b.all.Wait()
	if err := b.store.Check(); err != nil {
		b.t.Errorf("the database is not in order: %v", err)
	}
	b.store.Close()
}

// refuser is the hub's own machine, where nobody knows what becomes of an answer.
type refuser struct{}

func (refuser) Type(context.Context, deliver.Request, func() error) deliver.Result {
	return deliver.Result{Outcome: deliver.Unknown, Reason: deliver.Unsure}
}

// waits is the nudge that waits for an answer about a prompt; empty: none does.
func (b *base) waits(prompt string) string {
	list, err := b.Keeper.List(false)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, n := range list {
		if n.Prompt().Subject == prompt && n.State == nudge.Pending {
			return n.ID
		}
	}
	return ""
}

// answer answers a nudge as somebody at a keyboard does.
func (b *base) answer(id string, decision screen.Decision) nudge.Verdict {
	now := time.Now()
	v, err := b.Keeper.Answer(nudge.Answer{By: nudge.Person{Name: "ann"}, Way: nudge.ByCommand, Nudge: id, Written: now, Read: now, Said: nudge.Said{Decision: decision}})
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// pair is a hub and an edge that dial each other again whenever their link is over.
type pair struct {
	*base
	*ground
	wires int
	fates sync.Mutex // held while fate says what becomes of a frame
}

// turn changes what fate goes by.
func (p *pair) turn(change func()) {
	p.fates.Lock()
	defer p.fates.Unlock()
	change()
}

// inBubble runs f with a hub and a machine "gpu1" on fake time, over wires whose frames meet what fate says.
func inBubble(t *testing.T, fate func(wire, n int, frame []byte) fault, f func(p *pair)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		p := &pair{base: newBase(t, filepath.Join(dir, "nod.db")), ground: newGround(t)}
		ctx, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		p.Add("gpu1")
		all.Go(func() {
			for ctx.Err() == nil {
				at := p.wires
				p.wires++
				w := newWire(func(n int, frame []byte) fault {
					if fate == nil {
						return fault{copy: 1}
					}
					p.fates.Lock()
					defer p.fates.Unlock()
					return fate(at, n, frame)
				})
				var ends sync.WaitGroup
				ends.Go(func() { p.serve(ctx, w.edge); w.end() })
				ends.Go(func() {
					if err := p.Attach(ctx, "gpu1", w.hub); err != nil {
						t.Logf("the hub ended: %v", err)
					}
					w.end()
				})
				ends.Wait()
				pause(ctx, 2*time.Second)
			}
		})
		all.Go(func() {
			for pause(ctx, 2*time.Second) {
				p.look()
			}
		})
		defer func() {
			stop()
			all.Wait()
			p.end()
			time.Sleep(5 * time.Minute) // frames that are still on their way arrive nowhere
		}()
		f(p)
	})
}

// until waits on fake time.
func (p *pair) until(what string, ok func() bool) {
	for range 3000 {
		if ok() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	list, _ := p.Keeper.List(true)
	for _, n := range list {
		p.base.t.Logf("#%s %s: %s %s %v, away %v", n.ID, n.Prompt().Subject, n.State, n.Reason, n.Detail, n.Away)
	}
	p.base.t.Fatalf("never: %s; %+v", what, p.Machines())
}
