package web

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/cmd/internal/desk"
	"nod/internal/host/proc"
)

// TestASlowReaderIsGivenUp: a reader that reads nothing delays nobody, and its stream ends.
func TestASlowReaderIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &page{changes: make(chan desk.Change), log: &strings.Builder{}}
		p.Server = New(Config{Watch: p.watch, Log: slog.New(slog.DiscardHandler)})
		p.client = func(netip.AddrPort, netip.AddrPort) (proc.Client, error) { return proc.Client{UID: os.Getuid()}, nil }
		key, _, _ := p.sessions.spend(p.sessions.link(false, time.Now()), time.Now())
		conn, far := net.Pipe() // a real socket would stop the bubble's clock
		pipe := pipes{far: make(chan net.Conn, 1)}
		pipe.far <- far
		server := &http.Server{Handler: p.handler(hosts(netip.MustParseAddrPort("127.0.0.1:7777"), ""))}
		go func() { _ = server.Serve(pipe) }()
		defer server.Close()
		defer conn.Close()
		fmt.Fprintf(conn, "GET /feed HTTP/1.1\r\nHost: 127.0.0.1:7777\r\nAuthorization: Bearer %s\r\n\r\n", key)
		open := func() int { p.sessions.mu.Lock(); defer p.sessions.mu.Unlock(); return p.sessions.streams }
		time.Sleep(writeLimit - time.Second)
		if open() != 1 {
			t.Fatal("the stream ended early, or never began")
		}
		time.Sleep(2 * time.Second)
		if open() != 0 {
			t.Error("the stream goes on after its reader has read nothing for ten seconds")
		}
	})
}

// pipes is a listener for pipes.
type pipes struct {
	net.Listener
	far chan net.Conn
}

func (p pipes) Accept() (net.Conn, error) {
	if conn, ok := <-p.far; ok {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Close() error { close(p.far); return nil }

func (pipes) Addr() net.Addr { return &net.TCPAddr{} }

// TestAStreamEndsWithItsSession: an open page notices it at the next beat, and beats come even without news.
// A Mini App's stream ends when its user is no longer a supervisor.
func TestAStreamEndsWithItsSession(t *testing.T) {
	for host, lasts := range map[string]time.Duration{"127.0.0.1:7777": sessionLasts, "nod.example.com": time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			p := &page{changes: make(chan desk.Change), log: &strings.Builder{}}
			p.Server = New(Config{Watch: p.watch, Log: slog.New(slog.DiscardHandler), Supervises: func(int64) bool { return time.Since(began) < time.Hour }})
			p.client = func(netip.AddrPort, netip.AddrPort) (proc.Client, error) { return proc.Client{UID: os.Getuid()}, nil }
			key, _, _ := p.sessions.spend(p.sessions.link(false, began), began)
			if lasts == time.Hour {
				key, _ = p.sessions.admit(ann, "Ann", "proof", began, began)
			}
			out, w := io.Pipe()
			r := httptest.NewRequestWithContext(t.Context(), "GET", "http://"+host+"/feed", http.NoBody)
			r.Header.Set("Authorization", "Bearer "+key)
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				defer w.Close()
				p.handler(hosts(netip.MustParseAddrPort("127.0.0.1:7777"), public)).ServeHTTP(flushing{httptest.NewRecorder(), w}, r)
			}()
			text, err := io.ReadAll(out)
			if beats := strings.Count(string(text), ": beat\n\n"); err != nil || beats != int(lasts/beat)-1 {
				t.Errorf("%s: %d beats, %v", host, beats, err)
			}
			<-ended
		})
	}
}

// flushing writes a handler's output to another writer at once.
type flushing struct {
	*httptest.ResponseRecorder
	out io.Writer
}

func (f flushing) Write(text []byte) (int, error) { return f.out.Write(text) }

func (flushing) SetWriteDeadline(time.Time) error { return nil }

// TestTwoHundredTabs: a session has eight streams, and the page two hundred in all.
func TestTwoHundredTabs(t *testing.T) {
	s := newSessions()
	now := time.Now()
	open, stopped := 0, 0
	for range 30 {
		key, _, _ := s.spend(s.link(false, now), now)
		for i := range 10 {
			done, err := s.stream(s.find(key, false, now), func() { stopped++ })
			if err != nil {
				continue
			}
			if open++; i > maxOwnStreams {
				t.Errorf("a session has %d streams", i)
			}
			if i == 0 {
				done() // this makes room for another one
				open--
			}
		}
	}
	if open != maxStreams || s.streams != maxStreams {
		t.Errorf("%d streams are open, counted %d", open, s.streams)
	}
	if ended := s.revoke(); ended != 30 || stopped != maxStreams {
		t.Errorf("%d sessions were ended, and %d streams with them", ended, stopped)
	}
	p := newPage(t)
	key := p.login(t, p.code(t, false))
	for i := range 10 {
		if status, _, _ := p.stream(t, key); (status == 200) != (i < maxOwnStreams) {
			t.Errorf("stream %d is %d", i+1, status)
		}
	}
}

// TestIdleConnectionsMakeRoom: any program can open any number of connections and send nothing or half a
// header. This shuts nobody out. A stream is not such a connection.
func TestIdleConnectionsMakeRoom(t *testing.T) {
	p := newPage(t)
	key := p.login(t, p.code(t, false))
	status, lines, _ := p.stream(t, key)
	if status != http.StatusOK {
		t.Fatal(status)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _, _ = io.Copy(io.Discard, lines) }()
	for i := range maxConnections + 200 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(p.base, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if i%2 == 0 {
			_, _ = conn.Write([]byte("GET / HTTP/1.1\r\nHost:"))
		}
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections() // so that the answer uses a new connection
	began := time.Now()
	if status, _, _ := p.send(t, "POST", "/answer", key, yes, nil); status != http.StatusOK || time.Since(began) > readLimit/4 {
		t.Errorf("an answer is %d after %v", status, time.Since(began))
	}
	p.conns.mu.Lock()
	open := p.conns.open
	p.conns.mu.Unlock()
	if open > maxConnections+10 { // some are closed but still counted
		t.Errorf("%d connections are open", open)
	}
	select {
	case <-ended:
		t.Error("a stream made room for a connection that says nothing")
	default:
	}
}
