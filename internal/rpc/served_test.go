package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"
)

// TestAStopWaitsASecondForWhatRuns, which learns that nod stops. What does not end by then is cut off.
func TestAStopWaitsASecondForWhatRuns(t *testing.T) {
	t.Parallel()
	for _, ends := range []bool{true, false} {
		socket := filepath.Join(t.TempDir(), "s")
		listener, err := Listen(socket)
		if err != nil {
			t.Fatal(err)
		}
		running, release, cause := make(chan bool), make(chan bool), make(chan error, 1)
		var finished atomic.Bool
		method := Method(func(ctx context.Context, _ struct{}) (any, error) {
			running <- true
			<-ctx.Done()
			cause <- context.Cause(ctx)
			if !ends {
				<-release
			}
			time.Sleep(50 * time.Millisecond)
			finished.Store(true)
			return nil, nil //nolint:nilnil // null
		})
		ctx, stop := context.WithCancel(t.Context())
		served, called := make(chan error, 1), make(chan error, 1)
		go func() {
			served <- NewServer(Methods{"run": method}, nil, http.NotFoundHandler(), quiet()).Serve(ctx, listener)
		}()
		go func() { called <- Dial(socket).Call(t.Context(), "run", nil, nil) }()
		<-running
		stop()
		if err := <-served; err != nil || finished.Load() != ends {
			t.Errorf("it ends %t: served until %v, finished %t", ends, err, finished.Load())
		}
		if err := <-cause; !errors.Is(err, ErrStopping) {
			t.Errorf("it learns %v", err)
		}
		if err := <-called; (err == nil) != ends {
			t.Errorf("it ends %t: the caller gets %v", ends, err)
		}
		close(release)
	}
}

// TestWhatRunsLearnsThatNothingIsServed, if the socket is lost.
func TestWhatRunsLearnsThatNothingIsServed(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	listener, err := Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	running, cause := make(chan bool), make(chan error, 1)
	method := Method(func(ctx context.Context, _ struct{}) (any, error) {
		running <- true
		<-ctx.Done()
		cause <- context.Cause(ctx)
		return nil, nil //nolint:nilnil // null
	})
	served := make(chan error, 1)
	go func() {
		served <- NewServer(Methods{"run": method}, nil, http.NotFoundHandler(), quiet()).Serve(t.Context(), listener)
	}()
	client := Dial(socket)
	defer client.Close()
	called := make(chan error, 1)
	go func() { called <- client.Call(t.Context(), "run", nil, nil) }()
	<-running
	listener.Close()
	if err := <-served; !errors.Is(err, net.ErrClosed) {
		t.Errorf("served until %v", err)
	}
	if err := <-cause; !errors.Is(err, ErrStopping) {
		t.Errorf("it learns %v", err)
	}
	if err := <-called; err != nil {
		t.Error(err)
	}
}

