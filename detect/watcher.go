package detect

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"nod/internal/proc"
	"nod/internal/tmux"
)

// Screens is one tmux server as far as watching goes. *tmux.Server is one; its errors are tmux's.
type Screens interface {
	// Socket is the absolute path of the server's socket.
	Socket() string
	// Poll lists the server and captures those of the known panes that may have changed since.
	Poll(ctx context.Context, known []tmux.Shot) (tmux.Listing, []tmux.Shot, error)
	// SetOwner writes @nod-owner if it still is what was read.
	SetOwner(ctx context.Context, life tmux.Life, was, next string) error
}

// WatchSettings are the settings that watching depends on.
type WatchSettings struct {
	Servers     []string // as tmux.New takes them; none: the default server
	Interval    time.Duration
	StablePolls int
}

// WatchConfig is what a Watcher works with.
type WatchConfig struct {
	// Settings is asked before every poll, so that a change takes effect at the next one.
	Settings func() WatchSettings
	// See hears of every watched pane at every look, and must be fast when nothing has changed. It is
	// called by one goroutine a server and must not call the Watcher's Look.
	See func(Sighting)
	// Ran hears what became of a tool call whose prompt was answered, where the agent's own event tells it; nil:
	// nobody wants to know. It is called as See is, after See of the look that did not show the prompt any more.
	Ran func(Effect)
	// Log hears when something becomes wrong with a server, and when it is right again.
	Log *slog.Logger
	// Screens gives the server of that name; tmux.New where it is nil.
	Screens func(server string) Screens
	// Processes tells who is in the foreground of many panes; proc.Foregrounds where it is nil.
	Processes func(panePIDs []int) (map[int][]proc.Process, error)
	// Lineage describes a process and its ancestors; proc.Lineage where it is nil.
	Lineage func(pid int) ([]proc.Process, error)
}

// Watcher watches the panes of some tmux servers in which agents run.
type Watcher struct {
	cfg     WatchConfig
	started chan struct{} // closed when every server that the settings name has its lookout

	mu       sync.Mutex
	lookouts map[string]*lookout // by socket
}

// NewWatcher makes a Watcher. It does no I/O.
func NewWatcher(cfg WatchConfig) *Watcher {
	if cfg.Screens == nil {
		cfg.Screens = func(server string) Screens { return tmux.New(server) }
	}
	if cfg.Processes == nil {
		cfg.Processes = proc.Foregrounds
	}
	if cfg.Lineage == nil {
		cfg.Lineage = proc.Lineage
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Watcher{cfg: cfg, started: make(chan struct{}), lookouts: map[string]*lookout{}}
}

// Run watches until ctx ends, each server on a goroutine of its own, so that one that hangs does not
// hold up the others. Servers that the settings name later are watched from then on.
func (w *Watcher) Run(ctx context.Context) error {
	me, err := self()
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	defer all.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	w.follow(ctx, me, w.settings().Servers, &all)
	close(w.started)
	for {
		s := w.settings()
		w.follow(ctx, me, s.Servers, &all)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(s.Interval):
		}
	}
}

// Ready waits until every server was looked at once, or could not be: only then is known where nod may
// type. It returns early when ctx ends.
func (w *Watcher) Ready(ctx context.Context) {
	select {
	case <-w.started:
	case <-ctx.Done():
		return
	}
	for _, l := range w.all() {
		select {
		case <-l.looked:
		case <-l.done:
		case <-ctx.Done():
			return
		}
	}
}

// settings are the settings of now, whole even where somebody left a part of them out.
func (w *Watcher) settings() WatchSettings {
	s := w.cfg.Settings()
	if len(s.Servers) == 0 {
		s.Servers = []string{""}
	}
	if s.Interval <= 0 {
		s.Interval = 2 * time.Second
	}
	s.StablePolls = max(s.StablePolls, 1)
	return s
}

// follow starts a lookout for every server that has none and stops those whose server is not named any
// more. A server that is named again gets its new lookout only when the old one has ended.
func (w *Watcher) follow(ctx context.Context, me owner, servers []string, all *sync.WaitGroup) {
	w.mu.Lock()
	defer w.mu.Unlock()
	named := map[string]bool{}
	for _, name := range servers {
		screens := w.cfg.Screens(name)
		socket := screens.Socket()
		named[socket] = true
		if w.lookouts[socket] != nil {
			continue
		}
		ctx, stop := context.WithCancel(ctx)
		l := newLookout(w, screens, me, stop)
		w.lookouts[socket] = l
		all.Go(func() {
			l.run(ctx)
			w.mu.Lock()
			defer w.mu.Unlock()
			delete(w.lookouts, socket)
		})
	}
	for socket, l := range w.lookouts {
		if !named[socket] {
			l.stop()
		}
	}
}

func (w *Watcher) lookout(socket string) *lookout {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lookouts[socket]
}

// all are the lookouts, in order of their sockets.
func (w *Watcher) all() []*lookout {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []*lookout
	for _, l := range w.lookouts {
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b *lookout) int { return strings.Compare(a.screens.Socket(), b.screens.Socket()) })
	return all
}

// Panes is what the last look at every watched pane told.
func (w *Watcher) Panes() []Sighting {
	var panes []Sighting
	for _, l := range w.all() {
		panes = append(panes, l.seen()...)
	}
	return panes
}

// Health says in sentences what is wrong; nothing where all is well. A server that does not run is not
// wrong.
func (w *Watcher) Health() []string {
	var troubles []string
	for _, l := range w.all() {
		if t := l.troubled(); t != "" {
			troubles = append(troubles, t)
		}
	}
	return troubles
}

// Server is the watched tmux server at a socket, for typing. nil: it is not watched, or another nod owns
// it, so that nothing may be typed there.
func (w *Watcher) Server(socket string) *tmux.Server {
	if l := w.lookout(socket); l != nil && l.owns() {
		return tmux.New(socket)
	}
	return nil
}

// Look reads a pane now, until two reads in a row are equal or 5 seconds have passed, and returns what
// they tell; See hears of it too. tmux.ErrNoPane: the pane is not there, or no agent is known to run in it.
func (w *Watcher) Look(ctx context.Context, pane PaneRef) (Sighting, error) {
	l := w.lookout(pane.Server.Socket)
	if l == nil {
		return Sighting{}, fmt.Errorf("read pane %s: its tmux server is not watched: %w", pane.ID, tmux.ErrNoPane)
	}
	answer := make(chan answer, 1)
	select {
	case l.requests <- request{pane: pane, answer: answer}:
	case <-l.done:
	case <-ctx.Done():
		return Sighting{}, ctx.Err()
	}
	select {
	case a := <-answer:
		return a.sighting, a.err
	case <-l.done:
		return Sighting{}, fmt.Errorf("read pane %s: its tmux server is not watched any more: %w", pane.ID, tmux.ErrNoPane)
	case <-ctx.Done():
		return Sighting{}, ctx.Err()
	}
}

// sameSocket compares paths of sockets, which may reach the same one by different links.
func sameSocket(a, b string) bool {
	if a == b {
		return true
	}
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
