package tmux_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nod/internal/host/tmux"
	"nod/internal/host/tmux/tmuxtest"
)

// stepping has a program see the clock as many seconds ahead as a file says.
const stepping = `#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t which, struct timespec *now) {
	long ahead = 0;
	FILE *f;
	int failed = syscall(SYS_clock_gettime, which, now);
	if (which == CLOCK_REALTIME && (f = fopen(getenv("AHEAD"), "r"))) {
		if (fscanf(f, "%ld", &ahead) == 1) now->tv_sec += ahead;
		fclose(f);
	}
	return failed;
}
int gettimeofday(struct timeval *now, void *zone) {
	struct timespec t;
	int failed = clock_gettime(CLOCK_REALTIME, &t);
	now->tv_sec = t.tv_sec, now->tv_usec = t.tv_nsec / 1000;
	return failed;
}
time_t time(time_t *to) {
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return to ? *to = t.tv_sec : t.tv_sec;
}
`

// steppingClock compiles the library that does so, and returns its file.
func steppingClock(t *testing.T) (library string) {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler to make a clock that steps")
	}
	library = filepath.Join(t.TempDir(), "clock.so")
	compile := exec.Command(cc, "-shared", "-fPIC", "-o", library, "-x", "c", "-")
	compile.Stdin = strings.NewReader(stepping)
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return library
}

// steppingServer is a server whose clock step sets, in relation to this process's.
func steppingServer(t *testing.T, library string) (real *tmuxtest.Server, step func(ahead time.Duration)) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "ahead")
	step = func(ahead time.Duration) {
		if err := os.WriteFile(file, fmt.Append(nil, int(ahead.Seconds())), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	step(0)
	real = tmuxtest.New(t)
	real.Kill()
	start := exec.Command("tmux", "-u", "-f", "/dev/null", "-S", real.Socket, "start-server", ";", "set-option", "-g", "exit-empty", "off")
	start.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "SHELL=/bin/sh", "ENV=", "LANG=C.UTF-8", "TERM=xterm-256color", "PS1=$ ", "LD_PRELOAD=" + library, "AHEAD=" + file}
	if out, err := start.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return real, step
}

// TestAPollOfAServerWhoseClockSteps: after a step forth a poll that goes by the one before misses nothing. After a step back it does, since tmux tells
// only in which second a pane drew: who polls has to see the step, and to go by nothing of before then. So it is where looks were asked for
// before the step.
func TestAPollOfAServerWhoseClockSteps(t *testing.T) {
	t.Parallel()
	clock := steppingClock(t)
	for _, every := range []time.Duration{0, 150 * time.Millisecond} {
		for _, forth := range []time.Duration{time.Hour, time.Minute, -time.Minute, -time.Hour} {
			t.Run(fmt.Sprintf("%v each %v", forth, every), func(t *testing.T) {
				t.Parallel()
				pollOverAStep(t, clock, forth, every)
			})
		}
	}
}

// pollOverAStep polls a server before and after its clock is set forth. With every, a Watch does, which asks for looks beforehand.
func pollOverAStep(t *testing.T, clock string, forth, every time.Duration) {
	real, step := steppingServer(t, clock)
	w := tmux.NewWatch(real.Socket)
	before := -forth // both clocks are right after the step
	step(before)
	pane := show(t, real, "first", 40, 6)
	ahead := 0
	poll := func(known []tmux.Capture, last tmux.Listing) ([]tmux.Capture, tmux.Listing) {
		t.Helper()
		untilNext(last)
		last.Every = every
		began := time.Now()
		listing, captures, err := w.Poll(t.Context(), known, last)
		if err != nil {
			t.Fatal(err)
		}
		if listing.Next.IsZero() {
			listing.Next = began.Add(every)
		} else {
			ahead++
		}
		return captures, listing
	}
	time.Sleep(1100 * time.Millisecond)
	known, last := poll(first(pane), tmux.Listing{})
	for n := 0; n == 0 || every > 0 && ahead == 0 && n < whenBusy; n++ {
		known[0].Taken, last.Taken = time.Now().Add(before), time.Now().Add(before)
		var captures []tmux.Capture
		if captures, last = poll(known, last); len(captures) != 0 {
			t.Fatalf("a still pane was captured: %+v", captures)
		}
	}
	known[0].Taken, last.Taken = time.Now().Add(before), time.Now().Add(before)

	step(0)
	real.Type(pane, "second")
	real.UntilShows(pane, "second")
	captures, _ := poll(known, last)
	if seen := len(captures) == 1 && strings.Contains(captures[0].Text, "second"); seen != (forth > 0) {
		t.Errorf("what was drawn after the step was seen: %v", seen)
	}
	known, last = poll(first(pane), tmux.Listing{})
	if len(known) != 1 || !strings.Contains(known[0].Text, "second") {
		t.Fatalf("a poll that goes by nothing captured %+v", known)
	}
	real.Type(pane, "third")
	real.UntilShows(pane, "third")
	if captures, _ = poll(known, last); len(captures) != 1 || !strings.Contains(captures[0].Text, "third") {
		t.Errorf("the poll after it captured %+v", captures)
	}
}
