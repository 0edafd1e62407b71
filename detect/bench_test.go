package detect

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	"nod/internal/host/proc"
	"nod/internal/host/tmux"
)

// BenchmarkHook is one event taken in: by the caller, who waits for it, and by the server's watcher.
func BenchmarkHook(b *testing.B) {
	events := []HookEvent{
		event(Before, "go test ./...", "c1"), event(Asks, "go test ./...", ""), event(Ran, "go test ./...", "c1"),
	}
	for name, known := range map[string]func(int) ([]proc.Process, error){
		"known-sender": lineage,
		"real-sender":  func(int) ([]proc.Process, error) { return proc.Lineage(os.Getpid()) },
	} {
		b.Run(name, func(b *testing.B) {
			w := NewWatcher(WatchConfig{Settings: func() WatchSettings { return WatchSettings{} }, See: func(Sighting) {}, Lineage: known})
			screens := &stage{socket: "/tmp/s"}
			s := newServerWatcher(w, screens, ownerMark{}, func() {})
			w.servers["/tmp/s"] = s
			s.life = tmux.Life{Socket: "/tmp/s", PID: os.Getpid(), Start: 1}
			s.status.life, s.status.owned = s.life, true
			s.panes["%1"] = newAgentPane(w.files, tmux.Pane{ID: "%1"}, "claude", runs("claude")[0].ID, time.Now())
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if !w.Hook(events[i%len(events)]) {
					b.Fatal("an event was not taken")
				}
				s.takeEvents()
			}
		})
	}
}

// still is a server whose panes never draw anything after the first poll.
type still struct {
	*stage
	listing  tmux.Listing
	captures []tmux.Capture
}

func (s *still) Poll(_ context.Context, known []tmux.Capture, last tmux.Listing) (tmux.Listing, []tmux.Capture, error) {
	l := s.listing
	if last.Taken.IsZero() {
		return l, s.captures, nil
	}
	l.Fresh, l.Whole = nil, false
	return l, nil, nil
}

// stillPanes is a watcher of panes on which nothing changes, which a poll with tmux's part left out has read.
func stillPanes(tb testing.TB, panes int) *serverWatcher {
	tb.Helper()
	stage := newStage(tb)
	text, err := os.ReadFile("agents/testdata/" + "claude/2.1.329-idle-80x24.ansi")
	if err != nil {
		tb.Fatal(err)
	}
	for i := range panes {
		stage.add(fmt.Sprintf("%%%d", i), "claude", string(text))
	}
	s := &still{stage: stage}
	s.listing, s.captures, _ = stage.Poll(tb.Context(), nil, tmux.Listing{})
	s.listing.Owner = ownerMark{}.String() // else each poll claims the server, and looks at nothing
	for _, p := range s.listing.Panes {
		s.captures = append(s.captures, tmux.Capture{Pane: p, Taken: time.Now(), Text: string(text)})
	}
	w := NewWatcher(WatchConfig{
		Settings: func() WatchSettings { return WatchSettings{} }, See: func(Sighting) {}, Log: slog.New(slog.DiscardHandler),
		Processes: stage.processes, Lineage: lineage,
	})
	watcher := newServerWatcher(w, s, ownerMark{}, func() {})
	for range 3 {
		watcher.poll(tb.Context(), 2, true)
	}
	if len(watcher.panes) != panes {
		tb.Fatalf("%d panes are watched", len(watcher.panes))
	}
	for id, p := range watcher.panes {
		if p.text.looks < 2 {
			tb.Fatalf("pane %s was not found unchanged", id)
		}
	}
	return watcher
}

// BenchmarkStillPanes is a poll of panes on which nothing changes, but for what tmux takes.
func BenchmarkStillPanes(b *testing.B) {
	watcher := stillPanes(b, 200)
	b.ReportAllocs()
	for b.Loop() {
		watcher.poll(b.Context(), 2, true)
	}
}

// TestAStillPaneAllocatesNothing: what a poll allocates does not grow with the panes that did not change, but for tables of all panes.
func TestAStillPaneAllocatesNothing(t *testing.T) {
	allocated := func(panes int) float64 {
		watcher := stillPanes(t, panes)
		return testing.AllocsPerRun(20, func() {
			watcher.poll(t.Context(), 2, true)
		})
	}
	if few, many := allocated(100), allocated(300); many-few > 20 {
		t.Errorf("a poll allocates %.0f times for 300 panes, %.0f times for 100", many, few)
	}
}
