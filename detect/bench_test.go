package detect

import (
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
