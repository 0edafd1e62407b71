package rpc

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"nod/internal/testrun"
)

const attackAt = "NOD_TEST_ATTACK_AT"

// misdeeds are things that a client may do with a connection. Each returns when the server has ended the
// connection.
var misdeeds = []func(net.Conn){
	func(net.Conn) {}, // sends nothing
	func(c net.Conn) { fmt.Fprint(c, "POST /rpc HTTP/1.1\r\nHost: n") },
	func(c net.Conn) { fmt.Fprint(c, "POST /rpc HTTP/1.1\r\nHost: nod\r\nContent-Length: 900000\r\n\r\n{") },
	func(c net.Conn) {
		fmt.Fprint(c, "POST /hook/claude HTTP/1.1\r\nHost: nod\r\nContent-Length: 60000\r\n\r\n{")
	},
	func(c net.Conn) { endless(c, "x") },
	func(c net.Conn) { endless(c, "POST /rpc HTTP/1.1\r\nHost: nod\r\nX: ") },
	func(c net.Conn) {
		endless(c, "POST /rpc HTTP/1.1\r\nHost: nod\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n")
	},
	func(c net.Conn) { fmt.Fprint(c, frame(`{"jsonrpc":"2.0","id":1,"method":"flood"}`)) }, // never reads
	func(c net.Conn) { fmt.Fprint(c, frame(`{"jsonrpc":"2.0","id":1,"method":"big"}`)) },
	func(c net.Conn) { fmt.Fprint(c, frame(`{"jsonrpc":"2.0","id":1,"method":"wait"}`)) },
	func(c net.Conn) { // sends many requests at once
		for _, err := fmt.Fprint(c, frame(`{"jsonrpc":"2.0","id":1,"method":"echo"}`)); err == nil; {
			_, err = fmt.Fprint(c, frame(`{"jsonrpc":"2.0","id":1,"method":"echo","params":{"text":"x"}}`))
		}
	},
}

func endless(c net.Conn, head string) {
	_, err := io.WriteString(c, head)
	for chunk := make([]byte, 32<<10); err == nil; {
		_, err = c.Write(chunk)
	}
}

