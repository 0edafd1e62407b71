package fleet

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"nod/cmd/internal/fleet/pipe"
	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/testrun"
	"nod/internal/text/redact"
	"nod/nudge"
	"nod/nudge/keeper"
	"nod/store"
)

// edgesAt is the variable that has a process play the edges, at the hub's socket.
const edgesAt = "NOD_TEST_EDGES"

// fleetSize is how many machines there are, with how many panes each, for how long, and after how many looks at all of them one asks.
func fleetSize() (machines, panes int, lasts time.Duration, asks int) {
	if testrun.Proving() {
		return 50, 200, time.Minute, 5
	}
	return testrun.Rounds(4, 12), testrun.Rounds(50, 100), time.Duration(testrun.Rounds(3, 15)) * time.Second, testrun.Rounds(1, 5)
}

// TestFiftyMachines: of 50 machines with 200 panes each, a prompt is due to be told within a second of its edge's seeing it, and the hub takes less
// than 150 MB and half a core. Hub and edges are processes of their own; in make test they are fewer.
func TestFiftyMachines(t *testing.T) {
	if at := os.Getenv(edgesAt); at != "" {
		playEdges(t, at)
		return
	}
	if !testrun.Apart(t) {
		return
	}
	debug.SetGCPercent(100) // as in nod: what runs the tests collects less often
	debug.SetMemoryLimit(HubMemory)
	machines, panes, lasts, _ := fleetSize()
	dir := t.TempDir()
	listener, err := net.Listen("unix", filepath.Join(dir, "hub"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	m := newMeasured(t, filepath.Join(dir, "nod.db"))
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	var killed atomic.Bool // the machines: what they had not read resets their links
	all.Go(func() { _ = m.hub.Run(ctx) })
	all.Go(func() { _ = m.keeper.Run(ctx) })
	edges := exec.Command(os.Args[0], "-test.run=^TestFiftyMachines$", "-test.v")
	edges.Env = append(os.Environ(), edgesAt+"="+listener.Addr().String())
	edges.Stdout, edges.Stderr = os.Stdout, os.Stderr
	if err := edges.Start(); err != nil {
		t.Fatal(err)
	}
	for i := range machines {
		conn, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			if err := m.hub.Attach(ctx, fmt.Sprint("m", i), pipe.NewLink(conn, conn, conn.Close)); err != nil && !killed.Load() {
				t.Errorf("the link of m%d ended: %v", i, err)
			}
		})
	}
	known := func() (panes int) {
		for _, machine := range m.hub.Machines() {
			panes += machine.Agents
		}
		return panes
	}
	for until := time.Now().Add(time.Minute); known() < machines*panes && time.Now().Before(until); {
		time.Sleep(100 * time.Millisecond)
	}
	time.Sleep(lasts / 6) // what comes with the first state is not measured
	m.begin()
	before := spent()
	time.Sleep(lasts)
	core := (spent() - before).Seconds() / lasts.Seconds()
	for until := time.Now().Add(time.Minute); m.told() == 0 && time.Now().Before(until); {
		time.Sleep(100 * time.Millisecond) // beside other tests a few machines may need longer
	}
	delays := m.end()
	killed.Store(true)
	_ = edges.Process.Kill()
	_ = edges.Wait()
	stop()
	all.Wait()
	if len(delays) == 0 {
		t.Fatalf("%d prompts were told", len(delays))
	}
	half, most := delays[len(delays)/2], delays[len(delays)-1]
	t.Logf("%d machines, %d panes each: %d prompts, half told within %v, all within %v; %.0f %% of a core, %d MB", machines, panes, len(delays), half, most, core*100, resident(t))
	fmt.Printf("%d machines of %d panes: %d prompts, half within %v, all within %v; %.0f %% of a core, %d MB\n", machines, panes, len(delays), half, most, core*100, resident(t))
	if !testrun.Proving() {
		return // the machine is busy with other tests
	}
	if most > time.Second || core > 0.5 || resident(t) > 150 {
		t.Error("that is too much")
	}
	waiting, err := m.keeper.Queue()
	if err != nil || len(waiting) == 0 {
		t.Errorf("%d prompts wait: %v", len(waiting), err)
	}
}

// measured is a hub that takes down how long a prompt is on its way.
type measured struct {
	hub    *Hub
	keeper *keeper.Keeper

	mu     sync.Mutex
	begun  bool
	looks  map[string]int
	delays []time.Duration
}

func newMeasured(t *testing.T, path string) *measured {
	records, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	m := &measured{looks: map[string]int{}}
	m.hub = NewHub(HubConfig{
		See: func(s detect.Sighting) {
			if err := m.keeper.See(s); err != nil {
				t.Error(err)
			}
			m.saw(s)
		},
		Ran: func(detect.Effect) {}, Here: refuser{}, Learned: func(string, string, deliver.Result) error { return nil }, Away: func(string, time.Time) {}, Mask: redact.Mask,
		Decided: func(string) []string { return nil }, Version: "1",
	})
	m.keeper = keeper.New(keeper.Config{
		Store: records, Typist: m.hub, Rules: func() nudge.Rules { return nudge.Rules{Expiry: time.Hour, Supervisors: []nudge.Place{"1"}} },
		Log: slog.New(slog.DiscardHandler), Uptime: proc.Uptime, Changed: func() {},
	})
	t.Cleanup(func() { records.Close() })
	return m
}

