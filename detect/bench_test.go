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
	l.Fresh = nil
	return l, nil, nil
}

// BenchmarkStillPanes is a poll of panes on which nothing changes, but for what tmux takes.
func BenchmarkStillPanes(b *testing.B) {
	const panes = 200
	stage := newStage(b)
	text, err := os.ReadFile("agents/testdata/" + "claude/2.1.329-idle-80x24.ansi")
	if err != nil {
		b.Fatal(err)
	}
	for i := range panes {
		stage.add(fmt.Sprintf("%%%d", i), "claude", string(text))
	}
	s := &still{stage: stage}
	s.listing, s.captures, _ = stage.Poll(b.Context(), nil, tmux.Listing{})
	for _, p := range s.listing.Panes {
		s.captures = append(s.captures, tmux.Capture{Pane: p, Taken: time.Now(), Text: string(text)})
	}
	w := NewWatcher(WatchConfig{
		Settings: func() WatchSettings { return WatchSettings{} }, See: func(Sighting) {}, Log: slog.New(slog.DiscardHandler),
		Processes: stage.processes, Lineage: lineage,
	})
	watcher := newServerWatcher(w, s, ownerMark{}, func() {})
	watcher.poll(b.Context(), 2, true)
	watcher.poll(b.Context(), 2, true)
	if len(watcher.panes) != panes {
		b.Fatalf("%d panes are watched", len(watcher.panes))
	}
	b.ReportAllocs()
	for b.Loop() {
		watcher.polls = 1
		watcher.poll(b.Context(), 2, true)
	}
}
