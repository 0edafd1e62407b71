package detect

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"nod/internal/proc"
	"nod/internal/tmux"
	"nod/internal/tmux/tmuxtest"
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

// BenchmarkLatency is the time from a dialog being drawn in a real pane to See hearing of it, with an event a
// moment before and without one. -benchtime=50x measures fifty prompts.
func BenchmarkLatency(b *testing.B) {
	b.Run("hook", func(b *testing.B) { latency(b, true) })
	b.Run("poll", func(b *testing.B) { latency(b, false) })
}

func latency(b *testing.B, hook bool) {
	real := tmuxtest.New(b)
	fifo, agent := drawer(b)
	pane := real.Pane("exec "+agent, 80, 24)
	told := make(chan string, 64)
	w := NewWatcher(WatchConfig{
		Settings: func() WatchSettings {
			return WatchSettings{Servers: []string{real.Socket}, Interval: 2 * time.Second, StablePolls: 2}
		},
		See: func(s Sighting) {
			if s.Prompt != nil {
				select {
				case told <- s.Prompt.Subject:
				default:
				}
			}
		},
	})
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan error)
	go func() { ended <- w.Run(ctx) }()
	defer func() { stop(); <-ended }()
	w.Ready(ctx)

	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		command := fmt.Sprintf("cmd-%d", i)
		file := filepath.Join(b.TempDir(), "screen")
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(ask(b, command), "\n", "\r\n")), 0o600); err != nil {
			b.Fatal(err)
		}
		// Prompts come at any time between two polls.
		time.Sleep(rand.N(500 * time.Millisecond))
		if hook {
			w.Hook(HookEvent{Agent: "claude", Kind: Asks, Event: "PermissionRequest", Socket: real.Socket, ServerPID: real.PID(), Pane: pane})
			// Claude Code draws its dialog 0.06 to 0.27 s after the event.
			time.Sleep(60*time.Millisecond + rand.N(210*time.Millisecond))
		}
		drawn := time.Now()
		if _, err := fmt.Fprintln(fifo, file); err != nil {
			b.Fatal(err)
		}
		for subject := ""; subject != command; {
			select {
			case subject = <-told:
			case <-time.After(tmuxtest.Patience):
				b.Fatalf("prompt %d was never seen:\n%s", i, real.Screen(pane))
			}
		}
		took = append(took, time.Since(drawn))
	}
	slices.Sort(took)
	for _, p := range []int{50, 99} {
		b.ReportMetric(float64(took[(len(took)-1)*p/100].Milliseconds()), fmt.Sprintf("p%d-ms", p))
	}
}

// drawer makes a program called claude that draws the files which are named to it through a pipe.
func drawer(b *testing.B) (fifo *os.File, agent string) {
	b.Helper()
	dir := b.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		b.Fatal(err)
	}
	fifo, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = fifo.Close() })
	agent = filepath.Join(dir, "claude")
	script := fmt.Sprintf("#!/bin/sh\nstty -echo\nwhile read file; do printf '\\033[2J\\033[H'; cat \"$file\"; done <'%s'\n", pipe)
	if err := os.WriteFile(agent, []byte(script), 0o700); err != nil {
		b.Fatal(err)
	}
	return fifo, agent
}
