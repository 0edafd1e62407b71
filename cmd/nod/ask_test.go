package main

import (
	"context"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nod/internal/settings"
)

// TestAskTakesWhatItIsAboutFromStandardInput: the person who is asked sees it, and the program gets the
// answer.
func TestAskTakesWhatItIsAboutFromStandardInput(t *testing.T) {
	h := newHumans(t)
	var out strings.Builder
	ended := make(chan int)
	go func() {
		ended <- run(t.Context(), settings.Environment{"NOD_SOCKET": h.socket}, []string{"ask", "May it run?", "--file", "-"},
			streams{strings.NewReader("{\n  \"command\": \"make\"\n}\n"), &out, io.Discard})
	}()
	q := h.question()
	if want := "May it run?\n\n{\n  \"command\": \"make\"\n}"; q.Prompt().Subject != want || q.Prompt().Lead != 1 {
		t.Errorf("asked %q, of which %d lines lead; want %q", q.Prompt().Subject, q.Prompt().Lead, want)
	}
	h.answer(q.ID, "y")
	if code := <-ended; code != 0 || out.String() != "yes\n" {
		t.Errorf("exit %d, printed %q", code, &out)
	}
}

// TestAskIsInterruptedWhileItReads: standard input may never be closed.
func TestAskIsInterruptedWhileItReads(t *testing.T) {
	h := newHumans(t)
	in, open := io.Pipe()
	defer open.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var said strings.Builder
	ended := make(chan int)
	go func() {
		ended <- run(ctx, settings.Environment{"NOD_SOCKET": h.socket}, []string{"ask", "May it run?", "--file", "-"}, streams{in, io.Discard, &said})
	}()
	if _, err := open.Write([]byte("{")); err != nil { // it is reading
		t.Fatal(err)
	}
	cancel()
	if code := <-ended; code != exitFailed || !strings.Contains(said.String(), "nothing was asked") {
		t.Errorf("exit %d, said %q", code, &said)
	}
	if open, err := h.List(true); err != nil || len(open) > 0 {
		t.Errorf("somebody was asked: %+v, %v", open, err)
	}
}

// wrongCalls generate calls of nod ask that could not be asked.
func wrongCalls(t *testing.T, r *rand.Rand) []func() []string {
	long := func(n int) string { return strings.Repeat([]string{"a", "ä", "大", "a "}[r.IntN(4)], n) + "." }
	file := filepath.Join(t.TempDir(), "about")
	about := func(text string) []string {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return []string{"Deploy?", "--file", file}
	}
	return []func() []string{
		func() []string { return []string{"Deploy?", "--options", "yes,no", "--default", long(1 + r.IntN(9))} },
		func() []string { return []string{"Deploy?", "--default", long(1 + r.IntN(9))} },
		func() []string {
			return []string{"Deploy?", "--options", "now,later, " + []string{"now", "NOW", "Later"}[r.IntN(3)]}
		},
		func() []string { return []string{"Deploy?", "--options", "a," + long(100+r.IntN(50))} },
		func() []string { return []string{"Deploy?", "--options", strings.Repeat("a,b,", 16+r.IntN(9)) + "c"} },
		func() []string { return []string{"Deploy?", "--options", "a,,b"} },
		func() []string { return []string{long(4000 + r.IntN(4000))} },
		func() []string { return []string{strings.Repeat(" ", r.IntN(3))} },
		func() []string { return []string{"Deploy?" + string(rune(r.IntN(9)))} },
		func() []string {
			return []string{"Deploy?", "--timeout", []string{"0s", "-1m", "721h", "soon"}[r.IntN(4)]}
		},
		func() []string {
			return []string{"Deploy?", "--file", []string{file + "-none", filepath.Dir(file)}[r.IntN(2)]}
		},
		func() []string { return about(long(5) + string(rune(r.IntN(9)))) },
		func() []string { return about(strings.Repeat("0123456789abcde\n", 1<<14+r.IntN(1<<10)) + "x") },
		func() []string { return []string{} },
		func() []string { return []string{"Deploy?", "--option", "a,b"} },
	}
}

// TestAWrongCallOfAskIsNoNo: a script takes exit code 1 for a human's no, so an invalid call exits with 2,
// whether nod is running or not.
func TestAWrongCallOfAskIsNoNo(t *testing.T) {
	h := newHumans(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("drawn with the seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	calls := wrongCalls(t, r)
	for round := range 300 {
		args := append([]string{"ask"}, calls[round%len(calls)]()...)
		env := settings.Environment{"NOD_SOCKET": []string{h.socket, h.socket + "-none"}[r.IntN(2)]}
		var out, said strings.Builder
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // an accepted question waits for an answer
		code := run(ctx, env, args, streams{strings.NewReader(""), &out, &said})
		cancel()
		if code != exitUsage || out.Len() > 0 || said.Len() == 0 {
			t.Fatalf("nod %.300q in %v: exit %d, want 2; printed %q, said %q", args, env, code, &out, &said)
		}
		if long := len([]rune(args[len(args)-1])) > 4000; long != strings.Contains(said.String(), "--file") {
			t.Fatalf("nod %.300q said %q", args, &said)
		}
	}
	if open, err := h.List(true); err != nil || len(open) > 0 {
		t.Errorf("somebody was asked: %+v, %v", open, err)
	}
}

// TestAskWithoutANodIsNoNo: without nod nobody was asked, so nobody said no.
func TestAskWithoutANodIsNoNo(t *testing.T) {
	var said strings.Builder
	env := settings.Environment{"NOD_SOCKET": filepath.Join(t.TempDir(), "none")}
	if code := run(t.Context(), env, []string{"ask", "Deploy?"}, streams{strings.NewReader(""), io.Discard, &said}); code != exitNotUp {
		t.Errorf("exit %d, said %q", code, &said)
	}
}
