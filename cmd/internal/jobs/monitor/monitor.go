// Package monitor runs commands beside the bot, and reads panes, and tells of the lines that match. A command is run without
// a shell, in a process group of its own, and ends with nod, however nod ends.
package monitor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"nod/detect"
	"nod/internal/host/proc"
	"nod/nudge"
)

const (
	// maxRunning is how many monitors may run at once.
	maxRunning = 50
	// maxKept is how many are kept, with those that have ended.
	maxKept = 200
	// diesAtOnce is how soon after its start a monitor that nod itself has started again must not have failed.
	diesAtOnce = 5 * time.Second
	// mostDeaths is how often that may happen in a row.
	mostDeaths = 3
)

// Records keeps what must outlive nod, a small value for each name.
type Records interface {
	Monitors() (map[string][]byte, error)
	PutMonitor(name string, value []byte) error // nil takes it away
}

// Config is what Monitors work with. Every field is needed.
type Config struct {
	Records Records
	// Report stores news for people. An error means that it is not stored, and is to be tried again.
	Report func(nudge.MonitorReport) error
	// Screen reads the last lines of a pane, above its trailing blank ones.
	Screen func(ctx context.Context, pane detect.PaneRef, lines int) ([]string, error)
	Log    *slog.Logger
}

// Monitors are all that run, and those that have ended and are kept.
type Monitors struct {
	cfg Config

	restored chan struct{} // closed when all that is to run was started again

	mu    sync.Mutex
	all   map[string]*monitor
	ready chan struct{} // closed when what an earlier nod left was read and ended
	ctx   context.Context
	runs  sync.WaitGroup
}

// New makes Monitors. It starts nothing.
func New(cfg Config) *Monitors {
	return &Monitors{cfg: cfg, all: map[string]*monitor{}, ready: make(chan struct{}), restored: make(chan struct{})}
}

// restoreWait is how long a call waits for the monitors of an earlier nod to run again. To end what one has left takes seconds.
const restoreWait = 5 * time.Second

// await lets a call that comes while nod starts wait, so that it sees what there will be.
func (m *Monitors) await() {
	select {
	case <-m.restored:
	case <-time.After(restoreWait):
	}
}

// Status is how a monitor stands.
type Status struct {
	Spec
	Running bool
	PID     int
	Started time.Time
	Ended   time.Time
	Exit    string // how it ended; empty: it runs
	Matches int64
	Recent  []string // the last lines that matched
}

// Run ends what an earlier nod left behind, starts what ran then, and keeps it running until ctx ends; then it ends every
// child.
func (m *Monitors) Run(ctx context.Context) error {
	if err := m.restore(ctx); err != nil {
		return fmt.Errorf("read the monitors: %w", err)
	}
	close(m.restored)
	<-ctx.Done()
	m.runs.Wait()
	return nil
}

// Start runs a new monitor. The error is a sentence for the human.
func (m *Monitors) Start(s Spec) (Status, error) {
	match, err := s.check()
	if err != nil {
		return Status{}, err
	}
	m.await()
	return m.begin(s, match, 0)
}

// Restart ends a monitor, if it runs, and starts it again with what it was told at first.
func (m *Monitors) Restart(name string) (Status, error) {
	r, err := m.find(name)
	if err != nil {
		return Status{}, err
	}
	if err := m.halt(r); err != nil {
		return Status{}, err
	}
	return m.Start(r.spec())
}

// Stop ends a monitor with all that it has started, and does not come back before it has.
func (m *Monitors) Stop(name string) error {
	r, err := m.find(name)
	if err != nil {
		return err
	}
	r.mu.Lock()
	over := !r.Ended.IsZero() && !r.Wanted
	r.mu.Unlock()
	if over {
		return fmt.Errorf("the monitor %s does not run", name)
	}
	return m.halt(r)
}

func (m *Monitors) halt(r *monitor) error {
	r.mu.Lock()
	r.Wanted = false
	stop := r.stop
	r.mu.Unlock()
	stop()
	<-r.done
	if err := m.save(r); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.left) > 0 {
		return &LeftError{Monitor: r.Name, PIDs: r.left}
	}
	return nil
}

