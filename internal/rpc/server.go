// Package rpc carries agents' hooks and JSON-RPC 2.0 over nod's Unix socket, both ends.
//
// Only the socket's owner is heard, by the uid that the kernel names, and every method learns
// which process calls.
package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"regexp"
	"sync/atomic"
	"time"
)

// The largest bodies that are read. A hook carries a tool's whole input, which may be a file.
const (
	maxHook    = 8 << 20
	maxRequest = 1 << 20
)

// Hook is one event that an agent's hook sent.
type Hook struct {
	Agent string          // "claude", from the path
	Tmux  string          // $TMUX of the hook: "/tmp/tmux-1000/default,1234,0"; empty outside tmux
	Pane  string          // $TMUX_PANE of the hook: "%12"; empty outside tmux
	Event json.RawMessage // valid JSON
	PID   int             // of the caller, 0 where it is not known
}

// Server answers on the socket.
type Server struct {
	methods Methods
	hook    func(context.Context, Hook) error
	log     *slog.Logger

	events, refused atomic.Int64
}

// Heard is how many events of agents came in.
type Heard struct{ Events, Refused int64 }

// Heard counts the events since the server was made; a refused one was no event, or too large.
func (s *Server) Heard() Heard { return Heard{s.events.Load(), s.refused.Load()} }

// NewServer answers JSON-RPC with methods and gives each event to hook, whose error is a sentence
// for the sender: the event is no good.
func NewServer(methods Methods, hook func(context.Context, Hook) error, log *slog.Logger) *Server {
	return &Server{methods: methods, hook: hook, log: log}
}

// Serve answers on listener until ctx ends, then lets running requests come to an end for a second.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second, // no write timeout: an answer may wait for its outcome
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
		ConnContext:       withPeer,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(closed)
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if server.Shutdown(grace) != nil {
			server.Close()
		}
	})
	err := server.Serve(listener)
	if !stop() {
		<-closed
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serve the socket: %w", err)
}

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /rpc", s.serveRPC)
	mux.HandleFunc("POST /hook/{agent}", s.serveHook)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, ok := r.Context().Value(peerKey{}).(peer)
		if !ok || p.uid != os.Getuid() {
			s.log.Warn("refused a caller of another user", "uid", p.uid, "pid", p.pid)
			http.Error(w, "nod answers only the user that it runs as", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func (s *Server) serveRPC(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r, maxRequest)
	if !ok {
		return
	}
	answer := s.methods.dispatch(r.Context(), body, s.log)
	if answer == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		s.log.Debug("answer not sent", "error", err) // the caller hung up
	}
}

var agentName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

var errNoJSON = errors.New("the event is no valid JSON")

func (s *Server) serveHook(w http.ResponseWriter, r *http.Request) {
	h := Hook{Agent: r.PathValue("agent"), Tmux: r.Header.Get("X-Tmux"), Pane: r.Header.Get("X-Tmux-Pane"), PID: CallerPID(r.Context())}
	if !agentName.MatchString(h.Agent) {
		http.Error(w, "the path must be /hook/ and an agent's name, as in /hook/claude", http.StatusBadRequest)
		return
	}
	s.events.Add(1)
	body, ok := readBody(w, r, maxHook)
	if !ok {
		s.refused.Add(1)
		return
	}
	h.Event = body
	err := errNoJSON
	if json.Valid(body) {
		err = s.hook(r.Context(), h)
	}
	if err != nil {
		s.refused.Add(1)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// readBody reads the body whole, or answers the request and returns false.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err == nil {
		return body, true
	}
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		http.Error(w, "the body is too large", http.StatusRequestEntityTooLarge)
	} else {
		http.Error(w, "the body could not be read whole", http.StatusBadRequest)
	}
	return nil, false
}
