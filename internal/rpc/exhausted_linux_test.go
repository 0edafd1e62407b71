package rpc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const exhaustedAt = "NOD_TEST_EXHAUSTED_AT"

// serveExhausted runs a nod that opens as many files as it may, until a line arrives on standard input, and
// closes them at the second line.
func serveExhausted(socket string) {
	listener, err := Listen(socket)
	if err != nil {
		panic(err)
	}
	limit := syscall.Rlimit{Cur: 64, Max: 64}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		panic(err)
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	go func() {
		_ = NewServer(methods, nil, http.NotFoundHandler(), log).Serve(context.Background(), listener)
	}()
	for deadline := time.Now().Add(10 * time.Second); ; {
		if Dial(socket).Call(context.Background(), "echo", nil, nil) == nil || time.Now().After(deadline) {
			break
		}
	}
	lines := bufio.NewScanner(os.Stdin)
	var open []*os.File
	for range 2 {
		fmt.Println("ready")
		lines.Scan()
		if open != nil {
			for _, f := range open {
				f.Close()
			}
			continue
		}
		for {
			f, err := os.Open(os.DevNull)
			if err != nil {
				break
			}
			open = append(open, f)
		}
	}
	fmt.Println("ready")
	lines.Scan()
}

// TestWithoutDescriptorsACallerIsTold: at once, with one line in the log and not one per attempt. Afterwards
// everything works as before.
func TestWithoutDescriptorsACallerIsTold(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	nod := exec.Command(os.Args[0])
	nod.Env = append(os.Environ(), exhaustedAt+"="+socket)
	var log bytes.Buffer
	nod.Stderr = &log
	in, err := nod.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := nod.StdoutPipe()
	if err == nil {
		err = nod.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); _ = nod.Wait() }()
	said := bufio.NewScanner(out)
	next := func() {
		if !said.Scan() {
			t.Fatal("it has ended: ", log.String())
		}
	}
	step := func() {
		next()
		fmt.Fprintln(in)
	}
	call := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		client := Dial(socket)
		defer client.Close()
		return client.Call(ctx, "echo", nil, nil)
	}
	step() // opens all descriptors
	next()
	for i := range 5 {
		var fault *Fault
		if err := call(); !errors.As(err, &fault) || !strings.Contains(fault.Message, "no more files") {
			t.Errorf("call %d: %v", i, err)
		}
	}
	fmt.Fprintln(in) // closes them
	next()
	for deadline := time.Now().Add(5 * time.Second); call() != nil; {
		if time.Now().After(deadline) {
			t.Fatal("it does not answer again")
		}
	}
	in.Close()
	_ = nod.Wait()
	if n, again := strings.Count(log.String(), "too many open files"), strings.Count(log.String(), "let in again"); n != 1 || again != 1 {
		t.Errorf("it was said %d times, and %d times that it is over:\n%s", n, again, log.String())
	}
}
