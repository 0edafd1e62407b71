package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

type echo struct {
	Text string `json:"text"`
}

var methods = Methods{
	"echo":   Method(func(_ context.Context, p echo) (echo, error) { return p, nil }),
	"caller": Method(func(ctx context.Context, _ struct{}) (int, error) { return CallerPID(ctx), nil }),
	"refuse": Method(func(context.Context, struct{}) (any, error) { return nil, Refuse("changed", "The prompt changed.") }),
	"fail":   Method(func(context.Context, struct{}) (any, error) { return nil, errors.New("disk full") }),
	"panic":  Method(func(context.Context, struct{}) (any, error) { panic("boom") }),
	"count": Method(func(context.Context, echo) (Stream, error) {
		return func(_ context.Context, emit func(any) error) error {
			return errors.Join(emit(1), emit(2))
		}, nil
	}),
	"wait": Method(func(ctx context.Context, _ struct{}) (any, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}),
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// serve runs a server until the test ends and returns its socket.
func serve(t *testing.T, hook func(context.Context, Hook) error) string {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "nod.sock")
	listener, err := Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	take := func(ctx context.Context, h Hook) (string, error) { return "", hook(ctx, h) }
	go func() { done <- NewServer(methods, take, http.NotFoundHandler(), quiet()).Serve(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
		if _, err := os.Lstat(socket); err == nil {
			t.Error("the socket file was left behind")
		}
	})
	return socket
}

func TestCall(t *testing.T) {
	c := Dial(serve(t, nil))
	defer c.Close()
	var got echo
	if err := c.Call(t.Context(), "echo", echo{"hä"}, &got); err != nil || got.Text != "hä" {
		t.Errorf("got %v, %v", got, err)
	}
	var pid int
	if err := c.Call(t.Context(), "caller", nil, &pid); err != nil || pid != os.Getpid() {
		t.Errorf("caller %d, want %d; %v", pid, os.Getpid(), err)
	}
}

func TestFaults(t *testing.T) {
	c := Dial(serve(t, nil))
	defer c.Close()
	for _, want := range []struct {
		method string
		params any
		Fault
	}{
		{"refuse", nil, Fault{Code: -32000, Message: "The prompt changed.", Reason: "changed"}},
		{"fail", nil, Fault{Code: -32603, Message: "disk full", Reason: ""}},
		{"panic", nil, Fault{Code: -32603, Message: "nod failed inside: its log says more", Reason: ""}},
		{"none", nil, Fault{Code: -32601, Message: `there is no method "none"`, Reason: ""}},
		{"echo", map[string]int{"text": 1}, Fault{Code: -32602, Message: "", Reason: ""}},
		{"echo", map[string]string{"txet": "x"}, Fault{Code: -32602, Message: "", Reason: ""}},
	} {
		err := c.Call(t.Context(), want.method, want.params, nil)
		var got *Fault
		if !errors.As(err, &got) || got.Code != want.Code || got.Reason != want.Reason || want.Message != "" && got.Message != want.Message {
			t.Errorf("%s(%v): got %#v, want %+v", want.method, want.params, err, want.Fault)
		}
	}
}

// TestNotRunning: the error only says that nod is not running, and not that a call may have been carried out.
func TestNotRunning(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "nod.sock")
	if err := Dial(socket).Call(t.Context(), "echo", nil, nil); err != ErrNotRunning {
		t.Errorf("no socket: %v", err)
	}
	leaveStale(t, socket)
	if err := Dial(socket).Call(t.Context(), "echo", nil, nil); err != ErrNotRunning {
		t.Errorf("a stale socket: %v", err)
	}
}

// leaveStale makes the socket file of a process that died.
func leaveStale(t *testing.T, socket string) {
	t.Helper()
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	listener.SetUnlinkOnClose(false)
	listener.Close()
}

// TestWithoutAConnectionNothingWasDone: the error says what to do, and not that the outcome is unknown.
func TestWithoutAConnectionNothingWasDone(t *testing.T) {
	dir := t.TempDir()
	forbidden := filepath.Join(dir, "nod.sock")
	if err := os.Chmod(dir, 0); err != nil {
		t.Fatal(err)
	}
	sockets := map[string]string{"/" + strings.Repeat("long/", 30) + "nod.sock": "NOD_SOCKET"}
	if os.Getuid() != 0 { // root may go everywhere
		sockets[forbidden] = "another user"
	}
	for socket, want := range sockets {
		c := Dial(socket)
		defer c.Close()
		err := c.Call(t.Context(), "health", nil, nil)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "not known") {
			t.Errorf("%s: %v", socket, err)
		}
	}
}

func TestStaleSocketIsReplaced(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "nod.sock")
	leaveStale(t, socket)
	listener, err := Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	info, err := os.Stat(socket)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestLiveSocketIsRespected(t *testing.T) {
	socket := serve(t, nil)
	if _, err := Listen(socket); !errors.Is(err, ErrInUse) {
		t.Errorf("got %v", err)
	}
	if err := Dial(socket).Call(t.Context(), "echo", nil, nil); err != nil {
		t.Errorf("the first one no longer answers: %v", err)
	}
}