func frame(body string) string {
	return fmt.Sprintf("POST /rpc HTTP/1.1\r\nHost: nod\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

// attack opens connections as long as standard input is open, and runs a misdeed on each.
func attack(socket string) {
	go func() {
		for {
			c, err := net.Dial("unix", socket)
			if err != nil {
				time.Sleep(time.Millisecond)
				continue
			}
			fmt.Println("one more")
			go func() {
				misdeeds[rand.IntN(len(misdeeds))](c)
				runtime.KeepAlive(c)
				select {} // keeps the connection open
			}()
		}
	}()
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// serveAll runs a server with methods that produce large answers.
func serveAll(t *testing.T) (socket string, ended chan string) {
	t.Helper()
	return serveWith(t, writeLimit)
}

func serveWith(t *testing.T, patience time.Duration) (socket string, ended chan string) {
	t.Helper()
	ended = make(chan string, 10_000)
	all := Methods{
		"echo": methods["echo"],
		"wait": Method(func(ctx context.Context, _ struct{}) (any, error) {
			ended <- "begun"
			<-ctx.Done()
			ended <- "wait"
			return nil, ctx.Err()
		}),
		"big": Method(func(context.Context, struct{}) (string, error) { return strings.Repeat("x", 8<<20), nil }),
		"flood": Method(func(context.Context, struct{}) (Stream, error) {
			return func(_ context.Context, emit func(any) error) error {
				for {
					if err := emit(strings.Repeat("x", 1000)); err != nil {
						ended <- "flood"
						return err
					}
				}
			}, nil
		}),
	}
	socket = filepath.Join(t.TempDir(), "s")
	listener, err := Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	hook := func(context.Context, Hook) (string, error) { return "", nil }
	server := NewServer(all, hook, http.NotFoundHandler(), quiet())
	server.patience = patience
	go func() { done <- server.Serve(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return socket, ended
}

func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// TestAHostileCallerHoldsNobodyUp: whatever one process does with as many connections as it can get, the
// calls and hooks of others are answered at once, and it uses few descriptors.
func TestAHostileCallerHoldsNobodyUp(t *testing.T) {
	if !testrun.Apart(t) { // it waits, and counts the descriptors of its process
		return
	}
	socket, _ := serveAll(t)
	before := descriptors(t)
	attacker := exec.Command(os.Args[0])
	attacker.Env = append(os.Environ(), attackAt+"="+socket)
	hold, err := attacker.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	told, err := attacker.StdoutPipe()
	if err == nil {
		err = attacker.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { hold.Close(); _ = attacker.Wait() }()
	lines := bufio.NewScanner(told)
	for range 400 {
		if !lines.Scan() {
			t.Fatal("the attack is over")
		}
	}
	go func() {
		for lines.Scan() { // keeps the attack going
		}
	}()
	for range 20 {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // a caller that is blocked would wait forever
		c := Dial(socket)
		if err := c.Call(ctx, "echo", echo{"x"}, nil); err != nil {
			t.Fatal("a call:", err)
		}
		if _, err := c.Hook(ctx, Hook{Agent: "claude", Event: json.RawMessage(`{}`)}); err != nil {
			t.Fatal("a hook:", err)
		}
		c.Close()
		cancel()
	}
	if held := descriptors(t) - before; held > 100 {
		t.Errorf("one caller holds %d descriptors", held)
	}
}

// TestACallerWaitsToBeLetIn if the system's backlog is full.
func TestACallerWaitsToBeLetIn(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "s")
	listener := shortQueue(t, socket)
	var waiting []net.Conn
	for {
		c, err := net.Dial("unix", socket)
		if errors.Is(err, syscall.EAGAIN) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		waiting = append(waiting, c)
	}
	client := Dial(socket)
	defer client.Close()
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := client.Call(soon, "echo", echo{"x"}, nil); err == nil {
		t.Error("a call is answered by nobody")
	}
	called := make(chan error, 1)
	go func() { called <- client.Call(t.Context(), "echo", echo{"x"}, nil) }()
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	time.AfterFunc(2*fullPause, func() {
		served <- NewServer(methods, nil, http.NotFoundHandler(), quiet()).Serve(ctx, listener)
	})
	if err := <-called; err != nil {
		t.Error(err)
	}
	for _, c := range waiting {
		c.Close()
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// shortQueue listens on a socket whose backlog has room for one caller.
func shortQueue(t *testing.T, socket string) net.Listener {
	t.Helper()
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err == nil {
		err = errors.Join(unix.Bind(fd, &unix.SockaddrUnix{Name: socket}), unix.Listen(fd, 1))
	}
	if err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(fd), socket)
	defer file.Close()
	listener, err := net.FileListener(file)
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

// TestWhoNeverReadsIsDropped: nothing is kept for a caller that reads neither its answer nor its stream.
func TestWhoNeverReadsIsDropped(t *testing.T) {
	if !testrun.Apart(t) { // it waits, and counts the descriptors of its process
		return
	}
	socket, ended := serveWith(t, 300*time.Millisecond)
	// A first call opens the descriptors that the server and the network poller keep.
	first := Dial(socket)
	if err := first.Call(t.Context(), "echo", echo{"x"}, nil); err != nil {
		t.Fatal(err)
	}
	first.Close()
	before := descriptors(t)
	for again := 0; again < 5; time.Sleep(20 * time.Millisecond) { // until the server's end of that call is closed
		if now := descriptors(t); now != before {
			before, again = now, 0
			continue
		}
		again++
	}
	for _, method := range []string{"flood", "big"} {
		c, err := net.Dial("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := fmt.Fprint(c, frame(`{"jsonrpc":"2.0","id":1,"method":"`+method+`"}`)); err != nil {
			t.Fatal(err)
		}
	}
	limit := time.After(time.Minute)
	select {
	case <-ended:
	case <-limit:
		t.Fatal("a stream that nobody reads goes on")
	}
	for descriptors(t)-before > 2 { // our own ends
		select {
		case <-limit:
			t.Fatal("an answer that nobody reads is kept")
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// TestHowLongIsWaitedForWhoDoesNotRead: ten seconds for each part, not for the whole answer.
func TestHowLongIsWaitedForWhoDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer theirs.Close()
		gate := newGate(nil, NewServer(nil, nil, nil, quiet()).patience, quiet())
		defer gate.spare.Close()
		c := gate.admit(ours, peer{})
		defer c.Close()
		for range 5 {
			go func() {
				time.Sleep(9 * time.Second)
				_, _ = theirs.Read(make([]byte, 1))
			}()
			if _, err := c.Write([]byte("x")); err != nil {
				t.Fatal("a slow reader:", err)
			}
		}
		begin := time.Now()
		if _, err := c.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(begin) != 10*time.Second {
			t.Errorf("nobody reads: %v after %v", err, time.Since(begin))
		}
	})
}

// TestWhoHangsUpIsNotWaitedFor: even if the caller sends more while its call is answered, so that unread data
// precedes the end.
func TestWhoHangsUpIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	socket, ended := serveAll(t)
	const callers = 20
	request := frame(`{"jsonrpc":"2.0","id":1,"method":"wait"}`)
	var conns []net.Conn
	for i := range callers {
		c, err := net.Dial("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprint(c, request); err != nil {
			t.Fatal(err)
		}
		if told := <-ended; told != "begun" {
			t.Fatalf("of call %d is told that it is %s", i, told)
		}
		if _, err := fmt.Fprint(c, (request + request)[:1+i*len(request)/callers]); err != nil {
			t.Fatal(err)
		}
		conns = append(conns, c)
	}
	for _, c := range conns {
		c.Close()
	}
	late := time.After(8 * time.Second) // after ten, the server reads no more from anybody
	for range callers {
		select {
		case <-ended:
		case <-late:
			t.Fatal("a caller that has hung up is waited for")
		}
	}
}

// TestTooManyConnectionsAreRefusedWithASentence: existing connections go on.
func TestTooManyConnectionsAreRefusedWithASentence(t *testing.T) {
	t.Parallel()
	socket, _ := serveAll(t)
	var refused, answered int
	var all sync.WaitGroup
	var mu sync.Mutex
	first := Dial(socket)
	defer first.Close()
	if err := first.Call(t.Context(), "echo", nil, nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range perCaller + toldAtOnce - 1 { // more at once would be closed without a sentence
		all.Go(func() {
			c := Dial(socket)
			defer c.Close()
			err := c.Wait(ctx, "wait", nil, nil)
			mu.Lock()
			defer mu.Unlock()
			if ctx.Err() != nil {
				answered++ // its caller waited
			} else if err != nil && strings.Contains(err.Error(), "connections open") {
				refused++
			} else {
				t.Error(err)
				cancel()
			}
			if refused == toldAtOnce {
				cancel()
			}
		})
	}
	all.Wait()
	if err := first.Call(t.Context(), "echo", nil, nil); err != nil {
		t.Error("the first caller:", err)
	}
	err := Dial(socket).Call(t.Context(), "echo", nil, nil)
	for end := time.Now().Add(20 * time.Second); err != nil && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		err = Dial(socket).Call(t.Context(), "echo", nil, nil) // the server has not yet noticed that the callers have hung up
	}
	if err != nil {
		t.Error("afterwards:", err)
	}
	if answered != perCaller-1 {
		t.Errorf("%d callers were waited for, %d refused", answered, refused)
	}
}

// TestABatchIsNotAnsweredWithoutEnd: the answers of a batch are in memory at the same time.
func TestABatchIsNotAnsweredWithoutEnd(t *testing.T) {
	t.Parallel()
	socket, _ := serveAll(t)
	c, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	one := `{"jsonrpc":"2.0","id":1,"method":"big"}`
	fmt.Fprint(c, frame("["+strings.Repeat(one+",", maxBatch-1)+one+"]"))
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, response.Body)
	if err != nil || n > maxAnswer+(16<<20) {
		t.Errorf("%d MB, %v", n>>20, err)
	}
}
