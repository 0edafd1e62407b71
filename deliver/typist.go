package deliver

import (
	"context"
	"log/slog"
	"sync"

	"nod/deliver/door"
	"nod/detect"
	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/reason"
)

// Keyboard is one tmux server as far as typing goes. *tmux.Server is one; its errors are tmux's.
type Keyboard interface {
	// Look reads one pane afresh: its attributes, who looks at it, and its screen with colours.
	Look(ctx context.Context, pane string) (tmux.Look, error)
	// Press types keys in the very step that compares the guard.
	Press(ctx context.Context, g tmux.Guard, keys ...string) error
	// Paste types text, bracketed, in the very step that compares the guard.
	Paste(ctx context.Context, g tmux.Guard, text string) error
	// LeaveMode leaves copy mode, or any other mode of tmux.
	LeaveMode(ctx context.Context, life tmux.Life, pane string) error
}

// Config is what a Typist works with.
type Config struct {
	// Keyboards gives the server at a socket, or nil where nod may not type: it watches no such
	// server, or another nod owns it.
	Keyboards func(socket string) Keyboard
	// Foreground lists the foreground processes of a pane's terminal; proc.Foreground where it is nil.
	Foreground func(panePID int) ([]proc.Process, error)
	// Read tells what a screen of an agent says; agents.Read where it is nil.
	Read func(agent string, s screen.Screen) screen.Reading
	// Typed hears of each pane into which something was typed, or may have been: an agent often has its
	// next question ready. It must not block. nil: nobody wants to know.
	Typed func(detect.PaneRef)
	// Doors are the requests that agents' own hooks wait to have answered; nil: there are none.
	Doors *door.Doors
	// Servers says whether an answer may go to the agent's own server, where one runs its session; nil: it may not.
	Servers func() bool
	// Log hears when nod leaves a copy mode. What was typed and refused is in the Result.
	Log *slog.Logger
}

// Typist is the one way to a keyboard. It may be used by many goroutines at once.
type Typist struct {
	cfg Config

	mu    sync.Mutex
	panes map[detect.PaneRef]*paneLock
	// doubts counts, per socket, how often a server did not answer in time. A look that is older than
	// the last doubt justifies no key.
	doubts map[string]int
}

// New makes a Typist. It does no I/O.
func New(cfg Config) *Typist {
	if cfg.Foreground == nil {
		cfg.Foreground = proc.Foreground
	}
	if cfg.Read == nil {
		cfg.Read = agents.Read
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Typist{cfg: cfg, panes: map[detect.PaneRef]*paneLock{}, doubts: map[string]int{}}
}

// Type carries out one request and says what became of it. Requests for one pane take turns.
//
// begin is called once, just before the first key can be typed, and never when the request is
// refused before that; where it fails no key is typed. After it a cancelled ctx stops nothing any
// more, since a request cut off half-way helps nobody: Type then returns within about fifteen
// seconds, and only Type knows how it ended.
func (t *Typist) Type(ctx context.Context, r Request, begin func() error) Result {
	result := t.do(ctx, r, begin)
	if result.Outcome != Refused && t.cfg.Typed != nil && !r.Pane.Outside() {
		t.cfg.Typed(r.Pane)
	}
	return result
}

func (t *Typist) do(ctx context.Context, r Request, begin func() error) Result {
	j := &job{t: t, r: r, begin: begin}
	if no := r.flaw(); no != nil {
		return j.refused(no)
	}
	if !r.Pane.Here() {
		return j.refused(refuse(NotOwner, reason.ServerNotOurs))
	}
	if r.Pane.Outside() {
		return j.outside(ctx)
	}
	leave, err := t.enter(ctx, r.Pane)
	if err != nil {
		return j.refused(refuse(Unreadable, reason.ShutsDown))
	}
	defer leave()
	j.keyboard = t.cfg.Keyboards(r.Pane.Server.Socket)
	if j.keyboard == nil {
		return j.refused(refuse(NotOwner, reason.ServerNotOurs))
	}
	switch {
	case r.Granted != "":
		return j.grant(ctx)
	case r.tells():
		return j.tell(ctx)
	case len(r.Keys) > 0:
		return j.byHand(ctx)
	default:
		for _, through := range []func(context.Context) (Result, bool){j.throughDoor, j.throughServer} {
			if result, ok := through(ctx); ok {
				return result
			}
		}
		return j.answer(ctx)
	}
}

// paneLock lets one request at a time into a pane: a channel with room for one, and how many hold it or wait for it.
type paneLock struct {
	held  chan struct{}
	users int
}

// enter waits until this caller is the only one who types into the pane.
func (t *Typist) enter(ctx context.Context, pane detect.PaneRef) (leave func(), err error) {
	t.mu.Lock()
	p := t.panes[pane]
	if p == nil {
		p = &paneLock{held: make(chan struct{}, 1)}
		t.panes[pane] = p
	}
	p.users++
	t.mu.Unlock()

	release := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if p.users--; p.users == 0 {
			delete(t.panes, pane)
		}
	}
	select {
	case p.held <- struct{}{}:
		return func() { <-p.held; release() }, nil
	case <-ctx.Done():
		release()
		return nil, ctx.Err()
	}
}

func (t *Typist) doubt(socket string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.doubts[socket]++
}

func (t *Typist) doubted(socket string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.doubts[socket]
}