// TestOneTooManyIsToldAndLeft: the next call gets a connection of its own, which there may be room for.
func TestOneTooManyIsToldAndLeft(t *testing.T) {
	r := httptest.NewRequest("POST", "/rpc", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"echo"}`))
	w := httptest.NewRecorder()
	p := peer{uid: os.Getuid(), tooMany: "too many"}
	NewServer(methods, nil, http.NotFoundHandler(), quiet()).handler().ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), peerKey{}, p)))
	if w.Code != http.StatusServiceUnavailable || strings.TrimSpace(w.Body.String()) != "too many" || w.Header().Get("Connection") != "close" {
		t.Errorf("%d %q %v", w.Code, w.Body, w.Header())
	}
}

// TestWhatIsNotReadWholeIsRefused, be it a call or an event.
func TestWhatIsNotReadWholeIsRefused(t *testing.T) {
	for _, path := range []string{"/rpc", "/hook/claude"} {
		r := httptest.NewRequest("POST", path, iotest.ErrReader(io.ErrUnexpectedEOF))
		w := httptest.NewRecorder()
		p := peer{uid: os.Getuid()}
		NewServer(methods, nil, http.NotFoundHandler(), quiet()).handler().ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), peerKey{}, p)))
		if w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d %q", path, w.Code, w.Body)
		}
	}
}

// TestAStreamTellsAtOnce each value, and fails with one that can't be told.
func TestAStreamTellsAtOnce(t *testing.T) {
	seen, failed := make(chan bool), make(chan error, 1)
	all := Methods{"events": Method(func(context.Context, struct{}) (Stream, error) {
		return func(_ context.Context, emit func(any) error) error {
			err := emit(1)
			<-seen
			failed <- emit(func() {})
			return err
		}, nil
	})}
	socket := filepath.Join(t.TempDir(), "s")
	listener, err := Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- NewServer(all, nil, http.NotFoundHandler(), quiet()).Serve(ctx, listener) }()
	client := Dial(socket)
	defer client.Close()
	soon, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	told := 0
	err = client.Stream(soon, "events", nil, func(json.RawMessage) error { told++; close(seen); return nil })
	if err != nil || told != 1 {
		t.Errorf("told %d values, %v", told, err)
	}
	if told > 0 && <-failed == nil {
		t.Error("a func was told")
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// TestTheCountsAreServed to the owner.
func TestTheCountsAreServed(t *testing.T) {
	s := NewServer(nil, nil, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "nod_open 1") }), quiet())
	r := httptest.NewRequest("GET", "/metrics", nil)
	w := httptest.NewRecorder()
	s.handler().ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), peerKey{}, peer{uid: os.Getuid()})))
	if w.Body.String() != "nod_open 1" {
		t.Errorf("%d %q", w.Code, w.Body)
	}
}

// TestSoManyStreamsAtOnce, and each leaves its place.
func TestSoManyStreamsAtOnce(t *testing.T) {
	s := NewServer(methods, nil, http.NotFoundHandler(), quiet())
	for _, open := range []int32{0, maxStreams - 1, maxStreams} {
		s.streams.Store(open)
		w := httptest.NewRecorder()
		s.serveRPC(w, httptest.NewRequest("POST", "/rpc", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"count"}`)))
		if told := w.Body.String(); (told == "1\n2\n") != (open < maxStreams) || open == maxStreams && (w.Code != http.StatusServiceUnavailable || !strings.Contains(told, "too many")) {
			t.Errorf("with %d others: %d %q", open, w.Code, told)
		}
		if left := s.streams.Load(); left != open {
			t.Errorf("of %d others %d are left", open, left)
		}
	}
}

// TestRoomForAnEvent is as large as the event, or as any may be if it does not say. What finds none counts as refused.
func TestRoomForAnEvent(t *testing.T) {
	for size, room := range map[int64]int64{0: 0, smallHook: 0, smallHook + 1: smallHook + 1, MaxHook: MaxHook, MaxHook + 1: MaxHook, -1: MaxHook} {
		s := NewServer(nil, nil, nil, quiet())
		r := httptest.NewRequest("POST", "/hook/claude", nil)
		r.ContentLength = size
		letGo, ok := s.hold(r)
		if !ok || s.held.TryAcquire(maxHeld-room+1) || !s.held.TryAcquire(maxHeld-room) {
			t.Errorf("%d bytes do not take %d", size, room)
			continue
		}
		s.held.Release(maxHeld - room)
		if letGo(); !s.held.TryAcquire(maxHeld) {
			t.Errorf("of %d bytes something is held", size)
		}
		r = httptest.NewRequest("POST", "/hook/claude", strings.NewReader(`"`+strings.Repeat("x", smallHook)+`"`))
		r.SetPathValue("agent", "claude")
		w := httptest.NewRecorder()
		if s.serveHook(w, r); w.Code != http.StatusServiceUnavailable || s.Counts() != (Counts{1, 1}) {
			t.Errorf("without room: %d, %+v", w.Code, s.Counts())
		}
	}
	s := NewServer(nil, nil, nil, quiet())
	r := httptest.NewRequest("POST", "/hook/claude", strings.NewReader(strings.Repeat(" ", MaxHook+1)))
	r.SetPathValue("agent", "claude")
	if s.serveHook(httptest.NewRecorder(), r); s.Counts() != (Counts{1, 1}) {
		t.Errorf("too large: %+v", s.Counts())
	}
}

// TestAHookGetsItsWord, and says whether it was ended.
func TestAHookGetsItsWord(t *testing.T) {
	for _, ended := range []bool{true, false} {
		socket := filepath.Join(t.TempDir(), "s")
		listener, err := Listen(socket)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		served := make(chan error, 1)
		take := func(_ context.Context, h Hook) (string, error) {
			if h.Ended {
				return "", nil
			}
			return "word", nil
		}
		go func() { served <- NewServer(nil, take, http.NotFoundHandler(), quiet()).Serve(ctx, listener) }()
		c := Dial(socket)
		if word, err := c.Hook(t.Context(), Hook{Agent: "claude", Event: []byte("{}"), Ended: ended}); err != nil || (word == "word") == ended {
			t.Errorf("ended %t: %q, %v", ended, word, err)
		}
		c.Close()
		stop()
		<-served
	}
}
