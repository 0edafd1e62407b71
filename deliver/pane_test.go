package deliver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"nod/detect"
	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
)

var (
	life      = tmux.Life{Socket: "/run/s", PID: 4000, Start: 900}
	ref       = detect.PaneRef{Server: life, ID: "%7"}
	processes = map[string]proc.Process{
		"claude":   {ID: proc.ID{PID: 100, Start: 7}, Comm: "claude", Exe: "/opt/claude", Args: []string{"claude"}},
		"codex":    {ID: proc.ID{PID: 101, Start: 7}, Comm: "codex", Exe: "/opt/codex", Args: []string{"codex"}},
		"opencode": {ID: proc.ID{PID: 102, Start: 7}, Comm: "opencode", Exe: "/opt/opencode", Args: []string{"opencode"}},
		"kilo":     {ID: proc.ID{PID: 103, Start: 7}, Comm: "kilo", Exe: "/opt/kilo", Args: []string{"kilo"}},
		"kimi":     {ID: proc.ID{PID: 104, Start: 7}, Comm: "kimi", Exe: "/opt/kimi", Args: []string{"kimi"}},
		"copilot":  {ID: proc.ID{PID: 105, Start: 7}, Comm: "copilot", Exe: "/opt/copilot", Args: []string{"copilot"}},
		"gemini":   {ID: proc.ID{PID: 106, Start: 7}, Comm: "gemini", Exe: "/opt/gemini", Args: []string{"gemini"}},
		"qwen":     {ID: proc.ID{PID: 107, Start: 7}, Comm: "qwen", Exe: "/opt/qwen", Args: []string{"qwen"}},
	}
	bash = proc.Process{ID: proc.ID{PID: 90, Start: 5}, Comm: "bash", Exe: "/bin/bash", Args: []string{"-bash"}}
)

// capture returns a recorded screen of a real agent.
func capture(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name+".ansi"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// rowsOf returns the rows of the same screen as tmux compares them, recorded without colours.
func rowsOf(t testing.TB, name string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
	}
	return rows
}

// promptOn returns the prompt that detection reads on a recorded screen.
func promptOn(t testing.TB, agent, name string) *screen.Prompt {
	t.Helper()
	p := agents.Read(agent, screen.Parse(capture(t, name))).Prompt
	if p == nil {
		t.Fatalf("no prompt is read on %s", name)
	}
	return p
}

// pane is a Keyboard on fake time: one pane with an agent that shows recorded screens. Its guard compares
// like tmux.
type pane struct {
	t testing.TB

	mu      sync.Mutex
	look    tmux.Look
	rows    []string
	front   []proc.Process
	lookErr error
	// sent is the result of Press and Paste if the guard holds; lost says that the key did not arrive.
	sent error
	lost bool

	typed  []string
	pasted []string
	left   int // how often copy mode was left
	looks  int
	spins  int       // looks in a row at the same moment
	looked time.Time // the last look

	onLook  func(p *pane)             // called before each look; p.looks counts the looks from 1
	onGuard func(p *pane)             // called after the look, just before tmux compares
	onKey   func(p *pane, key string) // the agent
	onPaste func(p *pane, text string)
}

// newPane returns a pane of agent that has shown screen for a minute.
func newPane(t testing.TB, agent, screen string) *pane {
	p := &pane{t: t, front: []proc.Process{processes[agent]}}
	p.look = tmux.Look{Life: life, Pane: tmux.Pane{ID: ref.ID, PID: 90, Width: 80, Height: 24}}
	p.show(screen)
	p.look.Pane.Activity = time.Now().Add(-time.Minute).Truncate(time.Second)
	return p
}

// show draws a recorded screen now.
func (p *pane) show(screen string) {
	p.draw(capture(p.t, screen), rowsOf(p.t, screen))
}

func (p *pane) draw(capture string, rows []string) {
	p.look.Capture, p.rows = capture, rows
	p.look.Pane.Activity = time.Now().Truncate(time.Second)
}

// edit redraws the current screen with old replaced. Both texts must have no colours.
func (p *pane) edit(old, new string) {
	rows := strings.Split(strings.ReplaceAll(strings.Join(p.rows, "\n"), old, new), "\n")
	p.draw(strings.ReplaceAll(p.look.Capture, old, new), rows)
}

