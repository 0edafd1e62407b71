//go:build linux

package proc_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"nod/internal/host/proc"
)

// TestAKeyIsReadFromItsTerminal: both ways of detection report a key, and neither reports the output of a
// program.
func TestAKeyIsReadFromItsTerminal(t *testing.T) {
	screen, terminal, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer screen.Close()
	defer terminal.Close()
	name := strings.TrimPrefix(terminal.Name(), "/dev/")
	go func() { _, _ = io.Copy(io.Discard, terminal) }()
	go func() { _, _ = io.Copy(io.Discard, screen) }()
	reads, err := proc.NewReads()
	if err != nil {
		t.Fatal(err)
	}
	go reads.Run()
	defer reads.Close()
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(terminal.Name(), long, long); err != nil {
		t.Fatal(err)
	}
	told := func() (last, exact time.Time) {
		last, err := proc.LastRead(name)
		if err != nil {
			t.Fatal(err)
		}
		if exact, err = reads.Of(name, time.Now()); err != nil && !errors.Is(err, proc.ErrNewTerminal) {
			t.Fatal(err)
		}
		return last, exact
	}
	if _, err := terminal.WriteString("a row\r\n"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond)
	if last, exact := told(); time.Since(last) < time.Minute || !exact.IsZero() {
		t.Fatalf("output counts as a key: %s, %s", last, exact)
	}
	before := time.Now()
	if _, err := screen.WriteString("y\n"); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		last, exact := told()
		if time.Since(last) <= proc.ReadGrain+time.Second && !exact.Before(before) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("a key does not count: %s, %s", last, exact)
		}
	}
}

// TestATerminalWithTheNameOfAnEarlierOne: its keys count, and the end of the earlier one is none.
func TestATerminalWithTheNameOfAnEarlierOne(t *testing.T) {
	reads, err := proc.NewReads()
	if err != nil {
		t.Fatal(err)
	}
	defer reads.Close()
	for opened := map[string]int{}; ; {
		screen, terminal, err := pty.Open()
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(terminal.Name(), "/dev/")
		opened[name]++
		if read, err := reads.Of(name, time.Now()); !errors.Is(err, proc.ErrNewTerminal) {
			t.Fatalf("%s was opened %d times, and read at %s: %v", name, opened[name], read, err)
		}
		_, _ = terminal.Close(), screen.Close()
		if reads.Note(); opened[name] == 3 {
			return
		}
	}
}

// TestWhenAProcessWasStarted: the result is by the wall clock.
func TestWhenAProcessWasStarted(t *testing.T) {
	before := time.Now()
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	id, err := proc.Of(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	if got := proc.Started(id); got.Before(before.Add(-50*time.Millisecond)) || got.After(time.Now()) {
		t.Errorf("started %s, and not %s", got, before)
	}
}
