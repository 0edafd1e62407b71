package deliver

import (
	"context"
	"log/slog"
	"net"
	"sync"

	"nod/deliver/door"
	"nod/detect"
	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/reason"
)

// Keyboard is the typing side of a tmux server. *tmux.Server implements it; the errors are those of package
// tmux.
type Keyboard interface {
	// Look reads one pane: its attributes, its viewers, and its screen with colours.
	Look(ctx context.Context, pane string) (tmux.Look, error)
	// Press types keys in the same step that compares the guard.
	Press(ctx context.Context, g tmux.Guard, keys ...string) error
	// Paste types text, bracketed, in the same step that compares the guard.
	Paste(ctx context.Context, g tmux.Guard, text string) error
	// LeaveMode leaves copy mode, or any other mode of tmux.
	LeaveMode(ctx context.Context, life tmux.Life, pane string) error
}

// Config is the configuration of a Typist.
type Config struct {
	// Keyboards returns the server at a socket; nil: nod may not type there, because it does not watch that
	// server or another nod owns it.
	Keyboards func(socket string) Keyboard
	// Foreground lists the foreground processes of a pane's terminal; nil: proc.Foreground.
	Foreground func(panePID int) ([]proc.Process, error)
	// Read reads an agent's screen; nil: agents.Read.
	Read func(agent string, s screen.Screen) screen.Reading
	// Typed is called for each pane into which something was typed, or may have been, because an agent often
	// has its next question ready. It must not block. nil: not called.
	Typed func(detect.PaneRef)
	// Doors are the requests that agents' own hooks wait for; nil: none.
	Doors *door.Doors
	// Servers reports whether an answer may go to the agent's own server, if one runs its session; nil: it
	// may not.
	Servers func() bool
	// Trust identifies the process at an agent's server; nil: door.OwnServer.
	Trust func(agent string, conn net.Conn) (proc.ID, error)
	// Log records that nod left copy mode. What was typed or refused is in the Result.
	Log *slog.Logger
}

// Typist is the only way to a keyboard. It may be used by many goroutines at once.
type Typist struct {
	cfg Config

	mu    sync.Mutex
	panes map[detect.PaneRef]*paneLock
	// doubts counts, per socket, how often a server did not answer in time. A look from before the last doubt
	// justifies no key.
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
	if cfg.Trust == nil {
		cfg.Trust = door.OwnServer
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Typist{cfg: cfg, panes: map[detect.PaneRef]*paneLock{}, doubts: map[string]int{}}
}

// Type carries out one request and returns its result. Requests for one pane take turns.
//
// begin is called once, just before the first key can be typed, and never if the request is refused before
// that. If it fails no key is typed. After begin a cancelled ctx stops nothing, because a request cut off
// half-way helps nobody: Type then returns within about fifteen seconds, and only Type knows how it ended.
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

// paneLock lets one request at a time into a pane: a channel with room for one, and the number of its holders
// and waiters.
type paneLock struct {
	held  chan struct{}
	users int
}

// enter waits until no other caller types into the pane.
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
