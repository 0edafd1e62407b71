package detect

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"nod/detect/agents"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/reason"
)

// Screens is the part of a tmux server that watching needs. *tmux.Watch is one; its errors are tmux's.
type Screens interface {
	// Socket is the absolute path of the server's socket.
	Socket() string
	// Poll lists the server, except for panes that the listing last shows to be still, and captures the known panes that may have
	// changed since.
	Poll(ctx context.Context, known []tmux.Capture, last tmux.Listing) (tmux.Listing, []tmux.Capture, error)
	// SetOwner writes @nod-owner if it still is what was read.
	SetOwner(ctx context.Context, life tmux.Life, was, next string) error
}

// WatchSettings are the settings for watching.
type WatchSettings struct {
	Servers     []string // as in tmux.New; none: the default server
	Interval    time.Duration
	StablePolls int
}

// WatchConfig is the configuration of a Watcher.
type WatchConfig struct {
	Settings func() WatchSettings // asked before every poll, so that a change takes effect at the next one
	See      func(Sighting)       // called for every watched pane at every look, by a goroutine a server; must be fast if nothing has changed
	// Ran is called with the outcome of a tool call whose prompt was answered, if the agent's own event reports it. It is called
	// like See, after See of the look that no longer showed the prompt. nil: not called.
	Ran       func(Effect)
	Left      func(why reason.Why)                                 // called once, like See, if a server is left alone because another nod owns it; nil: not called
	Taught    func() *[]agents.Taught                              // the dialogs that people taught, others behind another pointer; nil: none
	Log       *slog.Logger                                         // gets a line when something becomes wrong with a server, and when it is right again
	Screens   func(server string) Screens                          // the server of that name; nil: tmux.NewWatch
	Processes func(panePIDs []int) (map[int][]proc.Process, error) // the foreground processes of many panes; nil: proc.Foregrounds
	Lineage   func(pid int) ([]proc.Process, error)                // a process and its ancestors; nil: proc.Lineage
}

// Watcher watches the panes of some tmux servers in which agents run.
type Watcher struct {
	cfg     WatchConfig
	files   *fileQuestions
	started chan struct{} // closed when every server in the settings is watched
	polls   chan struct{} // gets a value after a poll

	mu      sync.Mutex                // guards the fields below
	servers map[string]*serverWatcher // by socket
	aliases map[string]string         // other paths of their sockets
	guests  map[string]time.Time      // servers that are not in the settings, and until when they are watched
}

// NewWatcher makes a Watcher. It does no I/O.
func NewWatcher(cfg WatchConfig) *Watcher {
	if cfg.Screens == nil {
		cfg.Screens = func(server string) Screens { return tmux.NewWatch(server) }
	}
	if cfg.Processes == nil {
		cfg.Processes = proc.Foregrounds
	}
	if cfg.Lineage == nil {
		cfg.Lineage = proc.Lineage
	}
	if cfg.Taught == nil {
		none := new([]agents.Taught)
		cfg.Taught = func() *[]agents.Taught { return none }
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	files := newFileQuestions()
	files.log = cfg.Log
	return &Watcher{cfg: cfg, files: files, started: make(chan struct{}), polls: make(chan struct{}, 1), servers: map[string]*serverWatcher{}, aliases: map[string]string{}, guests: map[string]time.Time{}}
}

// maxGuests is the greatest number of guests: more than anybody tries at once.
const maxGuests = 8

// WatchFor watches one more server, by the path of its socket, until a time. It reports false if there are too many. It is for
// trying nod out; a server that is watched for good belongs in the settings.
func (w *Watcher) WatchFor(socket string, until time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.leaveGuests()
	if _, known := w.guests[socket]; !known && len(w.guests) >= maxGuests {
		return false
	}
	w.guests[socket] = until
	return true
}

// leaveGuests forgets the guests whose time is over. The caller holds the lock.
func (w *Watcher) leaveGuests() {
	now := time.Now()
	maps.DeleteFunc(w.guests, func(_ string, until time.Time) bool { return !now.Before(until) })
}

// followAnyway is how often changed settings are looked for while no server is polled, as one that hangs.
const followAnyway = 5 * time.Second

// Run watches until ctx ends. Each server has a goroutine of its own, so that one that hangs does not delay the others. A server
// that is added to the settings is watched from then on.
func (w *Watcher) Run(ctx context.Context) error {
	mark, err := ownMark()
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	defer all.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	w.followServers(ctx, mark, w.settings().Servers, &all)
	close(w.started)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		s := w.settings()
		w.followServers(ctx, mark, s.Servers, &all)
		timer.Reset(followAnyway)
		select {
		case <-ctx.Done():
			return nil
		case <-w.polls: // a timer of its own would wake nod once more each second
		case <-timer.C:
		}
	}
}

// polled has the settings looked at again.
func (w *Watcher) polled() {
	select {
	case w.polls <- struct{}{}:
	default:
	}
}

