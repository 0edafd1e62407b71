package monitor

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"sync"
	"time"

	"nod/internal/host/proc"
	"nod/nudge"
)

// storeAgain is the pause before another attempt to store news.
const storeAgain = 5 * time.Second

// drainWait is how long the rest of an output is read after its writers have ended.
const drainWait = time.Second

// record is the stored part of a monitor.
type record struct {
	Spec
	Wanted  bool // it should run: the next nod starts it again
	Mark    string
	Child   proc.ID
	Boot    string // the boot of the machine that Child belongs to
	Started time.Time
	Ended   time.Time
	Exit    string
	Deaths  int // how often in a row it ended at once after a start by nod itself
}

// monitor is one monitor, running or ended.
type monitor struct {
	match *regexp.Regexp
	child *child // nil if it reads a pane
	stop  context.CancelFunc
	done  chan struct{} // closed when it has ended
	news  chan struct{} // something matched; has room for one

	mu sync.Mutex
	record
	left    []int // its processes that can't be ended
	output  ring
	gather  gather
	matches int64
	recent  []string
	looked  bool // the pane was read once, so further lines are new
}

func newMonitor(s Spec, match *regexp.Regexp, deaths int) *monitor {
	return &monitor{
		match: match, stop: func() {}, done: make(chan struct{}), news: make(chan struct{}, 1),
		record: record{Spec: s, Wanted: true, Mark: newMark(), Started: time.Now().UTC(), Deaths: deaths},
		gather: gather{debounce: s.Debounce},
	}
}

func (r *monitor) spec() Spec {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.Spec
}

func (r *monitor) status() Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := Status{
		Spec: r.Spec, Running: r.Ended.IsZero(), Started: r.Started, Ended: r.Ended, Exit: r.Exit,
		Matches: r.matches, Recent: append([]string(nil), r.recent...),
	}
	if s.Running {
		s.PID = r.Child.PID
	}
	s.Env = s.redactedEnv()
	return s
}

// save stores a monitor's record.
func (m *Monitors) save(r *monitor) error {
	r.mu.Lock()
	data, err := json.Marshal(r.record)
	r.mu.Unlock()
	if err != nil {
		return fmt.Errorf("encode monitor %s: %w", r.Name, err)
	}
	if err := m.cfg.Records.PutMonitor(r.Name, data); err != nil {
		return fmt.Errorf("keep monitor %s: %w", r.Name, err)
	}
	return nil
}

// take handles one line.
func (r *monitor) take(line []byte) {
	text := plain(line)
	found := r.match.MatchString(text)
	r.mu.Lock()
	r.output.write(line)
	if found {
		if runes := []rune(text); len(runes) > longestTold {
			text = string(runes[:longestTold-1]) + "…"
		}
		r.matches++
		r.recent = keepLast(r.recent, text)
		r.gather.add(text, time.Now())
	}
	r.mu.Unlock()
	if found {
		select {
		case r.news <- struct{}{}:
		default:
		}
	}
}

// live runs a monitor to its end and reports its news meanwhile.
func (m *Monitors) live(ctx context.Context, r *monitor) {
	ended := make(chan string, 1)
	go func() {
		if r.child != nil {
			ended <- r.runChild(ctx, m.endWait)
		} else {
			ended <- r.readPane(ctx, m.cfg.Screen)
		}
	}()
	for {
		r.mu.Lock()
		due := r.gather.due()
		r.mu.Unlock()
		var timer <-chan time.Time
		if !due.IsZero() {
			timer = time.After(time.Until(due))
		}
		select {
		case exit := <-ended:
			m.finish(r, exit)
			return
		case <-r.news:
		case <-timer:
			m.tell(r, "")
		}
	}
}

// endWait returns how long processes may now take to end by themselves.
func (m *Monitors) endWait() time.Duration {
	if m.ctx.Err() != nil {
		return stopWait
	}
	return endWait
}

// tell stores the matches since the last message, and how the monitor ended, if it has.
func (m *Monitors) tell(r *monitor, ended string) bool {
	now := time.Now()
	r.mu.Lock()
	count, lines := r.gather.take(now)
	r.mu.Unlock()
	if count == 0 && ended == "" {
		return true
	}
	err := m.cfg.Report(nudge.MonitorReport{Monitor: r.Name, Count: count, Lines: lines, Ended: ended})
	if err == nil {
		return true
	}
	m.cfg.Log.Error("can't store a monitor's matches; trying again", "monitor", r.Name, "error", err)
	r.mu.Lock()
	r.gather.putBack(count, lines, now)
	r.gather.told = now.Add(storeAgain - r.gather.debounce)
	r.mu.Unlock()
	return false
}

// finish records how a monitor ended. Nobody is told if nod ends it with itself, because it will run again,
// or if a person stopped it.
func (m *Monitors) finish(r *monitor, exit string) {
	r.mu.Lock()
	stopping := m.ctx.Err() != nil
	stopped := !r.Wanted
	again := !stopped && !stopping && r.Deaths > 0 && exit != "exit status 0" && time.Since(r.Started) < diesAtOnce
	switch {
	case stopped:
		exit = "stopped"
	case !stopping && !again:
		r.Wanted = false
	}
	r.Ended, r.Exit = time.Now().UTC(), exit
	deaths := r.Deaths
	r.mu.Unlock()
	if err := m.save(r); err != nil {
		m.cfg.Log.Error("can't record how a monitor ended", "monitor", r.Name, "error", err)
	}
	m.cfg.Log.Info("monitor ended", "monitor", r.Name, "state", exit)
	m.trim()
	switch {
	case again && deaths < mostDeaths:
		close(r.done)
		m.again(r)
		return
	case again:
		exit = fmt.Sprintf("%s; it died at once %d times and is left down", exit, mostDeaths)
		r.mu.Lock()
		r.Wanted, r.Exit = false, exit
		r.mu.Unlock()
		if err := m.save(r); err != nil {
			m.cfg.Log.Error("can't record that a monitor stays down", "monitor", r.Name, "error", err)
		}
	}
	told := exit
	if stopped || stopping {
		told = ""
	}
	for !m.tell(r, told) && m.ctx.Err() == nil {
		time.Sleep(storeAgain)
	}
	close(r.done)
}

// again restarts a monitor that ended at once after a start by nod itself: what it needs may not be available
// yet.
func (m *Monitors) again(r *monitor) {
	m.runs.Go(func() {
		select {
		case <-m.ctx.Done():
			return
		case <-time.After(time.Duration(r.Deaths) * time.Second):
		}
		r.mu.Lock()
		wanted := r.Wanted
		r.mu.Unlock()
		if !wanted {
			return // somebody has stopped it meanwhile
		}
		m.startAgain(r.spec(), r.Deaths+1)
	})
}

// runChild reads a child's output until it has ended or ctx ends. It then ends all remaining processes, which
// have wait to end by themselves, and returns how the child ended.
func (r *monitor) runChild(ctx context.Context, wait func() time.Duration) string {
	read := make(chan struct{})
	reading, stopReading := context.WithCancel(context.Background())
	defer stopReading()
	go func() {
		defer close(read)
		_ = readLines(reading, r.child.output, r.take) // the process reports its end
	}()
	select {
	case <-r.child.exited:
	case <-ctx.Done():
	}
	exit, left := r.child.end(r.Mark, wait())
	r.mu.Lock()
	r.left = left
	r.mu.Unlock()
	// No writer is left, so the rest is read soon, unless a process that hides from nod holds the pipe open.
	select {
	case <-read:
	case <-time.After(drainWait):
		stopReading()
	}
	r.child.output.Close()
	<-read
	return exit
}
