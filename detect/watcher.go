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
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
)

// Screens is one tmux server as far as watching goes. *tmux.Server is one; its errors are tmux's.
type Screens interface {
	// Socket is the absolute path of the server's socket.
	Socket() string
	// Poll lists the server, of panes that are still by the listing last, and captures those of the known panes that may have
	// changed since.
	Poll(ctx context.Context, known []tmux.Capture, last tmux.Listing) (tmux.Listing, []tmux.Capture, error)
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
	// called by one goroutine a server.
	See func(Sighting)
	// Ran hears what became of a tool call whose prompt was answered, where the agent's own event tells it; nil:
	// nobody wants to know. It is called as See is, after See of the look that did not show the prompt any more.
	Ran func(Effect)
	// Left hears, once and in a sentence for the human, that a server is left alone because another nod owns it; nil:
	// nobody wants to know. It is called as See is.
	Left func(sentence string)
	// Read tells what a screen of an agent says; agents.Read where it is nil.
	Read func(agent string, s screen.Screen) screen.Reading
	// Log hears when something becomes wrong with a server, and when it is right again.
	Log *slog.Logger
	// Screens gives the server of that name; tmux.New where it is nil.
	Screens func(server string) Screens
	// Processes tells who is in the foreground of many panes; that of proc.Fronts where it is nil.
	Processes func(panePIDs []int) (map[int][]proc.Process, error)
	// Lineage describes a process and its ancestors; proc.Lineage where it is nil.
	Lineage func(pid int) ([]proc.Process, error)
}

// Watcher watches the panes of some tmux servers in which agents run.
type Watcher struct {
	cfg     WatchConfig
	files   *fileQuestions
	started chan struct{} // closed when every server that the settings name is watched

	mu      sync.Mutex                // guards what follows
	servers map[string]*serverWatcher // by socket
	aliases map[string]string         // other paths of their sockets
	guests  map[string]time.Time      // servers that are watched besides those of the settings, and until when
}

// NewWatcher makes a Watcher. It does no I/O.
func NewWatcher(cfg WatchConfig) *Watcher {
	if cfg.Screens == nil {
		cfg.Screens = func(server string) Screens { return tmux.New(server) }
	}
	if cfg.Processes == nil {
		cfg.Processes = new(proc.Fronts).Foregrounds
	}
	if cfg.Lineage == nil {
		cfg.Lineage = proc.Lineage
	}
	if cfg.Read == nil {
		cfg.Read = agents.Read
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	files := newFileQuestions()
	files.log = cfg.Log
	return &Watcher{cfg: cfg, files: files, started: make(chan struct{}), servers: map[string]*serverWatcher{}, aliases: map[string]string{}, guests: map[string]time.Time{}}
}

// maxGuests is more servers than anybody tries at once.
const maxGuests = 8

// WatchFor has one more server watched, by the path of its socket, until a time; it reports false where too many are. It is
// for trying nod out: what is to be watched for good belongs into the settings.
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

// Run watches until ctx ends, each server on a goroutine of its own, so that one that hangs does not
// hold up the others. Servers that the settings name later are watched from then on.
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
	for {
		s := w.settings()
		w.followServers(ctx, mark, s.Servers, &all)
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
	for _, s := range w.all() {
		select {
		case <-s.ready:
		case <-s.done:
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

// followServers begins to watch the servers of these names, and stops watching those that are not among them. One
// that is named again is watched again only when the watching before has ended.
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

// serverOf is who watches the server of a pane; nil: nobody, or it is on another machine.
func (w *Watcher) serverOf(pane PaneRef) *serverWatcher {
	if !pane.Here() {
		return nil
	}
	return w.serverAt(pane.Server.Socket)
}

// serverAt is who watches the server at that socket; nil: nobody.
func (w *Watcher) serverAt(socket string) *serverWatcher {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.servers[socket]
}

// serverReachedBy is who watches the server at a socket, by whatever path.
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

// maxAliases is more than the sockets of a machine have.
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
	var all []*serverWatcher
	for _, s := range w.servers {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *serverWatcher) int { return strings.Compare(a.screens.Socket(), b.screens.Socket()) })
	return all
}

// Panes is what the last look at every watched pane told.
func (w *Watcher) Panes() []Sighting {
	var panes []Sighting
	for _, s := range w.all() {
		panes = append(panes, s.lastSightings()...)
	}
	return panes
}

// ViewUntil has a pane captured at each poll until a time, whether or not tmux says that it changed: somebody looks at it.
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

// Health says in sentences what is wrong; nothing where all is well. A server that does not run is not
// wrong.
func (w *Watcher) Health() []string {
	var troubles []string
	for _, s := range w.all() {
		if t := s.trouble(); t != "" {
			troubles = append(troubles, t)
		}
	}
	return troubles
}

// Server is the watched tmux server at a socket, for typing. nil: it is not watched, or another nod owns
// it, so that nothing may be typed there.
func (w *Watcher) Server(socket string) *tmux.Server {
	if s := w.serverAt(socket); s != nil && s.owns() {
		return tmux.New(socket)
	}
	return nil
}
