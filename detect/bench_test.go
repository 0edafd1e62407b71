package detect

import (
	"os"
	"testing"
	"time"

	"nod/internal/proc"
	"nod/internal/tmux"
)

// BenchmarkHook is one event taken in: by the caller, who waits for it, and by the lookout.
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
			l := newLookout(w, screens, owner{}, func() {})
			w.lookouts["/tmp/s"] = l
			l.life = tmux.Life{Socket: "/tmp/s", PID: os.Getpid(), Start: 1}
			l.met, l.owned = l.life, true
			l.panes["%1"] = newWatched(tmux.Pane{ID: "%1"}, "claude", runs("claude")[0].ID, time.Now())
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if !w.Hook(events[i%len(events)]) {
					b.Fatal("an event was not taken")
				}
				l.listen()
			}
		})
	}
}