func TestOnlyOneOfManyListens(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "nod.sock")
	leaveStale(t, socket)
	won := make(chan net.Listener, 8)
	for range 8 {
		go func() {
			l, err := Listen(socket)
			if err != nil && !errors.Is(err, ErrInUse) {
				t.Error(err)
			}
			won <- l
		}()
	}
	count := 0
	for range 8 {
		if l := <-won; l != nil {
			count++
			defer l.Close()
		}
	}
	if count != 1 {
		t.Errorf("%d listen", count)
	}
}

func TestListenRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(file); err == nil || !strings.Contains(err.Error(), "no socket") {
		t.Errorf("a file: %v", err)
	}
	if text, _ := os.ReadFile(file); string(text) != "precious" {
		t.Error("the file was touched")
	}
	open := filepath.Join(dir, "open")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(filepath.Join(open, "s")); err == nil || !strings.Contains(err.Error(), "chmod go-w") {
		t.Errorf("a directory that others can write to: %v", err)
	}
	if err := os.Chmod(open, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	if l, err := Listen(filepath.Join(open, "s")); err != nil {
		t.Errorf("a sticky directory: %v", err)
	} else {
		l.Close()
	}
	for _, long := range []int{maxPath, maxPath + 1} {
		l, err := Listen(filepath.Join(dir, strings.Repeat("x", long-len(dir)-1)))
		if err == nil {
			l.Close()
		}
		if (err == nil) != (long == maxPath) || err != nil && !strings.Contains(err.Error(), "NOD_SOCKET") {
			t.Errorf("a path of %d bytes: %v", long, err)
		}
	}
}

func TestServeEndsWhileACallWaits(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "nod.sock")
	listener, err := Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done, called := make(chan error, 1), make(chan error, 1)
	go func() { done <- NewServer(methods, nil, http.NotFoundHandler(), quiet()).Serve(ctx, listener) }()
	go func() { called <- Dial(socket).Call(t.Context(), "wait", nil, nil) }()
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("still serving")
	}
	if err := <-called; err == nil || !errors.Is(err, ErrNotRunning) && !strings.HasPrefix(err.Error(), "the running nod gave no answer to wait") &&
		err.Error() != context.Canceled.Error() {
		t.Errorf("the waiting call: %v", err)
	}
}

// answer sends one request to the handler, as a caller of this user or of another.
func answer(uid int, method, path, body string, header ...string) *httptest.ResponseRecorder {
	s := NewServer(methods, func(_ context.Context, h Hook) (string, error) {
		if bytes.Contains(h.Event, []byte("bad")) {
			return "", errors.New("the event names no session")
		}
		return "", nil
	}, http.NotFoundHandler(), quiet())
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	r = r.WithContext(context.WithValue(r.Context(), peerKey{}, peer{uid: uid, pid: 7}))
	w := httptest.NewRecorder()
	s.handler().ServeHTTP(w, r)
	return w
}

func TestOnlyTheOwnerIsHeard(t *testing.T) {
	if w := answer(os.Getuid()+1, "POST", "/rpc", `{"jsonrpc":"2.0","id":1,"method":"echo"}`); w.Code != http.StatusForbidden {
		t.Errorf("another user: %d %s", w.Code, w.Body)
	}
	s := NewServer(methods, nil, http.NotFoundHandler(), quiet())
	w := httptest.NewRecorder()
	s.handler().ServeHTTP(w, httptest.NewRequest("POST", "/rpc", nil))
	if w.Code != http.StatusForbidden {
		t.Errorf("a caller that the kernel does not name: %d", w.Code)
	}
}

// TestAHookOfAnotherUser is not even read: its event could name any pane.
func TestAHookOfAnotherUser(t *testing.T) {
	heard := 0
	s := NewServer(methods, func(context.Context, Hook) (string, error) { heard++; return "word", nil }, http.NotFoundHandler(), quiet())
	for _, p := range []peer{{uid: os.Getuid() + 1, pid: 7}, {uid: -1}} {
		r := httptest.NewRequest("POST", "/hook/claude", strings.NewReader(`{"hook_event_name":"PermissionRequest"}`))
		r = r.WithContext(context.WithValue(r.Context(), peerKey{}, p))
		w := httptest.NewRecorder()
		s.handler().ServeHTTP(w, r)
		if w.Code != http.StatusForbidden || w.Header().Get(doorHeader) != "" {
			t.Errorf("%+v: %d %v", p, w.Code, w.Header())
		}
	}
	if heard != 0 || s.Counts() != (Counts{}) {
		t.Errorf("heard %d, counted %+v", heard, s.Counts())
	}
}

