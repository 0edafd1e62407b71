package main

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"nod/detect"
	"nod/detect/taught"
	"nod/internal/botapi"
	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/settings"
	"nod/store"
)

// BenchmarkLatency is the time from a dialog being drawn in a real pane to the request that tells Telegram of
// it, with an event of the agent's hook a moment before and without one. -benchtime=50x measures fifty prompts.
func BenchmarkLatency(b *testing.B) {
	b.Run("hook", func(b *testing.B) { latency(b, true) })
	b.Run("poll", func(b *testing.B) { latency(b, false) })
}

func latency(b *testing.B, hook bool) {
	const token = "123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc"
	screen, err := os.ReadFile("../../detect/agents/testdata/claude/2.1.329-bash-80x24.ansi")
	if err != nil {
		b.Fatal(err)
	}
	telegram := botapi.New(botapi.Options{Token: token})
	ann := telegram.Person(1, "Ann")
	ann.Start()
	web := httptest.NewServer(telegram)
	defer web.Close()
	real := tmuxtest.New(b)
	draw, agent := drawingClaude(b)
	pane := real.Pane("exec "+agent, 80, 24)

	all := benchParts(b, settings.Environment{
		"HOME": b.TempDir(), "NOD_TELEGRAM_TOKEN": token, "NOD_TELEGRAM_API": web.URL, "NOD_SUPERVISORS": "1",
		"NOD_TMUX_SOCKET": real.Socket, "NOD_GRACE": "0s", "NOD_PRESENCE": "0s", "NOD_IDLE": "off",
	})
	ctx, stop := context.WithCancel(b.Context())
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return all.watcher.Run(ctx) })
	all.watcher.Ready(ctx)
	g.Go(func() error { return all.keeper.Run(ctx) })
	g.Go(func() error { return all.chat.run(ctx) })
	defer func() { stop(); _ = g.Wait() }()

	event, err := detect.ParseHook("claude", []byte(`{"hook_event_name":"PermissionRequest","session_id":"s"}`),
		fmt.Sprintf("%s,%d,0", real.Socket, real.PID()), pane)
	if err != nil {
		b.Fatal(err)
	}
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		command := fmt.Sprintf("touch prompt-%d.txt", i)
		// Telegram takes about a message a second; the edit that ends the last prompt's message counts too. A prompt comes at
		// any time between two polls.
		time.Sleep(2*time.Second + rand.N(2*time.Second))
		if hook {
			all.watcher.Hook(event)
			// Claude Code draws its dialog 0.06 to 0.27 s after the event.
			time.Sleep(60*time.Millisecond + rand.N(210*time.Millisecond))
		}
		drawn := time.Now()
		draw(strings.ReplaceAll(string(screen), "touch rig-bash-ran && rm -rf build", command))
		waiting, done := context.WithTimeout(ctx, tmuxtest.Patience)
		_, err := ann.Await(waiting, func(m botapi.Record) bool { return strings.Contains(m.Text, ": "+command+"\n") })
		done()
		if err != nil {
			b.Fatalf("prompt %d was never told: %v\n%s", i, err, real.Screen(pane))
		}
		took = append(took, time.Since(drawn))
	}
	slices.Sort(took)
	for _, p := range []int{50, 99} {
		b.ReportMetric(float64(took[(len(took)-1)*p/100].Milliseconds()), fmt.Sprintf("p%d-ms", p))
	}
}

// benchParts are a bot as `nod run` wires it, on records of its own.
func benchParts(b *testing.B, env settings.Environment) *parts {
	b.Helper()
	s, err := settings.Load(env)
	if err != nil {
		b.Fatal(err)
	}
	records, err := store.Open(filepath.Join(b.TempDir(), "state", "nod.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = records.Close() })
	log := slog.New(slog.DiscardHandler)
	return assemble(settings.NewHolder(env, s, log, nil), taught.NewHolder("", log), records, make(chan struct{}, 1), log)
}

// drawingClaude makes a program named claude that draws what draw is given, each screen at once.
func drawingClaude(b *testing.B) (draw func(screen string), agent string) {
	b.Helper()
	dir := b.TempDir()
	pipe, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "screen")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		b.Fatal(err)
	}
	orders, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = orders.Close() })
	agent = filepath.Join(dir, "claude")
	script := fmt.Sprintf("#!/bin/sh\nstty -echo\nwhile read file; do printf '\\033[2J\\033[H'; cat \"$file\"; done <'%s'\n", pipe)
	if err := os.WriteFile(agent, []byte(script), 0o700); err != nil {
		b.Fatal(err)
	}
	return func(screen string) {
		if err := os.WriteFile(file, []byte(strings.TrimRight(screen, "\n")), 0o600); err != nil {
			b.Fatal(err)
		}
		if _, err := fmt.Fprintln(orders, file); err != nil {
			b.Fatal(err)
		}
	}, agent
}
