package monitor

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"nod/detect"
	"nod/internal/testrun"
	"nod/nudge"
	"nod/store"
)

// The test of a killed nod runs itself as that nod, with its database in this directory.
const killedDir = "TEST_MONITOR_DIR"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == JobCommand {
		if err := Job(os.Args[2], os.Args[3:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if dir := os.Getenv(killedDir); dir != "" {
		err := killed(dir)
		fmt.Println(err)
		os.Exit(1)
	}
	if n, err := strconv.Atoi(os.Getenv(writerLines)); err == nil {
		writeTestLines(n)
		os.Exit(0)
	}
	testrun.AtOnce(16)
	os.Exit(testrun.InMemory(m))
}

// world is Monitors with a real database and real processes.
type world struct {
	testing.TB
	*Monitors
	store *store.Store
	stop  func()

	mu      sync.Mutex
	reports []nudge.MonitorReport
	screen  []string
	refuse  error
}

func newWorld(t testing.TB, path string) *world {
	t.Helper()
	records, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{TB: t, store: records}
	w.Monitors = New(Config{
		Records: records, Log: slog.New(slog.DiscardHandler),
		Report: func(r nudge.MonitorReport) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.refuse == nil {
				w.reports = append(w.reports, r)
			}
			return w.refuse
		},
		Screen: func(context.Context, detect.PaneRef, int) ([]string, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.screen, w.refuse
		},
	})
	ctx, cancel := context.WithCancel(context.Background())
	var runs sync.WaitGroup
	runs.Go(func() {
		if err := w.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	w.stop = sync.OnceFunc(func() {
		cancel()
		runs.Wait()
		if err := records.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(w.stop)
	<-w.ready
	return w
}

func (w *world) start(name, script string) Status {
	w.Helper()
	s, err := w.Start(Spec{Name: name, Match: "FAIL", Argv: []string{"sh", "-c", script}, Cwd: w.TempDir(), Env: []string{"SECRET=hunter2"}})
	if err != nil {
		w.Fatal(err)
	}
	return s
}

// until waits for an effect of real processes.
func (w *world) until(what string, done func() bool) {
	w.Helper()
	for end := time.Now().Add(20 * time.Second); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			w.Fatalf("waited in vain for %s; reported: %+v; monitors: %+v", what, w.told(), w.List(true))
		}
	}
}

// end waits until the end of a monitor is reported, and returns all reports as one: on a busy machine the
// lines are reported before the end.
func (w *world) end() (all nudge.MonitorReport) {
	w.Helper()
	w.until("the end", func() bool {
		return slices.ContainsFunc(w.told(), func(r nudge.MonitorReport) bool { return r.Ended != "" })
	})
	for _, r := range w.told() {
		all.Monitor, all.Ended = r.Monitor, r.Ended
		all.Count += r.Count
		all.Lines = append(all.Lines, r.Lines...)
	}
	return all
}

func (w *world) told() []nudge.MonitorReport {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.reports)
}

func (w *world) mark(name string) string {
	w.Helper()
	r, err := w.find(name)
	if err != nil {
		w.Fatal(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.Mark
}

func (w *world) logs(name string) string {
	text, _, err := w.Logs(name, 0, 0)
	if err != nil {
		w.Fatal(err)
	}
	return text
}