// saw takes down the second look at a prompt, after which it is due to be told.
func (m *measured) saw(s detect.Sighting) {
	if s.Prompt == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.looks[s.Prompt.Subject]++
	_, at, _ := strings.Cut(s.Prompt.Subject, "asked at ")
	nanos, err := strconv.ParseInt(at, 10, 64)
	if m.begun && err == nil && m.looks[s.Prompt.Subject] == 2 {
		m.delays = append(m.delays, time.Since(time.Unix(0, nanos)))
	}
}

func (m *measured) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.begun = true
}

// told is how many prompts were told since begin.
func (m *measured) told() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.delays)
}

func (m *measured) end() []time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.begun = false
	slices.Sort(m.delays)
	return m.delays
}

// spent is the time of processors that this process took.
func spent() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

var peak = regexp.MustCompile(`VmHWM:\s+([0-9]+) kB`)

// resident is how many megabytes this process had at most.
func resident(t *testing.T) int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("no /proc here")
	}
	kb, _ := strconv.Atoi(string(peak.FindSubmatch(status)[1]))
	return kb >> 10
}

// playEdges plays the edges of all machines until it is killed. They mask nothing: what 50 machines take for that, this one has not.
func playEdges(t *testing.T, at string) {
	machines, panes, _, asks := fleetSize()
	for range machines {
		conn, err := net.Dial("unix", at)
		if err != nil {
			t.Fatal(err)
		}
		claims, _, err := store.OpenClaims(filepath.Join(t.TempDir(), "claims.db"))
		if err != nil {
			t.Fatal(err)
		}
		e := NewEdge(EdgeConfig{
			Typist: newGround(t), Claims: claims, View: func(detect.PaneRef, time.Time) {}, Health: func() []string { return nil },
			Takes: func() string { return Full }, Version: "1",
		})
		go func() {
			if err := e.Run(t.Context(), pipe.NewLink(conn, conn, conn.Close)); err != nil {
				t.Errorf("an edge ended: %v", err)
			}
		}()
		go playPanes(e, panes, asks)
	}
	time.Sleep(5 * time.Minute)
}

// playPanes has agents work, end their turns and ask: each two seconds every pane is looked at, twice a second the one that asks.
func playPanes(e *Edge, panes, asks int) {
	looks := make([]detect.Sighting, panes)
	for i := range looks {
		looks[i] = detect.Sighting{
			Whereabouts: detect.Whereabouts{
				Pane: detect.PaneRef{Server: tmux.Life{Socket: "/tmp/s", PID: 9, Start: 8}, ID: fmt.Sprint("%", i)}, Process: proc.ID{PID: 100 + i, Start: 7},
				Agent: "claude", Project: "api", Where: fmt.Sprintf("main:%d.0", i),
			}, State: screen.Working, Since: time.Now(), By: "poll",
		}
		turn(&looks[i], screen.Idle)
	}
	look := func(i int) {
		looks[i].At = time.Now()
		e.See(looks[i])
	}
	for round := 0; ; round++ {
		for i := range looks {
			if s := &looks[i]; s.State != screen.Permission && rand.IntN(30) == 0 { // a turn lasts a minute
				turn(s, map[screen.State]screen.State{screen.Working: screen.Idle, screen.Idle: screen.Working}[s.State])
			}
			look(i)
		}
		if round%asks == 0 { // one asks, of those that asked before
			i := rand.IntN(panes)
			for j := range looks {
				if looks[j].State == screen.Permission {
					turn(&looks[j], screen.Working)
				}
			}
			time.Sleep(rand.N(time.Second))
			turn(&looks[i], screen.Permission)
			look(i)
			time.Sleep(100 * time.Millisecond)
			look(i)
		}
		time.Sleep(2 * time.Second)
	}
}

// turn has a pane show another state.
func turn(s *detect.Sighting, state screen.State) {
	s.State, s.Since, s.Prompt, s.Screen, s.Words, s.Worked = state, time.Now(), nil, nil, "", state == screen.Idle
	var rows []string
	for range 24 {
		rows = append(rows, fmt.Sprintf("%d %s", rand.IntN(1000), strings.Repeat("word ", 14)))
		s.Screen = append(s.Screen, screen.Drawn{Text: rows[len(rows)-1]})
	}
	s.Above, s.Tail = rows[:9], rows[9:]
	if state == screen.Idle {
		s.Words = strings.Repeat("It is done and all tests pass. ", 30)
	}
	if state == screen.Permission {
		subject := fmt.Sprintf("make asked at %d", time.Now().UnixNano())
		s.Prompt = &screen.Prompt{
			Content:     screen.Content{Agent: "claude", Question: "Run it?", Subject: subject, Lead: 1, Options: []screen.Option{{Key: "1", Label: "Yes", Scope: screen.Once}, {Key: "2", Label: "No", Scope: screen.No}}},
			OnScreen:    screen.OnScreen{Rows: []string{subject, "1. Yes", "2. No"}, Width: 80},
			Ways:        screen.Ways{Approve: []string{"1"}, Deny: []string{"2"}},
			Fingerprint: "f-" + subject,
		}
	}
}
