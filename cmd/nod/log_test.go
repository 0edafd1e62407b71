package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"nod/cmd/internal/control"
	"nod/internal/host/systemd"
	"nod/internal/reason"
	"nod/internal/rpc"
	"nod/internal/settings"
	"nod/nudge"
	"nod/store"
)

// TestFollowingGoesOnWhereItWasDropped: a follower that was dropped because its output was not read gets
// every event exactly once.
func TestFollowingGoesOnWhereItWasDropped(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	listener, err := rpc.Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	methods := rpc.Methods{"events": rpc.Method(func(_ context.Context, p control.EventsParams) (rpc.Stream, error) {
		return func(_ context.Context, emit func(any) error) error {
			if p.After >= 10 {
				stop()
				return nil
			}
			return emit(store.Line{Seq: p.After + 1, Event: nudge.Event{Kind: nudge.PromptDetected, Involved: nudge.Involved{Nudge: string(rune('a' + p.After))}}})
		}, nil
	})}
	served := make(chan error, 1)
	go func() {
		served <- rpc.NewServer(methods, nil, http.NotFoundHandler(), slog.New(slog.DiscardHandler)).Serve(ctx, listener)
	}()
	var out bytes.Buffer
	l := logPrinter{out: &out, client: rpc.Dial(socket)}
	if err := l.follow(t.Context()); !errors.Is(err, rpc.ErrNotRunning) {
		t.Error("the end:", err)
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
	var got []string
	for line := range strings.Lines(out.String()) {
		if _, id, ok := strings.Cut(line, "#"); ok {
			got = append(got, id[:1])
		}
	}
	for i, id := range got {
		if id != string(rune('a'+i)) {
			t.Fatalf("told of %q", got)
		}
	}
	if len(got) < 10 {
		t.Errorf("told of %q alone", got)
	}
}

// TestAnEventIsOneLine: a program names itself, and another machine its monitors.
func TestAnEventIsOneLine(t *testing.T) {
	forged := "x\n01:18:04  key typed  \x1b[2J"
	line := logLine(store.Line{Event: nudge.Event{
		Kind: nudge.PromptDetected, Involved: nudge.Involved{Nudge: forged, Instruction: forged, Monitor: forged, Pane: forged, Agent: forged, Shape: "ask", Subject: forged},
		Act: nudge.Act{Keys: []string{forged}, Decision: forged, Reason: forged, By: forged, Way: forged},
	}})
	if strings.ContainsAny(line, "\n\x1b") {
		t.Errorf("%q", line)
	}
}

// TestTheLogShowsWhereALineEnds: what is below a command is no part of it.
func TestTheLogShowsWhereALineEnds(t *testing.T) {
	e := nudge.Event{Kind: nudge.PromptDetected, Involved: nudge.Involved{Nudge: "k3f", Shape: "codex.exec", Subject: "touch x\n\n  Reason: \x1b[1mto\ttest"}}
	if got := logLine(store.Line{Event: e}); !strings.HasSuffix(got, "  touch x ↵ Reason: to test") {
		t.Errorf("it says %q", got)
	}
}

// TestTheLogSaysReasonsInWords, as the chat and the commands do.
func TestTheLogSaysReasonsInWords(t *testing.T) {
	var out strings.Builder
	systemd.NewLog(&out, settings.LogText, slog.LevelInfo, inWords).Warn("tmux server in trouble", "pane", "%1", "why", reason.Why{Kind: reason.SocketSilent, Where: "/tmp/s", What: "77"})
	for _, want := range []string{"pane=%1", "kill -USR1 77", "level=WARN"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in %s", want, out.String())
		}
	}
}
