// Package web serves the page: all that waits, in a browser on this machine or in Telegram, and answered there.
//
// Who reaches the page's port is nobody yet: any program of this machine can, and any site that a browser has open. So a request
// counts only with the key of a session, which a human gets for a link that works once; a browser's only where it names a host of ours
// and comes from the page itself; and on Linux only from a process of our own user. An answer goes through the methods of the socket,
// with the processes at the other end of the connection, so that an agent which drives a browser is refused there as at the socket.
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

// Config is what the page works with. Every field is needed but Public, Token and Telegram.
type Config struct {
	Address    string // on loopback, with its port; port 0 takes any
	Public     string // the https origin by which Telegram opens the page; empty: none
	Token      string // the bot's: Telegram proves with it, and with its own key, who opens the page
	Telegram   ed25519.PublicKey
	Supervises func(user int64) bool
	// Watch tells of all cards, a snapshot first, until ctx ends or emit fails.
	Watch func(ctx context.Context, emit func(desk.Change) error) error
	View  func(card string) // somebody looks at a card, for some seconds
	// Call calls a method of the socket for a visitor. Its error is an *rpc.Fault.
	Call func(ctx context.Context, v Visitor, method string, params any) (json.RawMessage, error)
	Log  *slog.Logger
}

// Visitor is who asks.
type Visitor struct {
	Processes []int  // those that have the other end of the connection open
	KeyAlone  bool   // no process can be asked for: it is a Mini App's, or this system does not tell
	User      int64  // the supervisor whose Mini App it is; 0: the machine's owner
	Name      string // theirs
}

// Server serves the page.
type Server struct {
	cfg      Config
	sessions *sessions
	at       atomic.Pointer[netip.AddrPort]                          // where it listens; nil: nowhere yet
	client   func(local, remote netip.AddrPort) (proc.Client, error) // of a connection
	conns    connections
	trouble  atomic.Pointer[string] // why it does not listen

	strangers rate.Sometimes // logs who is turned away at the public host, where anybody may knock
}

// New makes a Server. It does no I/O.
func New(cfg Config) *Server {
	return &Server{cfg: cfg, sessions: newSessions(), client: proc.ClientOf, strangers: rate.Sometimes{Interval: time.Minute}}
}

// listenAgain is how long it waits for its port where another program has that.
const listenAgain = 10 * time.Second

// Run serves until ctx ends. A port that another program has is asked for again and again: the chat goes on without the page.
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

// Health says what is wrong, in sentences.
func (s *Server) Health() []string {
	if why := s.trouble.Load(); why != nil {
		return []string{*why}
	}
	return nil
}

// Limits on what a client can make the page hold, besides those on streams.
const (
	maxConnections = 512
	maxHeader      = 16 << 10
	maxBody        = 64 << 10
	readLimit      = 10 * time.Second
	writeLimit     = 10 * time.Second // of one write to a stream
	answerLimit    = 90 * time.Second // an answer waits for its outcome, which takes a minute at most
)

// Serve serves on listener, which is on loopback, until ctx ends.
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
		ErrorLog:          slog.NewLogLogger(s.cfg.Log.Handler(), slog.LevelDebug), // any program can make it complain
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

// Link is a link to the page that works once, within a minute; with watch its session can't answer.
func (s *Server) Link(watch bool) (string, error) {
	at := s.at.Load()
	if at == nil {
		return "", errors.New("the page is not served yet: see `nod status`")
	}
	// The code is in the fragment, which no browser sends to a server or names as the address that a link was followed from.
	return "http://" + at.String() + "/#" + s.sessions.link(watch, time.Now()), nil
}

// Revoke ends all sessions, and the links that nobody has opened yet.
func (s *Server) Revoke() (ended int) { return s.sessions.revoke() }

// handler serves at these hosts.
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
