package control

import (
	"log/slog"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"nod/deliver"
	"nod/deliver/door"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/reason"
	"nod/internal/rpc"
	"nod/internal/settings"
	"nod/internal/testrun"
	"nod/nudge"
	"nod/nudge/keeper"
	"nod/store"
)

// TestNoCallRunsThatNoHumanAllowedByAnyHook plays random interleavings of agents' hooks about denied calls,
// taps, Escape, forged hooks, crashes and time, on fake time with the real records. Two agents share a
// session id and a folder. The test records the taps: each call that a hook lets through must be one that a
// human has since allowed for that agent, and only for that run.
func TestNoCallRunsThatNoHumanAllowedByAnyHook(t *testing.T) {
	other := exec.Command("sleep", "3600")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = other.Process.Kill()
		_ = other.Wait()
	}()
	second, err := proc.Of(other.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	proof := testrun.Prove(t, 10_000, 20)
	did := map[string]int{}
	for _, round := range proof.Rounds() {
		synctest.Test(t, func(t *testing.T) {
			p := &interleaving{T: t, r: proof.Random(round), did: did, path: filepath.Join(t.TempDir(), "nod.db"), rows: map[string]madeCall{}, left: map[madeCall]time.Time{}}
			p.agents = []*playedAgent{{pane: "%1", process: self(t)}, {pane: "%2", process: second}}
			p.play()
		})
		if t.Failed() {
			t.Fatalf("round %d, after %v", round, did)
		}
		proof.Passed(t, round)
	}
	t.Log(did)
	for _, what := range []string{"denied", "unavailable", "held", "asked by settings", "told to try again", "let through", "let through by settings", "stopped", "tapped", "tapped twice", "tapped late", "forged", "Escape of a hook", "Escape after", "crashed", "crashed in between", "another byte", "another case"} {
		if len(proof.Rounds()) >= 100 && did[what] == 0 {
			t.Errorf("nothing was ever %s", what)
		}
	}
}

// madeCall is a call of an agent, in the form in which the test compares calls.
type madeCall struct {
	pane, part, folder, mode, tool, input string
}

// allowance is a human's permission for one run of a call.
type allowance struct {
	call madeCall
	at   time.Time
	gone bool
}

type playedAgent struct {
	pane    string
	process proc.ID
	silent  bool // its settings deny calls that would need a question
	escaped time.Time
}

// heldNow is a hook that waits.
type heldNow struct {
	agent    *playedAgent
	call     madeCall
	settings bool
	event    rpc.Hook
	stop     func()
	prints   chan string
}

type interleaving struct {
	*testing.T
	*Control
	r      *rand.Rand
	did    map[string]int
	path   string
	store  *store.Store
	keeper *keeper.Keeper
	agents []*playedAgent
	rows   map[string]madeCall // by name of the call
	book   []*allowance
	held   []*heldNow
	recent []madeCall             // calls that a human has allowed or left
	left   map[madeCall]time.Time // calls that a human left denied in their agent's turn
	taps   []func() (nudge.Placed, error)
}

func (p *interleaving) play() {
	for _, a := range p.agents {
		a.silent = p.r.IntN(3) == 0
	}
	p.start()
	defer func() {
		p.crash()
		p.store.Close()
	}()
	for range 40 {
		p.step()
		synctest.Wait()
		p.collect()
	}
}

func (p *interleaving) start() {
	records, err := store.Open(p.path)
	if err != nil {
		p.Fatal(err)
	}
	p.store = records
	doors := &door.Doors{}
	typist := deliver.New(deliver.Config{Keyboards: func(string) deliver.Keyboard { return nil }, Doors: doors})
	began := time.Now()
	p.keeper = keeper.New(keeper.Config{
		Store: records, Typist: typist, Rules: func() nudge.Rules { return nudge.Rules{Expiry: time.Hour, Supervisors: []nudge.Place{"42"}} },
		Log: slog.New(slog.DiscardHandler), Uptime: func() time.Duration { return time.Since(began) }, Alive: func(detect.Whereabouts) bool { return true }, Changed: func() {},
	})
	if err := p.keeper.Interrupt(); err != nil {
		p.Fatal(err)
	}
	p.Control = New(Config{
		Keeper: p.keeper, Store: records, Doors: doors, Log: slog.New(slog.DiscardHandler),
		Settings: func() settings.Settings { return settings.Settings{Doors: true, GuardWait: 2 * time.Minute} },
		Watch: Watch{
			Panes: p.panes, Hook: func(detect.HookEvent) bool { return true }, Versions: func(e detect.HookEvent) string { return e.Version },
			Escaped: func(e detect.HookEvent) time.Time { return p.agent(e.Pane).escaped },
		},
	})
	for _, s := range p.panes() {
		if err := p.keeper.See(s); err != nil {
			p.Fatal(err)
		}
	}
}

func (p *interleaving) agent(pane string) *playedAgent {
	for _, a := range p.agents {
		if a.pane == pane {
			return a
		}
	}
	return p.agents[0]
}

func (p *interleaving) panes() (all []detect.Sighting) {
	for _, a := range p.agents {
		s := detect.Sighting{State: screen.Working, At: time.Now(), By: "poll"}
		s.Agent, s.Process, s.Pane = "claude", a.process, detect.PaneRef{Server: tmux.Life{Socket: "/s", PID: 1}, ID: a.pane}
		if a.silent {
			s.Unasked = []reason.Why{{Kind: reason.OnlyHookAsks}}
		}
		all = append(all, s)
	}
	return all
}

// crash ends nod at once: it stores nothing more.
func (p *interleaving) crash() {
	_ = p.store.Close()
	for _, h := range p.held {
		h.stop()
	}
	synctest.Wait()
	p.held = nil
}

func (p *interleaving) step() {
	a := p.agents[p.r.IntN(len(p.agents))]
	switch p.r.IntN(16) {
	case 0, 1, 2:
		p.deny(a)
	case 3, 4, 5:
		p.tap()
	case 6, 7, 8, 9:
		p.before(a)
	case 10:
		p.forge(a)
	case 11:
		p.escape(a)
	case 12:
		for range 1 + p.r.IntN(2) {
			time.Sleep([]time.Duration{time.Second, 20 * time.Second, 3 * time.Minute, time.Hour}[p.r.IntN(4)])
			if p.r.IntN(2) == 0 {
				if err := p.keeper.Tick(time.Now()); err != nil {
					p.Fatal(err)
				}
			}
		}
	case 13:
		if p.r.IntN(3) == 0 {
			p.send(a, "UserPromptSubmit", madeCall{}, "", 0)
			p.forget(a)
		}
	case 14:
		if p.r.IntN(3) == 0 {
			p.did["crashed"]++
			p.crash()
			p.start()
		}
	case 15:
		p.leave()
	}
}
