// Package web serves the page: everything that waits, shown and answered in a browser on this machine or in
// Telegram.
//
// Reaching the page's port proves nothing: any program on this machine can do it, and so can any site that is
// open in a browser. So every request needs the key of a session, which a human gets from a link that works
// once. A browser's request must also name one of our hosts and come from the page itself, and on Linux the
// client must be a process of our own user. An answer goes through the methods of the socket, together with
// the processes at the other end of the connection. So an agent that drives a browser is refused as it is at
// the socket.
package web

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"nod/cmd/internal/desk"
	"nod/internal/host/proc"
)

// Config is a Server's configuration. Every field is required except Public, Token and Telegram.
type Config struct {
	Address    string // on loopback, with a port; port 0 chooses a free one
	Public     string // the https origin under which Telegram opens the page; empty: none
	Token      string // the bot's: together with Telegram's own key it proves who opens the page
	Telegram   ed25519.PublicKey
	Supervises func(user int64) bool
	// Watch emits all cards, first as a snapshot, until ctx ends or emit fails.
	Watch func(ctx context.Context, emit func(desk.Change) error) error
	View  func(card string) // somebody looks at a card now
	// Call calls a method of the socket for a visitor. Its error is an *rpc.Fault.
	Call func(ctx context.Context, v Visitor, method string, params any) (json.RawMessage, error)
	Log  *slog.Logger
}

// Visitor is the sender of a request.
type Visitor struct {
	Processes []int  // the processes that have the client's end of the connection open
	KeyAlone  bool   // no process can be looked up: the request comes from a Mini App, or the system doesn't say
	User      int64  // the supervisor who opened the Mini App; 0: the machine's owner
	Name      string // the user's
}

// Server serves the page.
type Server struct {
	cfg      Config
	sessions *sessions
	at       atomic.Pointer[netip.AddrPort]                          // the address where it listens; nil: it doesn't listen yet
	client   func(local, remote netip.AddrPort) (proc.Client, error) // the client of a connection
	conns    connections
	trouble  atomic.Pointer[string] // why it does not listen

	strangers rate.Sometimes // limits the log about strangers at the public host, where anybody may try
}

// New makes a Server. It does no I/O.
func New(cfg Config) *Server {
	return &Server{cfg: cfg, sessions: newSessions(), client: proc.ClientOf, strangers: rate.Sometimes{Interval: time.Minute}}
}

// listenAgain is the pause before it tries a port again that another program uses.
const listenAgain = 10 * time.Second

// Run serves until ctx ends. If another program uses the port, it tries again and again; the chat works
// without the page.
func (s *Server) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		listener, err := net.Listen("tcp", s.cfg.Address)
		if err == nil {
			s.trouble.Store(nil)
			return s.Serve(ctx, listener)
		}
		said := fmt.Sprintf("The page can't be served at NOD_WEB=%s: %v.", s.cfg.Address, errors.Unwrap(err))
		if s.trouble.Swap(&said) == nil {
			s.cfg.Log.Error("the page is not served yet", "address", s.cfg.Address, "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(listenAgain):
		}
	}
	return nil
}

// Health returns problems as sentences.
func (s *Server) Health() []string {
	if why := s.trouble.Load(); why != nil {
		return []string{*why}
	}
	return nil
}

// Limits on the memory that a client can use, besides those on streams.
const (
	maxConnections = 512
	maxHeader      = 16 << 10
	maxBody        = 64 << 10
	readLimit      = 10 * time.Second
	writeLimit     = 10 * time.Second // for one write to a stream
	answerLimit    = 90 * time.Second // an answer waits for its outcome, which takes a minute at most
)

// Serve serves on a loopback listener until ctx ends.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	at, err := netip.ParseAddrPort(listener.Addr().String())
	if err != nil || !at.Addr().IsLoopback() {
		listener.Close()
		return fmt.Errorf("serve the page at %s: it is not on loopback", listener.Addr())
	}
	s.at.Store(&at)
	server := &http.Server{
		Handler:           s.handler(hosts(at, s.cfg.Public)),
		ReadHeaderTimeout: readLimit / 2,
		ReadTimeout:       readLimit,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(s.cfg.Log.Handler(), slog.LevelDebug), // at debug level, because any program can cause errors
		ConnState:         s.conns.note,
		ConnContext:       func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the page: %w", err)
	}
	return nil
}

// Link returns a link to the page that works once, within a minute. With watch its session can't answer.
func (s *Server) Link(watch bool) (string, error) {
	at := s.at.Load()
	if at == nil {
		return "", errors.New("the page is not served yet: see `nod status`")
	}
	// The code is in the fragment, which browsers send neither to a server nor as the referrer.
	return "http://" + at.String() + "/#" + s.sessions.link(watch, time.Now()), nil
}

// Revoke ends all sessions and all unused links.
func (s *Server) Revoke() (ended int) { return s.sessions.revoke() }

// handler returns the handler for these hosts.
func (s *Server) handler(hosts map[string]host) http.Handler {
	mux := http.NewServeMux()
	for path, asset := range assets {
		mux.HandleFunc("GET "+path, asset.serve)
	}
	mux.HandleFunc("POST /login", s.login)
	mux.HandleFunc("GET /feed", s.signedIn(s.feed))
	mux.HandleFunc("POST /view", s.signedIn(s.view))
	mux.HandleFunc("POST /answer", s.signedIn(s.answer))
	return s.guard(hosts, mux)
}
