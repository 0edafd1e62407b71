package tmux_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nod/internal/host/tmux"
	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/testrun"
)

// tellsDrawing skips a test where tmux does not say which pane draws.
func tellsDrawing(t *testing.T) {
	t.Helper()
	version, err := tmux.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if v := strings.TrimPrefix(version, "next-"); v < "3.8" {
		t.Skipf("tmux %s does not say which pane draws", version)
	}
}

// TestAPaneThatDrawsIsSaid: once, by a client that waits from the first poll on that finds all panes still, and ends with its watcher.
func TestAPaneThatDrawsIsSaid(t *testing.T) {
	tellsDrawing(t)
	t.Parallel()
	real := tmuxtest.New(t)
	pane, other := show(t, real, "a", 40, 6), show(t, real, "b", 40, 6)
	w := newWatched(t, real, 200*time.Millisecond, pane, other)
	ctx, stop := context.WithCancel(t.Context())
	w.ctx = ctx
	turn := func() {
		t.Helper()
		if err := w.inTurn(); err != nil {
			t.Fatal(err)
		}
	}
	turn()
	if w.last.Drew != nil {
		t.Error("panes are waited for that have just drawn")
	}
	for n := 0; w.last.Drew == nil; n++ {
		if turn(); n > whenBusy {
			t.Fatal("nobody waits for the panes to draw")
		}
	}
	waits := w.last.Drew
	if turn(); w.last.Drew != waits {
		t.Error("while one client waits, there is another")
	}
	if said := real.Run("list-clients"); said != "" {
		t.Errorf("the client is listed: %s", said)
	}
	select {
	case drew := <-waits:
		t.Fatalf("%q drew", drew)
	default:
	}
	real.Type(other, "c")
	select {
	case drew := <-waits:
		if drew != other {
			t.Errorf("%q drew, not %s", drew, other)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("that a pane drew was not said")
	}
	if turn(); w.last.Drew != nil || !strings.Contains(w.known[other].Text, "c") {
		t.Errorf("the poll after it waits, or shows %q", w.known[other].Text)
	}

	for n := 0; w.last.Drew == nil && n < whenBusy; n++ {
		turn()
	}
	stop()
	select {
	case drew, open := <-w.last.Drew:
		if open {
			t.Errorf("%q drew as the watcher ended", drew)
		}
	case <-time.After(5 * time.Second):
		t.Error("the client goes on without its watcher")
	}
}

// TestAServerThatNamesNoPaneIsAskedOnce: whatever its version, it may not know the event.
func TestAServerThatNamesNoPaneIsAskedOnce(t *testing.T) {
	real := tmuxtest.New(t)
	program, err := exec.LookPath("tmux")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	pane := show(t, real, "a", 40, 6)
	time.Sleep(1100 * time.Millisecond) // it drew in a second before
	for version, want := range map[string]int{"3.7c": 0, "3.8": 1, "next-3.9": 1, "master": 1} {
		count := filepath.Join(dir, version)
		script := fmt.Sprintf("#!/bin/sh\ncase \"$*\" in *wait-for*) echo >> '%s'; exit 1;; esac\n'%s' \"$@\" | sed -uE 's/ v[^ ]+ / v%s /'\n", count, program, version)
		if err := testrun.WriteProgram(filepath.Join(dir, "tmux"), []byte(script)); err != nil {
			t.Fatal(err)
		}
		asked := func() int {
			lines, _ := os.ReadFile(count)
			return len(lines)
		}
		w := newWatched(t, real, 50*time.Millisecond, pane)
		for n, after := 0, 0; after < 5 && n < whenBusy; n++ {
			if err := w.inTurn(); err != nil {
				t.Fatal(err)
			}
			if asked() >= want {
				after++
			}
		}
		if got := asked(); got != want {
			t.Errorf("tmux %s was asked %d times, want %d", version, got, want)
		}
	}
}