// Ready waits until every server was looked at once, or could not be: only then nod knows where it may type. It returns early if
// ctx ends.
func (w *Watcher) Ready(ctx context.Context) {
	select {
	case <-w.started:
	case <-ctx.Done():
		return
	}
	for _, s := range w.all() {
		select {
		case <-s.ready:
		case <-s.done:
		case <-ctx.Done():
			return
		}
	}
}

// settings are the current settings, with defaults for missing ones.
func (w *Watcher) settings() WatchSettings {
	s := w.cfg.Settings()
	if len(s.Servers) == 0 {
		s.Servers = []string{""}
	}
	w.mu.Lock()
	w.leaveGuests()
	s.Servers = slices.AppendSeq(slices.Clone(s.Servers), maps.Keys(w.guests))
	w.mu.Unlock()
	if s.Interval <= 0 {
		s.Interval = 2 * time.Second
	}
	s.StablePolls = max(s.StablePolls, 1)
	return s
}

// followServers starts watching the servers of these names and stops watching the others. A server that comes back is watched
// again once its earlier watching has ended.
func (w *Watcher) followServers(ctx context.Context, mark ownerMark, names []string, all *sync.WaitGroup) {
	w.mu.Lock()
	defer w.mu.Unlock()
	named := map[string]bool{}
	for _, name := range names {
		screens := w.cfg.Screens(name)
		socket := screens.Socket()
		named[socket] = true
		if w.servers[socket] != nil {
			continue
		}
		ctx, stop := context.WithCancel(ctx)
		s := newServerWatcher(w, screens, mark, stop)
		w.servers[socket] = s
		all.Go(func() {
			s.run(ctx)
			w.mu.Lock()
			defer w.mu.Unlock()
			delete(w.servers, socket)
		})
	}
	for socket, s := range w.servers {
		if !named[socket] {
			s.stop()
		}
	}
}

// serverOf is the watcher of a pane's server; nil: none, or the pane is on another machine.
func (w *Watcher) serverOf(pane PaneRef) *serverWatcher {
	if !pane.Here() {
		return nil
	}
	return w.serverAt(pane.Server.Socket)
}

// serverAt is the watcher of the server at a socket; nil: none.
func (w *Watcher) serverAt(socket string) *serverWatcher {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.servers[socket]
}

// serverReachedBy is the watcher of the server at a socket that any path leads to; nil: none.
func (w *Watcher) serverReachedBy(path string) *serverWatcher {
	w.mu.Lock()
	alias := w.aliases[path]
	w.mu.Unlock()
	for _, socket := range []string{path, alias} {
		if s := w.serverAt(socket); s != nil {
			return s
		}
	}
	for _, s := range w.all() {
		if w.files.same(s.screens.Socket(), path) {
			w.remember(path, s.screens.Socket())
			return s
		}
	}
	return nil
}

// maxAliases is the greatest number of aliases that are kept: more than a machine's sockets have.
const maxAliases = 64

// remember keeps another path of a socket, so that not every event has to ask the disk.
func (w *Watcher) remember(path, socket string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.aliases) >= maxAliases {
		clear(w.aliases)
	}
	w.aliases[path] = socket
}

// all are the watched servers, in order of their sockets.
func (w *Watcher) all() []*serverWatcher {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.SortedFunc(maps.Values(w.servers), func(a, b *serverWatcher) int { return strings.Compare(a.screens.Socket(), b.screens.Socket()) })
}

// Panes is the result of the last look at every watched pane.
func (w *Watcher) Panes() []Sighting {
	var panes []Sighting
	for _, s := range w.all() {
		panes = append(panes, s.lastSightings()...)
	}
	return panes
}

// Count is how many panes are watched.
func (w *Watcher) Count() (panes int) {
	for _, s := range w.all() {
		s.mu.Lock()
		panes += len(s.status.sightings)
		s.mu.Unlock()
	}
	return panes
}

// ViewUntil captures a pane at each poll until a time, even if tmux reports no change: an inbox or a page shows it.
func (w *Watcher) ViewUntil(pane PaneRef, until time.Time) {
	s := w.serverOf(pane)
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, watched := s.status.sightings[pane.ID]; watched && s.status.life == pane.Server {
		s.status.viewed[pane.ID] = until
	}
}

// Health says what is wrong; nothing if all is well. A server that does not run is not wrong.
func (w *Watcher) Health() []reason.Why {
	var troubles []reason.Why
	for _, s := range w.all() {
		if t := s.told().trouble; !t.IsZero() {
			troubles = append(troubles, t)
		}
	}
	return troubles
}

// Server is the watched tmux server at a socket, for typing. nil: it is not watched or another nod owns it, so nothing may be typed
// there.
func (w *Watcher) Server(socket string) *tmux.Server {
	if s := w.serverAt(socket); s != nil && s.told().owned {
		return tmux.New(socket)
	}
	return nil
}