// later changes the pane after a time.
func (p *pane) later(d time.Duration, change func()) {
	time.AfterFunc(d, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		change()
	})
}

func (p *pane) Look(ctx context.Context, id string) (tmux.Look, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ctx.Err() != nil {
		return tmux.Look{}, ctx.Err()
	}
	p.looks++
	if p.spins++; !time.Now().Equal(p.looked) {
		p.looked, p.spins = time.Now(), 0
	}
	if p.spins > 1000 { // in a bubble time would stand still for ever
		panic("nod looks again and again without a pause")
	}
	if p.onLook != nil {
		p.onLook(p)
	}
	if p.lookErr != nil {
		return tmux.Look{}, p.lookErr
	}
	if id != p.look.Pane.ID {
		return tmux.Look{}, tmux.ErrNoPane
	}
	return p.look, nil
}

func (p *pane) Press(ctx context.Context, g tmux.Guard, keys ...string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ctx.Err() != nil {
		return ctx.Err() // like a killed tmux process: nobody knows what it did
	}
	if p.onGuard != nil {
		p.onGuard(p)
	}
	if !p.holds(g) {
		return tmux.ErrStale
	}
	for _, key := range keys {
		if p.lost {
			break
		}
		p.typed = append(p.typed, key)
		if p.onKey != nil {
			p.onKey(p, key)
		}
	}
	return p.sent
}

func (p *pane) Paste(ctx context.Context, g tmux.Guard, text string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if p.onGuard != nil {
		p.onGuard(p)
	}
	if !p.holds(g) {
		return tmux.ErrStale
	}
	p.pasted = append(p.pasted, text)
	if p.onPaste != nil {
		p.onPaste(p, text)
	}
	return p.sent
}

func (p *pane) LeaveMode(_ context.Context, l tmux.Life, id string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left++
	if l == p.look.Life && id == p.look.Pane.ID {
		p.look.Pane.InMode = false
	}
	return nil
}

func (p *pane) holds(g tmux.Guard) bool {
	now := p.look.Pane
	if g.Life != p.look.Life || g.Pane != now.ID || g.PanePID != now.PID || g.Width != now.Width || g.Height != now.Height {
		return false
	}
	if now.Dead || now.InMode || now.InputOff || now.Synchronized || g.Still != 0 && g.Still != now.Activity.Unix() {
		return false
	}
	for i, row := range g.Rows {
		if i >= len(p.rows) || p.rows[i] != row {
			return false
		}
	}
	return true
}

// typist returns a Typist that types only into p.
func (p *pane) typist() *Typist {
	return New(Config{
		Keyboards: func(socket string) Keyboard {
			if socket != life.Socket {
				return nil
			}
			return p
		},
		Foreground: func(int) ([]proc.Process, error) {
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.front == nil {
				return nil, errors.New("no such process")
			}
			return slices.Clone(p.front), nil
		},
	})
}

// reading is typist with another reading of the screen, changed under the pane's lock.
func (p *pane) reading(change func(*screen.Reading)) *Typist {
	t := p.typist()
	read := t.cfg.Read
	t.cfg.Read = func(agent string, s screen.Screen) screen.Reading {
		p.mu.Lock()
		defer p.mu.Unlock()
		r := read(agent, s)
		change(&r)
		return r
	}
	return t
}

// request returns an answer to the prompt on a recorded screen.
func request(t testing.TB, agent, screen string, d screen.Decision) Request {
	t.Helper()
	r := Request{Nudge: "k3f", Pane: ref, Process: processes[agent].ID, Agent: agent, Decision: d}
	r.decides(promptOn(t, agent, screen))
	return r
}

// decides makes r an answer to p.
func (r *Request) decides(p *screen.Prompt) {
	r.Fingerprint, r.Rows, r.Width = p.Fingerprint, p.Rows, p.Width
}

// text returns an instruction for an agent.
func text(agent, words string) Request {
	return Request{Pane: ref, Process: processes[agent].ID, Agent: agent, Instruction: Instruction(words)}
}

// begins counts how often a request began.
type begins int

func (b *begins) begin() error { *b++; return nil }
