package carrier

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"nod/cmd/internal/fleet/join"
	"nod/internal/testrun"
)

// program is the path of the real nod-hub, which is built once.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "nod-carrier-test-")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "nod-hub")
	if err := testrun.Build("nod/cmd/nod-hub", program); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

const patience = 30 * time.Second

// world is a running Carrier, with everything that came over its links.
type world struct {
	*Carrier
	t      *testing.T
	frames chan string // "machine: frame", and "machine: up" and "machine: over"
	stop   func()
	mu     sync.Mutex
	links  map[string]*Link
	wants  chan Wants
}

func runs(t *testing.T, first Control) *world {
	t.Helper()
	w := &world{t: t, frames: make(chan string, 1000), links: map[string]*Link{}, wants: make(chan Wants, 10)}
	w.Carrier = New(Config{
		Program: program, First: first, Log: slog.New(slog.NewTextHandler(testLog{t}, nil)),
		Attach: func(ctx context.Context, machine string, l *Link) error {
			w.mu.Lock()
			w.links[machine] = l
			w.mu.Unlock()
			w.frames <- machine + ": up"
			defer func() { w.frames <- machine + ": over" }()
			for {
				frame, err := l.Receive(ctx)
				if errors.Is(err, io.EOF) {
					return nil
				}
				if err != nil {
					return err
				}
				w.frames <- machine + ": " + string(frame)
			}
		},
		Told: func(_ context.Context, _ *sync.WaitGroup, c Control) {
			if c.Wants != nil {
				w.wants <- *c.Wants
			}
		},
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	w.stop = sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(patience):
			t.Error("it does not end")
		}
	})
	t.Cleanup(w.stop)
	return w
}

type testLog struct{ t *testing.T }

func (l testLog) Write(text []byte) (int, error) {
	fmt.Fprintf(l.t.Output(), "%s", text)
	return len(text), nil
}

func (w *world) until(want string) {
	w.t.Helper()
	for late := time.After(patience); ; {
		select {
		case got := <-w.frames:
			if got == want {
				return
			}
		case <-late:
			w.t.Fatalf("%q never came; wrong is: %q", want, w.Health())
		}
	}
}

func (w *world) send(machine, frame string) {
	w.t.Helper()
	w.mu.Lock()
	l := w.links[machine]
	w.mu.Unlock()
	if err := l.Send(w.t.Context(), []byte(frame)); err != nil {
		w.t.Fatal(err)
	}
}

// asks is Call once nod-hub is running.
func (w *world) asks(c Control) Done {
	w.t.Helper()
	for late := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) { // another process has to start
		done, err := w.Call(w.t.Context(), c)
		if err == nil {
			return done
		}
		if time.Now().After(late) {
			w.t.Fatal(err)
		}
	}
}

// TestTwoMachinesOverRealPrograms: a hub, a machine that joins, and its edge. Each nod-hub is killed once and
// comes back.
func TestTwoMachinesOverRealPrograms(t *testing.T) {
	testrun.InFull(t)
	hub := runs(t, Control{Serve: &Serve{Dir: filepath.Join(t.TempDir(), "hub"), Listen: freeAddress(t)}})
	code, err := join.ParseCode(hub.asks(Control{Invite: &Invite{For: time.Minute}}).Code)
	if err != nil {
		t.Fatal(err)
	}
	digits := make(chan string, 10)
	go func() {
		w := <-hub.wants
		if shown := <-digits; shown != w.Digits {
			t.Errorf("the machine shows %s, the hub %s", shown, w.Digits)
		}
		if _, err := hub.Call(context.Background(), Control{Decide: &Decide{Invite: w.Invite, Admit: true}}); err != nil {
			t.Error(err)
		}
	}()
	joined, err := Join(t.Context(), program, Joining{Code: code, Name: "gpu1", Version: "test"}, func(d string) { digits <- d }, func(why string) {
		if why != "" {
			t.Log(why)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	edge := runs(t, Control{Dial: &Dial{Joined: joined}})
	talk := func() {
		t.Helper()
		hub.until("gpu1: up")
		edge.until(": up")
		edge.send("", `{"seen":1}`)
		hub.until(`gpu1: {"seen":1}`)
		hub.send("gpu1", `{"type":1}`)
		edge.until(`: {"type":1}`)
	}
	talk()
	killChild(t, edge)
	hub.until("gpu1: over")
	talk()
	killChild(t, hub)
	edge.until(": over")
	talk()

	if _, err := Join(t.Context(), program, Joining{Code: code, Name: "gpu2"}, func(string) {}, func(string) {}); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "works once") {
		t.Errorf("the code once more: %v", err)
	}
	edge.stop()
	hub.stop()
	if left := children(t); len(left) > 0 {
		t.Errorf("still running: %v", left)
	}
}

// killChild kills the nod-hub of a Carrier.
func killChild(t *testing.T, w *world) {
	t.Helper()
	w.Carrier.mu.Lock()
	child := w.child
	w.Carrier.mu.Unlock()
	if err := child.Kill(); err != nil {
		t.Fatal(err)
	}
}

// children returns the nod-hubs that run below this test.
func children(t *testing.T) (left []string) {
	t.Helper()
	out, _ := exec.Command("ps", "-o", "pid=,args=", "--ppid", fmt.Sprint(os.Getpid())).Output()
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, program) && !strings.Contains(line, "defunct") {
			left = append(left, strings.TrimSpace(line))
		}
	}
	return left
}

func TestWhereTheProgramIs(t *testing.T) {
	t.Setenv("PATH", filepath.Dir(program))
	if got, err := Program(); err != nil || got != program {
		t.Errorf("%s, %v", got, err)
	}
	t.Setenv("PATH", t.TempDir())
	if got, err := Program(); err == nil || !strings.Contains(err.Error(), "install nod again") {
		t.Errorf("%s, %v", got, err)
	}
}

func TestALinkThatIsClosedIsOver(t *testing.T) {
	lives, over := context.WithCancel(t.Context())
	l := &Link{in: make(chan []byte, linkRoom), gone: lives.Done(), over: over}
	for range linkRoom + 1 {
		l.put([]byte("{}")) // a frame beyond the limit is lost, without blocking
	}
	if err := errors.Join(l.Close(), l.Close()); err != nil {
		t.Error(err)
	}
	for range linkRoom {
		if _, err := l.Receive(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Receive(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("%v", err)
	}
	if err := l.Send(t.Context(), nil); !errors.Is(err, io.EOF) {
		t.Errorf("%v", err)
	}
}

func TestWithoutAProgramItSaysSo(t *testing.T) {
	c := New(Config{Program: filepath.Join(t.TempDir(), "nod-hub"), First: Control{Serve: &Serve{}}, Log: slog.New(slog.DiscardHandler)})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	for late := time.Now().Add(patience); len(c.Health()) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(late) {
			t.Fatal("it says nothing")
		}
	}
	if _, err := c.Call(ctx, Control{Machines: true}); err == nil || !strings.Contains(err.Error(), "nod-hub has ended") {
		t.Errorf("a call: %v", err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