// TestAnAnswerLargerThanAnyReader is an error, and the outcome of the call is unknown.
func TestAnAnswerLargerThanAnyReader(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		chunk := strings.Repeat("a", 1<<20)
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{"print":"`)
		for range maxAnswer>>20 + 1 {
			fmt.Fprint(w, chunk)
		}
		fmt.Fprint(w, `"}}`)
	})}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()
	client := Dial(socket)
	defer client.Close()
	var answer struct{ Print string }
	if err := client.Wait(t.Context(), "door.wait", nil, &answer); err == nil || answer.Print != "" {
		t.Errorf("%d bytes, %v", len(answer.Print), err)
	}
}

func TestStandard(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"single", `{"jsonrpc":"2.0","id":1,"method":"echo","params":{"text":"a"}}`, `{"jsonrpc":"2.0","id":1,"result":{"text":"a"}}`},
		{"id is text", `{"jsonrpc":"2.0","id":"x","method":"echo"}`, `{"jsonrpc":"2.0","id":"x","result":{"text":""}}`},
		{"null result", `{"jsonrpc":"2.0","id":1,"method":"none"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"there is no method \"none\""}}`},
		{"reason", `{"jsonrpc":"2.0","id":1,"method":"refuse"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"The prompt changed.","data":{"reason":"changed"}}}`},
		{"notification", `{"jsonrpc":"2.0","method":"echo"}`, ``},
		{"notifications", `[{"jsonrpc":"2.0","method":"echo"},{"jsonrpc":"2.0","method":"none"}]`, ``},
		{"batch", `[{"jsonrpc":"2.0","id":2,"method":"echo"},{"jsonrpc":"2.0","method":"echo"},{"jsonrpc":"2.0","id":1,"method":"echo"}]`,
			`[{"jsonrpc":"2.0","id":2,"result":{"text":""}},{"jsonrpc":"2.0","id":1,"result":{"text":""}}]`},
		{"batch of one", `[{"jsonrpc":"2.0","id":2,"method":"echo"}]`, `[{"jsonrpc":"2.0","id":2,"result":{"text":""}}]`},
		{"no JSON", `{"jsonrpc"`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the request is no valid JSON"}}`},
		{"empty", ``, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the request is no valid JSON"}}`},
		{"empty batch", `[]`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the batch is empty"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := answer(os.Getuid(), "POST", "/rpc", c.body)
			if got := strings.TrimSpace(w.Body.String()); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
			if wantCode := map[bool]int{true: 204, false: 200}[c.want == ""]; w.Code != wantCode {
				t.Errorf("status %d", w.Code)
			}
			if kind := w.Header().Get("Content-Type"); c.want != "" && kind != "application/json" {
				t.Errorf("it is %q", kind)
			}
		})
	}
	for _, body := range []string{`{}`, `1`, `{"jsonrpc":"1.0","id":1,"method":"echo"}`, `{"jsonrpc":"2.0","id":1}`, `{"jsonrpc":"2.0","id":{},"method":"echo"}`, `[1]`} {
		if w := answer(os.Getuid(), "POST", "/rpc", body); !strings.Contains(w.Body.String(), `"code":-32600`) {
			t.Errorf("%s: %s", body, w.Body)
		}
	}
}

func TestStream(t *testing.T) {
	if w := answer(os.Getuid(), "POST", "/rpc", `{"jsonrpc":"2.0","id":1,"method":"count"}`); w.Body.String() != "1\n2\n" || w.Header().Get("Content-Type") != streamType {
		t.Errorf("it tells %q as %s", w.Body, w.Header())
	}
	if w := answer(os.Getuid(), "POST", "/rpc", `[{"jsonrpc":"2.0","id":1,"method":"count"}]`); !strings.Contains(w.Body.String(), "call it by itself") {
		t.Errorf("in a batch it tells %q", w.Body)
	}
	client := Dial(serve(t, nil))
	defer client.Close()
	var got []string
	see := func(line json.RawMessage) error { got = append(got, string(line)); return nil }
	if err := client.Stream(t.Context(), "count", nil, see); err != nil || strings.Join(got, "") != "12" {
		t.Errorf("got %q, %v", got, err)
	}
	for method, want := range map[string]string{"none": "no method", "refuse": "The prompt changed.", "echo": "does not tell"} {
		if err := client.Stream(t.Context(), method, nil, see); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", method, err)
		}
	}
}

func FuzzRPC(f *testing.F) {
	f.Add([]byte(`[{"jsonrpc":"2.0","id":1,"method":"echo","params":{"text":"a"}},{"jsonrpc":"2.0","method":"panic"}]`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":null,"method":"refuse","params":[]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if bytes.Contains(body, []byte("wait")) {
			t.Skip("waits for ever, as it should")
		}
		w := answer(os.Getuid(), "POST", "/rpc", string(body))
		if w.Code == http.StatusNoContent {
			return
		}
		if w.Code != http.StatusOK || !json.Valid(w.Body.Bytes()) || !bytes.Contains(w.Body.Bytes(), []byte(`"jsonrpc":"2.0"`)) {
			t.Errorf("%q: %d %s", body, w.Code, w.Body)
		}
	})
}
