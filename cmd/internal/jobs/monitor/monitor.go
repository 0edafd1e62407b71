// Package monitor runs commands beside the bot, or reads panes, and reports lines that match. A command runs
// without a shell, in its own process group, and ends with nod, however nod ends.
package monitor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
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
	// maxKept is how many are kept, including those that have ended.
	maxKept = 200
	// mostEnded is how many bytes of output of all monitors that have ended are kept.
	mostEnded = 16 << 20
	// diesAtOnce is how soon after a start by nod itself the end of a monitor counts as a failed start.
	diesAtOnce = 5 * time.Second
	// mostDeaths is how many failed starts in a row are tried.
	mostDeaths = 3
)

// Records stores what must survive nod, a small value for each name.
type Records interface {
	Monitors() (map[string][]byte, error)
	PutMonitor(name string, value []byte) error // nil removes it
}

// Config is the input of Monitors. Every field is required.
type Config struct {
	Records Records
	// Report stores news for people. An error means that it is not stored and must be tried again.
	Report func(nudge.MonitorReport) error
	// Screen reads the last lines of a pane, without trailing blank ones.
	Screen func(ctx context.Context, pane detect.PaneRef, lines int) ([]string, error)
	Log    *slog.Logger
}

// Monitors are all running monitors, and the ended ones that are kept.
type Monitors struct {
	cfg Config

	restored chan struct{} // closed when all monitors of an earlier nod were started again

	mu    sync.Mutex
	all   map[string]*monitor
	ready chan struct{} // closed when the records were read and leftover processes ended
	ctx   context.Context
	runs  sync.WaitGroup
}

// New makes Monitors. It starts nothing.
func New(cfg Config) *Monitors {
	return &Monitors{cfg: cfg, all: map[string]*monitor{}, ready: make(chan struct{}), restored: make(chan struct{})}
}

// restoreWait is how long a call waits for the monitors of an earlier nod to run again. Ending leftover
// processes takes seconds.
const restoreWait = 5 * time.Second

// await makes a call during nod's start wait for the restored monitors, so that it sees them.
func (m *Monitors) await() {
	select {
	case <-m.restored:
	case <-time.After(restoreWait):
	}
}

// Status is the state of a monitor.
type Status struct {
	Spec
	Running bool
	PID     int
	Started time.Time
	Ended   time.Time
	Exit    string // how it ended; empty while it runs
	Matches int64
	Recent  []string // the last lines that matched
}

// Run ends the leftover processes of an earlier nod and starts its monitors again. When ctx ends it ends
// every child.
func (m *Monitors) Run(ctx context.Context) error {
	if err := m.restore(ctx); err != nil {
		return fmt.Errorf("read the monitors: %w", err)
	}
	close(m.restored)
	<-ctx.Done()
	m.runs.Wait()
	return nil
}

// Start starts a new monitor. The error is a sentence for the human.
func (m *Monitors) Start(s Spec) (Status, error) {
	match, err := s.check()
	if err != nil {
		return Status{}, err
	}
	m.await()
	return m.begin(s, match, 0)
}

// Restart ends a monitor, if it is running, and starts it again with its original spec.
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

// Stop ends a monitor with all processes that it started, and returns when they have ended.
func (m *Monitors) Stop(name string) error {
	r, err := m.find(name)
	if err != nil {
		return err
	}
	r.mu.Lock()
	over := !r.Ended.IsZero() && !r.Wanted
	r.mu.Unlock()
	if over {
		return fmt.Errorf("the monitor %s is not running", name)
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

// LeftError says that a monitor was stopped but some of its processes can't be ended.
type LeftError struct {
	Monitor string
	PIDs    []int
}

func (e *LeftError) Error() string {
	return fmt.Sprintf("%s is stopped, but of what it had started these processes could not be ended: %v; end them by hand", e.Monitor, e.PIDs)
}

// List returns the running monitors by name, or all that are kept.
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

// Show returns one monitor, running or not.
func (m *Monitors) Show(name string) (Status, error) {
	r, err := m.find(name)
	if err != nil {
		return Status{}, err
	}
	return r.status(), nil
}

// Logs returns the last bytes of a monitor's output after an offset, at most n of them (0 for all that is
// kept), and the offset after them.
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

// begin runs a monitor and stores it under its name.
func (m *Monitors) begin(s Spec, match *regexp.Regexp, deaths int) (Status, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.roomFor(s.Name); err != nil {
		return Status{}, err
	}
	r := newMonitor(s, match, deaths)
	// The mark is on disk before the first process has it, so that no process is ever unknown.
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
		r.Boot, _ = proc.BootID() // without it, only the mark finds the process
		if err := m.save(r); err != nil {
			m.cfg.Log.Error("can't record a monitor's process", "monitor", s.Name, "error", err)
		}
	}
	m.all[s.Name] = r
	m.cfg.Log.Info("monitor started", "monitor", s.Name, "pid", r.Child.PID)
	m.runs.Go(func() { m.live(ctx, r) })
	return r.status(), nil
}

// takeBack stores the previous monitor of that name again. The caller holds mu.
func (m *Monitors) takeBack(name string) error {
	if old := m.all[name]; old != nil {
		return m.save(old)
	}
	return m.cfg.Records.PutMonitor(name, nil)
}

// roomFor says why a monitor of that name can't be started; nil if it can. The caller holds mu.
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

// forgetOldest drops the monitor that ended first. The caller holds mu.
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

// trim drops the output of the monitors that ended first, as far as all of them have more than is kept.
func (m *Monitors) trim() {
	m.mu.Lock()
	defer m.mu.Unlock()
	ended := slices.SortedFunc(maps.Values(m.all), func(a, b *monitor) int { return b.status().Ended.Compare(a.status().Ended) })
	kept := 0
	for _, r := range ended {
		r.mu.Lock()
		if !r.Ended.IsZero() {
			if kept += r.output.settle(); kept > mostEnded {
				r.output.data = nil
			}
		}
		r.mu.Unlock()
	}
}