// LeftError says that a monitor was stopped and that some of what it had started can't be ended.
type LeftError struct {
	Monitor string
	PIDs    []int
}

func (e *LeftError) Error() string {
	return fmt.Sprintf("%s is stopped, but of what it had started these processes could not be ended: %v; end them by hand", e.Monitor, e.PIDs)
}

// List gives those that run, by name, or all that are kept.
func (m *Monitors) List(all bool) (list []Status) {
	m.await()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.all {
		if s := r.status(); all || s.Running {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b Status) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// Show gives one, whether or not it runs.
func (m *Monitors) Show(name string) (Status, error) {
	r, err := m.find(name)
	if err != nil {
		return Status{}, err
	}
	return r.status(), nil
}

// Logs gives the last bytes of a monitor's output, n at most (0: all that is kept), that came after an offset, and the
// offset behind them.
func (m *Monitors) Logs(name string, n int, after int64) (text string, end int64, err error) {
	r, err := m.find(name)
	if err != nil {
		return "", 0, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	data, end := r.output.last(n, after)
	return strings.ToValidUTF8(string(data), "\ufffd"), end, nil
}

func (m *Monitors) find(name string) (*monitor, error) {
	m.await()
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.all[name]; r != nil {
		return r, nil
	}
	return nil, fmt.Errorf("there is no monitor %q: `nod monitor list --all` lists them", name)
}

// begin runs a monitor, and keeps it by its name.
func (m *Monitors) begin(s Spec, match *regexp.Regexp, deaths int) (Status, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.roomFor(s.Name); err != nil {
		return Status{}, err
	}
	r := newMonitor(s, match, deaths)
	// The mark is on disk before the first process bears it, so that none is ever left unknown.
	if err := m.save(r); err != nil {
		return Status{}, err
	}
	ctx, stop := context.WithCancel(m.ctx)
	r.stop = stop
	if s.Pane == nil {
		child, err := startChild(s, r.Mark)
		if err != nil {
			stop()
			return Status{}, errors.Join(err, m.takeBack(s.Name))
		}
		r.child, r.Child = child, child.id
		r.Boot, _ = proc.BootID() // without one the process is found by its mark alone
		if err := m.save(r); err != nil {
			m.cfg.Log.Error("can't record a monitor's process", "monitor", s.Name, "error", err)
		}
	}
	m.all[s.Name] = r
	m.cfg.Log.Info("monitor started", "monitor", s.Name, "pid", r.Child.PID)
	m.runs.Go(func() { m.live(ctx, r) })
	return r.status(), nil
}

// takeBack keeps what was kept of that name before. The caller holds mu.
func (m *Monitors) takeBack(name string) error {
	if old := m.all[name]; old != nil {
		return m.save(old)
	}
	return m.cfg.Records.PutMonitor(name, nil)
}

// roomFor says why no monitor of that name can be started, if none can. The caller holds mu.
func (m *Monitors) roomFor(name string) error {
	select {
	case <-m.ready:
	default:
		return errors.New("nod is just starting: try again")
	}
	if m.ctx.Err() != nil {
		return errors.New("nod is stopping")
	}
	running := 0
	for _, r := range m.all {
		if r.status().Running {
			running++
		}
	}
	old := m.all[name]
	switch {
	case old != nil && old.status().Running:
		return fmt.Errorf("a monitor %s runs already: `nod monitor stop %s` ends it", name, name)
	case running >= maxRunning:
		return fmt.Errorf("%d monitors run already: stop one first", running)
	case old == nil && len(m.all) >= maxKept:
		m.forgetOldest()
	}
	return nil
}

// forgetOldest drops the one that ended first. The caller holds mu.
func (m *Monitors) forgetOldest() {
	var oldest *monitor
	for _, r := range m.all {
		if s := r.status(); !s.Running && (oldest == nil || s.Ended.Before(oldest.status().Ended)) {
			oldest = r
		}
	}
	if oldest == nil {
		return
	}
	delete(m.all, oldest.Name)
	if err := m.cfg.Records.PutMonitor(oldest.Name, nil); err != nil {
		m.cfg.Log.Error("can't drop a monitor that ended", "monitor", oldest.Name, "error", err)
	}
}
