package botapi

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
)

// Pipe serves the emulator over net.Pipe and returns a client that reaches it at any address. It uses no real
// socket, so the clock of a testing/synctest bubble can advance. stop ends the server and its connections.
func (s *Server) Pipe() (client *http.Client, stop func()) {
	l := &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
	srv := &http.Server{Handler: s}
	var served sync.WaitGroup
	served.Go(func() { _ = srv.Serve(l) }) // returns http.ErrServerClosed
	transport := &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return l.dial(ctx) },
	}
	return &http.Client{Transport: transport}, func() {
		transport.CloseIdleConnections()
		srv.Close()
		served.Wait()
	}
}

type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

var errPipeClosed = errors.New("the emulator's pipe is closed")

func (l *pipeListener) dial(ctx context.Context) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case l.conns <- far:
		return near, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-l.done:
		return nil, errPipeClosed
	}
}

// Accept waits for the next connection.
func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close ends Accept and all dials.
func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr returns a name for logs.
func (l *pipeListener) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "pipe" }
