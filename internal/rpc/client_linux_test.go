package rpc

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creachadair/jrpc2"
	"golang.org/x/sys/unix"
)

// breaking listens on a socket, and passes each connection to the next of acts, which closes it.
func breaking(t *testing.T, acts ...func(net.Conn)) *Client {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan bool)
	go func() {
		defer close(done)
		for _, act := range acts {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			act(conn)
			conn.Close()
		}
	}()
	client := Dial(socket)
	t.Cleanup(func() { client.Close(); listener.Close(); <-done })
	return client
}

// hear reads a request, and answers it with what is not empty.
func hear(in *bufio.Reader, conn net.Conn, kind, answer string) {
	r, err := http.ReadRequest(in)
	if err != nil {
		return
	}
	var sent request
	_ = json.NewDecoder(r.Body).Decode(&sent)
	if answer != "" {
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", kind, len(answer), answer)
	}
}

// gone ends after a request, and broken while one has still to be read.
func gone(conn net.Conn) { hear(bufio.NewReader(conn), conn, "", "") }

func broken(conn net.Conn) {
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Read(func(fd uintptr) bool {
		_, _, err := unix.Recvfrom(int(fd), make([]byte, 1), unix.MSG_PEEK)
		return !errors.Is(err, unix.EAGAIN)
	})
}

// TestABotThatStopsBeforeItAnswers tells no stream, and may have done what it was called for.
func TestABotThatStopsBeforeItAnswers(t *testing.T) {
	if err := Dial(filepath.Join(t.TempDir(), "s")).Stream(t.Context(), "events", nil, nil); !errors.Is(err, ErrNotRunning) || strings.Contains(err.Error(), "http") {
		t.Errorf("without a bot a stream ends with %v", err)
	}
	for name, act := range map[string]func(net.Conn){"gone": gone, "broken": broken} {
		err := breaking(t, act).Stream(t.Context(), "events", nil, nil)
		if !errors.Is(err, ErrNotRunning) || strings.Contains(err.Error(), "http") {
			t.Errorf("%s: a stream ends with %v", name, err)
		}
		err = breaking(t, act).Call(t.Context(), "reply", nil, nil)
		if err == nil || errors.Is(err, ErrNotRunning) || !strings.Contains(err.Error(), "not known") || strings.Contains(err.Error(), "http") {
			t.Errorf("%s: a call ends with %v", name, err)
		}
	}
}

// TestAStreamIsAskedForAgain where the bot closes the connection of a call before. A call is not: it may be carried out.
func TestAStreamIsAskedForAgain(t *testing.T) {
	closes := func(conn net.Conn) {
		in := bufio.NewReader(conn)
		hear(in, conn, "application/json", `{"result":1}`)
		hear(in, conn, "", "")
	}
	tells := func(conn net.Conn) { hear(bufio.NewReader(conn), conn, streamType, "1\n2\n") }
	client := breaking(t, closes, tells)
	if err := client.Call(t.Context(), "echo", nil, nil); err != nil {
		t.Fatal(err)
	}
	var told []string
	see := func(line json.RawMessage) error { told = append(told, string(line)); return nil }
	if err := client.Stream(t.Context(), "events", nil, see); err != nil || strings.Join(told, "") != "12" {
		t.Errorf("it tells %q, %v", told, err)
	}
	client = breaking(t, closes, func(net.Conn) { t.Error("a call is made again") })
	if err := client.Call(t.Context(), "echo", nil, nil); err != nil {
		t.Fatal(err)
	}
	if err := client.Call(t.Context(), "reply", nil, nil); err == nil {
		t.Error("nobody answers, and the call has a result")
	}
}

// TestTheCountsAreRead, and if there are none, why.
func TestTheCountsAreRead(t *testing.T) {
	client := breaking(t, func(conn net.Conn) { hear(bufio.NewReader(conn), conn, "text/plain", "nod_open 1\n") })
	if text, err := client.Metrics(t.Context()); err != nil || string(text) != "nod_open 1\n" {
		t.Errorf("%q, %v", text, err)
	}
	if text, err := Dial(filepath.Join(t.TempDir(), "s")).Metrics(t.Context()); text != nil || !errors.Is(err, ErrNotRunning) {
		t.Errorf("without a bot: %q, %v", text, err)
	}
	client = Dial(serve(t, nil))
	defer client.Close()
	if text, err := client.Metrics(t.Context()); text != nil || err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("from one that counts nothing: %q, %v", text, err)
	}
}

// TestACallFromInside has the result or the fault that a caller at the socket gets. A stream needs one.
func TestACallFromInside(t *testing.T) {
	ctx := context.Background()
	if text, err := methods.Call(ctx, "echo", echo{"x"}, quiet()); err != nil || string(text) != `{"text":"x"}` {
		t.Errorf("it has %s, %v", text, err)
	}
	for method, want := range map[string]Fault{
		"refuse": {Code: int(refused), Message: "The prompt changed.", Reason: "changed"},
		"count":  {Code: -32600, Message: "count is a stream"},
		"none":   {Code: -32601, Message: `there is no method "none"`},
	} {
		text, err := methods.Call(ctx, method, nil, quiet())
		if got := (*Fault)(nil); text != nil || !errors.As(err, &got) || *got != want {
			t.Errorf("%s has %s, %#v", method, text, err)
		}
	}
	if text, err := methods.Call(ctx, "echo", func() {}, quiet()); text != nil || err == nil {
		t.Errorf("a call with what is no JSON has %s, %v", text, err)
	}
}

// TestABatchHasItsLimits: so many requests, and so many bytes of results before the last one.
func TestABatchHasItsLimits(t *testing.T) {
	one := `{"jsonrpc":"2.0","id":1,"method":"echo"}`
	for n, want := range map[int]int{maxBatch: maxBatch, maxBatch + 1: 0} {
		body := "[" + strings.Repeat(one+",", n-1) + one + "]"
		answers, _ := methods.dispatch(t.Context(), []byte(body), quiet()).([]response)
		if len(answers) != want {
			t.Errorf("of %d requests %d are answered", n, len(answers))
		}
	}
	for size, want := range map[int]int{maxAnswer: 2, maxAnswer + 1: 0} {
		long := Methods{"long": func(context.Context, *jrpc2.Request) (any, error) {
			return json.RawMessage(`"` + strings.Repeat("x", size-2) + `"`), nil
		}}
		body := `[{"jsonrpc":"2.0","id":1,"method":"long"},{"jsonrpc":"2.0","id":2,"method":"none"}]`
		answers, _ := long.dispatch(t.Context(), []byte(body), quiet()).([]response)
		if len(answers) != want {
			t.Errorf("after %d bytes %d answers", size, len(answers))
		}
	}
}
